import MusicTime

/// Which notes the port `notes` sends the click as: by default the percussion of General MIDI, two wood blocks, a closed
/// hi-hat and a cowbell on channel 10.
public struct NoteOutput: BitwiseCopyable, Hashable, Sendable {
  /// 0…127.
  public var accent: UInt8 = 76
  public var beat: UInt8 = 77
  public var subdivision: UInt8 = 42
  public var cue: UInt8 = 56
  /// 1…16.
  public var channel: UInt8 = 10
  /// Milliseconds from a note on to its note off.
  public var length = 50

  public init() {}

  /// - Thread: any, audio
  public subscript(role: Role) -> UInt8 {
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
