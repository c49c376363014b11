import TestNumbers

import func Glibc.cos
import func Glibc.exp
import func Glibc.sin

/// Synthesised drums. Each reaches 5 % of its peak with its first samples.
package enum SynthesisedDrum: String, CaseIterable, Sendable {
  case snare, kick, hiHat, rim, brush, tom

  package func samples(seed: UInt64 = 7) -> [Float] {
    var generator = Generator(seed: seed)
    let rate = Double(RenderedTake.sampleRate)
    func noise() -> Double { Double.random(in: -1...1, using: &generator) }
    return (0..<Int(0.25 * rate)).map { index in
      let t = Double(index) / rate
      let attack = min(1, (Double(index) + 1) / 24)
      let value: Double =
        switch self {
        case .snare: 0.7 * noise() * exp(-t / 0.05) + 0.5 * sin(2 * .pi * 190 * t) * exp(-t / 0.08)
        case .kick: cos(2 * .pi * (50 * t + 3 * (1 - exp(-t / 0.02)))) * exp(-t / 0.12)
        case .hiHat: noise() * exp(-t / 0.02)
        case .rim: (sin(2 * .pi * 1_700 * t) + 0.5 * noise()) * exp(-t / 0.008)
        case .brush: noise() * min(1, t / 0.004) * exp(-t / 0.06)
        case .tom: sin(2 * .pi * 110 * t + 1.2) * exp(-t / 0.15) + 0.2 * noise() * exp(-t / 0.004)
        }
      // Fades out: no real sound ends abruptly.
      return Float(attack * value * min(1, (0.25 - t) / 0.1))
    }
  }
}
