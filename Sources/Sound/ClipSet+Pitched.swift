import Engine
import MusicTime

extension ClipSet {
  /// The set with accents and cues raised by one factor, and beats and subdivisions by another. As on a tape that runs
  /// faster, higher clips are also shorter. Clips that count keep their pitch.
  ///
  /// - Parameter sampleRate: the clips' sample rate, in hertz.
  /// - Thread: any but audio.
  func pitched(accent: Double, beat: Double, sampleRate: Int) -> ClipSet {
    func pitched(_ clip: Clip, _ factor: Double) -> Clip {
      var samples = resample(
        Array(clip.samples), from: Int((Double(sampleRate) * factor).rounded()), to: sampleRate)
      Fade.declick(&samples, sampleRate: sampleRate)
      return Clip(samples)
    }
    let roles = PerRole(
      accent: pitched(self[.accent], accent), beat: pitched(self[.beat], beat),
      subdivision: pitched(self[.subdivision], beat), cue: pitched(self[.cue], accent))
    return ClipSet(roles, count: count)
  }
}
