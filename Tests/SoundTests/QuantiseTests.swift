import Testing

@testable import Sound

@Suite struct QuantiseTests {
  private func steps(_ samples: [Float], bitDepth: Int) -> [Int32] {
    var steps = [Int32](repeating: -1, count: samples.count)
    var shortSteps = [Int16](repeating: -1, count: samples.count)
    samples.withUnsafeBufferPointer {
      _ = quantise($0, into: &steps)
      _ = quantise($0, into: &shortSteps)
    }
    return bitDepth == 24 ? steps.map { $0 >> 8 } : shortSteps.map(Int32.init)
  }

  @Test("A sample on a step is that step", arguments: [16, 24])
  func exact(bitDepth: Int) {
    let full = 1 << (bitDepth - 1)
    let values = stride(from: -full, to: full, by: full / 4096).map { $0 }
    #expect(
      steps(values.map { Float($0) / Float(full) }, bitDepth: bitDepth) == values.map { Int32($0) })
  }

  @Test("A sample between two steps takes the nearer one")
  func nearest() {
    let samples: [Float] = [0.4, 0.6, -0.4, -0.6, 99.49, 99.51].map { $0 / 32_768 }
    #expect(steps(samples, bitDepth: 16) == [0, 1, 0, -1, 99, 100])
  }

  @Test("What is over full scale is clipped and does not wrap", arguments: [16, 24])
  func clipping(bitDepth: Int) {
    let full = Int32(1) << Int32(bitDepth - 1)
    let samples: [Float] = [1, 1.0001, 3, 1e30, .infinity, -1, -1.0001, -3, -1e30, -.infinity]
    let high = [Int32](repeating: full - 1, count: 5)
    #expect(steps(samples, bitDepth: bitDepth) == high + [Int32](repeating: -full, count: 5))
  }

  @Test("Silence is skipped and the loudest sample is told", arguments: [16, 24])
  func parts(bitDepth: Int) {
    var samples = [Float](repeating: 0, count: 5_000)
    (samples[700], samples[4_999]) = (-0.75, 0.5)
    var (steps, shortSteps) = ([Int32](repeating: -1, count: 5_000), [Int16](repeating: -1, count: 5_000))
    samples.withUnsafeBufferPointer {
      #expect((bitDepth == 24 ? quantise($0, into: &steps) : quantise($0, into: &shortSteps)) == 0.75)
    }
    let written = bitDepth == 24 ? steps.map { $0 >> 8 } : shortSteps.map(Int32.init)
    let full = Int32(1) << Int32(bitDepth - 1)
    #expect(written.indices.filter { written[$0] != 0 } == [700, 4_999])
    #expect(written[700] == full / 4 * -3 && written[4_999] == full / 2)
  }

  @Test("What is not a number is silence", arguments: [16, 24])
  func notANumber(bitDepth: Int) {
    #expect(steps([.nan, -.nan, 0], bitDepth: bitDepth) == [0, 0, 0])
  }
}
