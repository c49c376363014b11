import Engine
import MusicTime

/// The recipe of a built-in sound set: one voicing for each role.
typealias Kit = PerRole<Voicing>

extension Kit {
  /// One timbre for all four roles, distinguished by pitch and level; the accent is the loudest.
  ///
  /// - Parameters: the pitch of each role, relative to the timbre's own.
  init(_ timbre: Timbre, accent: Double, beat: Double = 1, subdivision: Double, cue: Double) {
    self.init(
      accent: Voicing(timbre: timbre, pitch: accent, level: 1),
      beat: Voicing(timbre: timbre, pitch: beat, level: 0.75),
      subdivision: Voicing(timbre: timbre, pitch: subdivision, level: 0.45),
      cue: Voicing(timbre: timbre, pitch: cue, level: 0.9))
  }

  /// Synthesises the clips in a few milliseconds. The samples are the same each time.
  ///
  /// - Parameter sampleRate: in hertz, above 0.
  func clips(sampleRate: Int) -> ClipSet { ClipSet(map { Clip($0.samples(sampleRate: sampleRate)) }) }
}
