import Timecode

/// The settings of the ports `timecode` and `ltc`.
package struct TimecodeOutput: BitwiseCopyable, Hashable, Sendable {
  package var rate = TimecodeRate.pal
  /// The timecode at the start of the transport or score, in timecode frames since midnight.
  package var start: Int64 = 0
  /// The level of linear timecode, 0…1 of full scale.
  package var level: Float = 0.5
  /// Milliseconds by which the timecode follows the clicks; negative if it precedes them.
  package var offset = 0.0

  package init() {}
}
