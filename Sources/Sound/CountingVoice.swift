import Engine

/// Sound sets in which a voice counts: the beats of each bar, or also the bars, which the first beat says ("one two three four, two
/// two three four").
///
/// Subdivisions, cues and the beats after the last number have the sounds of `sine`.
package enum CountingVoice: String, CaseIterable, Sendable {
  case beats = "voice"
  case bars = "voice-bars"

  /// The highest number.
  package static let numbers = 32
  /// The least number of words a minute: at a slower rate the words of fast beats would cover each other.
  package static let leastRate = 220

  package var name: String { rawValue }

  /// - Parameter speak: speaks a number.
  func clips(sampleRate: Int, speak: (String) throws -> Clip) throws -> ClipSet {
    let numbers = try (1...CountingVoice.numbers).map { number in
      let word = try speak("\(number)")
      return withExtendedLifetime(word) { Clip(SpokenNumber.levelled(Array(word.samples))) }
    }
    let clicks = BuiltInSound.sine.kit.clips(sampleRate: sampleRate)
    return ClipSet(clicks.roles, count: CountingClips(numbers, countsBars: self == .bars))
  }
}
