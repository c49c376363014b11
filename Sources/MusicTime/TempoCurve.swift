/// The tempo of a section.
public enum TempoCurve: Hashable, Sendable {
  case constant(Tempo)
  /// Changes linearly over the section's beats, and reaches `to` at its end.
  case ramp(from: Tempo, to: Tempo)
  /// One tempo for each beat, from the section's first. The last tempo holds for the remaining beats.
  case beats([Tempo])
}
