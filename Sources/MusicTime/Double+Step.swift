extension Double {
  /// The nearest multiple of a step, never −0. The result survives formatting as a decimal and parsing.
  ///
  /// Each value type rounds in its initialiser, so that the saved value equals the accepted one.
  /// - Parameter parts: the number of steps in 1; 1000 if the step is a thousandth.
  public func rounded(parts: Double) -> Double { (self * parts).rounded() / parts + 0 }
}
