/// A rate of timecode, in frames per second.
public enum TimecodeRate: String, CaseIterable, BitwiseCopyable, Hashable, Sendable {
  case film = "24"
  case pal = "25"
  /// 30000/1001 frames a second. Two frame numbers are skipped each minute, except every tenth.
  case dropFrame = "29.97"
  case thirty = "30"

  /// How many frame numbers a second has: 0..<`numbers`.
  /// - Thread: any, audio
  public var numbers: Int64 {
    @_noLocks get {
      switch self {
      case .film: 24
      case .pal: 25
      case .dropFrame, .thirty: 30
      }
    }
  }

  /// Frames per second, as a fraction.
  /// - Thread: any, audio
  public var fraction: (frames: Int64, seconds: Int64) {
    @_noLocks get { self == .dropFrame ? (30_000, 1_001) : (numbers, 1) }
  }

  /// Frames in a day of timecode, after which it starts again at zero.
  /// - Thread: any, audio
  public var perDay: Int64 {
    @_noLocks get { self == .dropFrame ? 144 * Timecode.perTenMinutes : numbers * 86_400 }
  }

  /// The sample nearest to a point on the timecode's time line. Time 0 is sample 0.
  /// - Parameters:
  ///   - unit: the point, in units of 1/`parts` frame.
  ///   - parts: units per frame.
  ///   - sampleRate: samples per second.
  /// - Thread: any, audio
  @_noLocks
  public func sample(of unit: Int64, parts: Int64, sampleRate: Int) -> Int64 {
    let (frames, seconds) = fraction
    let (above, below) = (2 * Int128(unit) * Int128(Int64(sampleRate) * seconds), Int128(parts * frames))
    return Int64(flooring(above + below, by: 2 * below))
  }

  /// The first unit of 1/`parts` frame whose nearest sample is not before `sample`.
  /// - Parameter parts: units per frame.
  /// - Thread: any, audio
  @_noLocks
  public func unit(from sample: Int64, parts: Int64, sampleRate: Int) -> Int64 {
    let (frames, seconds) = fraction
    // ⌊x + ½⌋ ≥ s is x ≥ s − ½.
    let (above, below) = (
      (2 * Int128(sample) - 1) * Int128(parts * frames), Int128(2 * Int64(sampleRate) * seconds)
    )
    return Int64(-flooring(-above, by: below))
  }
}

/// The largest integer that is not greater than `number` / `divisor`.
@_noLocks
private func flooring(_ number: Int128, by divisor: Int128) -> Int128 {
  let quotient = number / divisor
  return quotient * divisor > number ? quotient - 1 : quotient
}
