import TestBench
import Testing

struct OnsetsTests {
  private let samples: [Float] =
    [0.5, 0.2, -0.4] + Array(repeating: 0, count: 20) + [-0.3, 0] + Array(repeating: 0, count: 5) + [1]
    + Array(repeating: 0, count: 16) + [0.1]

  @Test func `A sound begins only after enough of quiet`() {
    #expect(Onsets.frames(in: samples, firstFrame: 100) == [100, 123, 147])
  }

  @Test(arguments: [1, 2, 3, 7, 16, 100]) func `Any cut of the stream gives the same onsets`(size: Int) {
    var detector = OnsetDetector()
    var onsets: [Int] = []
    for start in stride(from: 0, to: samples.count, by: size) {
      Array(samples[start..<min(start + size, samples.count)]).withUnsafeBufferPointer {
        detector.scan($0) { onsets.append(start + $0) }
      }
    }
    #expect(onsets == [0, 23, 47])
  }

  @Test func `The largest deviation is told from the exact grid`() {
    #expect(Onsets.intervals([10, 20, 31]) == [10, 11])
    #expect(Onsets.largestDeviation([10, 20, 31]) { Double($0) * 10.25 } == 0.5)
  }
}
