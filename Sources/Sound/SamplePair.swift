import Engine

/// A user's sound set of two files: one for accents and cues, one for all other clicks.
struct SamplePair {
  let accent: String
  let beat: String

  /// Reads the set at a sample rate.
  ///
  /// - Throws: `Faults` with the problems of both files.
  func clips(sampleRate: Int) throws(Faults) -> ClipSet {
    var errors: [SoundError] = []
    func clip(_ path: String) -> Clip? {
      do throws(SoundError) {
        return Clip(try SampleReader(path: path).samples(sampleRate: sampleRate))
      } catch {
        errors.append(error)
        return nil
      }
    }
    let (accent, beat) = (clip(accent), clip(beat))
    guard let accent, let beat else { throw Faults(errors: errors) }
    return ClipSet(accent: accent, beat: beat, subdivision: beat, cue: accent)
  }

  struct Faults: Error, CustomStringConvertible {
    let errors: [SoundError]

    var description: String { errors.map(\.description).joined(separator: "; ") }
  }
}
