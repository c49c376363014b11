/// What the user types, and the text that was sent last.
struct Typing: Equatable, Sendable {
  /// The text that is being typed; nil if there is none.
  var entry: PanelEntry?
  /// The text that was sent last, if nothing has been pressed since; otherwise nil.
  private(set) var submitted: PanelEntry?
  /// How the text was refused, if nothing has been pressed since; otherwise nil.
  private var refusal: Refusal?
  private enum Refusal {
    case atOnce
    /// The text had been sent, and has come back by itself.
    case later
  }

  /// Keys with which a player plays on.
  private static let playing: [Key] = [.character(" "), .pageUp, .pageDown]

  /// Notes that a key or the mouse was pressed. A text that came back by itself must not take the player's keys, and closes. A
  /// colon begins another text.
  /// - Parameter key: nil for the mouse.
  mutating func notePress(_ key: Key?) {
    if let key, refusal == .later && Typing.playing.contains(key) || refusal != nil && key == .character(":")
    {
      entry = nil
    }
    (submitted, refusal) = (nil, nil)
  }

  /// Ends typing, because the text has been sent.
  mutating func submit() { (entry, submitted) = (nil, entry) }

  /// Notes that the text was refused at once. It stays.
  mutating func refuse() { refusal = .atOnce }

  /// Lets the user correct a text that was refused, unless something has been pressed since.
  mutating func bringBack(_ text: PanelEntry) {
    if text == submitted, entry == nil { (entry, refusal) = (text, .later) }
  }
}
