/// A duration in frames with a resolution of 2⁻⁶⁴ frames: the length of a bar, or the time from the start of a score or section.
public struct FrameDuration: BitwiseCopyable, Hashable, Comparable, Sendable {
  /// 2⁻⁶⁴ frames.
  public let raw: Int128

  /// - Parameter raw: in 2⁻⁶⁴ frames.
  @inlinable @_noLocks
  public init(raw: Int128) { self.raw = raw }

  /// A number of whole frames.
  @inlinable @_noLocks
  public init(wholeFrames frames: Int64) { raw = Int128(frames) << 64 }

  @inlinable
  public static var zero: FrameDuration { @_noLocks get { FrameDuration(raw: 0) } }

  /// Half a frame, the greatest distance between a time and its nearest frame.
  @inlinable
  public static var halfFrame: FrameDuration { @_noLocks get { FrameDuration(raw: 1 << 63) } }

  /// Longer than every other duration: the length of music without an end.
  @inlinable
  public static var endless: FrameDuration { @_noLocks get { FrameDuration(raw: .max) } }

  /// The nearest number of frames; a tie goes to the greater one.
  public var nearestFrames: Int64 { @_noLocks get { Int64((raw + (1 << 63)) >> 64) } }

  /// Whole frames, rounded down, limited to the range of the result.
  public var framesRoundedDown: Int64 { @_noLocks get { Int64(clamping: raw >> 64) } }

  /// Whole frames, rounded up.
  public var framesRoundedUp: Int64 {
    @_noLocks get { Int64(truncatingIfNeeded: (raw + ((1 << 64) - 1)) >> 64) }
  }

  /// The duration without its sign.
  @inlinable
  public var magnitude: FrameDuration { @_noLocks get { FrameDuration(raw: abs(raw)) } }

  @inlinable @_noLocks
  public static func < (a: FrameDuration, b: FrameDuration) -> Bool { a.raw < b.raw }

  @inlinable @_noLocks
  public static func + (a: FrameDuration, b: FrameDuration) -> FrameDuration {
    FrameDuration(raw: a.raw + b.raw)
  }

  @inlinable @_noLocks
  public static func - (a: FrameDuration, b: FrameDuration) -> FrameDuration {
    FrameDuration(raw: a.raw - b.raw)
  }

  @inlinable @_noLocks
  public static prefix func - (duration: FrameDuration) -> FrameDuration { FrameDuration(raw: -duration.raw) }

  @inlinable @_noLocks
  public static func * (count: Int128, duration: FrameDuration) -> FrameDuration {
    FrameDuration(raw: count * duration.raw)
  }

  /// How often the second fits into the first, rounded towards 0.
  @inlinable @_noLocks
  public static func / (a: FrameDuration, b: FrameDuration) -> Int128 { a.raw / b.raw }

  @inlinable @_noLocks
  public static func += (a: inout FrameDuration, b: FrameDuration) { a = a + b }
}
