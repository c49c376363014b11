/// When a change of tempo, meter or pattern takes effect.
public enum Quantise: String, BitwiseCopyable, CaseIterable, Sendable {
  case now, beat, bar
}
