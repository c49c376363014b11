import Engine
import MusicTime

/// A built-in set as a recipe: one voicing for each role.
struct Kit {
  var accent: Voicing
  var beat: Voicing
  var subdivision: Voicing
  var cue: Voicing

  subscript(role: Role) -> Voicing {
    switch role {
    case .accent: accent
    case .beat: beat
    case .subdivision: subdivision
    case .cue: cue
    }
  }

  /// Makes the clips. A few milliseconds of computing; the same samples each time.
  ///
  /// - Parameter sampleRate: in hertz, above 0.
  func clips(sampleRate: Int) -> ClipSet {
    ClipSet(
      accent: Clip(accent.samples(sampleRate: sampleRate)),
      beat: Clip(beat.samples(sampleRate: sampleRate)),
      subdivision: Clip(subdivision.samples(sampleRate: sampleRate)),
      cue: Clip(cue.samples(sampleRate: sampleRate)))
  }
}

extension Kit {
  /// One timbre for all four roles, told apart by pitch and level; the accent is the loudest.
  ///
  /// - Parameters: the pitch of each role, relative to the timbre's own.
  init(_ timbre: Timbre, accent: Double, beat: Double = 1, subdivision: Double, cue: Double) {
    self.init(
      accent: Voicing(timbre: timbre, pitch: accent, level: 1),
      beat: Voicing(timbre: timbre, pitch: beat, level: 0.75),
      subdivision: Voicing(timbre: timbre, pitch: subdivision, level: 0.45),
      cue: Voicing(timbre: timbre, pitch: cue, level: 0.9))
  }
}
