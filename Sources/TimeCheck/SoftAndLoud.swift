import Glibc

/// Separates the strokes of a drum into two groups, soft and loud, if there are two: ghost notes and accents.
struct SoftAndLoud {
  /// The fewest strokes of a group.
  private static let fewest = 10
  /// The minimum distance of the groups: of their means in decibels, and in standard deviations (Ashman's D).
  private static let (decibels, clearness) = (6.0, 4.5)

  /// The highest level of a soft stroke, in decibels; nil if there are not two groups.
  private let limit: Double?

  init(_ strengths: [Float]) {
    let levels = strengths.map(SoftAndLoud.level).sorted()
    var sums = [(0.0, 0.0)]
    for level in levels { sums.append((sums.last!.0 + level, sums.last!.1 + level * level)) }
    /// The mean and the variance of the levels in `start..<end`.
    func moments(_ start: Int, _ end: Int) -> (mean: Double, variance: Double) {
      let n = Double(end - start)
      let mean = (sums[end].0 - sums[start].0) / n
      return (mean, max((sums[end].1 - sums[start].1) / n - mean * mean, 0))
    }
    var best: (index: Int, within: Double)?
    if levels.count >= 2 * SoftAndLoud.fewest {
      for index in SoftAndLoud.fewest...(levels.count - SoftAndLoud.fewest)
      where levels[index - 1] < levels[index] {
        let within =
          moments(0, index).variance * Double(index)
          + moments(index, levels.count).variance * Double(levels.count - index)
        if best.map({ within < $0.within }) ?? true { best = (index, within) }
      }
    }
    guard let index = best?.index else {
      limit = nil
      return
    }
    let (soft, loud) = (moments(0, index), moments(index, levels.count))
    let apart = loud.mean - soft.mean
    let isClear = apart * 2.0.squareRoot() >= SoftAndLoud.clearness * sqrt(soft.variance + loud.variance)
    limit = isClear && apart >= SoftAndLoud.decibels ? levels[index - 1] : nil
  }

  /// Whether a stroke is soft; nil if there are not two groups.
  func isSoft(_ strength: Float) -> Bool? { limit.map { SoftAndLoud.level(strength) <= $0 } }

  private static func level(_ strength: Float) -> Double { 20 * log10(max(Double(strength), 1e-5)) }
}
