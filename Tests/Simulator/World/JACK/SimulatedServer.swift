import CJack
import Glibc
import Synchronization

/// A JACK server with its ports, connections, transport and cycles, as libjack shows it to the program's client. It may hang or
/// disappear; other clients appear, leave, and connect ports.
///
/// `SimulatedLibrary` has the functions of libjack that the program calls.
final class SimulatedServer: @unchecked Sendable {
  // `@unchecked`: the simulator has one thread.

  enum State { case up, hung, down }
  enum Leader { case nobody, program, other }

  private(set) var state = State.up
  private(set) var hungSince: UInt64 = 0
  private var clock: ServerClock
  private(set) var period: Int
  /// Whether it is PipeWire, which has another transport, and changes its rate and period while it runs.
  let isPipeWire: Bool
  /// The name by which clients find it.
  let name: String
  /// The simulated time.
  var now: UInt64

  /// The program's open client; nil if there is none.
  private(set) var client: SimulatedClient?
  /// Whether the program has a client that takes part in cycles.
  var hasClient: Bool { client?.isActive == true && client?.isOnServer == true }
  /// Number of clients that the program has opened, in all its lives.
  private(set) var opened = 0
  /// Clients of the current program, which may still use their ports.
  private var clients: [SimulatedClient] = []
  /// Whether the transport does not wait for the program, if that flaw is planted.
  var waitsForNobody = false
  /// Whether the program's own connections to devices fail, if that flaw is planted.
  var ignoresConnections = false
  /// Whether no client can be opened, if that flaw is planted.
  var refusesClients = false
  /// Whether the program waits in a call until the server continues or disappears.
  private(set) var holdsProgram = false

  private(set) var graph = SimulatedGraph()
  private(set) var devices = Devices()
  /// How often it was started.
  private var boots = 0
  /// The pending notifications for the program's client, with their times.
  private var notices: [(time: UInt64, notice: Notice)] = []

  private enum Notice {
    case registration(UInt32, isThere: Bool)
    case connection(UInt32, UInt32, isConnected: Bool)
    case latency, rate, period
    case shutDown
  }

  var transport: any ServerTransport
  private(set) var leader = Leader.nobody
  /// Publishes the position of the other client that leads.
  var fillPosition: ((inout jack_position_t, _ rate: Int) -> Void)?

  /// Frames by which everything is later than the program knows, if that flaw is planted.
  var drift: Int64 = 0
  /// Whether the program is kept from leading, if that flaw is planted.
  var keepsLead = false

  /// Servers by name, for `open`.
  private static let servers = Mutex<[String: Reference]>([:])

  private struct Reference: @unchecked Sendable {
    // `@unchecked`: only one simulation, and so one thread, knows a name.
    weak var server: SimulatedServer?
  }

  init(rate: Int, period: Int, isPipeWire: Bool = false, at time: UInt64) {
    (self.period, self.isPipeWire, now) = (period, isPipeWire, time)
    transport = SimulatedServer.makeTransport(isPipeWire)
    clock = ServerClock(rate: rate, at: time)
    name = "simulated-\(UInt64.random(in: 0 ... .max))"
    let reference = Reference(server: self)
    SimulatedServer.servers.withLock { [name] in $0[name] = reference }
    boot()
  }

  deinit {
    graph.disconnectAll()
    SimulatedServer.servers.withLock { [name] in $0[name] = nil }
  }

  private static func makeTransport(_ isPipeWire: Bool) -> any ServerTransport {
    if isPipeWire { PipeWireTransport() } else { JACK2Transport() }
  }

  /// The running server with this name; nil if there is none.
  static func find(_ name: String) -> SimulatedServer? { servers.withLock { $0[name] }?.server }

  /// Frames from a port to the speakers.
  var latency: Int64 { Int64(2 * period) }

  /// The maximum time in nanoseconds from the moment at which a cycle must know a change until the change sounds.
  var delay: UInt64 { clock.nanoseconds(latency) + periodTime }

  var isRolling: Bool { transport.state == JackTransportRolling }
  var isStopped: Bool { transport.state == JackTransportStopped }
  /// The maximum time in nanoseconds for which a transport of PipeWire waits.
  static let longestWait: UInt64 = 5_500_000_000
  var frame: UInt32 { transport.position.frame }

  // MARK: Cycles

