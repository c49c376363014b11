/// The purpose of a click. Each role has its own bus, volume and output port.
public enum ClickRole: UInt8, BitwiseCopyable, CaseIterable, Sendable {
  case accent, beat, subdivision, cue

  /// The name used by ports, files and messages.
  public var name: String {
    switch self {
    case .accent: "accent"
    case .beat: "beat"
    case .subdivision: "subdivision"
    case .cue: "cue"
    }
  }
}
