/// How strongly a beat sounds.
public enum Accent: Character, CaseIterable, Sendable {
  case accent = "X"
  case beat = "x"
  case soft = "o"
  case silent = "."

  /// The gain of the beat's clip. A soft beat is 6 dB below a plain one.
  public var strength: Float {
    switch self {
    case .accent, .beat: 1
    case .soft: 0.5
    case .silent: 0
    }
  }

  /// The role that the beat plays: whose clip, bus and port.
  public var role: Role { self == .accent ? .accent : .beat }
}
