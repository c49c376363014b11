import MusicTime

/// Linear gain of each role's bus and of the master, 0 is silence and 1 the clip as it is.
public struct Gains: BitwiseCopyable, Hashable, Sendable {
  public var accent: Float = 1
  public var beat: Float = 1
  public var subdivision: Float = 1
  public var cue: Float = 1
  public var master: Float = 1

  public init() {}

  /// - Thread: any, audio
  public subscript(role: Role) -> Float {
    @_noLocks get {
      switch role {
      case .accent: accent
      case .beat: beat
      case .subdivision: subdivision
      case .cue: cue
      }
    }
    set {
      switch role {
      case .accent: accent = newValue
      case .beat: beat = newValue
      case .subdivision: subdivision = newValue
      case .cue: cue = newValue
      }
    }
  }
}
