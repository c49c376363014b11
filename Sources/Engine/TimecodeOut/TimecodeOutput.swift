import Timecode

/// The settings of the ports `timecode` and `ltc`.
public struct TimecodeOutput: BitwiseCopyable, Hashable, Sendable {
  public var rate = TimecodeRate.pal
  /// The frame at the start of what plays, counted from midnight.
  public var start: Int64 = 0
  /// The level of linear timecode, 0…1 of full scale.
  public var level: Float = 0.5
  /// Milliseconds by which the timecode follows the clicks; negative if it precedes them.
  public var offset = 0.0

  public init() {}
}
