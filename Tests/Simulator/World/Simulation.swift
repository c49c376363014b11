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
    case connect
    case serverGoesOn, hangIsNoticed, leaderLeaves, leaderIsHonest, diskIsFine, diskIsFast
    case linkIsBack(beats: Double)
    case startProgram, renew, compare
  }

  static let earPort: UInt16 = 9_001
  static let appPort: UInt16 = 9_002
  static let beginning: UInt64 = 1_000_000_000_000
  /// The wall clock at the beginning: some day in 2026.
  private static let date: Int64 = 1_790_000_000_000_000_000

  private let history: History
  let flaw: Flaw?
  let world: Program.Surroundings
  let time: SimulatedTime
  var program: Program?
  var witness = Witness()
  let givers: TimeGivers
  let tape: Tape
  var timers: [(time: UInt64, timer: Timer)] = []
  private var next = 0
  var clock: Int64 = 0
  /// The transport's frame minus the clock frame, while it rolls.
  private var transportShift: Int64 = 0
  var control: [MIDIMessage] = []
  var documents: [String: Document] = [:]
  var outcome = Outcome()
  /// Messages that passed, where some are to be forgotten.
  var forgotten = 0
  /// Whether a start begins at bar 1.
  var isAtStart = true
  /// The date of the last start, the program's own after it began, or one that was sent: until then an earlier one may play.
  var startsUntil: UInt64 = 0
  /// Since when nobody has led a rolling transport that the program is to lead; nil while somebody does.
  var leaderlessSince: UInt64?
  /// When it is to play by itself after a start; nil where something else has happened since.
  var playsBy: UInt64?
  /// When the server's rate may have changed last.
  var rateChangedAt: UInt64 = 0
  /// What somebody has left of the state file; nil for all.
  var cut: [UInt8]?
  /// Until when the disk is full, or slower than it should be.
  var diskBusyUntil: UInt64 = 0

  init(_ history: History, flaw: Flaw? = nil) throws {
    (self.history, self.flaw) = (history, flaw)
    let time = SimulatedTime(now: Simulation.beginning, wallClock: Simulation.date)
    self.time = time
    world = Program.Surroundings(
      disk: try Disk(flaw: flaw), library: ClipLibrary(flaw: flaw),
      server: SimulatedServer(rate: history.rate, period: history.period, at: Simulation.beginning),
      link: SimulatedLink(flaw: flaw), work: DelayedWork(), clock: time.clock)
    givers = TimeGivers(link: world.link, seed: history.seed)
    tape = Tape(flaw: flaw)
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
      program?.forgetRequests()
    }
    outcome.time = now - Simulation.beginning
    outcome.deeds = next
    outcome.digest = witness.ear.digest
    outcome.digest.add(tape.digest.value)
    outcome.digest.add(UInt64(world.disk.saves))
    (outcome.beats, outcome.judged, outcome.near) = (
      witness.beatCount, witness.onsets.judged, witness.nearCount
    )
    (outcome.looped, outcome.layered) = (witness.onsets.looped, witness.onsets.layers.judged)
    (outcome.ordered, outcome.starts) = (witness.orderCount, witness.startCount)
    outcome.linked = witness.session.judged
    (outcome.clips, outcome.saves) = (witness.sound.clips, world.disk.saves)
    (outcome.pulses, outcome.notes) = (witness.pulses.judged, witness.notes.judged)
    return outcome
  }

  // MARK: Time

  private var nextMoment: UInt64? {
    var moment = min(world.work.deadline, program?.nextTurn(at: now) ?? .max)
    if server.hasClient || program == nil { moment = min(moment, server.nextCycle) }
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
    if server.nextCycle <= now { cycle() }
    if world.work.run() { program?.wake() }
    if let program, program.nextTurn(at: now) <= now { try turn() }
  }

  func turn() throws(Fault) {
    guard let program else { return }
    program.turn(at: now)
    try listen()
    try witness.judge(scene)
    try checkBounds()
    try checkLead()
    if let time = playsBy, now >= time {
      playsBy = nil
      if witness.ear.text("role") == "free", witness.ear.text("session") == "",
        witness.ear.integer("toggle") != 1
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
      witness.ear.receive(flawed(sent.messages), folder: world.disk.folder) {
        time.time(ofWallClock: $0.unixNanoseconds)
      }
    }
    if let unreadable = program.line.unreadable.first {
      throw Fault(promise: .told, what: "what it sends can't be read: \(unreadable)")
    }
  }

  private func flawed(_ messages: [OSCMessage]) -> [OSCMessage] {
    switch flaw {
    case .tellsRoundTempo:
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
    case .tellsAnotherLayer:
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
      now: now, server: server, leaderBar: givers.leader?.barTime ?? 0,
      distance: { [givers, server, transportShift] frame, role, beat in
        givers.distance(frame, role, beat, server: server, transportShift: transportShift)
      }, document: document)
  }

  /// The document that is told to be open.
  private var document: Document? { witness.ear.text("session").flatMap { documents[$0] } }

  // MARK: Cycles

  private func cycle() {
    guard server.hasClient, let program else { return server.miss(1) }
    let length = server.period
    var cycle = Cycle(
      clock: clock, frames: length, sampleRate: server.rate, transport: server.beginCycle(clock, at: now))
    transportShift = Int64(cycle.transport.frame) - clock
    givers.fill(&cycle, at: now, server: server)
    program.render(cycle, control: control, into: tape.outputs)
    control = []
    server.endCycle()
    if server.isRolling, server.leader == .program { program.answerTimebase(server.frame) }
    witness.record(
      tape.period(clock, length, rate: server.rate, mayBeFrozen: rateChangedAt + 2_000_000_000 > now))
    clock += Int64(length)
    if flaw == .onsetsAccumulate, witness.beatCount / 200 > server.drift {
      server.drift += 1
      tape.delay += 1
    }
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
      outcome.lives += 1
      witness.beginLife(at: now)
      try checkDamage(program)
      connect()
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

  func connect() {
    guard let program else { return }
    server.hasClient = true
    rateChangedAt = now
    witness.noteServer(at: now)
    if flaw == .noRecovery, outcome.steps > 0, server.wasLost { return }
    program.conductor.updates.push(.init(.host(.connected(sampleRate: server.rate))))
    program.wake()
  }

  func loseClient(_ reason: String) {
    server.forgetClient()
    server.wasLost = true
    witness.loseTape()
    program?.conductor.updates.push(.init(.host(.lost(reason))))
    program?.wake()
  }

  /// Ends the program as `tactus play` does, and checks that nothing that was told is lost.
  func endProgram() throws(Fault) {
    guard let program else { return }
    program.channels.pointee.isEnding.store(true, ordering: .releasing)
    if witness.ear.text("role") == "free" { program.conductor.updates.push(.stop) }
    program.conductor.updates.push(.saveChanges)
    witness.unsettle(at: now, for: 1_000_000_000)
    try turn()
    let limit = now + 1_000_000_000
    while program.channels.pointee.sounding.load(ordering: .relaxed) > 0, server.hasClient,
      server.nextCycle < limit
    {
      advance(to: max(now, server.nextCycle))
      cycle()
      try turn()
    }
    program.end(at: now)
    try checkFile(after: nil)
    self.program = nil
    server.forgetClient()
    world.work.clear()
    world.link.leave()
  }

  /// The program is gone from one instant to the next.
  func killProgram() throws(Fault) {
    guard let program else { return }
    try checkFile(after: now)
    program.forgetRequests()
    self.program = nil
    server.forgetClient()
    world.work.clear()
    world.link.leave()
  }
}
