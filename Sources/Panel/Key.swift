/// A pressed key.
enum Key: Equatable, Sendable {
  enum Direction: Sendable { case up, down, left, right }

  case character(Character)
  case arrow(Direction, isShifted: Bool)
  case tab, backTab, enter, escape, backspace, delete
  /// The start and end of a text that is typed, also Ctrl-A and Ctrl-E.
  case home, end
  /// Ctrl-U and Ctrl-W: delete the text, or the word, before the cursor.
  case eraseText, eraseWord
  /// Starts and stops in every state of the panel, even while a text is typed.
  case controlSpace
  /// Foot pedals for turning pages send these.
  case pageUp, pageDown
  case mouse(Mouse)
  /// F1 to F12.
  case function(Int)
}
