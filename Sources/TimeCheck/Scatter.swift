import Glibc

/// A series of asynchronies in time: its mean, its drift, and how it scatters around these.
package struct Scatter: Equatable, Sendable {
  package let count: Int
  /// From the first to the last.
  package let seconds: Double
  /// In milliseconds; positive is late.
  package let mean: Estimate
  /// The standard deviation in milliseconds, the drift taken out.
  package let spread: Estimate
  /// In milliseconds per 10 s; positive slows down against the click.
  package let drift: Estimate
  /// Of each hit with the next, the drift taken out: positive drifts on, negative chases the click.
  package let autocorrelation: Estimate

  /// The fewest hits of which bounds are told.
  package static let fewest = 8

  /// The hits from which on it is known how neighbours correlate.
  package static let many = 64

  /// - Parameter points: in order of time.
  /// - Returns: nil for fewer than `fewest` points, or points at one time.
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
      // A machine plays.
      (self.mean, spread) = (Estimate(mean, margin: 0), Estimate(0, margin: 0))
      (drift, autocorrelation) = (Estimate(slope * 10, margin: 0), Estimate(0, margin: 1))
      return
    }
    let lagged = zip(rest, rest.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 } / sum
    // The residuals of a line correlate less than what they come from.
    let rho = min(max((lagged + 2 / n) / (1 - 4 / n), -0.9), 0.95)
    let deviation = sqrt(sum / (n - 2))
    // Neighbours that correlate tell less than as many that don't.
    var known = max(n * (1 - rho) / (1 + rho), 3)
    // A series that correlates spreads further than its part that was heard.
    let hidden = 1 / max(1 - (1 / known - 1 / n) * 2, 0.5)
    let spread = deviation * sqrt(hidden)
    // Of few hits an alternation is mostly chance, and must not narrow the bounds.
    if points.count < Scatter.many { known = min(known, n) }
    // How neighbours correlate is not known exactly either, which fewer degrees of freedom stand for.
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
