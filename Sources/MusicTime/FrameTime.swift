/// A point on the frame axis, finer than a frame: a signed count of 2⁻⁶⁴ frames.
///
/// Origins are kept in it. An origin on a whole frame is exact; one that is not (a tempo change that carries the
/// position over) is off by less than 2⁻⁶⁴ of a frame.
public struct FrameTime: BitwiseCopyable, Hashable, Comparable, Sendable {
  /// 2⁻⁶⁴ frames.
  public var raw: Int128

  @inlinable @_noLocks
  public init(raw: Int128) { self.raw = raw }

  /// The exact start of a frame.
  @inlinable @_noLocks
  public init(frame: Int64) { raw = Int128(frame) << 64 }

  /// The instant half a frame before a frame: onsets from here on round to that frame or a later one.
  @inlinable @_noLocks
  public init(roundingTo frame: Int64) { raw = (Int128(frame) << 64) - (1 << 63) }

  /// The nearest frame; a tie goes to the later one.
  public var nearestFrame: Int64 { @_noLocks get { Int64((raw + (1 << 63)) >> 64) } }

  @inlinable @_noLocks
  public static func < (a: FrameTime, b: FrameTime) -> Bool { a.raw < b.raw }
}
