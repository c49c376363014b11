import Control
import Engine
import MIDI
import TestNumbers

@testable import OSC
@testable import OSCControl

/// The whole program, a drummer with one pedal, and a set of ten songs: from the pedal's MIDI to a subscriber's reports and the
/// audio, in one thread and in simulated time.
final class PlayedSet {
  /// The result of a set.
  struct Outcome {
    /// The fault; nil if there is none.
    var fault: String?
    var presses = 0
    var beats = 0
    var clips = 0
    /// Nanoseconds of simulated time.
    var time: UInt64 = 0
    var digest = Digest()
  }

  private enum Act {
    /// The document is opened, and the pedal learns `go`.
    case opens, learns
    /// The pedal is pressed for the first time.
    case firstPress
    case watches
    /// A superfluous press after the last song.
    case pressesOn(Int)
  }

  private static let rates = [44_100, 48_000, 48_000, 96_000]
  private static let periods = [64, 128, 256, 1_024, 2_048]
  /// Nanoseconds within which a set must end.
  private static let limit: UInt64 = 1_800_000_000_000

  private let gig: Gig
  private var drummer: Drummer
  private let world: Program.Surroundings
  private let time: SimulatedTime
  private let tape: Tape
  private var witness = Witness()
  private var judge: GigJudge
  private let program: Program
  private var next: (time: UInt64, act: Act)
  private var clock: Int64 = 0
  /// Whether the set has begun, so that beats belong to it.
  private var isOn = false

  init(seed: UInt64) throws {
    var random = Generator(seed: seed)
    let rate = PlayedSet.rates[random.number(0...PlayedSet.rates.count - 1)]
    let period = PlayedSet.periods[random.number(0...PlayedSet.periods.count - 1)]
    gig = Gig(&random)
    // If the conductor is late, as on a busy machine, the drummer receives reports late, too.
    let isPrompt = !random.oneIn(4)
    drummer = Drummer(random)
    judge = GigJudge(gig, rate: rate)
    let time = SimulatedTime(now: Simulation.beginning, wallClock: 1_790_000_000_000_000_000)
    self.time = time
    world = Program.Surroundings(
      disk: try Disk(flaw: nil), library: ClipLibrary(flaw: nil),
      server: SimulatedServer(rate: rate, period: period, at: Simulation.beginning), link: SimulatedLink(),
      work: DelayedWork(), clock: time.clock)
    for (name, text) in gig.files { world.disk.write(text, to: name) }
    tape = Tape(flaw: nil)
    program = try Program(in: world, at: time.now)
    if isPrompt { program.bePrompt(until: .max) }
    next = (time.now + 500_000_000, .opens)
    witness.beginLife(at: time.now)
    _ = world.server.connect("control", .pad, true)
    send("/tactus/subscribe", from: Simulation.earPort)
  }

  /// Plays the set, from its first press to its last beat and some further presses.
  func run() -> Outcome {
    var outcome = Outcome()
    do throws(Fault) {
      while time.now < Simulation.beginning + PlayedSet.limit, try step() {}
      if time.now >= Simulation.beginning + PlayedSet.limit { throw fault("the set never ends") }
      if let what = judge.conclude() { throw fault(what) }
    } catch {
      outcome.fault = error.what
    }
    program.end(at: time.now)
    outcome.time = time.now - Simulation.beginning
    (outcome.presses, outcome.beats) = (drummer.pressCount, judge.beatCount)
    (outcome.clips, outcome.digest) = (witness.sound.clips, witness.subscriber.digest)
    outcome.digest.add(tape.digest.value)
    return outcome
  }

  private func fault(_ what: String) -> Fault { Fault(promise: .onsets, what: what) }

  // MARK: Time

  /// - Returns: whether the set continues.
  private func step() throws(Fault) -> Bool {
    let moment = min(
      next.time, world.server.nextCycle, world.server.nextNotice, world.work.deadline,
      program.nextTurn(at: time.now), program.nextSupervision)
    time.now = max(moment, time.now)
    world.work.now = time.now
    world.link.now = time.now
    world.server.now = time.now
    if world.server.deliverNotices() { program.wakeSupervisor() }
    if program.nextSupervision <= time.now { program.supervise(at: time.now) }
    if next.time <= time.now, try !act() { return false }
    if world.server.nextCycle <= time.now { cycle() }
    if world.work.run() { program.wake() }
    if program.nextTurn(at: time.now) <= time.now { try turn() }
    return true
  }

  private func cycle() {
    let server = world.server
    let pedal = server.devices.port(.pad).flatMap(server.graph.port(named:))
    pedal?.clear()
    for message in drummer.messages(at: time.now) { pedal?.send(message, at: 0) }
    server.runCycle(clock)
    witness.record(tape.period(clock, server, mayBeFrozen: false))
    clock += Int64(server.period)
  }

  private func turn() throws(Fault) {
    program.turn(at: time.now)
    guard program.takeNews() else { return try witness.judge(scene) }
    for sent in program.line.takeSent() where sent.peer == Simulation.earPort {
      witness.subscriber.receive(sent.messages, folder: world.disk.folder) {
        time.time(ofWallClock: $0.unixNanoseconds)
      }
    }
    for beat in witness.subscriber.beats where isOn && (beat.role == .accent || beat.role == .beat) {
      guard let frame = world.server.clockFrame(soundingAt: beat.time) else { continue }
      let what = judge.receive(
        bar: beat.bar, beat: beat.beat, isAccent: beat.role == .accent, frame: frame)
      if let what { throw fault(what) }
    }
    try witness.judge(scene)
  }

  private var scene: Witness.Scene {
    Witness.Scene(
      now: time.now, server: world.server, leaderBar: 0, machineWhole: nil, isLinkPlaying: false,
      distance: { _, _, _ in nil }, document: nil)
  }

  // MARK: The drummer

  private func send(_ address: String, _ arguments: [Deed.Argument] = [], from port: UInt16 = 9_002) {
    for bytes in OSCLine.bytes([Deed.Message(address: address, arguments: arguments)]) {
      program.line.deliver(bytes, from: port)
    }
    program.wake()
  }

  /// - Returns: whether further acts follow.
  private func act() throws(Fault) -> Bool {
    switch next.act {
    case .opens:
      send("/tactus/session", [.text(Gig.name)])
      next = (time.now + 1_000_000_000, .learns)
    case .learns:
      guard witness.subscriber.text("session")?.hasSuffix(Gig.name) == true, !isPlaying else {
        throw fault("the set is not open")
      }
      send("/tactus/midi/learn", [.text("go")])
      drummer.press(at: time.now + 200_000_000)
      next = (time.now + 1_000_000_000, .firstPress)
    case .firstPress:
      guard !isPlaying else { throw fault("the press that was learned started the set") }
      isOn = true
      next = (time.now, .watches)
    case .watches:
      // The subscription lasts half a minute.
      if time.now / Drummer.look % 2_000 == 0 { send("/tactus/subscribe", from: Simulation.earPort) }
      if witness.subscriber.text("state") == "finished" {
        next = (time.now + 1_000_000_000, .pressesOn(5))
        return true
      }
      drummer.watch(
        Drummer.Stage(
          isPlaying: isPlaying, isOpen: isPlaying && witness.subscriber.integer("section", 3) == 0),
        at: time.now)
      next.time = time.now + Drummer.look
    case .pressesOn(0): return false
    case .pressesOn(let count):
      drummer.press(at: time.now)
      next = (time.now + 1_000_000_000, .pressesOn(count - 1))
    }
    return true
  }

  private var isPlaying: Bool { witness.subscriber.integer("toggle") == 1 }
}
