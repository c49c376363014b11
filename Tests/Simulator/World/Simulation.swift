import Control
import Engine
import MIDI
import TestNumbers

@testable import OSC
@testable import OSCControl

/// Runs the whole program through a history: one thread, simulated time.
final class Simulation {
  enum Timer {
    case serverBack(rate: Int, period: Int)
    case serverGoesOn, leaderLeaves, leaderIsHonest, diskIsFine, diskIsFast
    case linkIsBack(beats: Double)
    case startProgram, renew, compare
    case carriesOut(Deed)
    case plugs(Device)
  }

  static let earPort: UInt16 = 9_001
  static let appPort: UInt16 = 9_002
  static let beginning: UInt64 = 1_000_000_000_000
  /// The wall clock at the beginning: a day in 2026.
  private static let date: Int64 = 1_790_000_000_000_000_000

  private let history: History
  let flaw: Flaw?
  let world: Program.Surroundings
  let time: SimulatedTime
  var program: Program?
  var witness = Witness()
  var connections = ConnectionJudge()
  let timeSources: TimeSources
  let tape: Tape
  var timers: [(time: UInt64, timer: Timer)] = []
  private var next = 0
  /// The engine's clock frame of the next cycle.
  var clock: Int64 = 0
  /// The program's client of the last cycle, by number, and the frames that it has missed since.
  private var cycledClient = 0
  private(set) var missed: Int64 = 0
  /// The program's client that the witness knows, by number.
  private var knownClient = 0
  /// The transport's frame minus the clock frame; valid while the transport rolls.
  private var transportShift: Int64 = 0
  var control: [MIDIMessage] = []
  /// The songs of each document that was opened.
  var documents: [String: [Document]] = [:]
  var outcome = Outcome()
  private var trace: Trace?
  /// Number of messages so far, for the flaw that drops some.
  var forgotten = 0
  /// Whether a start begins at bar 1.
  var isAtStart = true
  /// The date of the last start, by the program itself or by a message: until then an earlier start may play.
  var startsUntil: UInt64 = 0
  /// Since when no client has led a rolling transport that the program must lead; nil while one does.
  var leaderlessSince: UInt64?
  /// When the program must play by itself after a start; nil if another event has happened since.
  var playsBy: UInt64?
  /// When the server's rate may last have changed.
  var rateChangedAt: UInt64 = 0
  /// The remaining bytes of a cut-off state file; nil if it is complete.
  var cut: [UInt8]?
  /// Until when the disk is full, or slower than usual.
  var diskBusyUntil: UInt64 = 0

  /// - Parameter traceStart: from when on the reports are kept as words, in nanoseconds of the history; nil for none.
  init(_ history: History, flaw: Flaw? = nil, traceStart: UInt64? = nil) throws {
    (self.history, self.flaw) = (history, flaw)
    trace = traceStart.map { Trace(since: Simulation.beginning + $0) }
    let time = SimulatedTime(now: Simulation.beginning, wallClock: Simulation.date)
    self.time = time
    world = Program.Surroundings(
      disk: try Disk(flaw: flaw), library: ClipLibrary(flaw: flaw),
      server: SimulatedServer(
        rate: history.rate, period: history.period, isPipeWire: history.isPipeWire, at: Simulation.beginning),
      link: SimulatedLink(flaw: flaw), work: DelayedWork(), clock: time.clock)
    timeSources = TimeSources(link: world.link, seed: history.seed)
    tape = Tape(flaw: flaw)
    server.waitsForNobody = flaw == .transportDoesNotWait
  }

  var now: UInt64 { time.now }
  var server: SimulatedServer { world.server }