  /// When the next cycle begins; `.max` if there is none.
  var nextCycle: UInt64 { state == .up ? clock.nextCycle : .max }

  /// When the next notification for the program's client is due; `.max` if there is none.
  var nextNotice: UInt64 { state == .hung ? .max : notices.map(\.time).min() ?? .max }

  /// Nanoseconds of a cycle.
  var periodTime: UInt64 { clock.nanoseconds(Int64(period)) }

  /// Runs a cycle: the server's part, and the callbacks of the program's client.
  /// - Parameter frame: the cycle's frame on the program's clock.
  func runCycle(_ frame: Int64) {
    clock.beginCycle(frame, at: now)
    transport.beginCycle(rate: rate, period: period)
    if let client, !isAdapting {
      if transport.follower?.mustSync == true {
        var position = transport.position
        let isReady = client.sync(transport.state, &position) ?? true
        if isReady || waitsForNobody {
          transport.follower?.isReady = true
          transport.follower?.mustSync = false
        }
      }
      client.gatherMIDI()
      client.process(UInt32(period))
    }
    fillTimebase()
    clock.pass(frames: Int64(period))
  }

  private func fillTimebase() {
    switch leader {
    case .nobody: break
    case .other:
      if let fillPosition {
        transport.askLeader(isProgram: false) { [rate] position, _ in fillPosition(&position, rate) }
      }
    case .program:
      guard let client, !isAdapting else { return }
      let (state, length) = (transport.state, UInt32(period))
      transport.askLeader(isProgram: true) { client.timebase(state, length, &$0, $1 ? 1 : 0) }
    }
  }

  /// Lets cycles pass that no client takes part in.
  func miss(_ cycles: Int) {
    for _ in 0..<cycles {
      transport.beginCycle(rate: rate, period: period)
      if leader == .other { fillTimebase() }
      clock.pass(frames: Int64(period))
    }
    client?.receiveXrun()
  }

  /// Sends the due notifications to the program's client.
  /// - Returns: whether there were any.
  func deliverNotices() -> Bool {
    guard nextNotice <= now else { return false }
    let due = notices.filter { $0.time <= now }
    notices.removeAll { $0.time <= now }
    for (_, notice) in due {
      switch notice {
      case .registration(let port, let isThere): client?.receiveRegistration(port, isThere)
      case .connection(let a, let b, let isConnected): client?.receiveConnection(a, b, isConnected)
      case .latency: client?.receiveLatency()
      case .rate:
        applyWaiting()
        client?.receiveRate(UInt32(rate))
      case .period: applyWaiting()
      case .shutDown: client?.receiveShutdown()
      }
    }
    return true
  }

  private func post(_ notice: Notice, after nanoseconds: UInt64 = 1_000_000) {
    if client?.isActive == true { notices.append((now + nanoseconds, notice)) }
  }

  // MARK: Faults

  func hang() {
    guard state == .up else { return }
    (state, hungSince) = (.hung, now)
  }

  /// Lets a server that hung continue.
  func proceed() {
    guard state == .hung else { return }
    state = .up
    // Cycles that were missed before have had their time.
    clock = ServerClock(rate: rate, at: max(now, clock.nextCycle), after: clock)
    release()
  }

  /// - Parameter isOrderly: whether it disconnects its clients before it ends.
  func die(isOrderly: Bool) {
    guard state != .down else { return }
    if isOrderly { for port in graph.sorted { disconnectAll(port) } }
    state = .down
    notices.removeAll { if case .shutDown = $0.notice { false } else { !isOrderly } }
    post(.shutDown, after: isOrderly ? 20_000_000 : 1_000_000)
    waiting = (nil, nil)
    graph.disconnectAll()
    graph = SimulatedGraph()
    devices.forget()
    client?.isOnServer = false
    (leader, transport) = (.nobody, SimulatedServer.makeTransport(isPipeWire))
    clock.forgetClient()
    release()
  }

  func start(rate: Int, period: Int) {
    (state, self.period) = (.up, period)
    clock = ServerClock(rate: rate, at: now)
    boot()
  }

  /// Removes the program's client, because the program has crashed.
  func removeClient() {
    if let client { close(client) }
    holdsProgram = false
    waitingCalls = []
  }

  /// Forgets the clients of a program that has ended.
  func forgetClients() { clients = [] }

