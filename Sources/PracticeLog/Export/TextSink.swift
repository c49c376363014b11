/// Where text goes piece by piece, so that a log of any length needs little memory.
package protocol TextSink {
  mutating func write(_ text: String) throws
}

/// Text in memory.
package struct TextBuffer: TextSink {
  package private(set) var text = ""

  package init() {}

  package mutating func write(_ text: String) { self.text += text }
}
