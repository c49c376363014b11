import Control
import MusicTime

/// A part of the bar that is removed step by step, so that the player takes it over.
package struct DropOut: Hashable, Sendable {
  /// The part that is removed.
  package var what: Part
  /// Bars of one step, at least 1.
  package var every: Int

  /// A part of the bar.
  package enum Part: String, CaseIterable, Sendable {
    /// Accents become plain beats, the last one first.
    case accents
    /// The subdivisions fall silent, the finest first.
    case subdivisions
  }

  package init(what: Part, every: Int) {
    self.what = what
    self.every = every
  }

  /// The style of each step; the first is the complete style.
  /// - Parameter accents: the bar's accents before the first step.
  func steps(of style: SectionStyle, accents: [Accent]) -> [SectionStyle] {
    var steps = [style]
    switch what {
    case .accents:
      var left = accents
      while let last = left.lastIndex(of: .accent) {
        left[last] = .beat
        var step = style
        step.accents = try? AccentPattern(text: String(left.map(\.rawValue)))
        steps.append(step)
      }
    case .subdivisions:
      var left = (style.subdivisions ?? [:]).filter { $0.value != .off }
      while let finest = left.keys.max() {
        left[finest] = nil
        var step = style
        step.subdivisions = left
        steps.append(step)
      }
    }
    return steps
  }
}
