import Glibc

/// The statistics of a series of asynchronies: mean, spread, drift and autocorrelation.
package struct Scatter: Equatable, Sendable {
  /// The number of hits.
  package let count: Int
  /// The time from the first hit to the last, in seconds.
  package let seconds: Double
  /// In milliseconds; positive is late.
  package let mean: Estimate
  /// The standard deviation in milliseconds, without the drift.
  package let spread: Estimate
  /// In milliseconds per 10 s; positive is slower than the click.
  package let drift: Estimate
  /// The correlation of each hit with the next, without the drift, −1…1. Positive: deviations persist. Negative: the player
  /// chases the click.
  package let autocorrelation: Estimate

  /// The fewest hits for bounds.
  package static let fewest = 8

  /// The fewest hits for a reliable autocorrelation.
  package static let many = 64

  /// Returns nil for fewer than `fewest` points, or if all have the same time.
  /// - Parameter points: times and asynchronies, in order of time.
  package init?(_ points: [(seconds: Double, milliseconds: Double)]) {
    let n = Double(points.count)
    guard points.count >= Scatter.fewest else { return nil }
    let centre = points.reduce(0) { $0 + $1.seconds } / n
    let mean = points.reduce(0) { $0 + $1.milliseconds } / n
    let width = points.reduce(0) { $0 + ($1.seconds - centre) * ($1.seconds - centre) }
    guard width > 0 else { return nil }
    let slope = points.reduce(0) { $0 + ($1.seconds - centre) * ($1.milliseconds - mean) } / width
    let rest = points.map { $0.milliseconds - mean - slope * ($0.seconds - centre) }
    let sum = rest.reduce(0) { $0 + $1 * $1 }
    (count, seconds) = (points.count, points[points.count - 1].seconds - points[0].seconds)
    guard sum > 1e-12 else {
      // The hits lie exactly on a line: a machine plays.
      (self.mean, spread) = (Estimate(mean, margin: 0), Estimate(0, margin: 0))
      (drift, autocorrelation) = (Estimate(slope * 10, margin: 0), Estimate(0, margin: 1))
      return
    }
    let lagged = zip(rest, rest.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 } / sum
    // The residuals of a line correlate less than the series: this corrects the bias.
    let rho = min(max((lagged + 2 / n) / (1 - 4 / n), -0.9), 0.95)
    let deviation = sqrt(sum / (n - 2))
    // The effective number of independent hits: correlated neighbours contain less information.
    var known = max(n * (1 - rho) / (1 + rho), 3)
    // A correlated series spreads further than the part of it that was measured.
    let hidden = 1 / max(1 - (1 / known - 1 / n) * 2, 0.5)
    let spread = deviation * sqrt(hidden)
    // In few hits a negative correlation is mostly chance, and must not narrow the bounds.
    if points.count < Scatter.many { known = min(known, n) }
    // The correlation is estimated, too: fewer degrees of freedom account for that.
    let student = Quantile.student(0.975, max(min(n, known) / 3, 3))
    let freedom = max(n * (1 - rho * rho) / (1 + rho * rho) - 2, 2)
    self.mean = Estimate(mean, margin: student * spread / sqrt(known))
    self.spread = Estimate(
      spread, spread * sqrt(freedom / Quantile.chiSquared(0.975, freedom)),
      spread * sqrt(freedom / Quantile.chiSquared(0.025, freedom)))
    drift = Estimate(10 * slope, margin: 10 * student * spread / sqrt(width) * sqrt(n / known))
    // Fisher's transformation keeps the bounds within ±1.
    let (z, margin) = (atanh(rho), 1.96 / sqrt(max(n - 5, 2) * (1 - rho * rho)))
    autocorrelation = Estimate(rho, tanh(z - margin), tanh(z + margin))
  }
}