  func change(period: Int) { change(.period, period) }
  func change(rate: Int) { change(.rate, rate) }

  /// Changes the rate or the period. On PipeWire the client first misses cycles, until another thread has reported the change.
  private func change(_ notice: Notice, _ value: Int) {
    guard isPipeWire, client?.isActive == true else {
      apply(notice, value)
      if case .rate = notice { post(.rate, after: 0) }
      return
    }
    if case .rate = notice { waiting.rate = value } else { waiting.period = value }
    post(notice, after: SimulatedServer.adaption)
  }

  private func apply(_ notice: Notice, _ value: Int) {
    let isRate = if case .rate = notice { true } else { false }
    clock = ServerClock(
      rate: isRate ? value : rate, at: max(now, nextCycle == .max ? now : nextCycle), after: clock)
    guard !isRate else { return }
    period = value
    setLatencies(after: 0)
  }

  /// Applies changes of which PipeWire's client is notified now.
  private func applyWaiting() {
    if let rate = waiting.rate.take() { apply(.rate, rate) }
    if let period = waiting.period.take() { apply(.period, period) }
  }

  /// The rate and period of which PipeWire has not notified the client yet.
  private var waiting: (rate: Int?, period: Int?) = (nil, nil)

  /// How long libjack of PipeWire calls no process callback after a change of the rate or period, in nanoseconds.
  private static let adaption: UInt64 = 4_000_000
  /// Whether the program's client takes no part in cycles, because a change has not been reported to it.
  var isAdapting: Bool { waiting.rate != nil || waiting.period != nil }

  /// Returns the calls that have waited.
  private func release() {
    holdsProgram = false
    let calls = waitingCalls
    waitingCalls = []
    for call in calls { call() }
  }

  /// Calls of the program's queue that wait until the server continues.
  private var waitingCalls: [() -> Void] = []

  /// Makes a call that waits for a server that hangs.
  func call(_ work: @escaping () -> Void) {
    if state == .hung { waitingCalls.append(work) } else { work() }
  }

  /// Notes that the program is in a call until the server continues.
  func hold() { if state == .hung { holdsProgram = true } }

  // MARK: The graph

  /// Adds the server's own ports.
  private func boot() {
    for number in 1...2 {
      add(.init(name: "system:playback_\(number)", isInput: true, isPhysical: true))
      add(.init(name: "system:capture_\(number)", isInput: false, isPhysical: true))
    }
    boots += 1
    // The driver finds its devices in any order.
    let devices = Device.allCases.filter(\.isPhysical)
    for device in boots.isMultiple(of: 2) ? devices.reversed() : devices { plug(device) }
  }

  /// Adds a device or another client, with its port.
  func plug(_ device: Device) {
    guard state == .up, devices.port(device) == nil else { return }
    add(devices.plug(device))
  }

  /// Removes it.
  func unplug(_ device: Device) {
    if state == .up, let port = devices.unplug(device) { remove(port) }
  }

  /// Connects a port of the program to a device, or disconnects it, as a user does.
  /// - Returns: whether that was possible.
  func connect(_ port: String, _ device: Device, _ connects: Bool) -> Bool {
    guard state == .up, hasClient, let client, let peer = devices.port(device) else { return false }
    let own = "\(client.name):\(port)"
    let (source, target) = device.isSource ? (peer, own) : (own, peer)
    if connects { connect(source, target) } else { disconnect(source, target) }
    return true
  }

  private func setLatencies(after nanoseconds: UInt64 = 1_000_000) {
    for port in graph.ports.values where port.isAudio ? port.isInput : port.name.hasPrefix("tactus:") {
      port.latency = UInt32(latency)
    }
    post(.latency, after: nanoseconds)
  }

  /// Adds a port of another client or a device.
  func add(_ kind: SimulatedPort.Kind) {
    let port = graph.add(kind)
    setLatencies()
    post(.registration(port.id, isThere: true))
  }

  /// Removes a port of a client or a device.
  func remove(_ name: String) {
    guard let port = graph.port(named: name) else { return }
    disconnectAll(port)
    graph.remove(port)
    client?.keep(port)
    post(.registration(port.id, isThere: false))
  }

