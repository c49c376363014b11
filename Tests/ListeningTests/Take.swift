import TestNumbers

import func Glibc.cos
import func Glibc.exp
import func Glibc.sin

/// A rendered take: drums at known frames, and noise.
struct Take {
  static let sampleRate = 48_000
  var samples: [Float]
  private(set) var truth: [Int] = []
  private var generator: Generator

  init(seconds: Double, noise: Float = 0.0005, seed: UInt64 = 1) {
    generator = Generator(seed: seed)
    samples = Array(repeating: 0, count: Int(seconds * Double(Take.sampleRate)))
    for index in samples.indices { samples[index] = noise * Float.random(in: -1...1, using: &generator) }
  }

  /// Adds a stroke whose truth is known.
  mutating func strike(_ drum: [Float], at frame: Int, gain: Float) {
    add(drum, at: frame, gain: gain)
    truth.append(frame)
  }

  /// Adds a sound that is no stroke.
  mutating func add(_ sound: [Float], at frame: Int, gain: Float) {
    for (index, sample) in sound.enumerated() where samples.indices.contains(frame + index) {
      samples[frame + index] += gain * sample
    }
  }
}

/// Synthesised drums. Each reaches 5 % of its peak with its first samples.
enum SynthesisedDrum: CaseIterable {
  case snare, kick, hiHat, rim, brush, tom

  func samples(seed: UInt64 = 7) -> [Float] {
    var generator = Generator(seed: seed)
    let rate = Double(Take.sampleRate)
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
      // No sound ends at once.
      return Float(attack * value * min(1, (0.25 - t) / 0.1))
    }
  }
}

/// How well hits fit the truth.
struct Score {
  var missed = 0
  var extra = 0
  var errors: [Double] = []

  /// - Parameter window: in frames.
  init(_ hits: [Int64], _ truth: [Int], window: Int64 = 1_200) {
    var left = hits
    for frame in truth.map(Int64.init) {
      let nearest = left.indices.min { abs(left[$0] - frame) < abs(left[$1] - frame) }
      if let nearest, abs(left[nearest] - frame) <= window {
        errors.append(Double(left.remove(at: nearest) - frame) / 48)
      } else {
        missed += 1
      }
    }
    extra = left.count
  }

  var f: Double {
    let found = Double(errors.count)
    return found == 0 ? 0 : 2 * found / (2 * found + Double(missed + extra))
  }
  /// In milliseconds.
  var bias: Double { errors.reduce(0, +) / Double(max(errors.count, 1)) }
  var spread: Double {
    (errors.reduce(0) { $0 + ($1 - bias) * ($1 - bias) } / Double(max(errors.count - 1, 1))).squareRoot()
  }
}
