import Glibc
import Validation

/// Text and numbers for HTML and SVG.
enum Markup {
  /// A text without unprintable characters and with the characters of markup escaped; for content and quoted attributes.
  static func escaped(_ text: String, limit: Int = 300) -> String {
    var escaped = ""
    for scalar in printable(text, limit: limit).unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// A coordinate, rounded to a tenth; 0 if it is not finite or far too large.
  static func coordinate(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e6 else { return "0" }
    let tenths = Int((value * 10).rounded())
    guard tenths % 10 != 0 else { return "\(tenths / 10)" }
    return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }
}

/// A range of numbers along one side of a plot.
struct Axis {
  let low: Double
  let high: Double
  let ticks: [(value: Double, label: String)]

  /// Makes ticks at round numbers.
  /// - Parameters:
  ///   - count: about how many intervals there are.
  ///   - label: the label of a tick.
  init(_ low: Double, _ high: Double, ticks count: Int = 5, label: (Double) -> String) {
    let sound = low.isFinite && high.isFinite && abs(low) < 1e9 && abs(high) < 1e9 && low < high
    (self.low, self.high) = sound ? (low, high) : (0, 1)
    let step = Axis.step((self.high - self.low) / Double(max(count, 1)))
    var ticks: [(Double, String)] = []
    var number = (self.low / step).rounded(.up)
    while number * step <= self.high + step * 1e-6, ticks.count < 50 {
      ticks.append((number * step, label(number * step)))
      number += 1
    }
    self.ticks = ticks
  }

  init(_ low: Double, _ high: Double, ticks: [(value: Double, label: String)]) {
    (self.low, self.high, self.ticks) = (low, max(high, low + 1e-9), ticks)
  }

  /// The smallest number that is 1, 2 or 5 times a power of ten and not below `least`.
  private static func step(_ least: Double) -> Double {
    let power = pow(10, floor(log10(max(least, 1e-6))))
    for factor in [1.0, 2, 5] where factor * power >= least * 0.999 { return factor * power }
    return 10 * power
  }

  /// The place of a number on the axis, 0…1; numbers beyond the ends are at the ends.
  func part(_ value: Double) -> Double {
    guard value.isFinite else { return 0 }
    return min(max((value - low) / (high - low), 0), 1)
  }

  func contains(_ value: Double) -> Bool { low <= value && value <= high }
}
