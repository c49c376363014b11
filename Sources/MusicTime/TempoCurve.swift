/// The tempo of a section.
public enum TempoCurve: Hashable, Sendable {
  case constant(Tempo)
  /// Linear over the section's beats, reached at its end.
  case ramp(from: Tempo, to: Tempo)
  /// One for each beat, from the section's first; the last goes on.
  case beats([Tempo])
}