  /// Connects two ports for the program.
  func connectForProgram(_ source: String, _ target: String) -> Int32 {
    guard state == .up else { return -1 }
    let peer = source.hasPrefix("tactus:") ? target : source
    if ignoresConnections, graph.port(named: peer).flatMap({ devices.device($0.name) }) != nil { return 0 }
    return connect(source, target)
  }

  /// - Returns: 0, or an error number.
  @discardableResult
  func connect(_ source: String, _ target: String) -> Int32 {
    guard let output = graph.port(named: source), let input = graph.port(named: target), !output.isInput,
      input.isInput, output.isAudio == input.isAudio
    else { return -1 }
    guard !output.peers.contains(where: { $0 === input }) else { return EEXIST }
    output.peers.append(input)
    input.peers.append(output)
    post(.connection(output.id, input.id, isConnected: true))
    post(.latency)
    return 0
  }

  func disconnect(_ source: String, _ target: String) {
    guard let output = graph.port(named: source), let input = graph.port(named: target) else { return }
    disconnect(output, input)
  }

  func disconnectAll(_ port: SimulatedPort) {
    for peer in port.peers { disconnect(port.isInput ? peer : port, port.isInput ? port : peer) }
  }

  private func disconnect(_ output: SimulatedPort, _ input: SimulatedPort) {
    guard output.peers.contains(where: { $0 === input }) else { return }
    output.peers.removeAll { $0 === input }
    input.peers.removeAll { $0 === output }
    post(.connection(output.id, input.id, isConnected: false))
    post(.latency)
  }

  // MARK: The program's client

  func open(_ name: String) -> SimulatedClient? {
    guard state == .up, client == nil, !refusesClients else { return nil }
    let opened = SimulatedClient(name: name, on: self)
    client = opened
    clients.append(opened)
    self.opened += 1
    return opened
  }

  func activate(_ client: SimulatedClient) {
    client.isActive = true
    transport.follower = TransportFollower(mustSync: true, mustFillTimebase: true)
  }

  func close(_ closed: SimulatedClient) {
    guard closed === client else { return }
    hold()
    for port in closed.ports { remove(port.name) }
    if leader == .program { releaseTimebase() }
    (client, notices) = (nil, [])
    clock.forgetClient()
    applyWaiting()
    transport.follower = nil
  }

  func register(_ kind: SimulatedPort.Kind) -> SimulatedPort? {
    guard state == .up, let client else { return nil }
    var kind = kind
    (kind.isPhysical, kind.alias) = (false, nil)
    let port = graph.add(kind)
    client.keep(port)
    setLatencies()
    return port
  }

  func lead(conditional: Bool) -> Int32 {
    guard state == .up, hasClient else { return -1 }
    // PipeWire does not report that another client leads.
    guard !(conditional && leader == .other || keepsLead) else { return isPipeWire ? 0 : EBUSY }
    leader = .program
    transport.noteLeader(isProgram: true)
    return 0
  }

  func releaseTimebase() {
    guard leader == .program else { return }
    leader = .nobody
    transport.forgetTimebase()
  }

  /// Notes that the transport must wait for the program's client from the next start on.
  func noteSlowClient() { transport.follower?.mustSync = true }

  // MARK: Other clients

  func roll(_ rolls: Bool) { rolls ? transport.start() : transport.stop() }
  func locate(_ frame: UInt32) { transport.locate(to: frame) }
  func lead(byOther leads: Bool) {
    if leads {
      leader = .other
      transport.noteLeader(isProgram: false)
    } else if leader == .other {
      leader = .nobody
      transport.forgetTimebase()
    }
  }

  // MARK: Times

  /// Frames per second.
  var rate: Int { clock.rate }
  /// The server's frame time at the current cycle's start, and the instant of that start.
  var cycleStart: (frame: UInt32, time: UInt64) { clock.cycleStart }
  /// The frame time now; it also advances while cycles are missed.
  var frameTime: UInt32 { clock.frame(at: now, drift: drift) }
  /// When the frame of `frameTime` began.
  var frameInstant: UInt64 { clock.frameInstant(at: now) }

  func clockFrame(soundingAt time: UInt64) -> Int64? { clock.frame(renderedAt: time).map { $0 - latency } }
  func soundingTime(of clockFrame: Int64) -> UInt64? { clock.time(of: clockFrame + latency + drift) }
  func time(of clockFrame: Int64) -> UInt64? { clock.time(of: clockFrame) }
}
