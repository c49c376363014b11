extension Float {
  /// The number that the sender wrote: 1.1, and not 1.100000023841858, the exact value of the nearest float.
  ///
  /// It is the double nearest to the shortest decimal that rounds to this float.
  package var asWritten: Double {
    // If a decimal with this few places rounds to this float, it is the only one, and so the shortest: floats of this size lie
    // closer together than these decimals. The quotient of two whole numbers is rounded once.
    if magnitude < 8, let decimal = decimal(places: 1e6) { return decimal }
    if magnitude < 8_192, let decimal = decimal(places: 1e3) { return decimal }
    return Double("\(self)") ?? Double(self)
  }

  private func decimal(places: Double) -> Double? {
    let decimal = (Double(self) * places).rounded() / places
    return Float(decimal) == self ? decimal : nil
  }
}
