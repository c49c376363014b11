/// What a click is for. Each role has a bus, a volume and an output port of its own.
public enum Role: UInt8, BitwiseCopyable, CaseIterable, Sendable {
  case accent, beat, subdivision, cue

  /// The name that ports, files and messages carry.
  public var name: String {
    switch self {
    case .accent: "accent"
    case .beat: "beat"
    case .subdivision: "subdivision"
    case .cue: "cue"
    }
  }
}
