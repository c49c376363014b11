import MusicTime

/// Which notes the port `notes` sends the click as: by default the percussion of General MIDI, two wood blocks, a closed
/// hi-hat and a cowbell on channel 10.
public struct NoteOutput: BitwiseCopyable, Hashable, Sendable {
  /// 0…127.
  public var numbers = PerRole<UInt8>(accent: 76, beat: 77, subdivision: 42, cue: 56)
  /// 1…16.
  public var channel: UInt8 = 10
  /// Milliseconds from a note on to its note off.
  public var length = 50

  public init() {}
}
