import MusicTime

/// The silent bars of a section, in which the player keeps the time alone.
///
/// Whether a bar is silent depends only on its position in the section (and the seed), so that it is the same after a locate.
package enum SilencePlan: BitwiseCopyable, Hashable, Sendable {
  case never
  case always
  /// `play` bars sound, then `rest` bars are silent, and so on; each rest is `growth` bars longer than the previous.
  case gap(play: Int, rest: Int, growth: Int)
  /// A gap of constant length that began some bars before the section.
  case running(play: Int, rest: Int, after: Int)
  /// Each bar is silent with a probability of `percent` %, which rises by `rise` with each bar, up to 100.
  case random(percent: Int, rise: Int, seed: UInt64)

  /// A gap of constant length.
  package init(_ gap: Gap) {
    self = gap == .off ? .never : .gap(play: gap.play, rest: gap.rest, growth: 0)
  }
}

/// Whether a bar is silent, and for how long.
package enum BarSilence: BitwiseCopyable, Hashable, Sendable {
  /// The bar sounds.
  case none
  /// A gap: the number of its silent bars from this one on, including this one.
  case bars(Int)
  /// The length is not reported: the whole section is silent, or the silence is random and must be a surprise.
  case unknown

  /// The silent bars that are left; nil if the bar sounds, or if their number is not reported.
  package var barsLeft: Int? { if case .bars(let left) = self { left } else { nil } }
}

/// The silent bars of a section, for the callback.
struct Silence: BitwiseCopyable {
  private let plan: SilencePlan

  init(_ plan: SilencePlan) { self.plan = plan }

  /// - Parameter bar: bar of the section, from 1.
  /// - Thread: any, audio
  @_noLocks
  func isSilent(bar: Int) -> Bool {
    let index = max(bar - 1, 0)
    switch plan {
    case .never: return false
    case .always: return true
    case .gap(let play, let rest, let growth): return Silence.restLeft(index, play, rest, growth) > 0
    case .running(let play, let rest, let before):
      return Silence.restLeft(index + before, play, rest, 0) > 0
    case .random(let percent, let rise, let seed):
      return Int(splitMix64(seed, UInt64(index)) % 100) < min(100, percent + rise * min(index, 100))
    }
  }

  /// The silence from a bar on.
  /// - Parameters:
  ///   - bar: bar of the section, from 1.
  ///   - last: the section's last bar. Only a `running` gap continues after it.
  /// - Thread: any, audio
  @_noLocks
  func left(at bar: Int, last: Int) -> BarSilence {
    guard isSilent(bar: bar) else { return .none }
    let index = max(bar - 1, 0)
    switch plan {
    case .never, .always, .random: return .unknown
    case .gap(let play, let rest, let growth):
      return .bars(min(Silence.restLeft(index, play, rest, growth), max(last - index, 1)))
    case .running(let play, let rest, let before):
      return .bars(Silence.restLeft(index + before, play, rest, 0))
    }
  }

  /// The silent bars from a bar on, that bar included; 0 if it sounds.
  /// - Parameter index: the bar, from 0.
  @_noLocks
  private static func restLeft(_ index: Int, _ play: Int, _ rest: Int, _ growth: Int) -> Int {
    var (place, length) = (index, rest)
    if growth == 0 { place %= play + rest }
    // Round k takes play + rest + k·growth bars, so a day has at most some thousand rounds.
    while place >= play + length {
      place -= play + length
      length += growth
    }
    return place < play ? 0 : play + length - place
  }
}

/// SplitMix64's mixing function, applied to a seed and a position (Steele, Lea and Flood, 2014).
/// - Thread: any, audio
@_noLocks
package func splitMix64(_ seed: UInt64, _ place: UInt64) -> UInt64 {
  var z = seed &+ (place &+ 1) &* 0x9E37_79B9_7F4A_7C15
  z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
  z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
  return z ^ (z >> 31)
}
