/// A destination for text that is written piece by piece, so that a log of any length needs little memory.
package protocol TextSink {
  /// Appends text.
  mutating func write(_ text: String) throws
}

/// Collects text in memory.
package struct TextBuffer: TextSink {
  package private(set) var text = ""

  package init() {}

  package mutating func write(_ text: String) { self.text += text }
}
