import ControlBench
import Dispatch
import MusicTime
import Synchronization
import TestNumbers
import Testing

@testable import Control
@testable import Engine

/// What a flood of messages costs, and what it must not delay.
@Suite(.serialized) struct ConductorStormTests {
  @Test func tenThousandTemposCostOneScoreEach20MillisecondsAndTheLastWins() throws {
    let rig = try Rig()
    rig.push(.start)
    #expect(rig.eventually { $0.isPlaying })
    let begin = Monotonic.now
    let updates = rig.updates
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      for index in 1...10_000 {
        while Monotonic.now < begin + UInt64(index) * 30_000 {}
        updates.push(.set(.tempo(Tempo(clamping: 60_000 + index))))
      }
      done.signal()
    }
    var scores = 0
    func take() {
      guard let score = rig.channels.pointee.programmes.take() else { return }
      scores += 1
      // In the engine's place: it comes back as one that is spent.
      let hasRoom = rig.channels.pointee.spent.push(score)
      #expect(hasRoom)
    }
    while done.wait(timeout: .now()) == .timedOut { take() }
    let last = rig.settle()
    let elapsed = Monotonic.now - begin
    while Monotonic.now < begin + elapsed + 60_000_000 { take() }
    #expect(last.settings.tempo.thousandths == 70_000)
    #expect(scores >= 1)
    #expect(scores <= Int(elapsed / ConductorState.scoreInterval) + 2)
  }

  @Test func theEnginePlaysTheLastTempoOfAStorm() throws {
    let rig = try Rig()
    rig.push(.start)
    for index in 1...5_000 { rig.push(.set(.tempo(Tempo(clamping: 100_000 + index)))) }
    rig.push(.set(.tempo(Tempo(clamping: 240_000))))
    #expect(rig.eventually { $0.settings.tempo.thousandths == 240_000 })
    // The score follows within 20 ms of the message; rendering is free of real time, so wait until it is taken.
    let settled = Monotonic.now + 60_000_000
    while Monotonic.now < settled {
      rig.settle()
      rig.render()
    }
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
    let updates = rig.updates
    let isOver = Box(Atomic(false))
    let done = DispatchGroup()
    DispatchQueue.global().async(group: done) {
      var random = Generator(seed: 5)
      while !isOver.value.load(ordering: .relaxed) {
        updates.push(.set(.volume(.accent, try! Volume(Double.random(in: 0...1, using: &random)))))
      }
    }
    for _ in 0..<5 {
      let begin = Monotonic.now
      rig.push(.start)
      rig.push(.stop)
      #expect(rig.eventuallyStops())
      #expect(Monotonic.now - begin < 500_000_000)
    }
    isOver.value.store(true, ordering: .relaxed)
    #expect(done.wait(timeout: .now() + 5) == .success)
  }

  @Test func floodsFromManyThreadsAreReportedAsDroppedNotKept() throws {
    let rig = try Rig()
    let updates = rig.updates
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<20_000 { updates.push(.nudge(thousandths: 1)) }
    }
    rig.push(.stop)
    #expect(
      rig.reports.wait {
        if case .warning(let text) = $0 { text.contains("dropped") } else { false }
      })
  }
}

private final class Box<Value: ~Copyable & Sendable>: Sendable {
  let value: Value
  init(_ value: consuming Value) { self.value = value }
}

extension Rig {
  /// Renders until the conductor says that it stands; a query could be turned away in a storm.
  fileprivate func eventuallyStops() -> Bool {
    let deadline = Monotonic.now + 5_000_000_000
    while Monotonic.now < deadline {
      render()
      if let last = reports.lastChange, !last.isPlaying { return true }
    }
    return false
  }
}

extension Reports {
  fileprivate var lastChange: Snapshot? {
    all.reversed().lazy.compactMap { if case .changed(_, let new) = $0 { new } else { nil } }.first
  }
}