  /// Runs to the end, or to the first fault.
  func run() -> Outcome {
    do throws(Fault) {
      try startProgram()
      after(60_000_000_000, .compare)
      let end = Simulation.beginning + history.duration
      while let moment = nextMoment, moment < end {
        advance(to: moment)
        outcome.steps += 1
        try step()
      }
      try endProgram()
    } catch {
      var fault = error
      (fault.time, fault.step) = (now - Simulation.beginning, outcome.steps)
      outcome.fault = fault
      program?.die()
    }
    outcome.time = now - Simulation.beginning
    outcome.reports = trace?.lines ?? []
    outcome.deeds = next
    outcome.digest = witness.subscriber.digest
    outcome.digest.add(tape.digest.value)
    outcome.digest.add(UInt64(world.disk.saves))
    (outcome.beats, outcome.judged, outcome.near) = (
      witness.beatCount, witness.onsets.judged, witness.nearCount
    )
    (outcome.looped, outcome.layered) = (witness.onsets.looped, witness.onsets.layers.judged)
    (outcome.ordered, outcome.starts) = (witness.orderCount, witness.startCount)
    (outcome.linked, outcome.countIns) = (witness.session.judged, witness.countIn.judged)
    outcome.holds = witness.hold.judged
    (outcome.clips, outcome.saves) = (witness.sound.clips, world.disk.saves)
    (outcome.connections, outcome.preRolls) = (connections.judged, witness.preRoll.judged)
    (outcome.countedStarts, outcome.moved) = (witness.preRoll.starts, witness.preRoll.beatsAfterMoves)
    (outcome.pulses, outcome.notes) = (witness.pulses.judged, witness.notes.judged)
    outcome.places = witness.pulses.places
    return outcome
  }

  // MARK: Time

  private var nextMoment: UInt64? {
    var moment = min(world.work.deadline, program?.nextTurn(at: now) ?? .max)
    moment = min(moment, server.nextCycle, server.nextNotice, program?.nextSupervision ?? .max)
    if next < history.happenings.count {
      moment = min(moment, Simulation.beginning + history.happenings[next].time)
    }
    for timer in timers { moment = min(moment, timer.time) }
    return moment == .max ? nil : max(moment, now)
  }

  private func advance(to moment: UInt64) {
    time.now = moment
    world.work.now = moment
    world.link.now = moment
    server.now = moment
  }

  func after(_ duration: UInt64, _ timer: Timer) { timers.append((now + duration, timer)) }

  private func step() throws(Fault) {
    while next < history.happenings.count, Simulation.beginning + history.happenings[next].time <= now {
      next += 1
      try perform(history.happenings[next - 1].deed)
    }
    while let index = timers.firstIndex(where: { $0.time <= now }) {
      try perform(timers.remove(at: index).timer)
    }
    try deliverNotices()
    if let program, program.nextSupervision <= now { supervise(program) }
    if server.nextCycle <= now { try cycle() }
    if world.work.run() { program?.wake() }
    if let program, program.nextTurn(at: now) <= now { try turn() }
  }

  private func deliverNotices() throws(Fault) {
    guard server.nextNotice <= now else { return }
    // A new period changes the latency, by which the beats so far are not judged.
    if server.isAdapting { try turn() }
    let rate = server.rate
    while server.deliverNotices() {}
    // PipeWire applies a new rate when it notifies its client. From then on exact times are computed with it.
    if server.rate != rate { witness.noteServer(at: now, delay: server.delay) }
    program?.wakeSupervisor()
  }

  func turn() throws(Fault) {
    guard let program else { return }
    program.turn(at: now)
    try listen()
    try witness.judge(scene)
    try checkBounds()
    try checkLead()
    if let what = connections.judge(server) { throw Fault(promise: .connections, what: what) }
    if let time = playsBy, now >= time {
      playsBy = nil
      if witness.subscriber.text("role") == "free", witness.subscriber.text("session") == "",
        witness.subscriber.integer("toggle") != 1
      {
        throw Fault(promise: .progress, what: "it does not play after its start")
      }
    }
    guard !witness.isSilentTooLong(scene) else {
      throw Fault(promise: .progress, what: "no click for too long, though it plays and the server runs")
    }
  }

