import OSC
import Testing
import Validation

/// Texts from outside that would control a terminal, break a line, reorder the text around them, or are too long.
package enum HostileText {
  package static let all = [
    "\u{1B}[2J\u{1B}]0;x\u{7}", "a\nb\r", "\u{9B}31m\u{7F}", "\u{202E}exe.wav", "a\u{2028}b\u{2029}",
    "\u{E000}\u{F0000}",
    "\u{FEFF}\u{200B}", "e" + String(repeating: "\u{301}", count: 3_000),
  ]

  package static func expectPrintable(_ messages: [OSCMessage]) {
    for case .string(let text) in messages.flatMap(\.arguments) {
      #expect(text.unicodeScalars.allSatisfy { $0.isPrintable }, "\(text.debugDescription)")
      #expect(text.utf8.count <= 4_096)
    }
  }
}
