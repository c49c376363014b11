extension Float {
  /// The number that was meant: 1.1, not the 1.100000023841858 that is nearest to it among floats.
  ///
  /// It is the double nearest to the shortest decimal that means this float.
  package var asWritten: Double {
    // If a decimal of so few places means this float, it is the only one, and so the shortest: floats of this size lie closer
    // together than such decimals. A quotient of two whole numbers is rounded once.
    if magnitude < 8, let decimal = decimal(places: 1e6) { return decimal }
    if magnitude < 8_192, let decimal = decimal(places: 1e3) { return decimal }
    return Double("\(self)") ?? Double(self)
  }

  private func decimal(places: Double) -> Double? {
    let decimal = (Double(self) * places).rounded() / places
    return Float(decimal) == self ? decimal : nil
  }
}
