import Synchronization

/// A frame of the engine's clock, which counts frames since the engine began and never goes back. A type of its own, so that
/// it can't be confused with a frame of the timeline or a number of frames.
public struct ClockFrame: BitwiseCopyable, Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
  /// Frames since the clock's frame 0.
  public let number: Int64

  @inlinable @_noLocks
  public init(_ number: Int64) { self.number = number }

  @inlinable @_noLocks
  public init(integerLiteral number: Int64) { self.number = number }

  /// Later than every other frame: the frame of an event that will not happen.
  @inlinable
  public static var never: ClockFrame { @_noLocks get { ClockFrame(.max) } }

  /// Earlier than every other frame: the frame of an event that has not happened yet, or is overdue.
  @inlinable
  public static var earliest: ClockFrame { @_noLocks get { ClockFrame(.min) } }

  @inlinable @_noLocks
  public static func < (a: ClockFrame, b: ClockFrame) -> Bool { a.number < b.number }

  @inlinable @_noLocks
  public static func + (frame: ClockFrame, distance: Int64) -> ClockFrame {
    ClockFrame(frame.number + distance)
  }

  @inlinable @_noLocks
  public static func - (frame: ClockFrame, distance: Int64) -> ClockFrame {
    ClockFrame(frame.number - distance)
  }

  /// Frames from the second to the first.
  // A literal on the right is a distance.
  @inlinable @_noLocks @_disfavoredOverload
  public static func - (a: ClockFrame, b: ClockFrame) -> Int64 { a.number - b.number }

  @inlinable @_noLocks
  public static func += (frame: inout ClockFrame, distance: Int64) { frame = frame + distance }

  @inlinable @_noLocks
  public static func -= (frame: inout ClockFrame, distance: Int64) { frame = frame - distance }
}

extension ClockFrame: CustomStringConvertible {
  public var description: String { "\(number)" }
}

extension ClockFrame: AtomicRepresentable {
  public typealias AtomicRepresentation = Int64.AtomicRepresentation

  @inlinable @_noLocks
  public static func encodeAtomicRepresentation(_ frame: consuming ClockFrame) -> AtomicRepresentation {
    Int64.encodeAtomicRepresentation(frame.number)
  }

  @inlinable @_noLocks
  public static func decodeAtomicRepresentation(_ stored: consuming AtomicRepresentation) -> ClockFrame {
    ClockFrame(Int64.decodeAtomicRepresentation(stored))
  }
}
