import Control
import Engine
import MIDI
import TestNumbers

@testable import OSC
@testable import OSCControl

/// Runs the whole program through a history: one thread, simulated time.
final class Simulation {
  private enum Timer {
    case serverBack(rate: Int, period: Int)
    case connect
    case serverGoesOn, hangIsNoticed, leaderLeaves, diskIsFine, diskIsFast
    case startProgram, renew, compare
  }

  static let earPort: UInt16 = 9_001
  private static let appPort: UInt16 = 9_002
  private static let beginning: UInt64 = 1_000_000_000_000
  /// The wall clock at the beginning: some day in 2026.
  private static let date: Int64 = 1_790_000_000_000_000_000

  private let history: History
  private let flaw: Flaw?
  private let world: Program.Surroundings
  private let time: SimulatedTime
  private var program: Program?
  private var witness = Witness()
  private let givers: TimeGivers
  private let tape: Tape
  private var timers: [(time: UInt64, timer: Timer)] = []
  private var next = 0
  private var clock: Int64 = 0
  /// The transport's frame minus the clock frame, while it rolls.
  private var transportShift: Int64 = 0
  private var control: [MIDIMessage] = []
  private var documents: [String: Document] = [:]
  private var failedSaveAt: UInt64?
  private var outcome = Outcome()

  init(_ history: History, flaw: Flaw? = nil, reader: LibloReader) throws {
    (self.history, self.flaw) = (history, flaw)
    let time = SimulatedTime(now: Simulation.beginning, wallClock: Simulation.date)
    self.time = time
    world = Program.Surroundings(
      disk: try Disk(flaw: flaw), library: ClipLibrary(flaw: flaw),
      server: SimulatedServer(rate: history.rate, period: history.period, at: Simulation.beginning),
      link: SimulatedLink(), work: DelayedWork(), clock: time.clock, reader: reader)
    givers = TimeGivers(link: world.link, seed: history.seed)
    tape = Tape(flaw: flaw)
  }

