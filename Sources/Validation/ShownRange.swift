extension ClosedRange where Bound: BinaryInteger {
  /// The range as messages and help show it: `1…99`.
  public var shown: String { "\(lowerBound)…\(upperBound)" }
}
