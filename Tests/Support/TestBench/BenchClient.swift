import CJack
import Glibc
import Synchronization

/// A JACK client of the tests: opens, connects, waits for other clients' ports, and closes in time.
///
/// `@unchecked Sendable`: libjack's calls may come from any thread; all else is constant or atomic.
public final class BenchClient: @unchecked Sendable {
  public let handle: OpaquePointer
  public let name: String
  /// Posted on each change of ports, connections or freewheel, and when the server is lost.
  public let changed = Event()
  private let server: JACKServer
  private let isClosed = Atomic<Bool>(false)
  private let wasLost = Atomic<Bool>(false)
  private let freewheels = Atomic<Bool>(false)
  private let xruns = Atomic<Int>(0)

  public init(server: JACKServer, name: String) throws {
    prepareForLibjack
    var status = jack_status_t(0)
    guard let handle = tactus_jack_client_open(name, JackNoStartServer, &status, server.name) else {
      throw BenchError("no client \(name), status \(status.rawValue)\n\(server.report)")
    }
    self.handle = handle
    self.server = server
    self.name = String(cString: jack_get_client_name(handle))
    server.noteOpened(self.name)
    installCallbacks()
  }

  deinit {
    close()
  }

  public var sampleRate: Int { Int(jack_get_sample_rate(handle)) }
  public var period: Int { Int(jack_get_buffer_size(handle)) }
  public var isLost: Bool { wasLost.load(ordering: .acquiring) }
  public var isFreewheeling: Bool { freewheels.load(ordering: .acquiring) }

  /// Closes the client; afterwards only `isLost` and `name` may be read.
  public func close() {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    jack_client_close(handle)
    server.noteClosed(name)
  }

  /// Starts the callbacks. Register ports and set callbacks first.
  public func activate() throws {
    try check(jack_activate(handle), "activate \(name)")
  }

  public func registerAudioPort(_ port: String, _ direction: JackPortFlags) throws -> OpaquePointer {
    try register(port, JACK_DEFAULT_AUDIO_TYPE, direction)
  }

  public func registerMIDIPort(_ port: String, _ direction: JackPortFlags) throws -> OpaquePointer {
    try register(port, JACK_DEFAULT_MIDI_TYPE, direction)
  }

  private func register(_ port: String, _ type: String, _ direction: JackPortFlags) throws -> OpaquePointer {
    guard let handle = jack_port_register(handle, port, type, UInt(direction.rawValue), 0) else {
      throw BenchError("port \(name):\(port) refused")
    }
    return handle
  }

  /// Connects two ports by their full names; waits until both exist and their clients are active.
  public func connect(_ source: String, _ destination: String, within limit: Duration = .seconds(5)) throws {
    let deadline = Deadline.within(limit)
    try waitForPort(source, within: limit)
    try waitForPort(destination, within: limit)
    // A port exists before its client is active, and no event reports the activation reliably: so try again.
    while true {
      let result = jack_connect(handle, source, destination)
      if result == 0 || result == EEXIST { return }
      if isLost || deadline.hasPassed { try check(result, "connect \(source) to \(destination)") }
      changed.wait(until: deadline.earlier(of: .milliseconds(20)))
    }
  }

  public func disconnect(_ source: String, _ destination: String) throws {
    try check(jack_disconnect(handle, source, destination), "disconnect \(source) from \(destination)")
  }

  /// Waits until another client has registered the port.
  public func waitForPort(_ port: String, within limit: Duration = .seconds(5)) throws {
    try wait("port \(port)", within: limit) { jack_port_by_name(handle, port) != nil }
  }

  /// Waits until ports exist whose full name matches the regular expression, and returns their names.
  @discardableResult
  public func waitForPorts(
    matching pattern: String, count: Int = 1, within limit: Duration = .seconds(5)
  ) throws -> [String] {
    try wait("\(count) ports \(pattern)", within: limit) { ports(matching: pattern).count >= count }
    return ports(matching: pattern)
  }

  public func waitForConnection(
    _ source: String, _ destination: String, within limit: Duration = .seconds(5)
  ) throws {
    try wait("connection of \(source) to \(destination)", within: limit) {
      connections(of: source).contains(destination)
    }
  }

  public func waitForLoss(within limit: Duration = .seconds(5)) throws {
    guard changed.wait(until: .within(limit), for: { isLost ? true : nil }) != nil else {
      throw BenchError("the server was not lost within \(limit)")
    }
  }

