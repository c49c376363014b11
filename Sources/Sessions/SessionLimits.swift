/// How large a document's values may be. Generous for people, and small enough that nothing overflows or runs away.
public enum SessionLimits {
  /// Sections of a song with all repeats, cycles and steps written out.
  public static let plans = 100_000
  /// The longest section, in bars or beats.
  public static let bars = 1_000_000
  /// The longest section, in thousandths of a second: a hundred hours.
  public static let milliseconds = 360_000_000
  /// How often a group or the whole is repeated.
  public static let repeats = 100_000
  /// Songs of a setlist.
  public static let songs = 1_000
  /// The longest text, in characters.
  public static let text = 200
  /// Onsets of all different bars of a document together.
  static let onsets = 2_000_000
}
