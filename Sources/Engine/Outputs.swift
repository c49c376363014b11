import MIDI
import MusicTime

/// The five audio buffers of a period, the mix and one for each role, and its MIDI.
///
/// A role's buffer has its clips at the role's volume; the mix is their sum at the master volume.
public struct Outputs: BitwiseCopyable {
  public let out: UnsafeMutablePointer<Float>
  public let accent: UnsafeMutablePointer<Float>
  public let beat: UnsafeMutablePointer<Float>
  public let subdivision: UnsafeMutablePointer<Float>
  public let cue: UnsafeMutablePointer<Float>
  /// A MIDI clock, and what clicks as notes; nil where nobody wants them.
  public let clock: MIDIBuffer?
  public let notes: MIDIBuffer?

  /// - Thread: any, audio
  @_noLocks
  public init(
    out: UnsafeMutablePointer<Float>, accent: UnsafeMutablePointer<Float>, beat: UnsafeMutablePointer<Float>,
    subdivision: UnsafeMutablePointer<Float>, cue: UnsafeMutablePointer<Float>,
    clock: MIDIBuffer? = nil, notes: MIDIBuffer? = nil
  ) {
    self.out = out
    self.accent = accent
    self.beat = beat
    self.subdivision = subdivision
    self.cue = cue
    self.clock = clock
    self.notes = notes
  }

  /// - Thread: any, audio
  public subscript(role: Role) -> UnsafeMutablePointer<Float> {
    @_noLocks get {
      switch role {
      case .accent: accent
      case .beat: beat
      case .subdivision: subdivision
      case .cue: cue
      }
    }
  }

  @_noLocks
  func clear(_ frames: Int) {
    Engine.clear(out, count: frames)
    Engine.clear(accent, count: frames)
    Engine.clear(beat, count: frames)
    Engine.clear(subdivision, count: frames)
    Engine.clear(cue, count: frames)
    clock?.clear()
    notes?.clear()
  }
}
