/// A frame of the timeline on which a score is placed: a frame of the engine's clock or of the JACK transport, depending on
/// the time source. A type of its own, so that it can't be confused with a frame of the clock (`ClockFrame`).
public struct TimelineFrame: BitwiseCopyable, Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
  /// Frames since the timeline's frame 0.
  public let number: Int64

  @inlinable @_noLocks
  public init(_ number: Int64) { self.number = number }

  @inlinable @_noLocks
  public init(integerLiteral number: Int64) { self.number = number }

  /// Later than every other frame: the frame of an event that will not happen.
  public static var never: TimelineFrame { @_noLocks get { TimelineFrame(.max) } }

  @inlinable @_noLocks
  public static func < (a: TimelineFrame, b: TimelineFrame) -> Bool { a.number < b.number }

  @inlinable @_noLocks
  public static func + (frame: TimelineFrame, distance: Int64) -> TimelineFrame {
    TimelineFrame(frame.number + distance)
  }

  @inlinable @_noLocks
  public static func - (frame: TimelineFrame, distance: Int64) -> TimelineFrame {
    TimelineFrame(frame.number - distance)
  }

  /// Frames from the second to the first.
  // A literal on the right is a distance.
  @inlinable @_noLocks @_disfavoredOverload
  public static func - (a: TimelineFrame, b: TimelineFrame) -> Int64 { a.number - b.number }

  @inlinable @_noLocks
  public static func += (frame: inout TimelineFrame, distance: Int64) { frame = frame + distance }
}
