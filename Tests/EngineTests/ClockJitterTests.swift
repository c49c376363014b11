import Engine
import Foundation
import Testing

/// How a metronome filters a clock's jitter. All times are a click's error in milliseconds.
@Suite struct ClockJitterTests {
  static let tempos = [40.0, 60, 90, 120, 180, 240, 300]
  static let jitters = [0.0, 1, 2, 5]
  static let seeds: ClosedRange<UInt64> = 1...10

  /// Follows machines of one kind, each with a different random jitter.
  private func runs(
    _ tempos: [(quarters: Int, beatsPerMinute: Double)], jitter: Double, dropOuts: Double = 0
  ) throws -> [ClockHearing] {
    try ClockJitterTests.seeds.map { seed in
      var machine = ClockMachine(
        jitter: jitter, dropOuts: dropOuts, seed: seed * 7_919 + UInt64(tempos.last!.beatsPerMinute))
      machine.send(.start)
      for (quarters, tempo) in tempos { machine.play(24 * quarters, beatsPerMinute: tempo) }
      let rig = try Rig.following(Pattern(subdivisions: [3: 0.5]))
      rig.play(machine)
      let hearing = ClockHearing(rig.quarters, quarters: machine.quarters)
      #expect(hearing.faults == [], "\(tempos) ±\(jitter)")
      // The last triplets lie beyond the last pulses.
      #expect(abs(rig.beats.count - 3 * machine.quarters.count) <= 1, "\(tempos) ±\(jitter)")
      return hearing
    }
  }

  @Test func `A steady clock is locked within a bar, and its jitter filtered out`() throws {
    print("steady clock, ms: tempo, jitter ±; RMS of the second bar, largest after 1, 5, 10 bars")
    for tempo in ClockJitterTests.tempos {
      for jitter in ClockJitterTests.jitters {
        let runs = try runs([(60, tempo)], jitter: jitter)
        let strays = runs.flatMap { $0.strays[4..<8] }
        let rms = (strays.reduce(0) { $0 + $1 * $1 } / Double(strays.count)).squareRoot()
        let largest = [4, 20, 40].map { quarter in runs.map { $0.largest(from: quarter) }.max()! }
        print(
          String(
            format: "  %3.0f  %1.0f   %.3f   %.3f  %.3f  %.3f", tempo, jitter, rms, largest[0], largest[1],
            largest[2]))
        // Rounding to whole frames alone is 0.01 ms.
        #expect(rms <= max(0.15 * jitter, 0.02), "\(tempo) ±\(jitter)")
        #expect(largest[0] <= max(0.3 * jitter, 0.03), "\(tempo) ±\(jitter)")
        #expect(largest[2] <= max(0.16 * jitter, 0.03), "\(tempo) ±\(jitter)")
        if jitter == 1 { #expect(largest[0] < 0.3, "2 ms from the earliest to the latest, at \(tempo)") }
        if jitter == 2 {
          #expect(rms < 0.3, "at \(tempo)")
          #expect(runs.allSatisfy { $0.largest(from: 40) < 0.3 }, "at \(tempo)")
        }
      }
    }
  }

  @Test func `A tempo step is followed, and no click lost or doubled over it`() throws {
    print("tempo steps, ms: from, to, jitter ±; within 1 ms (quarters), largest 10 bars later")
    let steps = [
      (120.0, 121.0), (120, 130), (120, 60), (120, 240), (120, 180), (120, 80), (60, 300), (300, 40),
    ]
    for (from, to) in steps {
      for jitter in [0.0, 1, 2] {
        let runs = try runs([(40, from), (60, to)], jitter: jitter)
        let settled = runs.map { max($0.settled(within: 1) - 40, 0) }.max()!
        let largest = runs.map { $0.largest(from: 80) }.max()!
        print(String(format: "  %3.0f %3.0f  %1.0f   %2d   %.3f", from, to, jitter, settled, largest))
        #expect(settled <= (jitter == 0 ? 2 : 8), "\(from) to \(to) ±\(jitter)")
        #expect(largest <= max(0.2 * jitter, 0.03), "\(from) to \(to) ±\(jitter)")
      }
    }
  }

  @Test func `Missing pulses cost no click and move none`() throws {
    print("drop-outs of 1 to 4 pulses at 3 % of them, ms: tempo, jitter ±; largest after 5 bars")
    for tempo in ClockJitterTests.tempos {
      // With a jitter of a quarter of a pulse or more a late pulse cannot be distinguished from a missing one.
      for jitter in ClockJitterTests.jitters where jitter < 0.24 * 60_000 / (24 * tempo) {
        let largest = try runs([(100, tempo)], jitter: jitter, dropOuts: 0.03).map { $0.largest(from: 20) }
          .max()!
        print(String(format: "  %3.0f  %1.0f   %.3f", tempo, jitter, largest))
        #expect(largest <= max(0.2 * jitter, 0.03), "\(tempo) ±\(jitter)")
      }
    }
  }
}
