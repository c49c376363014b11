/// What a foot can do with a switch.
public enum Gesture: String, CaseIterable, BitwiseCopyable, Sendable {
  case press
  /// It stays down for a while.
  case hold
  /// Two presses in quick succession.
  case double
}

/// Tells a switch's gestures apart. Times are nanoseconds by one clock, and never go back.
///
/// A press counts when the switch goes down, unless a hold or a double press is looked for too: then it counts when it can
/// no longer become one. Its time is in any case that of going down.
public struct FootswitchGesture: BitwiseCopyable, Sendable {
  /// Nanoseconds after which a press is a hold.
  public static let holdTime: UInt64 = 600_000_000
  /// Nanoseconds from one press to another within which they are a double press.
  public static let doubleTime: UInt64 = 350_000_000

  /// A gesture, and when it began.
  public typealias Made = (gesture: Gesture, time: UInt64)

  private enum State: BitwiseCopyable {
    case up
    /// Down since then, and nothing has come of it yet.
    case down(UInt64)
    /// Down, and what it meant is over.
    case spent
    /// Up again after a press then, which may become a double one.
    case waiting(UInt64)
  }

  private var state = State.up
  private let looksForHold: Bool
  private let looksForDouble: Bool

  /// - Parameter gestures: those that somebody wants to know of.
  public init(_ gestures: Set<Gesture>) {
    looksForHold = gestures.contains(.hold)
    looksForDouble = gestures.contains(.double)
  }

  /// When `update` wants to be called; nil for never.
  public var deadline: UInt64? {
    switch state {
    case .up, .spent: nil
    case .down(let time):
      looksForHold
        ? time + FootswitchGesture.holdTime : looksForDouble ? time + FootswitchGesture.doubleTime : nil
    case .waiting(let time): time + FootswitchGesture.doubleTime
    }
  }

  /// The switch went down. What is due before must have been asked for with `update`.
  public mutating func press(at time: UInt64) -> Made? {
    if case .waiting = state {
      state = .spent
      return (.double, time)
    }
    guard looksForHold || looksForDouble else {
      state = .spent
      return (.press, time)
    }
    state = .down(time)
    return nil
  }

  /// The switch went up. What is due before must have been asked for with `update`.
  public mutating func release() -> Made? {
    switch state {
    case .down(let time) where looksForDouble:
      state = .waiting(time)
      return nil
    case .down(let time):
      state = .up
      return (.press, time)
    case .spent:
      state = .up
      return nil
    case .up, .waiting: return nil
    }
  }

  /// Lets time pass.
  /// - Returns: the gesture that a switch has made by not moving, if any.
  public mutating func update(now: UInt64) -> Made? {
    guard let deadline, deadline <= now else { return nil }
    switch state {
    case .down(let time):
      state = .spent
      return looksForHold ? (.hold, deadline) : (.press, time)
    case .waiting(let time):
      state = .up
      return (.press, time)
    case .up, .spent: return nil
    }
  }
}
