/// The loudness of a beat.
package enum Accent: Character, CaseIterable, Sendable {
  case accent = "X"
  case beat = "x"
  case soft = "o"
  case silent = "."

  /// The gain of the beat's clip. A soft beat is 6 dB below a plain one.
  package var strength: Float {
    switch self {
    case .accent, .beat: 1
    case .soft: 0.5
    case .silent: 0
    }
  }

  /// The role whose clip, bus and port the beat uses.
  package var role: ClickRole { self == .accent ? .accent : .beat }
}