  /// The full names of all ports, or of those that match the regular expression, in JACK's order.
  public func ports(matching pattern: String? = nil, flags: JackPortFlags? = nil) -> [String] {
    names(jack_get_ports(handle, pattern, nil, UInt(flags?.rawValue ?? 0)))
  }

  public func connections(of port: String) -> [String] {
    guard let port = jack_port_by_name(handle, port) else { return [] }
    return names(jack_port_get_all_connections(handle, port))
  }

  /// Turns the server's freewheel mode on or off; returns when it has taken effect.
  ///
  /// Activate all clients first: jack2 accepts none while it freewheels (an attempt fails after 20 s).
  public func setFreewheel(_ on: Bool, within limit: Duration = .seconds(5)) throws {
    try check(jack_set_freewheel(handle, on ? 1 : 0), "freewheel")
    try wait("freewheel \(on)", within: limit) { isFreewheeling == on }
  }

  /// Waits for `condition`, which is checked after each post of `changed`.
  func wait(_ what: String, within limit: Duration, for condition: () -> Bool) throws {
    let met = try changed.wait(until: .within(limit)) { () throws -> Bool? in
      if isLost { throw BenchError("server lost while waiting for \(what)\n\(server.report)") }
      return condition() ? true : nil
    }
    if met == nil { throw BenchError("no \(what) within \(limit)\n\(server.report)") }
  }

  func check(_ result: Int32, _ what: String) throws {
    if result != 0 { throw BenchError("\(what): error \(result)\n\(server.report)") }
  }

  private func names(_ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> [String] {
    guard let list else { return [] }
    defer { jack_free(list) }
    var names: [String] = []
    while let name = list[names.count] { names.append(String(cString: name)) }
    return names
  }

  /// The callbacks hold an unretained reference: it stays valid, because `close` ends all callbacks.
  private func installCallbacks() {
    let context = Unmanaged.passUnretained(self).toOpaque()
    // If both are set, jack2 calls only the second one, PipeWire before 0.3.71 only the first one.
    jack_on_shutdown(handle, { BenchClient.at($0).noteLoss() }, context)
    jack_on_info_shutdown(handle, { _, _, context in BenchClient.at(context).noteLoss() }, context)
    jack_set_port_registration_callback(
      handle, { _, _, context in BenchClient.at(context).changed.post() }, context)
    jack_set_port_connect_callback(
      handle, { _, _, _, context in BenchClient.at(context).changed.post() }, context)
    jack_set_xrun_callback(
      handle,
      { context in
        BenchClient.at(context).noteXrun()
        return 0
      }, context)
    jack_set_freewheel_callback(
      handle,
      { starting, context in
        let client = BenchClient.at(context)
        client.freewheels.store(starting != 0, ordering: .releasing)
        client.changed.post()
      }, context)
  }

  /// The number of xruns that the server reported to this client or that the client noticed itself.
  var xrunCount: Int { xruns.load(ordering: .relaxed) }

  /// Begins a cycle; called in the process callback.
  ///
  /// A cycle that does not follow the previous one counts as an xrun: PipeWire does not report a client's first xrun.
  func beginCycle(_ clock: inout CycleClock, _ frameCount: Int) -> CycleClock.Cycle {
    let cycle = clock.begin(frameTime: jack_last_frame_time(handle), frameCount: frameCount)
    if cycle.gap != nil { noteXrun() }
    return cycle
  }

  /// Ends a cycle of a client that has read its buffers; called in the process callback. If the next cycle has begun meanwhile,
  /// other clients may have changed the buffers: that counts as an xrun. PipeWire reports none of its dummy driver.
  func endCycle(_ cycle: CycleClock.Cycle) {
    if jack_last_frame_time(handle) != UInt32(truncatingIfNeeded: cycle.frame) { noteXrun() }
  }

  private func noteXrun() {
    xruns.add(1, ordering: .relaxed)
    server.noteXrun()
  }

  private func noteLoss() {
    wasLost.store(true, ordering: .releasing)
    changed.post()
  }

  private static func at(_ context: UnsafeMutableRawPointer?) -> BenchClient {
    Unmanaged<BenchClient>.fromOpaque(context!).takeUnretainedValue()
  }
}
