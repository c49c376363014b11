import ControlBench
import MusicTime
import Realtime
import Testing

@testable import Control
@testable import Engine

@Suite struct ConductorScheduleTests {
  @Test func aTempoAndAStartForLaterTakeEffectOnTheirFrame() throws {
    let rig = try Rig()
    let due = rig.begin() + .milliseconds(150)
    rig.schedule([.set(.tempo(Tempo(clamping: 240_000))), .start], at: due)
    rig.play(until: due + .milliseconds(700))
    let frames = rig.reports.beats.map(\.frame)
    let first = try #require(rig.host.clockFrame(soundingAt: due))
    #expect(frames.starts(with: [first, first + 12_000, first + 24_000]))
    #expect(rig.settle().settings.tempo.thousandths == 240_000)
  }

  @Test func aTempoForLaterChangesNothingBefore() throws {
    let rig = try Rig()
    rig.push(.start)
    let begin = rig.begin()
    let due = begin + .milliseconds(300)
    rig.schedule([.set(.tempo(Tempo(clamping: 480_000)))], at: due)
    rig.play(until: due + .milliseconds(500))
    let frames = rig.reports.beats.map(\.frame)
    let change = try #require(rig.host.clockFrame(soundingAt: due))
    let first = try #require(frames.first)
    // At 120 a beat has 24 000 frames, at 480 a quarter of that; the part of the beat that was over stays so.
    let second = change + Int64((Double(24_000 - (change - first)) / 4).rounded())
    #expect(abs(frames[1] - second) <= 1)
    #expect(frames[2] - frames[1] == 6_000)
  }

  @Test func `A scheduled stop comes at its time, even after a start meanwhile`() throws {
    let rig = try Rig()
    rig.push(.start)
    let due = rig.begin() + .milliseconds(150)
    rig.schedule([.stop], at: due)
    rig.play(until: due - .milliseconds(40))
    rig.push(.start)
    #expect(rig.settle().isPlaying)
    rig.play(until: due + .milliseconds(50))
    #expect(!rig.settle().isPlaying)
    let known = rig.reports.beats.count
    rig.play(until: due + .milliseconds(700))
    #expect(rig.reports.beats.count == known)
  }

  @Test func `A scheduled change of the transport does not happen before its time`() throws {
    let rig = try Rig()
    rig.push(.set(.role(.lead)))
    let due = rig.begin() + .milliseconds(200)
    rig.settle()
    rig.host.forgetCalls()
    rig.schedule([.start], at: due)
    rig.play(until: due - .milliseconds(20))
    let before = rig.host.calls
    #expect(!before.contains(.start))
    rig.play(until: due + .milliseconds(50))
    #expect(rig.host.calls.contains(.start))
  }

  /// The engine already has the start when the role changes, and skips it.
  @Test func `A scheduled start takes effect on the transport of the role at its time`() throws {
    let rig = try Rig()
    let due = rig.begin() + .milliseconds(200)
    rig.schedule([.start], at: due)
    rig.play(until: due - .milliseconds(40))
    rig.push(.set(.role(.follow)))
    rig.play(until: due - .milliseconds(5))
    rig.host.forgetCalls()
    rig.play(until: due + .milliseconds(50))
    #expect(rig.host.calls.contains(.start))
    // The transport does not roll here.
    #expect(!rig.settle().isPlaying)
  }

  @Test func `An immediate request comes before a scheduled start, even if cycles are missed`() throws {
    let rig = try Rig()
    let due = rig.begin() + .milliseconds(200)
    rig.schedule([.start], at: due)
    rig.play(until: due - .milliseconds(40))
    rig.push(.stop)
    rig.settle()
    rig.miss(.milliseconds(300))
    rig.play(until: due + .milliseconds(900))
    #expect(rig.settle().isPlaying)
    #expect(rig.reports.beats.count >= 1)
  }

  @Test func `Of a stop and a start the last one counts, even if the server is lost between them`() throws {
    let rig = try Rig()
    let due = rig.begin() + .milliseconds(150)
    rig.schedule([.set(.volume(.beat, .off))], at: due)
    rig.play(until: due + .milliseconds(100))
    rig.push(.stop)
    rig.settle()
    rig.updates.push(Request(.host(.lost("gone"))))
    rig.settle()
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    rig.push(.start)
    rig.play(until: due + .seconds(2))
    #expect(rig.settle().isPlaying)
    #expect(rig.reports.beats.count >= 2)
  }

