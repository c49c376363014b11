/// Statistics of many numbers.
extension [Double] {
  /// The value below which a share (0…1) of all values lies; 0 if there are none.
  func quantile(_ part: Double) -> Double {
    guard !isEmpty else { return 0 }
    return sorted()[Swift.min(count - 1, Int(part * Double(count)))]
  }

  var median: Double { quantile(0.5) }
  var mean: Double { isEmpty ? 0 : reduce(0, +) / Double(count) }
  var rootMeanSquare: Double {
    isEmpty ? 0 : (map { $0 * $0 }.reduce(0, +) / Double(count)).squareRoot()
  }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
