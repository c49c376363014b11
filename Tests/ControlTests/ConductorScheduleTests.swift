import ControlBench
import MusicTime
import Testing

@testable import Control
@testable import Engine

/// The host's clock and the engine's run together here: the test renders as far as the time has come.
@Suite(.serialized) struct ConductorScheduleTests {
  @Test func aTempoAndAStartForLaterTakeEffectOnTheirFrame() throws {
    let rig = try Rig()
    let due = rig.begin() + 150_000_000
    rig.schedule([.set(.tempo(Tempo(clamping: 240_000))), .start], at: due)
    rig.play(until: due + 700_000_000)
    let frames = rig.reports.beats.map(\.frame)
    let first = try #require(rig.host.clockFrame(soundingAt: due))
    #expect(frames.starts(with: [first, first + 12_000, first + 24_000]))
    #expect(rig.settle().settings.tempo.thousandths == 240_000)
  }

  @Test func aTempoForLaterChangesNothingBefore() throws {
    let rig = try Rig()
    rig.push(.start)
    let begin = rig.begin()
    let due = begin + 300_000_000
    rig.schedule([.set(.tempo(Tempo(clamping: 480_000)))], at: due)
    rig.play(until: due + 500_000_000)
    let frames = rig.reports.beats.map(\.frame)
    let change = try #require(rig.host.clockFrame(soundingAt: due))
    let first = try #require(frames.first)
    // At 120 a beat has 24 000 frames, at 480 a quarter of that; the part of the beat that was over stays so.
    let second = change + Int64((Double(24_000 - (change - first)) / 4).rounded())
    #expect(abs(frames[1] - second) <= 1)
    #expect(frames[2] - frames[1] == 6_000)
  }

  @Test func aStopForLaterComesOnItsTimeAndAStartMeanwhileDoesNotHideIt() throws {
    let rig = try Rig()
    rig.push(.start)
    let due = rig.begin() + 150_000_000
    rig.schedule([.stop], at: due)
    rig.play(until: due - 40_000_000)
    rig.push(.start)
    #expect(rig.settle().isPlaying)
    rig.play(until: due + 50_000_000)
    #expect(!rig.settle().isPlaying)
    let known = rig.reports.beats.count
    rig.play(until: due + 700_000_000)
    #expect(rig.reports.beats.count == known)
  }

  @Test func whatIsForTheTransportHappensNotBeforeItsTime() throws {
    let rig = try Rig()
    rig.push(.set(.role(.lead)))
    let due = rig.begin() + 200_000_000
    rig.settle()
    rig.host.forgetCalls()
    rig.schedule([.start], at: due)
    rig.play(until: due - 20_000_000)
    let before = rig.host.calls
    // On a machine that is slow the time may have come by now.
    if Monotonic.now < due { #expect(!before.contains(.start)) }
    rig.play(until: due + 50_000_000)
    #expect(rig.host.calls.contains(.start))
  }

  @Test func anImmediateChangeIsNotLostBehindAScheduledOne() throws {
    let rig = try Rig()
    let due = rig.begin() + 150_000_000
    rig.schedule([.set(.tempo(Tempo(clamping: 240_000)))], at: due)
    rig.play(until: due - 50_000_000)
    rig.push(.set(.volume(.beat, .off)))
    rig.play(until: due + 100_000_000)
    let settings = rig.settle().settings
    #expect(settings.tempo.thousandths == 240_000)
    #expect(settings.volume(.beat) == .off)
  }

  @Test func temposLessThanAPeriodApartEachTakeEffectOnTheirFrame() throws {
    let rig = try Rig()
    rig.push(.start)
    let due = rig.begin() + 200_000_000
    // 20 frames apart, in periods of 64.
    for (index, tempo) in [240, 480, 960].enumerated() {
      let time = due + UInt64(index) * 416_667
      rig.schedule([.set(.tempo(Tempo(clamping: tempo * 1_000)))], at: time)
    }
    rig.play(until: due + 400_000_000)
    let frames = rig.reports.beats.map(\.frame)
    let changes = try (0..<3).map {
      try #require(rig.host.clockFrame(soundingAt: due + UInt64($0) * 416_667))
    }
    #expect(changes[2] - changes[0] < 64)
    let first = try #require(frames.first)
    // What is left of the beat's 24 000 frames, at 2, 4 and 8 times the speed.
    let left = 24_000 - (changes[0] - first) - 2 * (changes[1] - changes[0]) - 4 * (changes[2] - changes[1])
    #expect(abs(frames[1] - (changes[2] + Int64((Double(left) / 8).rounded()))) <= 1)
    #expect(frames[2] - frames[1] == 3_000)
  }

  @Test func aChangeAtOnceDoesNotWaitForOneThatHasADate() throws {
    let rig = try Rig()
    rig.push(.start)
    let due = rig.begin() + 99_000_000
    rig.schedule([.set(.volume(.beat, .off))], at: due)
    rig.settle()
    rig.push(.set(.tempo(Tempo(clamping: 200_000))))
    rig.play(until: due - 15_000_000)
    // On a machine that is slow the time may have come by now.
    if Monotonic.now < due {
      #expect(rig.playedTempo == 200)
      #expect(rig.settle().settings.volume(.beat) == .full)
    }
    rig.play(until: due + 20_000_000)
    #expect(rig.settle().settings.volume(.beat) == .off)
    #expect(rig.playedTempo == 200)
  }

  @Test func aDateDoesNotBringAlongWhatWaitsForItsBar() throws {
    var settings = Settings()
    try settings.set(.tempo(Tempo(600)))
    try settings.set(.quantise(.bar))
    let rig = try Rig(settings)
    rig.push(.start)
    let due = rig.begin() + 150_000_000
    rig.schedule([.set(.volume(.beat, .off))], at: due)
    rig.play(until: due - 110_000_000)
    rig.push(.set(.tempo(try Tempo(300))))
    rig.play(until: due + 900_000_000)
    let frames = rig.reports.beats.map(\.frame)
    // A bar of four in the old tempo, and then the new one.
    #expect(
      zip(frames, frames.dropFirst()).prefix(6).map { $1 - $0 } == [4_800, 4_800, 4_800, 4_800, 9_600, 9_600])
    #expect(rig.settle().settings.volume(.beat) == .off)
  }

  @Test func whatIsADayAheadIsRefused() throws {
    let rig = try Rig()
    let reasons = Reasons()
    rig.updates.push(
      Request(.update(.start), at: Monotonic.now + 2 * Schedule.horizon, refuse: { reasons.add($0) }))
    rig.settle()
    #expect(reasons.all == ["its time is more than a day ahead"])
  }
}

extension Rig {
  /// Ties the host's clock to the engine's as they stand; returns the time.
  fileprivate func begin() -> UInt64 {
    settle()
    let now = Monotonic.now
    host.setClock(clock, soundingAt: now)
    return now
  }

  fileprivate func schedule(_ wanted: [Update], at time: UInt64) {
    updates.push(wanted.map { Request(.update($0), at: time) })
  }

  /// Renders what should have been rendered up to now, half a period ahead of what sounds, until a time.
  fileprivate func play(until time: UInt64) {
    while Monotonic.now < time {
      if let sounding = host.clockFrame(soundingAt: Monotonic.now), clock < sounding + Int64(Rig.period) {
        render()
      }
      settle()
    }
  }
}
