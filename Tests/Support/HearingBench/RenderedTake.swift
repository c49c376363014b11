import TestNumbers

/// A rendered take: drums at known frames, and noise.
package struct RenderedTake {
  package static let sampleRate = 48_000
  package var samples: [Float]
  package private(set) var truth: [Int] = []
  private var generator: Generator

  package init(seconds: Double, noise: Float = 0.0005, seed: UInt64 = 1) {
    generator = Generator(seed: seed)
    samples = Array(repeating: 0, count: Int(seconds * Double(RenderedTake.sampleRate)))
    for index in samples.indices { samples[index] = noise * Float.random(in: -1...1, using: &generator) }
  }

  /// Adds a stroke, and its frame to the truth.
  package mutating func strike(_ drum: [Float], at frame: Int, gain: Float) {
    add(drum, at: frame, gain: gain)
    truth.append(frame)
  }

  /// Adds a sound that is not a stroke.
  package mutating func add(_ sound: [Float], at frame: Int, gain: Float) {
    for (index, sample) in sound.enumerated() where samples.indices.contains(frame + index) {
      samples[frame + index] += gain * sample
    }
  }
}
