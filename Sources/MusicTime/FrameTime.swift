/// A point on the frame axis of the timeline with a resolution of 2⁻⁶⁴ frames.
///
/// Origins use this type. An origin on a whole frame is exact. Other origins (after a tempo change that preserves the
/// position) have an error below 2⁻⁶⁴ of a frame.
public struct FrameTime: BitwiseCopyable, Hashable, Comparable, Sendable {
  /// 2⁻⁶⁴ frames since the timeline's frame 0.
  public let raw: Int128

  /// - Parameter raw: in 2⁻⁶⁴ frames.
  @inlinable @_noLocks
  public init(raw: Int128) { self.raw = raw }

  /// The exact start of a frame.
  @inlinable @_noLocks
  public init(frame: TimelineFrame) { raw = Int128(frame.number) << 64 }

  /// Half a frame before the start of a frame. Onsets from this instant on round to that frame or a later one.
  @inlinable @_noLocks
  public init(roundingTo frame: TimelineFrame) { raw = (Int128(frame.number) << 64) - (1 << 63) }

  /// Later than every other time: the time of an event that will not happen.
  @inlinable
  public static var never: FrameTime { @_noLocks get { FrameTime(raw: .max) } }

  /// The nearest frame; a tie goes to the later one.
  public var nearestFrame: TimelineFrame { @_noLocks get { TimelineFrame(Int64((raw + (1 << 63)) >> 64)) } }

  @inlinable @_noLocks
  public static func < (a: FrameTime, b: FrameTime) -> Bool { a.raw < b.raw }

  @inlinable @_noLocks
  public static func + (time: FrameTime, duration: FrameDuration) -> FrameTime {
    FrameTime(raw: time.raw + duration.raw)
  }

  @inlinable @_noLocks
  public static func - (time: FrameTime, duration: FrameDuration) -> FrameTime {
    FrameTime(raw: time.raw - duration.raw)
  }

  /// The duration from `b` to `a`.
  @inlinable @_noLocks
  public static func - (a: FrameTime, b: FrameTime) -> FrameDuration { FrameDuration(raw: a.raw - b.raw) }
}
