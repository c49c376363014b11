/// What the user types, and the text that was sent last.
struct Typing: Equatable, Sendable {
  /// The text that is being typed; nil if there is none.
  var entry: PanelEntry?
  /// The text that was sent last, if nothing has been pressed since; otherwise nil.
  private(set) var submitted: PanelEntry?
  /// Whether the text came back because it was refused, and nothing has been pressed since.
  private var isReturned = false
  /// Whether the text was refused at once, and nothing has been pressed since.
  private var isRefused = false

  /// Keys with which a player plays on.
  private static let playing: [Key] = [.character(" "), .pageUp, .pageDown]

  /// Notes that a key or the mouse was pressed. A text that came back by itself must not take the player's keys, and closes. A
  /// colon begins another text.
  /// - Parameter key: nil for the mouse.
  mutating func notePress(_ key: Key?) {
    if isReturned, let key, Typing.playing.contains(key) || key == .character(":") { entry = nil }
    if isRefused, key == .character(":") { entry = nil }
    (submitted, isReturned, isRefused) = (nil, false, false)
  }

  /// Ends typing, because the text has been sent.
  mutating func submit() { (entry, submitted) = (nil, entry) }

  /// Notes that the text was refused at once. It stays.
  mutating func refuse() { isRefused = true }

  /// Lets the user correct a text that was refused, unless something has been pressed since.
  mutating func bringBack(_ text: PanelEntry) {
    if text == submitted, entry == nil { (entry, isReturned) = (text, true) }
  }
}
