/// A gesture on a footswitch.
package enum Gesture: String, CaseIterable, BitwiseCopyable, Sendable {
  case press
  /// The switch stays down for `holdTime`.
  case hold
  /// Two presses in quick succession.
  case double
  /// Each change of a latching switch, which stays down until it is pressed again.
  case latch
}

/// Recognises a footswitch's gestures. Times are nanoseconds of one monotonic clock.
///
/// If neither hold nor double is expected, a press counts when the switch goes down. Otherwise it counts when it can no
/// longer become one of these. A press has the time at which the switch went down, a double the time of its second press,
/// and a hold the time at which `holdTime` ended.
package struct FootswitchGesture: BitwiseCopyable, Sendable {
  /// Nanoseconds after which a press becomes a hold.
  package static let holdTime: UInt64 = 600_000_000
  /// The longest time in nanoseconds between the two presses of a double.
  package static let doubleTime: UInt64 = 350_000_000

  /// A gesture and its time, in nanoseconds.
  package typealias Made = (gesture: Gesture, time: UInt64)

  private enum State: BitwiseCopyable {
    case up
    /// Down since this time; no gesture recognised yet.
    case down(UInt64)
    /// Down, after the gesture was recognised.
    case spent
    /// Up after a press at this time, which may become a double.
    case waiting(UInt64)
  }

  private var state = State.up
  private let looksForHold: Bool
  private let looksForDouble: Bool

  /// - Parameter gestures: the gestures to recognise.
  package init(_ gestures: Set<Gesture>) {
    looksForHold = gestures.contains(.hold)
    looksForDouble = gestures.contains(.double)
  }

  /// When `update` must be called; nil for never.
  package var deadline: UInt64? {
    switch state {
    case .up, .spent: nil
    case .down(let time):
      looksForHold
        ? time + FootswitchGesture.holdTime : looksForDouble ? time + FootswitchGesture.doubleTime : nil
    case .waiting(let time): time + FootswitchGesture.doubleTime
    }
  }

  /// Handles the switch going down. Call `update` first if the deadline has passed.
  package mutating func press(at time: UInt64) -> Made? {
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

  /// Handles the switch going up. Call `update` first if the deadline has passed.
  package mutating func release() -> Made? {
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

  /// Handles the passage of time. Call it at `deadline`.
  /// - Returns: the gesture that the deadline completes, if any.
  package mutating func update(now: UInt64) -> Made? {
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
