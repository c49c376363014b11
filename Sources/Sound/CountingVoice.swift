import Engine

/// Sound sets in which a voice counts the beats of each bar. With `bars`, the first beat says the number of the bar ("one two
/// three four, two two three four").
///
/// Subdivisions, cues and the beats after the last number have the sounds of `sine`.
package enum CountingVoice: String, CaseIterable, Sendable {
  case beats = "voice"
  case bars = "voice-bars"

  /// The highest spoken number.
  package static let numbers = 32
  /// The lowest speed in words per minute: slower words of fast beats would overlap.
  package static let leastRate = 220

  /// The name that users type and read.
  package var name: String { rawValue }

  /// Makes the clips.
  /// - Parameter speak: speaks a number. Its errors are rethrown.
  func clips(sampleRate: Int, speak: (String) throws -> Clip) throws -> ClipSet {
    let numbers = try (1...CountingVoice.numbers).map { number in
      let word = try speak("\(number)")
      return withExtendedLifetime(word) { Clip(SpokenNumber.levelled(Array(word.samples))) }
    }
    let clicks = BuiltInSound.sine.kit.clips(sampleRate: sampleRate)
    return ClipSet(clicks.roles, count: CountingClips(numbers, countsBars: self == .bars))
  }
}
