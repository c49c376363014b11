import MusicTime

/// The samples of a clip set as the process callback sees them.
struct SoundingClips: BitwiseCopyable {
  private let accent: UnsafeBufferPointer<Float>
  private let beat: UnsafeBufferPointer<Float>
  private let subdivision: UnsafeBufferPointer<Float>
  private let cue: UnsafeBufferPointer<Float>

  init(_ clips: ClipSet) {
    accent = clips.accent.samples
    beat = clips.beat.samples
    subdivision = clips.subdivision.samples
    cue = clips.cue.samples
  }

  /// - Thread: audio
  @_noLocks
  func samples(_ role: Role) -> UnsafeBufferPointer<Float> {
    switch role {
    case .accent: accent
    case .beat: beat
    case .subdivision: subdivision
    case .cue: cue
    }
  }
}