  /// Reads what the program sends now.
  func listen() throws(Fault) {
    guard let program, program.takeNews() else { return }
    for sent in program.line.takeSent() where sent.peer == Simulation.earPort {
      witness.subscriber.receive(flawed(sent.messages), folder: world.disk.folder) {
        time.time(ofWallClock: $0.unixNanoseconds)
      }
      trace?.note(sent.messages, at: now)
    }
    if let unreadable = program.line.unreadable.first {
      throw Fault(promise: .reported, what: "what it sends can't be read: \(unreadable)")
    }
  }

  private func flawed(_ messages: [OSCMessage]) -> [OSCMessage] {
    switch flaw {
    case .reportsRoundTempo:
      messages.map { message in
        guard message.address == "/tactus/tempo", let tempo = message.arguments.first?.number else {
          return message
        }
        return OSCMessage(message.address, .float(Float(tempo.rounded())))
      }
    case .beatsAreForgotten:
      messages.filter { _ in
        forgotten += 1
        return forgotten % 1_000 != 0
      }
    case .reportsAnotherLayer:
      messages.map { message in
        guard message.address.hasPrefix("/tactus/layer/"),
          var layer = message.arguments.first?.text.flatMap({ LayerPattern($0) }), !layer.isEvery
        else { return message }
        layer.pulses += 1
        return OSCMessage(message.address, .string(layer.text))
      }
    case .layerPulsesAreLate:
      messages.map { message in
        guard message.address == "/tactus/beat", message.arguments.count == 5, let date = message.time
        else { return message }
        forgotten += 1
        let late: Int64 = forgotten % 50 == 0 ? 3_000_000_000 / Int64(server.rate) : 0
        return OSCMessage(
          message.address, arguments: message.arguments,
          time: OSCTime(unixNanoseconds: date.unixNanoseconds + late))
      }
    default: messages
    }
  }

  var scene: Witness.Scene {
    Witness.Scene(
      now: now, server: server, leaderBar: timeSources.leader?.barTime ?? 0,
      machineWhole: timeSources.machineWhole(server),
      isLinkPlaying: world.link.isJoined && world.link.state.isPlaying,
      distance: { [timeSources, server, transportShift] frame, role, beat in
        timeSources.distance(frame, role, beat, server: server, transportShift: transportShift)
      }, document: document)
  }

  /// The current song's document, as reported.
  private var document: Document? {
    guard let songs = witness.subscriber.text("session").flatMap({ documents[$0] }) else { return nil }
    let index = (witness.subscriber.integer("song") ?? 1) - 1
    return songs.indices.contains(index) ? songs[index] : nil
  }

  // MARK: Cycles

  private func cycle() throws(Fault) {
    guard server.hasClient, let program else { return server.runCycle(clock) }
    if server.isAdapting { return miss(1) }
    let length = server.period
    sendControl()
    timeSources.send(to: server)
    // A client's clock begins with its first cycle.
    if cycledClient == server.opened { clock += missed }
    (cycledClient, missed) = (server.opened, 0)
    server.runCycle(clock)
    transportShift = Int64(server.frame) - clock
    guard program.clock == clock + Int64(length) else {
      throw Fault(
        promise: .onsets,
        what: "the engine's clock is at \(program.clock), and should be at \(clock + Int64(length))")
    }
    let isAfterChange = rateChangedAt + 2_000_000_000 > now
    witness.record(tape.period(clock, server, mayBeFrozen: isAfterChange))
    clock += Int64(length)
    if flaw == .onsetsAccumulate, witness.beatCount / 200 > server.drift {
      server.drift += 1
      tape.delay += 1
    }
  }

  /// Sends the pad's waiting messages.
  private func sendControl() {
    for device in [Device.pad, .pedal] {
      let port = server.devices.port(device).flatMap(server.graph.port(named:))
      port?.clear()
      for message in control { port?.send(message, at: 0) }
    }
    control = []
  }

