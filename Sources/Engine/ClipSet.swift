import MusicTime

/// One clip for each role: a sound set, at one sample rate.
public struct ClipSet: Sendable {
  public let accent: Clip
  public let beat: Clip
  public let subdivision: Clip
  public let cue: Clip

  public init(accent: Clip, beat: Clip, subdivision: Clip, cue: Clip) {
    self.accent = accent
    self.beat = beat
    self.subdivision = subdivision
    self.cue = cue
  }

  public subscript(role: Role) -> Clip {
    switch role {
    case .accent: accent
    case .beat: beat
    case .subdivision: subdivision
    case .cue: cue
    }
  }
}
