import MusicTime
import Validation

/// How texts are spoken.
package struct VoiceSettings: Hashable, Sendable {
  package var volume: Volume
  /// Words per minute, 80…450: the range of espeak-ng.
  package var speed: Int
  /// An espeak-ng voice: a language, perhaps with a variant (`en`, `de`, `pt-br`, `en+f3`).
  package private(set) var language: String

  package static let speeds = 80...450

  package init() {
    volume = .full
    speed = 175
    language = "en"
  }

  /// - Throws: `InvalidValue` if the text can't be the name of a voice. The name becomes an argument of a program.
  package mutating func set(language: String) throws(InvalidValue) {
    let isName = language.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "+"):
        true
      default: false
      }
    }
    guard isName, 1...32 ~= language.utf8.count, language.first?.isLetter == true else {
      throw InvalidValue(
        "language", quoted(language), allowed: "a voice of espeak-ng, as en, de, pt-br or en+f3")
    }
    self.language = language
  }
}