  private var now: UInt64 { time.now }
  private var server: SimulatedServer { world.server }

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
    }
    outcome.time = now - Simulation.beginning
    outcome.digest = witness.ear.digest
    outcome.digest.add(tape.digest.value)
    outcome.digest.add(UInt64(world.disk.saves))
    (outcome.beats, outcome.judged, outcome.near) = (
      witness.beatCount, witness.onsets.judged, witness.nearCount
    )
    outcome.ordered = witness.orderCount
    (outcome.clips, outcome.saves) = (witness.sound.clips, world.disk.saves)
    return outcome
  }

  // MARK: Time

  private var nextMoment: UInt64? {
    var moment = min(server.nextCycle, world.work.deadline, program?.deadline ?? .max)
    if !server.hasClient, program != nil { moment = min(world.work.deadline, program?.deadline ?? .max) }
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

  private func after(_ duration: UInt64, _ timer: Timer) { timers.append((now + duration, timer)) }

  private func step() throws(Fault) {
    while next < history.happenings.count, Simulation.beginning + history.happenings[next].time <= now {
      next += 1
      try perform(history.happenings[next - 1].deed)
    }
    while let index = timers.firstIndex(where: { $0.time <= now }) {
      try perform(timers.remove(at: index).timer)
    }
    if server.nextCycle <= now { cycle() }
    world.work.run()
    if let program, program.isDue(at: now) { try turn() }
  }

  private func turn() throws(Fault) {
    guard let program else { return }
    program.turn(at: now)
    try listen()
    if let fault = witness.judge(scene) { throw Fault(promise: .onsets, what: fault) }
    try checkBounds()
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
  private func listen() throws(Fault) {
    guard let program else { return }
    for sent in program.line.takeSent() where sent.peer == Simulation.earPort {
      witness.ear.hear(flawed(sent.messages), folder: world.disk.folder) {
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
    default: messages
    }
  }
  private var forgotten = 0
  /// When it is to play by itself after a start; nil where something else has happened since.
  private var playsBy: UInt64?

  private var scene: Witness.Scene {
    Witness.Scene(
      now: now, server: server,
      distance: { [givers, server, transportShift] frame, role, countsNotes, countsQuarters in
        givers.distance(
          frame, role, countsNotes: countsNotes, countsQuarters: countsQuarters, server: server,
          transportShift: transportShift)
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
  private var rateChangedAt: UInt64 = 0

  // MARK: Lives

  private func startProgram() throws(Fault) {
    guard server.state == .up else { return after(100_000_000, .startProgram) }
    do {
      let program = try Program(in: world, at: now)
      self.program = program
      outcome.lives += 1
      witness.beginLife(at: now)
      try checkDamage(program)
      connect()
      playsBy = now + 3_000_000_000
      subscribe(Simulation.earPort)
      timers.removeAll { if case .renew = $0.timer { true } else { false } }
      after(25_000_000_000, .renew)
    } catch {
      throw Fault(promise: .start, what: "\(error)")
    }
  }

  private func connect() {
    guard let program else { return }
    server.hasClient = true
    rateChangedAt = now
    witness.unsettle(at: now, for: 1_000_000_000)
    if flaw == .noRecovery, outcome.steps > 0, server.wasLost { return }
    program.conductor.updates.push(.init(.host(.connected(sampleRate: server.rate))))
    program.wake()
  }

  private func loseClient(_ reason: String) {
    server.forgetClient()
    server.wasLost = true
    witness.loseTape()
    program?.conductor.updates.push(.init(.host(.lost(reason))))
    program?.wake()
  }

  /// Ends the program as `tactus play` does, and checks that nothing that was told is lost.
  private func endProgram() throws(Fault) {
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
  private func killProgram() throws(Fault) {
    guard program != nil else { return }
    try checkFile(after: now)
    program = nil
    server.forgetClient()
    world.work.clear()
    world.link.leave()
  }

  // MARK: Promises

  /// A state file is found damaged only if somebody has damaged it, and is then set aside as it was.
  private func checkDamage(_ program: Program) throws(Fault) {
    defer { cut = nil }
    guard let (reason, movedTo) = program.damage else { return }
    guard let cut else { throw Fault(promise: .stateFile, what: "the state file can't be read: \(reason)") }
    guard let movedTo, world.disk.read(movedTo) == cut else {
      throw Fault(promise: .settings, what: "a damaged state file is not kept: \(reason)")
    }
  }
  /// What somebody has left of the state file; nil for all.
  private var cut: [UInt8]?

  /// - Parameter crash: when the program died; nil if it ended.
  private func checkFile(after crash: UInt64?) throws(Fault) {
    guard let told = program?.told else { return }
    // A second after a change they are saved; the disk takes its time.
    let grace = 1_100_000_000 + 2 * world.work.delay + server.periodTime
    try SettingsJudge.judge(
      world.disk, told, diedAt: crash, grace: grace, isDiskBusy: isDiskBusy)
  }
  private var isDiskBusy = false

  private func checkBounds() throws(Fault) {
    guard let program else { return }
    func check(_ what: String, _ count: Int, _ limit: Int) throws(Fault) {
      if count > limit { throw Fault(promise: .bounds, what: "\(what): \(count), more than \(limit)") }
    }
    try check("packets that wait to be sent", program.line.mostWaiting, OSCLine.capacity)
    try check("jobs that wait", world.work.mostWaiting, 16)
    try check("saves kept in memory", world.disk.waiting, 4)
    if outcome.steps % 512 == 0 { try check("clips in memory", world.library.alive, ClipLibrary.capacity) }
  }

  /// What a query answers is what was pushed.
  private func compareAnswers() throws(Fault) {
    guard let program else { return }
    program.turn(at: now)
    try listen()
    _ = witness.judge(scene)
    let before = witness.ear.values
    program.line.deliver(
      OSCLine.bytes([Deed.Message(address: "/tactus/query", arguments: [])])[0], from: Simulation.earPort)
    program.turn(at: now)
    try listen()
    for (address, value) in witness.ear.values.sorted(by: { $0.key < $1.key }) {
      guard let pushed = before[address], pushed != value else { continue }
      throw Fault(promise: .told, what: "\(address) was pushed as \(pushed) and is answered as \(value)")
    }
  }

  // MARK: Deeds

  private func perform(_ deed: Deed) throws(Fault) {
    playsBy = nil
    let settle = 200_000_000 + 3 * server.periodTime
    switch deed {
    case .osc(let address, let arguments):
      if Simulation.movesOnsets(address) {
        witness.unsettle(at: now, for: settle, moves: !Simulation.isTempo(address))
      }
      if flaw == .stopCutsClips, address == "/tactus/stop" { tape.isStruck = true }
      if flaw == .volumeJumps, address.hasPrefix("/tactus/volume") { tape.isStruck = true }
      send([Deed.Message(address: address, arguments: arguments)])
    case .dated(let messages, let ahead):
      let nanoseconds = UInt64(ahead) * 1_000_000
      witness.unsettle(
        at: now, for: nanoseconds + settle, moves: messages.contains { !Simulation.isTempo($0.address) })
      send(messages, at: time.wallClock(of: now + nanoseconds))
    case .garbage(let seed):
      witness.unsettle(at: now, for: 1_000_000_000 + witness.lineTime)
      deliver(Senders.garbage(seed, wallClock: time.wallClock(of: now)), from: 9_400)
    case .flood(let count, let seed):
      witness.unsettle(at: now, for: settle + witness.lineTime, moves: false)
      deliver(Senders.flood(count, seed), from: 9_300)
    case .strangerSubscribes(let port): subscribe(port)
    case .control(let bytes):
      witness.unsettle(at: now, for: settle + witness.lineTime)
      for start in stride(from: 0, to: bytes.count, by: 3) where control.count < 64 {
        let part = Array(bytes[start..<min(start + 3, bytes.count)])
        if let message = part.withUnsafeBufferPointer({ MIDIMessage($0.baseAddress!, count: part.count) }) {
          control.append(message)
        }
      }
    case .clockStarts(let thousandths, let jitter):
      givers.sender.start(thousandths: thousandths, jitter: jitter, at: now)
    case .clockDropsOut(let milliseconds):
      givers.sender.dropOut(until: now + UInt64(milliseconds) * 1_000_000)
    case .clockStops: givers.sender.stop()
    case .serverDies(let milliseconds, let rate, let period): try die(milliseconds, rate, period)
    case .serverHangs(let milliseconds):
      guard server.state == .up else { return }
      server.hang()
      witness.unsettle(at: now, for: settle)
      after(max(1_000_000_000, 20 * server.periodTime), .hangIsNoticed)
      after(UInt64(milliseconds) * 1_000_000, .serverGoesOn)
    case .serverChangesPeriod(let frames):
      guard server.state == .up else { return }
      witness.unsettle(at: now, for: settle)
      server.change(period: frames, at: now)
    case .serverChangesRate(let rate):
      guard server.state == .up, server.hasClient else { return }
      server.change(rate: rate, at: now)
      connect()
    case .missesCycles(let count):
      guard server.state == .up, server.hasClient else { return }
      let frames = Int64(count * server.period)
      witness.noteGap(clock..<clock + frames)
      clock += frames
      server.miss(count)
    case .transportRolls(let rolls):
      witness.unsettle(at: now, for: settle)
      server.roll(rolls)
    case .transportLocates(let frame):
      witness.unsettle(at: now, for: settle)
      server.locate(frame)
    case .leaderComes(let thousandths, let notes, let unit, let milliseconds):
      witness.unsettle(at: now, for: settle)
      givers.leader = OtherLeader(beatsPerMinute: Double(thousandths) / 1_000, notes: notes, unit: unit)
      server.lead(byOther: true)
      timers.removeAll { if case .leaderLeaves = $0.timer { true } else { false } }
      after(UInt64(milliseconds) * 1_000_000, .leaderLeaves)
    case .linkPeers(let count): world.link.setPeers(count)
    case .linkTempo(let thousandths):
      witness.unsettle(at: now, for: settle)
      world.link.setTempo(Double(thousandths) / 1_000)
    case .linkPlays(let plays):
      witness.unsettle(at: now, for: settle)
      world.link.play(plays)
    case .diskIsFull(let milliseconds):
      world.disk.isFull = true
      isDiskBusy = true
      after(UInt64(milliseconds) * 1_000_000, .diskIsFine)
    case .diskIsSlow(let milliseconds, let delay):
      world.work.delay = UInt64(delay) * 1_000_000
      isDiskBusy = true
      after(UInt64(milliseconds) * 1_000_000, .diskIsFast)
    case .crash(let cut):
      let isSaving = world.work.isSaving
      try killProgram()
      if isSaving { world.disk.leaveRest(percent: cut) }
      after(300_000_000, .startProgram)
    case .restart:
      try endProgram()
      after(300_000_000, .startProgram)
    case .stateFileIsCut(let percent):
      try killProgram()
      cut = world.disk.cut(percent: percent)
      after(300_000_000, .startProgram)
    case .wallClockJumps(let seconds): time.setWallClock(ahead: seconds)
    case .opens(let document):
      witness.unsettle(at: now, for: settle)
      world.disk.write(document)
      documents[world.disk.path(of: document)] = document
      send([Deed.Message(address: "/tactus/session", arguments: [.text(document.name)])])
    }
  }

  private func perform(_ timer: Timer) throws(Fault) {
    switch timer {
    case .serverBack(let rate, let period):
      guard server.state == .down else { return }
      server.start(rate: rate, period: period, at: now)
      after(50_000_000, .connect)
    case .connect: if server.state == .up, !server.hasClient { connect() }
    case .serverGoesOn:
      guard server.state == .hung else { return }
      server.goOn(at: now)
      witness.unsettle(at: now, for: 1_000_000_000)
      if !server.hasClient { after(50_000_000, .connect) }
    case .hangIsNoticed:
      guard server.state == .hung, server.hasClient else { return }
      loseClient("the JACK server no longer responds")
    case .leaderLeaves:
      witness.unsettle(at: now, for: 1_000_000_000)
      server.lead(byOther: false)
      givers.leader = nil
    case .diskIsFine:
      world.disk.isFull = false
      isDiskBusy = false
    case .diskIsFast:
      world.work.delay = 5_000_000
      isDiskBusy = false
    case .startProgram: if program == nil { try startProgram() }
    case .renew:
      subscribe(Simulation.earPort)
      after(25_000_000_000, .renew)
    case .compare:
      try compareAnswers()
      after(60_000_000_000, .compare)
    }
  }

  private func die(_ milliseconds: Int, _ rate: Int, _ period: Int) throws(Fault) {
    guard server.state == .up else { return }
    // What was played is told before the news comes.
    if program != nil { try turn() }
    server.die()
    if server.hasClient || program != nil { loseClient("the JACK server has gone") }
    after(UInt64(milliseconds) * 1_000_000, .serverBack(rate: rate, period: period))
  }

  // MARK: Senders

  private static func movesOnsets(_ address: String) -> Bool {
    !["/tactus/volume", "/tactus/mute", "/tactus/sound", "/tactus/save", "/tactus/note"].contains {
      address.hasPrefix($0)
    }
  }

  /// Whether it leaves the music where it is.
  private static func isTempo(_ address: String) -> Bool {
    ["/tactus/tempo", "/tactus/swing", "/tactus/subdivision", "/tactus/volume", "/tactus/tap"].contains {
      address.hasPrefix($0)
    }
  }

  private func deliver(_ datagrams: [[UInt8]], from port: UInt16) {
    guard let program else { return }
    for datagram in datagrams { program.line.deliver(datagram, from: port) }
    program.wake()
  }

  private func subscribe(_ port: UInt16) {
    deliver(OSCLine.bytes([Deed.Message(address: "/tactus/subscribe", arguments: [])]), from: port)
  }

  private func send(_ messages: [Deed.Message], at wallClock: Int64? = nil) {
    deliver(OSCLine.bytes(messages, at: wallClock), from: Simulation.appPort)
  }
}
