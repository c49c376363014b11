import ControlBench
import MIDI
import MusicTime
import Realtime
import TestNumbers
import Testing

@testable import Control
@testable import Engine

/// The core alone: equal inputs at equal moments have equal effects.
@Suite struct ConductorCoreTests {
  private func core() throws -> ConductorCore {
    let maker = ClipMaker()
    let configuration = Conductor.Configuration(
      settings: Settings(), sampleRate: 48_000, readSound: { try maker.read($0, $2) }, save: { _ in })
    var core = ConductorCore(configuration, clips: try maker.read("sine", 48_000).clips, song: nil)
    ScoreUpdate.free(core.makeFirstUpdate())
    return core
  }

  @Test func `A conductor without references is freed`() throws {
    weak var conductor: Conductor?
    do {
      let rig = try Rig()
      rig.push(.start)
      rig.settle()
      conductor = rig.conductor
      #expect(conductor != nil)
    }
    #expect(conductor == nil)
  }

  @Test func `Turns in which nothing happens compare the state every 20 ms, all others at once`() {
    var pace = ComparisonPace()
    let start = Instant(nanoseconds: 1_000_000_000)
    func turn(_ inputs: [Input] = [], hasNews: Bool = false, after milliseconds: Int) -> Bool {
      let now = start + .milliseconds(milliseconds)
      for input in [.due] + inputs + [.settle] { pace.note(input) }
      if hasNews { pace.noteNews() }
      guard pace.isDue(at: now) else {
        #expect(pace.deadline > now)
        return false
      }
      pace.done(at: now)
      #expect(pace.deadline == .never)
      return true
    }
    #expect(turn(after: 0))
    let later = [4, 8, 12, 16, 20, 24, 39, 40]
    #expect(later.filter { turn(after: $0) } == [20, 40])
    #expect(turn([.event(.started(0))], after: 41))
    #expect(turn([.request(Request(.update(.start)))], after: 42))
    #expect(turn(hasNews: true, after: 43))
    #expect(!turn(after: 44))
    #expect(pace.deadline == start + .milliseconds(63))
  }

  @Test func `What is due is reported in the turn in which it is carried out`() throws {
    // A fade ends 4 ms after a comparison. It stops the music, which no effect of `settle` shows.
    var core = try core()
    func turn(_ inputs: [Input] = [], after milliseconds: Int) -> [String] {
      let moment = Moment(instant: Instant(nanoseconds: 1_000_000_000) + .milliseconds(milliseconds))
      return (inputs + [.due, .settle]).flatMap { feed($0, to: &core, at: moment) }
    }
    #expect(turn([.request(Request(.update(.start)))], after: 0).contains("changed"))
    _ = turn([.request(Request(.update(.fade(milliseconds: 100))))], after: 10)
    _ = turn(after: 106)
    #expect(core.snapshot.isPlaying)
    #expect(turn(after: 110).contains("changed"))
    #expect(!core.snapshot.isPlaying)
  }

  /// A random input of a user, a controller, the engine or the host.
  private func input(_ random: inout Generator) -> Input {
    switch Int.random(in: 0..<14, using: &random) {
    case 0: return .request(Request(.update(.start)))
    case 1: return .request(Request(.update(.stop)))
    case 2: return .request(Request(.update(.toggle)))
    case 3, 4: return .request(Request(.update(.set(random.setting()))))
    case 5:
      let due = Instant(nanoseconds: .random(in: 0...40_000_000_000, using: &random))
      return .request(Request(.update(.set(random.setting())), at: due))
    case 6: return .control(MIDIEvent(.noteOn(channel: 1, note: 60, velocity: 64), at: 0))
    case 7:
      let events: [Event] = [
        .leaderLeft, .leadLost, .holdExpires(0), .started(0), .stopped(0), .stoppedAtBar(0),
        .succeeded(Event.Succession(frame: 0, number: 1, piece: 1)),
      ]
      return .event(events.randomElement(using: &random)!)
    case 8: return .request(Request(.host(.connected(sampleRate: 48_000))))
    case 9: return .request(Request(.host(.lost("gone"))))
    case 10: return .due
    case 11:
      return .request(Request(.update(.fade(milliseconds: .random(in: FadeTime.range, using: &random)))))
    case 12: return .request(Request(.update(.stopAtBar)))
    default: return .settle
    }
  }

