import MusicTime
import TestNumbers
import Testing

@testable import MIDI

/// Streams of generated messages, the same in every run; `make fuzz` tries a million of libFuzzer's.
@Suite struct DamagedStreamTests {
  @Test func `Through ten thousand random streams a clock is followed within its bounds`() {
    var generator = Generator(seed: 19)
    let statuses: [UInt8] = [0xF8, 0xF8, 0xF8, 0xF8, 0xFA, 0xFB, 0xFC, 0xF2, 0xFE, 0xF0, 0x90, 0xB0, 0x00]
    var read = 0
    for _ in 0..<10_000 {
      var follower = MIDIClockFollower(sampleRate: 48_000)
      var frame: Int64 = 0
      // Pulses at 120 BPM, jostled, in bursts and after pauses; and now and then a day later.
      for _ in 0..<60 {
        let chance = generator.next() % 100
        frame +=
          chance < 60
          ? 990 + Int64(generator.next() % 20)
          : chance < 99 ? Int64(generator.next() % 50_000) : 4_147_200_000
        let status = statuses[Int(generator.next() % UInt64(statuses.count))]
        let bytes = [
          status, UInt8(truncatingIfNeeded: generator.next()), UInt8(truncatingIfNeeded: generator.next()),
        ]
        let count = 1 + Int(generator.next() % 3)
        let message = bytes.withUnsafeBufferPointer { MIDIMessage($0.baseAddress!, count: count) }
        guard let message else { continue }
        read += 1
        let wasRolling = follower.isRolling
        let course = follower.take(message, at: ClockFrame(frame))
        let beatsPerMinute = 60 * 48_000 / follower.framesPerQuarter
        let isInBounds =
          0.999...999.001 ~= beatsPerMinute && follower.quarters(at: ClockFrame(frame)).isFinite
        if !isInBounds {
          Issue.record(
            "\(message) at \(frame): \(beatsPerMinute) BPM, \(follower.quarters(at: ClockFrame(frame)))")
        }
        if course == .began || course == .stopped { #expect(follower.isRolling == (course == .began)) }
        if course == .stopped { #expect(wasRolling) }
      }
    }
    #expect(read > 100_000, "enough messages must be whole to tell")
  }
}
