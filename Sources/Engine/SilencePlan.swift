import MusicTime

/// Which bars of a section stay silent, so that the player keeps the time alone.
///
/// Whether a bar is silent depends on its place in the section (and the seed) alone, so that a relocation hears the same.
public enum SilencePlan: BitwiseCopyable, Hashable, Sendable {
  case never
  case always
  /// `play` bars sound, then `rest` are silent, and so on; each rest is `growth` bars longer than the one before.
  case gap(play: Int, rest: Int, growth: Int)
  /// A bar is silent with a chance of `percent` in a hundred, which rises by `rise` each bar, up to 100.
  case random(percent: Int, rise: Int, seed: UInt64)

  /// A gap that stays as long as it is.
  public init(_ gap: Gap) {
    self = gap == .off ? .never : .gap(play: gap.play, rest: gap.rest, growth: 0)
  }
}