  /// Feeds an input and the answers to its effects; returns the effects as text, without memory addresses.
  private func feed(_ input: Input, to core: inout ConductorCore, at moment: Moment) -> [String] {
    core.handle(input, at: moment).flatMap { effect -> [String] in
      switch effect {
      case .publish(let update, let generation):
        let serial = update.pointee.serial
        ScoreUpdate.free(update)
        return ["publish \(serial), clips \(generation)"]
      case .leadIfFree:
        return ["lead if free"]
          + feed(.answer(.lead(moment.instant.nanoseconds % 2 == 0)), to: &core, at: moment)
      // The text of settings has no fixed order; snapshots are compared separately.
      case .report(.changed): return ["changed"]
      case .save: return ["save"]
      default: return ["\(effect)"]
      }
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `Equal inputs at equal moments have equal effects`(seed: UInt64) throws {
    var random = Generator(seed: seed)
    var core = try self.core()
    var twin = try self.core()
    var time = Instant(nanoseconds: 1_000_000_000)
    for _ in 0..<400 {
      time = time + .nanoseconds(.random(in: 0...50_000_000, using: &random))
      var moment = Moment(instant: time)
      moment.clock = HostClock(instant: 0, frame: 0, sampleRate: 48_000)
      moment.engine.clock = moment.clock!.frame(soundingAt: time)
      let input = input(&random)
      let (effects, others) = (feed(input, to: &core, at: moment), feed(input, to: &twin, at: moment))
      #expect(effects == others)
      #expect(core.deadline(at: moment) == twin.deadline(at: moment))
      #expect(core.snapshot == twin.snapshot)
    }
  }

  @Test func `Two cores share no state`() throws {
    var core = try self.core()
    let other = try self.core()
    _ = core.handle(.request(Request(.update(.set(.tempo(Tempo(clamping: 90_000)))))), at: Moment(instant: 0))
    #expect(core.snapshot.settings.tempo.thousandths == 90_000)
    #expect(other.snapshot.settings.tempo.thousandths == 120_000)
  }

  @Test func `A machine's arrival reaches the engine, with its frame`() throws {
    var core = try core()
    func arrive(_ frame: ClockFrame?) -> [String] {
      let connections = PortConnections(kept: [:], connected: ["clock"], machineArrival: frame)
      return feed(.request(Request(.connections(connections))), to: &core, at: Moment(instant: 0))
        .filter { $0.contains("placeMachines") }
    }
    #expect(arrive(nil) == [])
    let placed = arrive(58_256)
    #expect(placed.count == 1 && placed[0].contains("connectedAt: 58256"), "\(placed)")
  }

  @Test func `Due work is never delayed beyond the deadline`() throws {
    var core = try core()
    let due = Instant(nanoseconds: 5_000_000_000)
    let request = Request(.update(.set(.tempo(Tempo(clamping: 90_000)))), at: due)
    _ = core.handle(.request(request), at: Moment(instant: 0))
    #expect(core.deadline(at: Moment(instant: 4_950_000_000)) <= due)
    _ = core.handle(.due, at: Moment(instant: 4_999_999_999))
    #expect(core.snapshot.settings.tempo.thousandths == 120_000)
    // Without a server the change gets no frame in advance, and takes effect in a turn that is due at once.
    _ = core.handle(.due, at: Moment(instant: due))
    #expect(core.deadline(at: Moment(instant: due)) <= due)
    _ = core.handle(.due, at: Moment(instant: due))
    #expect(core.snapshot.settings.tempo.thousandths == 90_000)
  }
}