  /// Lets cycles be missed.
  func miss(_ cycles: Int) {
    let (first, frames) = (clock + missed, Int64(cycles * server.period))
    witness.noteGap(
      first..<first + frames, at: now, for: UInt64(cycles) * server.periodTime, delay: server.delay)
    connections.noteGap(UInt64(cycles) * server.periodTime, server)
    missed += frames
    server.miss(cycles)
  }

  private func supervise(_ program: Program) {
    let hadClient = server.client != nil
    program.supervise(at: now)
    if hadClient, server.client == nil { witness.loseTape() }
    noteClient()
  }

  /// Notes that the program may have a new client.
  private func noteClient() {
    guard server.opened != knownClient else { return }
    knownClient = server.opened
    connections.noteEvent(server)
    rateChangedAt = now
    witness.noteServer(at: now, delay: server.delay)
  }

  // MARK: Connections

  /// Connects a port of the program to a device, or disconnects it, as a user does.
  func connect(_ port: String, _ device: Device, _ connects: Bool) {
    guard server.connect(port, device, connects) else { return }
    connections.note(.init(port: port, device: device), isConnected: connects, server)
  }

  // MARK: Lives

  func startProgram() throws(Fault) {
    guard server.state == .up else { return after(100_000_000, .startProgram) }
    guard flaw == .clipsPileUp || world.library.alive == 0 else {
      throw Fault(promise: .bounds, what: "\(world.library.alive) clips outlive the program")
    }
    do {
      let program = try Program(in: world, at: now)
      self.program = program
      (clock, missed) = (0, 0)
      outcome.lives += 1
      witness.beginLife(at: now)
      try checkDamage(program)
      noteClient()
      if outcome.lives == 1 {
        for device in Device.allCases { server.plug(device) }
        connect("control", .pad, true)
        connect("clock-in", .machine, true)
      }
      playsBy = now + 3_000_000_000
      startsUntil = now + 3_000_000_000
      isAtStart = true
      subscribe(Simulation.earPort)
      timers.removeAll { if case .renew = $0.timer { true } else { false } }
      after(25_000_000_000, .renew)
    } catch {
      throw Fault(promise: .start, what: "\(error)")
    }
  }

  /// Ends the program as `tactus play` does, and checks that no reported setting is lost.
  func endProgram() throws(Fault) {
    guard let program else { return }
    // It may have started just before, and is stopped now.
    playsBy = nil
    program.stopNewClips()
    if witness.subscriber.text("role") == "free" { program.conductor.updates.push(.stop) }
    program.conductor.updates.push(.saveChanges)
    witness.unsettle(at: now, for: 1_000_000_000)
    try turn()
    let limit = now + 1_000_000_000
    while !program.hasFallenSilent || program.hasUnreadConnections, server.hasClient, server.nextCycle < limit
    {
      advance(to: max(now, min(server.nextCycle, server.nextNotice, program.nextSupervision)))
      try deliverNotices()
      if program.nextSupervision <= now { supervise(program) }
      if server.nextCycle <= now { try cycle() }
      try turn()
    }
    program.end(at: now)
    try checkFile(after: nil)
    // On a full disk the last changes are lost.
    if world.disk.isFull || world.disk.lastFailed {
      connections.noteCrash(saving: nil, server)
    } else {
      connections.noteEvent(server)
    }
    forgetProgram()
  }

  /// Crashes the program.
  func killProgram() throws(Fault) {
    guard let program else { return }
    try checkFile(after: now)
    let isUnsaved = now < diskBusyUntil || world.disk.lastFailed
    connections.noteCrash(saving: isUnsaved ? nil : 3_000_000_000 + 2 * world.work.delay, server)
    server.removeClient()
    program.die()
    forgetProgram()
  }

  private func forgetProgram() {
    program = nil
    server.removeClient()
    server.forgetClients()
    world.work.clear()
    world.link.leave()
  }
}
