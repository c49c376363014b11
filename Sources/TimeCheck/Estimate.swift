import Glibc

/// A measured number and the bounds of its 95 % confidence interval.
package struct Estimate: Equatable, Sendable {
  package var value: Double
  /// The lower bound.
  package var low: Double
  /// The upper bound.
  package var high: Double

  package init(_ value: Double, _ low: Double, _ high: Double) {
    (self.value, self.low, self.high) = (value, low, high)
  }

  package init(_ value: Double, margin: Double) { self.init(value, value - margin, value + margin) }

  /// Half of the distance between the bounds.
  package var margin: Double { (high - low) / 2 }

  /// Whether zero lies outside the bounds.
  package var isSignificant: Bool { low > 0 || high < 0 }

  /// Whether a number lies within the bounds, which are included.
  package func contains(_ number: Double) -> Bool { low <= number && number <= high }
}

/// Quantiles of the distributions from which bounds are computed. `p` is 0…1 without the ends.
enum Quantile {
  /// Of the standard normal distribution: Acklam's approximation, with a relative error below 1.2e-9.
  static func normal(_ p: Double) -> Double {
    let a = [
      -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.3577518672690, -30.66479806614716,
      2.506628277459239,
    ]
    let b = [
      -54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572,
    ]
    let c = [
      -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
      2.938163982698783,
    ]
    let d = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416]
    func polynomial(_ x: Double, _ coefficients: [Double]) -> Double {
      coefficients.reduce(0) { $0 * x + $1 }
    }
    let edge = 0.02425
    if p < edge {
      let q = sqrt(-2 * log(p))
      return polynomial(q, c) / polynomial(q, d + [1])
    }
    if p > 1 - edge { return -normal(1 - p) }
    let (q, r) = (p - 0.5, (p - 0.5) * (p - 0.5))
    return polynomial(r, a) * q / polynomial(r, b + [1])
  }

  /// Of Student's t-distribution, by the Cornish–Fisher expansion. Fewer than 2 degrees of freedom count as 2.
  static func student(_ p: Double, _ freedom: Double) -> Double {
    let z = normal(p)
    let n = max(freedom, 2)
    let (z3, z5, z7) = (z * z * z, z * z * z * z * z, pow(z, 7))
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n)
      + (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n)
  }

  /// Of the chi-squared distribution, by the Wilson–Hilferty approximation. Fewer than 1 degree of freedom counts as 1.
  static func chiSquared(_ p: Double, _ freedom: Double) -> Double {
    let n = max(freedom, 1)
    let root = 1 - 2 / (9 * n) + normal(p) * sqrt(2 / (9 * n))
    return n * max(root, 1e-3) * max(root, 1e-3) * max(root, 1e-3)
  }
}
