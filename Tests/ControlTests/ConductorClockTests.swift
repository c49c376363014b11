import ControlBench
import MIDI
import MusicTime
import Testing
import Validation

@testable import Control
@testable import Engine

@Suite struct ConductorClockTests {
  /// A conductor in the role `midi-clock`, and its engine.
  private func make(_ settings: Setting...) throws -> Rig {
    var initial = Settings()
    for setting in [.role(.midiClock)] + settings { try initial.set(setting) }
    return try Rig(initial)
  }

  private let clockRules =
    "a jump in role midi-clock: must be left to the clock's machine and its song position; other roles can"
  private let noClock =
    "start without a MIDI clock: must be asked while one comes in at clock-in; other roles need none"
  private let noStart =
    "start of a MIDI clock that stands, or has sent nothing but pulses since it came: must be made at its"
    + " machine: pulses alone don't say where they are"

  /// Starts a clock of 120 quarters a minute.
  private func start(_ rig: Rig) {
    rig.pulse = 1_000
    rig.sendClock(.start)
    #expect(rig.eventually { $0.isPlaying && $0.leader != nil })
  }

  @Test func `The clock starts and stops the music, and its tempo is reported`() throws {
    let rig = try make()
    #expect(rig.refusal(of: .start) == noClock)
    start(rig)
    #expect(rig.refusal(of: .start) == nil)
    let leader = try #require(rig.settle().leader)
    #expect((leader.count, leader.unit) == (0, 4))
    #expect(abs(leader.notesPerMinute - 120) < 0.5)
    #expect(rig.eventually { _ in rig.beat == 2 })
    rig.sendClock(.stop)
    #expect(rig.eventually { !$0.isPlaying })
    // The settings stay what they are.
    #expect(rig.settle().settings.tempo.thousandths == 120_000)
    rig.push(.set(.role(.free)))
    #expect(rig.settle().leader == nil)
  }

  @Test func `Music that the user stops right before leaving the role stays stopped`() throws {
    let rig = try make()
    start(rig)
    rig.push(.stop, .set(.role(.free)))
    rig.pass(.milliseconds(100))
    let known = rig.reports.beats.count
    rig.pass(.seconds(2))
    #expect(!rig.settle().isPlaying)
    #expect(rig.reports.beats.count == known)
  }

