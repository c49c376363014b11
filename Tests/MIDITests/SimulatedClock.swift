import MIDI
import MusicTime
import TestNumbers

/// A clock whose pulses have an evenly distributed jitter; some may be missing.
struct SimulatedClock {
  static let sampleRate = 48_000

  /// The exact time of each pulse, in frames.
  private(set) var ticks: [Double] = []
  /// The frames of the pulses that are not missing, in order.
  private(set) var pulses: [Int64] = []

  /// - Parameters:
  ///   - tempos: beats a minute, each from one pulse on; the first from pulse 0.
  ///   - jitter: milliseconds by which a pulse is early or late at most.
  ///   - dropOuts: the share of pulses, after the first bar, at which one to four are missing.
  init(
    _ tempos: [(pulse: Int, beatsPerMinute: Double)], count: Int, jitter: Double, dropOuts: Double = 0,
    seed: UInt64
  ) {
    var generator = Generator(seed: seed)
    let width = jitter * Double(SimulatedClock.sampleRate) / 1_000
    var time = 10_000.0
    var missing = 0
    var lastMissing = 0
    for index in 0..<count {
      ticks.append(time)
      let pulse = Int64((time + (2 * generator.unit() - 1) * width).rounded())
      if missing == 0, index > 96, index > lastMissing + 1, generator.unit() < dropOuts {
        missing = 1 + Int(generator.unit() * 4)
      }
      if missing > 0 {
        (missing, lastMissing) = (missing - 1, index)
      } else {
        pulses.append(pulse)
      }
      let tempo = tempos.last { $0.pulse <= index }!.beatsPerMinute
      time += Double(60 * SimulatedClock.sampleRate) / (24 * tempo)
    }
    pulses.sort()
  }

  /// A follower's view of each tick, from the pulses before it.
  struct View {
    /// The error in milliseconds; positive if the tick is too early.
    let stray: Double
    let isLocked: Bool
  }

  /// The views of a follower that starts at the first pulse.
  func views() -> [View] {
    var follower = MIDIClockFollower(sampleRate: SimulatedClock.sampleRate)
    follower.take(.start, at: 0)
    var next = 0
    return ticks.enumerated().map { index, tick in
      let frame = Int64(tick.rounded())
      while next < pulses.count, pulses[next] < frame {
        follower.take(.clock, at: ClockFrame(pulses[next]))
        next += 1
      }
      let quarters = follower.quarters(at: ClockFrame(frame)) - Double(index) / 24
      let milliseconds = 1_000 * follower.framesPerQuarter / Double(SimulatedClock.sampleRate)
      return View(stray: quarters * milliseconds, isLocked: follower.isLocked)
    }
  }
}

extension [SimulatedClock.View] {
  func largest(from pulse: Int) -> Double { self[pulse...].map { abs($0.stray) }.max() ?? 0 }

  /// The first pulse from which on every tick is within so many milliseconds.
  func settled(within milliseconds: Double) -> Int {
    (lastIndex { abs($0.stray) >= milliseconds } ?? -1) + 1
  }
}

extension Generator {
  /// 0..<1.
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
