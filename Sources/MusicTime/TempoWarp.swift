import Glibc

/// Maps the time at a constant tempo to the time in a section whose tempo changes.
///
/// *Steady* time is the time that the section's beats would take at its first tempo. *Real* time is the time that they
/// actually take. Both count from the section's start.
package enum TempoWarp: BitwiseCopyable, @unchecked Sendable {
  // `@unchecked`: the knots are immutable.

  /// Constant tempo.
  case none
  /// The tempo changes linearly over the beats. Before the section's start the first tempo holds: extrapolating the line
  /// would reach a tempo of 0.
  ///
  /// With t(b) = 60·B/(t₂ − t₁) · ln(1 + (t₂ − t₁)·b/(B·t₁)) and steady time s = 60·b/t₁, real = ln(1 + ρ·s)/ρ, where
  /// ρ = (t₂ − t₁)/(60·B) in 1/s. `rate` is ρ divided by the sample rate, in the inverse of frames.
  case ramp(rate: Double)
  /// Piecewise linear between at least two knots, in order from (0, 0). The section owns them.
  case knots(UnsafeBufferPointer<Knot>)

  /// A pair of corresponding steady and real times.
  package struct Knot: BitwiseCopyable, Sendable {
    /// Time at the section's first tempo, from the section's start.
    package let steady: FrameDuration
    /// Real time from the section's start.
    package let real: FrameDuration

    package init(steady: FrameDuration, real: FrameDuration) {
      self.steady = steady
      self.real = real
    }

    @_noLocks
    func value(_ isReal: Bool) -> FrameDuration { isReal ? real : steady }
  }

  /// - Thread: any, audio
  @_noLocks
  package func real(_ steady: FrameDuration) -> FrameDuration {
    switch self {
    case .none: steady
    case .ramp(let rate):
      steady <= .zero ? steady : FrameDuration(frames: logarithm(rate * steady.frames) / rate)
    case .knots(let knots): TempoWarp.follow(knots, steady, toReal: true)
    }
  }

  /// The inverse of `real`.
  /// - Thread: any, audio
  @_noLocks
  package func steady(_ real: FrameDuration) -> FrameDuration {
    switch self {
    case .none: real
    case .ramp(let rate): real <= .zero ? real : FrameDuration(frames: exponential(rate * real.frames) / rate)
    case .knots(let knots): TempoWarp.follow(knots, real, toReal: false)
    }
  }

  /// The tempo at a point of steady time, relative to the tempo at the section's start.
  /// - Thread: any, audio
  @_noLocks
  package func speed(_ steady: FrameDuration) -> Double {
    switch self {
    case .none: return 1
    case .ramp(let rate): return steady <= .zero ? 1 : 1 + rate * steady.frames
    case .knots(let knots):
      let index = TempoWarp.index(knots, steady, isReal: false)
      let (low, high) = (knots[index], knots[index + 1])
      return (high.steady - low.steady).frames / (high.real - low.real).frames
    }
  }

  /// The knot before a time. Before the first and after the last knot the outermost segment is extrapolated.
  @_noLocks
  private static func index(
    _ knots: UnsafeBufferPointer<Knot>, _ time: FrameDuration, isReal: Bool
  ) -> Int {
    var (low, high) = (1, knots.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if knots[middle].value(isReal) <= time { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  @_noLocks
  private static func follow(
    _ knots: UnsafeBufferPointer<Knot>, _ time: FrameDuration, toReal: Bool
  ) -> FrameDuration {
    let index = index(knots, time, isReal: !toReal)
    let (low, high) = (knots[index], knots[index + 1])
    let (start, inside) = (low.value(toReal), time - low.value(!toReal))
    // Exactly on a knot nothing needs rounding.
    guard inside != .zero else { return start }
    let rise = (high.value(toReal) - start).frames
    let run = (high.value(!toReal) - low.value(!toReal)).frames
    return start + FrameDuration(frames: inside.frames * rise / run)
  }
}

/// ln(1 + x)
@_noLocks
private func logarithm(_ x: Double) -> Double {
  // The compiler can't check libm for `@_noLocks`. log1p is a pure function.
  _unsafePerformance { log1p(x) }
}

/// eˣ − 1
@_noLocks
private func exponential(_ x: Double) -> Double {
  // The compiler can't check libm for `@_noLocks`. expm1 is a pure function.
  _unsafePerformance { expm1(x) }
}

extension FrameDuration {
  /// Converts a number of frames, limited to the range that fits.
  /// - Thread: any, audio
  @_noLocks
  init(frames: Double) {
    // A ramp has no time beyond the point where its tempo reaches 0.
    let bounded = frames.isNaN ? 0x1p62 : max(-0x1p62, min(0x1p62, frames))
    var whole = Int64(bounded)
    if Double(whole) > bounded { whole -= 1 }
    let rest = min((bounded - Double(whole)) * 0x1p32, 0x1p32 - 1)
    raw = Int128(whole) << 64 + Int128(UInt32(rest)) << 32
  }

  /// The nearest number of frames.
  /// - Thread: any, audio
  var frames: Double {
    @_noLocks get { Double(Int64(raw >> 64)) + Double(UInt64(truncatingIfNeeded: raw)) * 0x1p-64 }
  }
}
