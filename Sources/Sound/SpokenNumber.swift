import Glibc

/// Aligns spoken numbers with the beat.
///
/// Listeners perceive a word at the start of its vowel, not of its first consonant (Morton, Marcus and Frankish, Perceptual
/// centers, 1976). The consonants of "three" and "six" last 80 to 100 ms, "eight" has none: if all words began on the beat,
/// they would sound out of time.
enum SpokenNumber {
  /// The time from the start of a clip to the word's vowel, in seconds: enough of the consonant to recognise it.
  static let lead = 0.015
  /// The vowel begins where the level, in windows of 5 ms, reaches this part of its maximum.
  private static let threshold = 0.35
  /// The words' peak; full scale is 1. It equals the peak of the built-in sounds' accents.
  private static let peak: Float = 0.7

  /// Whether a text consists of ASCII digits.
  static func isNumber(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy { 48...57 ~= $0 } }

  /// The frame at which a word's vowel begins.
  static func vowel(of word: [Float], sampleRate: Int) -> Int {
    let window = max(1, sampleRate / 200)
    let levels = stride(from: 0, to: word.count, by: window).map { start in
      sqrt(word[start..<min(start + window, word.count)].reduce(0) { $0 + Double($1 * $1) } / Double(window))
    }
    let limit = (levels.max() ?? 0) * threshold
    return (levels.firstIndex { $0 >= limit } ?? 0) * window
  }

  /// A word from `lead` before its vowel on.
  static func aligned(_ word: [Float], sampleRate: Int) -> [Float] {
    let lead = Fade.frames(lead, sampleRate: sampleRate)
    var word = Array(word.dropFirst(max(0, vowel(of: word, sampleRate: sampleRate) - lead)))
    Fade.fadeIn(&word, frames: lead / 3)
    return word
  }

  /// A word scaled to the peak of the built-in sounds.
  static func levelled(_ word: [Float]) -> [Float] {
    let highest = word.reduce(0) { max($0, abs($1)) }
    return highest > 0 ? word.map { $0 * peak / highest } : word
  }
}
