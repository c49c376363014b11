extension ClosedRange where Bound: BinaryInteger {
  /// The range as messages and help show it: `1…99`.
  package var shown: String { "\(lowerBound)…\(upperBound)" }
}
