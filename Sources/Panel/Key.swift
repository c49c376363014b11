/// A pressed key.
enum Key: Equatable, Sendable {
  enum Direction: Sendable { case up, down, left, right }

  case character(Character)
  case arrow(Direction, isShifted: Bool)
  case tab, backTab, enter, escape, backspace, delete
  /// It starts and stops also where space is a character.
  case controlSpace
  /// As the pedals of page turners send them.
  case pageUp, pageDown
  case mouse(Mouse)
  /// F1 to F12.
  case function(Int)
}
