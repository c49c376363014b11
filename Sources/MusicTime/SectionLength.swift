/// The length of a section.
public enum SectionLength: Hashable, Sendable {
  /// Whole bars, at least one.
  case bars(Int)
  /// Beats of the section's beat unit, at least one; the last bar may be cut short.
  case beats(Int)
  /// Thousandths of a second, at least one; the last bar may be cut short.
  case milliseconds(Int)
  /// Until the user continues to the next section.
  case open
}
