import Glibc

/// Numbers that are spoken on the beat.
///
/// A word is heard to fall where its vowel begins, not where its first consonant does (Morton, Marcus and Frankish, Perceptual
/// centers, 1976). The consonants of "three" and "six" take 80 to 100 ms, "eight" has none: words that all begin on the beat
/// would be heard out of time.
enum SpokenNumber {
  /// The time from the start of a word to its vowel, in seconds: as much of the consonant as tells it.
  static let lead = 0.015
  /// The vowel begins where the sound reaches this part of its greatest level, over windows of 5 ms.
  private static let threshold = 0.35
  /// The words' peak: that of the built-in sounds' accents.
  private static let peak: Float = 0.7

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

  /// A word, begun a moment before its vowel.
  static func aligned(_ word: [Float], sampleRate: Int) -> [Float] {
    let lead = Fade.frames(lead, sampleRate: sampleRate)
    var word = Array(word.dropFirst(max(0, vowel(of: word, sampleRate: sampleRate) - lead)))
    Fade.fadeIn(&word, frames: lead / 3)
    return word
  }

  /// A word at the level of the built-in sounds.
  static func levelled(_ word: [Float]) -> [Float] {
    let highest = word.reduce(0) { max($0, abs($1)) }
    return highest > 0 ? word.map { $0 * peak / highest } : word
  }
}
