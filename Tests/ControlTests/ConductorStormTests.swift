import ControlBench
import Dispatch
import MusicTime
import Realtime
import TestNumbers
import Testing

@testable import Control
@testable import Engine

/// The cost of a flood of messages, and the requests that it must not delay.
@Suite struct ConductorStormTests {
  @Test func tenThousandTemposCostOneScoreEach20MillisecondsAndTheLastWins() throws {
    let rig = try Rig()
    rig.push(.start)
    #expect(rig.eventually { $0.isPlaying })
    let before = rig.score
    let begin = rig.time
    var scores: Set<Int> = []
    var sent = 0
    // A third of a second: some 44 tempos in each period.
    while sent < 10_000 {
      for _ in 0..<min(44, 10_000 - sent) {
        sent += 1
        rig.push(.set(.tempo(Tempo(clamping: 60_000 + sent))))
      }
      rig.render()
      scores.insert(rig.score)
    }
    let elapsed = rig.time - begin
    #expect(rig.settle().settings.tempo.thousandths == 70_000)
    rig.pass(ScorePublisher.interval + .milliseconds(2))
    #expect(rig.playedTempo == 70)
    #expect(elapsed > .milliseconds(300))
    #expect(scores.count { $0 > before } > 1)
    #expect(rig.score - before <= Int(elapsed / ScorePublisher.interval) + 2)
  }

  @Test func theEnginePlaysTheLastTempoOfAStorm() throws {
    let rig = try Rig()
    rig.push(.start)
    for index in 1...5_000 { rig.push(.set(.tempo(Tempo(clamping: 100_000 + index)))) }
    rig.push(.set(.tempo(Tempo(clamping: 240_000))))
    #expect(rig.eventually { $0.settings.tempo.thousandths == 240_000 })
    rig.pass(ScorePublisher.interval + .milliseconds(2))
    let known = rig.reports.beats.count
    #expect(rig.eventually { _ in rig.reports.beats.count >= known + 3 })
    let beats = rig.reports.beats.suffix(2).map(\.frame)
    #expect(beats[1] - beats[0] == 12_000)
  }

  @Test(arguments: [false, true])
  func stopIsNotDelayedByAStorm(_ isBarHuge: Bool) throws {
    var settings = Settings()
    if isBarHuge {
      try settings.set(.meter(Meter(99, 1)))
      try settings.set(.beatUnit(BeatUnit(1, 99)))
    }
    let rig = try Rig(settings)
    rig.push(.start)
    #expect(rig.eventually { $0.isPlaying })
    var random = Generator(seed: 5)
    for _ in 0..<5 {
      rig.push(.start)
      rig.render()
      #expect(rig.reports.lastChange?.isPlaying == true)
      for _ in 0..<2 * UpdateQueue.capacity {
        rig.push(.set(.volume(.accent, try! Volume(Double.random(in: 0...1, using: &random)))))
      }
      // The queue is full; the stop gets through, and the next turn carries it out.
      rig.push(.stop)
      rig.render()
      #expect(rig.reports.lastChange?.isPlaying == false)
    }
  }

  @Test func `Floods from many threads are dropped and counted`() throws {
    let rig = try Rig()
    let updates = rig.updates
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<20_000 { updates.push(.nudge(thousandths: 1)) }
    }
    rig.push(.stop)
    #expect(
      rig.hears {
        if case .warning(let text) = $0 { text.contains("dropped") } else { false }
      })
  }
}

extension Rig {
  /// The number of score changes that the engine has made.
  fileprivate var score: Int { channels.pointee.changes.load(ordering: .relaxed) }
}

extension Reports {
  fileprivate var lastChange: Snapshot? {
    all.reversed().lazy.compactMap { if case .changed(_, let new) = $0 { new } else { nil } }.first
  }
}
