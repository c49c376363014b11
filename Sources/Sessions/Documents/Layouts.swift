import Control
import MusicTime
import Validation

/// Compiles the bars of a document, each distinct bar once.
///
/// Thousands of sections share a few bars, and a hostile document must not exhaust memory with large ones.
struct Layouts {
  private struct Key: Hashable {
    let meter: Meter
    let beatUnit: BeatUnit?
    let subdivisions: [Subdivision: Volume]?
    let accents: AccentPattern?
    let groups: Groups?
    let swing: Swing?
  }

  /// The name in the error for too many onsets in all bars together.
  static let excess = "bars of the document"

  /// The last result, because neighbouring sections mostly have the same bar.
  private var last: (key: Key, layout: BarLayout)?
  private var known: [Key: BarLayout] = [:]
  /// The bars with only a meter, which are most, by the meter's two numbers.
  private var plain: [Int: BarLayout] = [:]
  private var onsets = 0

  /// The compiled bar of a style.
  /// - Throws: `InvalidValue` if accents or groups don't fit the bar, or all bars together are too large.
  mutating func layout(_ style: SectionStyle) throws(InvalidValue) -> BarLayout {
    let meter = style.meter ?? .common
    let number = style.hasPlainBar ? meter.count << 8 | meter.unit : nil
    if let number, let layout = plain[number] { return layout }
    let key = Key(
      meter: meter, beatUnit: style.beatUnit, subdivisions: style.subdivisions, accents: style.accents,
      groups: style.groups, swing: style.swing)
    if let last, last.key == key { return last.layout }
    if let layout = known[key] {
      last = (key, layout)
      return layout
    }
    let parts = (style.subdivisions ?? [:]).reduce(1) { $1.value == .off ? $0 : $0 + $1.key.parts - 1 }
    onsets += style.beats * parts
    guard onsets <= SessionLimits.onsets else {
      throw InvalidValue(
        Layouts.excess, "with more than \(SessionLimits.onsets) onsets",
        allowed: "shorter, or fewer different ones")
    }
    let layout = try BarLayout(
      meter: meter, beatUnit: style.beatUnit, subdivisions: (style.subdivisions ?? [:]).mapValues(\.gain),
      accents: style.accents, groups: style.groups, swing: style.swing ?? .straight)
    if let number {
      plain[number] = layout
    } else {
      known[key] = layout
      last = (key, layout)
    }
    return layout
  }
}

extension SectionStyle {
  /// Whether only a meter defines its bar.
  fileprivate var hasPlainBar: Bool {
    beatUnit == nil && subdivisions == nil && accents == nil && groups == nil && swing == nil
  }
}

extension BarLayout {
  /// The bar's length in beats; 7/8 in quarters has seven halves.
  var beatsInBar: Rational { meter.barLength / beatUnit.length }

  /// The accent of each beat.
  var accents: [Accent] {
    onsets.filter { $0.role != .subdivision }.map { onset in
      switch onset.strength {
      case 0: .silent
      case 1: onset.role == .accent ? .accent : .beat
      default: .soft
      }
    }
  }
}