  @Test func `The user can stop and rejoin the clock, but not move it`() throws {
    let rig = try make()
    start(rig)
    rig.push(.toggle)
    #expect(rig.eventually { !$0.isPlaying })
    rig.push(.toggle)
    #expect(rig.eventually { $0.isPlaying })
    rig.push(.pause)
    #expect(rig.eventually { !$0.isPlaying })
    #expect(
      rig.refusal(of: .locate(Position(bar: 2, beat: 1)))
        == clockRules)
    // The transport is left alone.
    #expect(rig.host.calls == [])
  }

  @Test func `Joining a clock that ticks without a start is refused: Tactus waits for its start`() throws {
    let rig = try make()
    rig.pulse = 1_000
    #expect(rig.eventually { $0.leader != nil })
    #expect(!rig.settle().isPlaying)
    #expect(rig.reports.warnings == ["a MIDI clock comes in: the click waits for its start"])
    #expect(rig.refusal(of: .start) == noStart)
    #expect(rig.refusal(of: .toggle) == noStart)
    rig.sendClock(.start)
    #expect(rig.eventually { $0.isPlaying })
    #expect(rig.reports.warnings.count == 1)
  }

  @Test func `The loss and the return of the clock are reported`() throws {
    let rig = try make()
    start(rig)
    rig.pulse = 0
    #expect(rig.eventually { $0.leader == nil })
    #expect(rig.settle().isPlaying)
    #expect(
      rig.reports.warnings == ["the MIDI clock has fallen silent: going on at its last tempo"])
    rig.pulse = 1_000
    #expect(rig.eventually { $0.leader != nil })
    #expect(rig.reports.warnings.last == "the MIDI clock is back")
  }

  @Test func `With loss set to stop, the music stops when the clock is lost`() throws {
    let rig = try make(.clockInLoss(.stop))
    start(rig)
    rig.pulse = 0
    #expect(rig.eventually { !$0.isPlaying })
    #expect(rig.reports.warnings == ["the MIDI clock has fallen silent: stopped until its next start"])
    #expect(rig.refusal(of: .start) == noClock)
    // A silent clock while nothing plays is not reported as lost.
    rig.pulse = 1_000
    #expect(rig.eventually { $0.leader != nil })
    #expect(rig.reports.warnings.last == "the MIDI clock is back: the click waits for its start")
    #expect(rig.refusal(of: .start) == noStart)
    rig.pulse = 0
    #expect(rig.eventually { $0.leader == nil })
    #expect(rig.reports.warnings.count == 2)
  }

  @Test func `A clock that is lost while the user has stopped the music can be joined only after its return`()
    throws
  {
    let rig = try make()
    start(rig)
    rig.push(.stop)
    #expect(rig.eventually { !$0.isPlaying })
    rig.pulse = 0
    #expect(rig.eventually { $0.leader == nil })
    #expect(rig.refusal(of: .start) == noClock)
    #expect(rig.reports.warnings == [])
    rig.pulse = 1_000
    #expect(rig.eventually { $0.leader != nil && !$0.isPlaying })
    #expect(rig.reports.warnings == ["a MIDI clock comes in: start joins it"])
    rig.push(.start)
    #expect(rig.eventually { $0.isPlaying })
  }

  @Test func `A song plays by the clock, and the next one waits for the clock's start`() throws {
    var settings = Settings()
    try settings.set(.role(.midiClock))
    let sections = [
      try section("a", .bars(1), tempo: 60_000), try section("b", .bars(1), tempo: 90_000, meter: (3, 4)),
    ]
    let rig = try Rig(setlist([("one", sections, .wait), ("two", sections, .wait)]), settings: settings)
    start(rig)
    #expect(
      rig.refusal(of: .go(.next))
        == clockRules)
    #expect(rig.eventually { $0.progress?.section == "b" && rig.beat == 3 })
    let frames = rig.reports.beats.map(\.frame)
    #expect(frames.map { $0 - frames[0] } == (0..<7).map { $0 * 24_000 })
    rig.push(.go(.nextSong))
    #expect(rig.eventually { !$0.isPlaying && $0.progress?.song == 2 })
    rig.sendClock(.start)
    #expect(rig.eventually { $0.isPlaying && rig.beat == 2 })
    #expect(rig.settle().progress?.song == 2)
    #expect(rig.host.calls == [])
  }

  @Test func `An open section counts as one bar, because only the machine moves the music`() throws {
    var settings = Settings()
    try settings.set(.role(.midiClock))
    let sections = [try section("vamp", .open, tempo: 60_000), try section("end", .bars(2), tempo: 60_000)]
    let rig = try Rig(setlist([("one", sections, .wait)]), settings: settings)
    start(rig)
    #expect(rig.refusal(of: .go(.next)) == clockRules)
    #expect(rig.eventually { $0.progress?.section == "end" })
    #expect(rig.reports.beats.count == 5)
  }

  @Test func `The reported tempo counts the beat unit`() throws {
    var now = Snapshot(settings: Settings())
    try now.settings.set(.beatUnit(BeatUnit(3, 8)))
    #expect((now.soundingTempo, now.soundingMeter) == (120, .common))
    now.leader = Event.Leader(count: 0, unit: 4, notesPerMinute: 90)
    #expect((now.soundingTempo, now.soundingMeter) == (60, .common))
    now.leader = Event.Leader(count: 6, unit: 8, notesPerMinute: 90)
    #expect((now.soundingTempo, now.soundingMeter) == (30, try Meter(6, 8)))
  }

  @Test func `An offset moves the clicks`() throws {
    let rig = try make(.clockInOffset(try ClockOffset(10)))
    start(rig)
    #expect(rig.eventually { _ in rig.beat == 3 })
    let frames = rig.reports.beats.map(\.frame)
    // The first click is not before its time, 480 frames after the pulse.
    #expect(frames.map { ($0 - frames[0]) % 24_000 } == [Int64](repeating: 0, count: frames.count))
    #expect(frames[0].number % 64 == 480 % 64)
  }

  @Test(arguments: [500.1, -500.1, .nan, .infinity])
  func `An offset is half a second at most`(_ milliseconds: Double) {
    let error = #expect(throws: InvalidValue.self) { try ClockOffset(milliseconds) }
    #expect(error?.description == "offset \(milliseconds): must be -500…500 milliseconds")
  }
}
