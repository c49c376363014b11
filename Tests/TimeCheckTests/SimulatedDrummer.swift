import Glibc
import TestNumbers

/// A drummer whose parameters are known.
struct SimulatedDrummer {
  var mean = 0.0
  var spread = 10.0
  /// In milliseconds per 10 s.
  var drift = 0.0
  var autocorrelation = 0.0

  /// How late each hit of a take is, in milliseconds.
  func take(_ count: Int, interval: Double, _ generator: inout Generator) -> [(
    seconds: Double, milliseconds: Double
  )] {
    var state = normal(&generator)
    let fresh = sqrt(1 - autocorrelation * autocorrelation)
    let middle = Double(count - 1) * interval / 2
    return (0..<count).map { index in
      if index > 0 { state = autocorrelation * state + fresh * normal(&generator) }
      let time = Double(index) * interval
      return (time, mean + drift * (time - middle) / 10 + spread * state)
    }
  }

  private func normal(_ generator: inout Generator) -> Double {
    let (u, v) = (
      Double.random(in: 0x1p-60..<1, using: &generator), Double.random(in: 0..<1, using: &generator)
    )
    return sqrt(-2 * log(u)) * cos(2 * .pi * v)
  }
}
