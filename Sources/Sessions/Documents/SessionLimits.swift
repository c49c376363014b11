/// Limits of the values in documents: large enough for all users, and small enough that nothing overflows or exhausts memory.
package enum SessionLimits {
  /// Maximum sections of a song with all repeats, cycles and steps expanded.
  package static let plans = 100_000
  /// The longest section, in bars or beats.
  package static let bars = 1_000_000
  /// The longest section, in milliseconds: a hundred hours.
  package static let milliseconds = 360_000_000
  /// Maximum repeats of a group or of the whole.
  package static let repeats = 100_000
  /// Bars of one step of a ladder, of random tempos or of a drop-out.
  static let stepBars = 1...10_000
  /// Bars of each part of a gap.
  static let gapBars = 1...1_000
  /// Bars by which a gap grows each time.
  static let gapGrowth = 0...1_000
  /// Percent of a chance.
  static let percent = 0...100
  /// Seeds of random tempos and random silence.
  static let seeds = 0...Int.max
  /// Failures in a row after which a coach lowers the tempo.
  static let failures = 1...100
  /// Lengths of a count-in.
  static let countInBars = 1...99
  static let countInBeats = 1...999
  /// The length of a count-in, in milliseconds.
  static let countInTime = 1...600_000
  /// Maximum songs of a setlist.
  package static let songs = 1_000
  /// Maximum bytes of all files of a setlist together.
  static let bytes = 64_000_000
  /// Maximum tempos of a MIDI file.
  static let mapTempos = 4_000_000
  /// The longest text, in bytes of UTF-8: 200 characters of any script.
  package static let text = 800
  /// The longest song with all repeats, in years of 365 days. At any sample rate and speed its frames fit 63 bits.
  static let years = 30
  /// Maximum tempos in all lists of a song, with all repeats.
  static let tempos = 2_000_000
  /// Maximum onsets of all distinct bars of a document together.
  static let onsets = 2_000_000
}
