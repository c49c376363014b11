import Testing

@testable import TestBench

/// Recordings of cycles that no server ran.
struct TapeTests {
  private static let period = 64

  /// A pulse at each multiple of 100 frames after `origin`.
  private func sound(from frame: Int64, origin: Int64) -> [Float] {
    (frame..<frame + Int64(TapeTests.period)).map { ($0 - origin) % 100 == 0 ? 1 : 0 }
  }

  /// Records cycles that begin at these frame times; by `late`, what sounds in each is that many frames older.
  private func record(
    _ frames: [Int64], on tape: Tape, origin: Int64 = 0, late: (Int64) -> Int64 = { _ in 0 }
  ) {
    var clock = CycleClock()
    for frame in frames {
      let cycle = clock.begin(
        frameTime: UInt32(truncatingIfNeeded: frame), frameCount: TapeTests.period)
      sound(from: frame - late(frame), origin: origin).withUnsafeBufferPointer { samples in
        tape.record(cycle) { _ in samples.baseAddress }
      }
    }
  }

  private func cycles(_ count: Int, from frame: Int64 = 0) -> [Int64] {
    (0..<count).map { frame + Int64($0 * TapeTests.period) }
  }

  private func onsetTape() -> Tape { Tape(ports: 1, storage: .onsets(capacity: 1_000)) }

  @Test func `Cycles that were missed are a gap, and what follows keeps its frames`() throws {
    let tape = onsetTape()
    record(cycles(100).filter { !(20..<23).contains($0 / 64) }, on: tape, origin: 50)
    // The cycle after them is in doubt, and then sixteen quiet frames have to pass.
    #expect(tape.allGaps == [Gap(start: 20 * 64, end: 24 * 64 + 16)])
    let all = stride(from: Int64(50), to: 6_400, by: 100)
    #expect(tape.onsets(0) == all.filter { !tape.allGaps.cover($0) })
    #expect(tape.recorded.load(ordering: .relaxed) == 6_400)
    let grid = try Grid(tape.onsets(0), numerator: 100, denominator: 1, gaps: tape.allGaps)
    #expect(grid.astray == [] && grid.missing == 0)
    #expect(try Grid(tape.onsets(0), numerator: 100, denominator: 1).missing == 3)
  }

  @Test func `What a late cycle holds of the one before is placed nowhere`() throws {
    let tape = onsetTape()
    // The frame time goes on while the recorder is late: cycle 30 is heard when the clock shows cycle 31.
    record(cycles(60).filter { $0 / 64 != 30 }, on: tape, origin: 50) { $0 / 64 == 31 ? 64 : 0 }
    #expect(tape.onsets(0).allSatisfy { $0 % 100 == 50 })
    let grid = try Grid(tape.onsets(0), numerator: 100, denominator: 1, gaps: tape.allGaps)
    #expect(grid.astray == [] && grid.missing == 0)
  }

  @Test func `The wrap of the frame time is no gap`() throws {
    let tape = onsetTape()
    let wrap = Int64(1) << 32
    record(cycles(100, from: wrap - 50 * 64), on: tape, origin: wrap - 3_150)
    #expect(tape.allGaps == [])
    #expect(tape.onsets(0) == Array(stride(from: wrap - 3_150, to: wrap + 3_200, by: 100)))
  }

  @Test func `Cycles that are missed over the wrap keep their frames`() {
    let tape = onsetTape()
    let wrap = Int64(1) << 32
    record(cycles(100, from: wrap - 50 * 64).filter { $0 != wrap && $0 != wrap - 64 }, on: tape)
    #expect(tape.allGaps == [Gap(start: wrap - 64, end: wrap + 128 + 16)])
    #expect(tape.onsets(0).allSatisfy { $0 % 100 == 0 })
  }

  @Test func `A frame time that is set back makes a gap, and no onset in it counts`() throws {
    let tape = onsetTape()
    record(cycles(50) + cycles(60, from: 45 * 64), on: tape, origin: 50)
    #expect(tape.allGaps == [Gap(start: 45 * 64, end: 50 * 64 + 16)])
    let grid = try Grid(tape.onsets(0), numerator: 100, denominator: 1, gaps: tape.allGaps)
    #expect(grid.astray == [] && grid.missing == 0)
  }

  @Test func `In samples a gap is silence, and what follows keeps its index`() {
    let tape = Tape(ports: 1, storage: .samples(capacity: 640))
    record(cycles(10).filter { $0 != 192 }, on: tape, origin: 50)
    #expect(tape.allGaps == [Gap(start: 192, end: 320)])
    #expect(tape.samples(0).indices.filter { tape.samples(0)[$0] != 0 } == [50, 150, 350, 450, 550])
  }

  @Test func `A sound that goes on when the recording begins or after a gap is no onset`() {
    let tape = onsetTape()
    var clock = CycleClock()
    let loud = [Float](repeating: 1, count: 64)
    for frame in [0, 64, 256, 320] as [UInt32] {
      let cycle = clock.begin(frameTime: frame, frameCount: 64)
      loud.withUnsafeBufferPointer { samples in tape.record(cycle) { _ in samples.baseAddress } }
    }
    #expect(tape.onsets(0) == [])
  }

  @Test func `A sound that begins with the recording is an onset`() {
    let tape = onsetTape()
    var clock = CycleClock()
    let (quiet, loud) = ([Float](repeating: 0, count: 64), [Float](repeating: 1, count: 64))
    quiet.withUnsafeBufferPointer { samples in
      tape.listen(clock.begin(frameTime: 0, frameCount: 64)) { _ in samples.baseAddress }
    }
    loud.withUnsafeBufferPointer { samples in
      tape.record(clock.begin(frameTime: 64, frameCount: 64)) { _ in samples.baseAddress }
    }
    #expect(tape.onsets(0) == [64])
  }

  @Test func `A recording begins with a cycle that can be placed`() {
    let tape = onsetTape()
    var clock = CycleClock()
    _ = clock.begin(frameTime: 0, frameCount: 64)
    for frame in [640, 704] as [UInt32] {
      tape.record(clock.begin(frameTime: frame, frameCount: 64)) { _ in nil }
    }
    #expect(tape.firstFrame == 704)
    #expect(tape.recorded.load(ordering: .relaxed) == 64)
    #expect(tape.allGaps == [])
  }
}
