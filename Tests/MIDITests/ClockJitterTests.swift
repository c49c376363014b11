import Foundation
import Testing

@testable import MIDI

/// The remaining jitter of a followed clock. All times are a click's error in milliseconds; 24 pulses are a quarter.
@Suite struct ClockJitterTests {
  static let tempos = [40.0, 60, 90, 120, 180, 240, 300]
  static let jitters = [0.0, 1, 2, 5]
  static let seeds: ClosedRange<UInt64> = 1...20

  /// Runs with one kind of clock, each with a different random jitter.
  private func runs(
    _ tempos: [(pulse: Int, beatsPerMinute: Double)], jitter: Double, dropOuts: Double = 0
  ) -> [[SimulatedClock.View]] {
    ClockJitterTests.seeds.map {
      SimulatedClock(
        tempos, count: 4_000, jitter: jitter, dropOuts: dropOuts,
        seed: $0 * 7_919 + UInt64(tempos.last!.beatsPerMinute)
      ).views()
    }
  }

  @Test func `A steady clock is locked within a bar, and its jitter filtered out`() {
    print("steady clock, ms: tempo, jitter ±; lock (pulses), RMS after one bar, largest after 1, 5, 10 bars")
    for tempo in ClockJitterTests.tempos {
      for jitter in ClockJitterTests.jitters {
        let runs = runs([(0, tempo)], jitter: jitter)
        let locks = runs.map { $0.firstIndex(where: \.isLocked) ?? .max }
        let strays = runs.flatMap { $0[96..<192].map(\.stray) }
        let rms = (strays.reduce(0) { $0 + $1 * $1 } / Double(strays.count)).squareRoot()
        let largest = [96, 480, 960].map { pulse in runs.map { $0.largest(from: pulse) }.max()! }
        print(
          String(
            format: "  %3.0f  %1.0f   %3d   %.3f   %.3f  %.3f  %.3f", tempo, jitter, locks.max()!, rms,
            largest[0], largest[1], largest[2]))
        #expect(locks.max()! <= 96, "\(tempo) ±\(jitter)")
        // Whole frames alone are 0.01 ms.
        #expect(rms <= max(0.15 * jitter, 0.02), "\(tempo) ±\(jitter)")
        #expect(largest[0] <= max(0.5 * jitter, 0.03), "\(tempo) ±\(jitter)")
        #expect(largest[2] <= max(0.2 * jitter, 0.03), "\(tempo) ±\(jitter)")
        if jitter == 1 { #expect(largest[2] < 0.3, "2 ms from the earliest to the latest, at \(tempo)") }
        if jitter == 2 { #expect(rms < 0.3, "at \(tempo)") }
      }
    }
  }

  @Test func `A tempo step is recognised, and no beat lost over it`() {
    print("tempo steps, ms: from, to, jitter ±; within 1 ms (pulses), largest 25 bars later")
    let steps = [
      (120.0, 121.0), (120, 130), (120, 60), (120, 240), (120, 180), (120, 80), (60, 300), (300, 40),
    ]
    for (from, to) in steps {
      for jitter in [0.0, 1, 2] {
        let runs = runs([(0, from), (1_500, to)], jitter: jitter)
        let settled = runs.map { max($0.settled(within: 1), 1_500) - 1_500 }.max()!
        let largest = runs.map { $0.largest(from: 3_900) }.max()!
        print(String(format: "  %3.0f %3.0f  %1.0f   %3d   %.3f", from, to, jitter, settled, largest))
        #expect(settled <= (jitter == 0 ? 5 : 192), "\(from) to \(to) ±\(jitter)")
        #expect(largest <= max(0.2 * jitter, 0.03), "\(from) to \(to) ±\(jitter)")
      }
    }
  }

  @Test func `Missing pulses move neither phase nor count`() {
    for tempo in ClockJitterTests.tempos {
      // With a jitter of a quarter of a pulse or more a late pulse cannot be distinguished from a missing one.
      for jitter in ClockJitterTests.jitters where jitter < 0.24 * 60_000 / (24 * tempo) {
        let largest = runs([(0, tempo)], jitter: jitter, dropOuts: 0.03).map { $0.largest(from: 480) }.max()!
        #expect(largest <= max(0.22 * jitter, 0.03), "\(tempo) ±\(jitter)")
      }
    }
  }
}