  /// The engine already has the stop when the server is lost, and has not reached its frame when the server is back.
  @Test func `A scheduled start counts although the engine still has a scheduled stop of a lost server`()
    throws
  {
    let rig = try Rig()
    rig.push(.start)
    let due = rig.begin() + .milliseconds(500)
    rig.schedule([.stop], at: due)
    rig.schedule([.start], at: due + .milliseconds(300))
    rig.play(until: due - .milliseconds(60))
    rig.host.loseClock()
    rig.updates.push(Request(.host(.lost("gone"))))
    rig.settle()
    rig.hang(.milliseconds(460))
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    let known = rig.reports.beats.count
    rig.play(until: due + .seconds(3))
    #expect(rig.settle().isPlaying)
    #expect(rig.reports.beats.count >= known + 4)
  }

  @Test(arguments: [20, 80, 105, 300], [false, true])
  func `A tempo that comes with a start in a fade-out is played`(milliseconds: Int, isLed: Bool) throws {
    let rig = try Rig()
    if isLed {
      rig.push(.set(.role(.lead)))
      rig.settle()
      rig.transport.isRolling = true
    }
    rig.push(.start)
    rig.play(until: rig.time + .seconds(1))
    rig.push(.fade(milliseconds: 2_200))
    rig.play(until: rig.time + .seconds(2))
    let due = rig.time + .milliseconds(milliseconds)
    rig.schedule([.start, .set(.tempo(try Tempo(216)))], at: due)
    rig.play(until: due + .seconds(3))
    #expect(rig.settle().isPlaying)
    let frames = rig.reports.beats.suffix(6).map(\.frame)
    for (a, b) in zip(frames, frames.dropFirst()) { #expect(abs(Double(b - a) - 60 * 48_000 / 216) <= 1) }
  }

  /// The outputs' latency is long: sound that is heard later has already been rendered.
  @Test(arguments: [5, 40, 95, 110, 160])
  func `Reports agree with the sound, even if the engine is ahead of the date`(milliseconds: Int) throws {
    let rig = try Rig()
    let due = rig.begin() + .seconds(1)
    rig.host.setClock(rig.clock, soundingAt: rig.time + .milliseconds(100), latency: 4_800)
    rig.schedule([.start], at: due)
    rig.play(until: due - .milliseconds(milliseconds))
    rig.push(.stop)
    rig.play(until: due + .seconds(2))
    let known = rig.reports.beats.count
    rig.play(until: due + .seconds(3))
    #expect(rig.settle().isPlaying == (rig.reports.beats.count > known))
    // A stop before the engine has rendered the start does not affect the start.
    if milliseconds > 100 { #expect(rig.settle().isPlaying) }
  }

  @Test func `A scheduled start whose time passes in a hang comes when the server resumes`() throws {
    let rig = try Rig()
    let due = rig.begin() + .milliseconds(200)
    rig.schedule([.start], at: due)
    rig.play(until: due - .milliseconds(40))
    rig.updates.push(Request(.host(.lost("gone"))))
    rig.settle()
    // Time passes while the clock frame stands still: the engine's frame comes late.
    rig.hang(.seconds(4))
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    rig.render()
    rig.render()
    #expect(rig.settle().isPlaying)
    #expect(rig.reports.beats.count == 1)
  }

  @Test(arguments: [true, false])
  func `A scheduled change comes when the server resumes, even after a hang too short to be noticed`(
    isStart: Bool
  ) throws {
    let rig = try Rig()
    if !isStart { rig.push(.start) }
    let due = rig.begin() + .milliseconds(200)
    rig.schedule([isStart ? .start : .set(.tempo(Tempo(clamping: 240_000)))], at: due)
    rig.play(until: due - .milliseconds(40))
    let beats = rig.reports.beats.count
    // Time passes while the clock frame stands still: the engine's frame comes late.
    rig.hang(.seconds(4))
    rig.render()
    rig.render()
    rig.settle()
    if isStart { #expect(rig.reports.beats.count == beats + 1) } else { #expect(rig.playedTempo == 240) }
  }

  @Test func `A scheduled start does not cancel an end before its time`() throws {
    let rig = try Rig()
    rig.push(.start)
    let due = rig.begin() + .seconds(3)
    rig.schedule([.start], at: due)
    rig.push(.stopAtBar)
    rig.play(until: due - .milliseconds(200))
    #expect(!rig.settle().isPlaying)
    #expect(rig.reports.beats.count == 4)
    rig.play(until: due + .seconds(1))
    #expect(rig.reports.beats.count >= 6)
  }

  @Test func `An immediate change is not lost because of a scheduled one`() throws {
    let rig = try Rig()
    let due = rig.begin() + .milliseconds(150)
    rig.schedule([.set(.tempo(Tempo(clamping: 240_000)))], at: due)
    rig.play(until: due - .milliseconds(50))
    rig.push(.set(.volume(.beat, .off)))
    rig.play(until: due + .milliseconds(100))
    let settings = rig.settle().settings
    #expect(settings.tempo.thousandths == 240_000)
    #expect(settings.volume(.beat) == .off)
  }

  @Test func temposLessThanAPeriodApartEachTakeEffectOnTheirFrame() throws {
    let rig = try Rig()
    rig.push(.start)
    let due = rig.begin() + .milliseconds(200)
    // 20 frames apart, in periods of 64.
    for (index, tempo) in [240, 480, 960].enumerated() {
      let time = due + .nanoseconds(index * 416_667)
      rig.schedule([.set(.tempo(Tempo(clamping: tempo * 1_000)))], at: time)
    }
    rig.play(until: due + .milliseconds(400))
    let frames = rig.reports.beats.map(\.frame)
    let changes = try (0..<3).map {
      try #require(rig.host.clockFrame(soundingAt: due + .nanoseconds($0 * 416_667)))
    }
    #expect(changes[2] - changes[0] < 64)
    let first = try #require(frames.first)
    // The rest of the beat's 24 000 frames, at 2, 4 and 8 times the speed.
    let left = 24_000 - (changes[0] - first) - 2 * (changes[1] - changes[0]) - 4 * (changes[2] - changes[1])
    #expect(abs(frames[1] - (changes[2] + Int64((Double(left) / 8).rounded()))) <= 1)
    #expect(frames[2] - frames[1] == 3_000)
  }

  /// Settings whose bar has as many onsets as can be.
  private func largest() throws -> Settings {
    var settings = Settings()
    try settings.set(.meter(Meter(99, 1)))
    try settings.set(.beatUnit(BeatUnit(1, 99)))
    for parts in 2...9 { try settings.set(.subdivision(Subdivision(parts), .full)) }
    return settings
  }

  @Test func `Only some scheduled changes with large bars are handed to the engine at a time`() throws {
    func handedOver(_ settings: Settings) throws -> (count: Int, bytes: Int) {
      var publisher = ScorePublisher(
        bars: nil, sampleRate: 48_000, clips: ClipSet(repeating: Clip([1])),
        first: Snapshot(settings: settings))
      let dated = (0..<ScoreUpdate.capacity).map { index -> ScorePublisher.Dated in
        (ClockFrame(Int64(index)), { try? $0.set(.swing(Swing(Double(index + 1) / 100))) })
      }
      let made = publisher.publish(Snapshot(settings: settings), dated: dated, made: 0, at: 0)
      ScoreUpdate.free(made.update)
      let sections = Score.Sections(
        [SectionPlan(layout: try settings.layout, tempo: settings.tempo)], sampleRate: 48_000,
        clips: ClipSet(repeating: Clip([1])))
      return (made.dated, sections.bytes)
    }
    #expect(try handedOver(Settings()).count == ScoreUpdate.capacity)
    let (count, bytes) = try handedOver(largest())
    #expect(1..<ScoreUpdate.capacity ~= count)
    #expect(count * bytes <= SectionBudget.limit)
  }

  @Test func `Further scheduled changes with large bars follow, and each takes effect`() throws {
    let rig = try Rig(try largest())
    let due = rig.begin() + .milliseconds(200)
    for index in 0..<16 {
      rig.schedule([.set(.swing(try Swing(Double(index + 1) / 100)))], at: due + .milliseconds(index * 20))
    }
    rig.play(until: due + .milliseconds(400))
    #expect(rig.eventually { $0.settings.swing == (try? Swing(0.16)) })
  }

  @Test func aChangeAtOnceDoesNotWaitForOneThatHasADate() throws {
    let rig = try Rig()
    rig.push(.start)
    let due = rig.begin() + .milliseconds(99)
    rig.schedule([.set(.volume(.beat, .off))], at: due)
    rig.settle()
    rig.push(.set(.tempo(Tempo(clamping: 200_000))))
    rig.play(until: due - .milliseconds(15))
    #expect(rig.playedTempo == 200)
    #expect(rig.settle().settings.volume(.beat) == .full)
    rig.play(until: due + .milliseconds(20))
    #expect(rig.settle().settings.volume(.beat) == .off)
    #expect(rig.playedTempo == 200)
  }

  @Test func `A scheduled change does not apply another change that waits for its bar`() throws {
    var settings = Settings()
    try settings.set(.tempo(Tempo(600)))
    try settings.set(.quantise(.bar))
    let rig = try Rig(settings)
    rig.push(.start)
    let due = rig.begin() + .milliseconds(150)
    rig.schedule([.set(.volume(.beat, .off))], at: due)
    rig.play(until: due - .milliseconds(110))
    rig.push(.set(.tempo(try Tempo(300))))
    rig.play(until: due + .milliseconds(900))
    let frames = rig.reports.beats.map(\.frame)
    // A bar of four in the old tempo, and then the new one.
    #expect(
      zip(frames, frames.dropFirst()).prefix(6).map { $1 - $0 } == [4_800, 4_800, 4_800, 4_800, 9_600, 9_600])
    #expect(rig.settle().settings.volume(.beat) == .off)
  }

  @Test func `A scheduled change does not restore the volume from before a waiting change`() throws {
    var settings = Settings()
    try settings.set(.tempo(Tempo(60)))
    try settings.set(.quantise(.bar))
    let rig = try Rig(settings)
    rig.push(.start)
    let begin = rig.begin()
    let due = begin + .milliseconds(1_500)
    rig.play(until: begin + .milliseconds(500))
    rig.push(.set(.tempo(try Tempo(300))), .set(.volume(.master, .off)))
    rig.schedule([.set(.tempo(try Tempo(200)))], at: due)
    rig.play(until: due - .milliseconds(100))
    var isSilent = true
    while rig.time < due + .milliseconds(500) { isSilent = rig.render() && isSilent }
    #expect(isSilent)
    // The bar in which the change waits is not over.
    #expect(rig.reports.beats.allSatisfy { $0.bar == 1 } && rig.reports.beats.count > 3)
  }

  @Test func `A reset cancels scheduled changes`() throws {
    let rig = try Rig()
    rig.schedule([.start, .stop], at: rig.time + .milliseconds(3_600_000))
    #expect(rig.settle().scheduled.count == 2)
    rig.push(.reset)
    #expect(rig.settle().scheduled.isEmpty)
  }

  @Test func `An owner can clear its scheduled changes`() throws {
    let rig = try Rig()
    let due = rig.time + .milliseconds(3_600_000)
    let (mine, other) = (Request.Origin(owner: "a", name: "x"), Request.Origin(owner: "b", name: "x"))
    let warnings = Reasons()
    for origin in [mine, other, mine] {
      rig.updates.push(Request(.update(.start), at: due, origin: origin, warn: { warnings.add($0) }))
    }
    rig.updates.push(Request(.update(.clearSchedule(all: false)), origin: mine))
    #expect(rig.settle().scheduled == [Scheduled(time: due, origin: other)])
    #expect(warnings.all.count == 2 && warnings.all.allSatisfy { $0.contains("s ahead") })
    rig.updates.push(Request(.update(.clearSchedule(all: true)), origin: mine))
    #expect(rig.settle().scheduled.isEmpty)
  }

  @Test func whatIsADayAheadIsRefused() throws {
    let rig = try Rig()
    let reasons = Reasons()
    rig.updates.push(
      Request(.update(.start), at: rig.time + Schedule.horizon * 2, refuse: { reasons.add($0) }))
    rig.settle()
    #expect(reasons.all == ["its time is more than a day ahead"])
  }
}

extension Rig {
  /// Lets the conductor handle all pushed requests; returns the time.
  fileprivate func begin() -> Instant {
    settle()
    return time
  }

  fileprivate func schedule(_ wanted: [Update], at time: Instant) {
    updates.push(wanted.map { Request(.update($0), at: time) })
  }

  /// Renders until a time.
  fileprivate func play(until end: Instant) {
    while time < end {
      render()
      settle()
    }
  }
}
