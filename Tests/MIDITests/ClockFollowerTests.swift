import MusicTime
import TestNumbers
import Testing

@testable import MIDI

@Suite struct ClockFollowerTests {
  /// Pulses of 1000 frames: 120 BPM at 48 kHz.
  private func follower(pulses range: Range<Int64> = 0..<0) -> MIDIClockFollower {
    var follower = MIDIClockFollower(sampleRate: 48_000)
    for pulse in range { follower.take(.clock, at: ClockFrame(pulse * 1_000)) }
    return follower
  }

  @Test func `The first pulse after a start is the start of the song`() {
    var follower = follower(pulses: 0..<10)
    #expect(!follower.isRolling)
    #expect(follower.quarters(at: 9_500) == 0)
    follower.take(.start, at: 9_990)
    #expect(!follower.isRolling)
    follower.take(.clock, at: 10_000)
    #expect(follower.isRolling)
    #expect(abs(follower.quarters(at: 10_000)) < 1e-9)
    #expect(abs(follower.quarters(at: 34_000) - 1) < 1e-9)
  }

  @Test func `A clock that begins with the start is followed from its first pulse on`() {
    var follower = MIDIClockFollower(sampleRate: 48_000, beatsPerMinute: 100)
    #expect(follower.isLost(at: 0))
    follower.take(.start, at: 5_000)
    follower.take(.clock, at: 5_000)
    #expect(follower.isRolling && !follower.isLost(at: 5_000))
    #expect(follower.quarters(at: 5_000) == 0)
    #expect(follower.framesPerQuarter == 28_800)
    follower.take(.clock, at: 6_000)
    #expect(follower.framesPerQuarter == 24_000)
    #expect(!follower.isLocked)
    for pulse in 2..<24 { follower.take(.clock, at: ClockFrame(5_000 + Int64(pulse) * 1_000)) }
    #expect(follower.isLocked)
    #expect(follower.quarters(at: 29_000) == 1)
  }

  @Test func `A stop keeps the position, and continue resumes with the next pulse`() {
    var follower = MIDIClockFollower(sampleRate: 48_000)
    follower.take(.start, at: 0)
    for pulse in 0..<30 { follower.take(.clock, at: ClockFrame(Int64(pulse) * 1_000)) }
    follower.take(.stop, at: 29_500)
    #expect(!follower.isRolling)
    #expect(follower.quarters(at: 29_600) == 30.0 / 24)
    for pulse in 30..<40 { follower.take(.clock, at: ClockFrame(Int64(pulse) * 1_000)) }
    #expect(follower.quarters(at: 40_000) == 30.0 / 24)
    follower.take(.continue, at: 40_000)
    follower.take(.clock, at: 40_000)
    #expect(follower.isRolling)
    #expect(abs(follower.quarters(at: 40_000) - 30.0 / 24) < 1e-9)
    // A continue while it runs, and what isn't the clock's, change nothing.
    let before = follower
    follower.take(.continue, at: 40_100)
    follower.take(.noteOn(channel: 1, note: 60, velocity: 1), at: 40_200)
    #expect(follower.quarters(at: 41_000) == before.quarters(at: 41_000))
  }

  @Test func `A song position is where the next pulse goes on, and counts only while stopped`() {
    var follower = follower(pulses: 0..<24)
    let position = SongPosition(sixteenths: 9)!
    follower.take(.songPosition(position), at: 23_100)
    #expect(follower.quarters(at: 23_200) == 2.25)
    follower.take(.continue, at: 23_900)
    follower.take(.clock, at: 24_000)
    #expect(abs(follower.quarters(at: 24_000) - 2.25) < 1e-9)
    follower.take(.songPosition(SongPosition(sixteenths: 0)!), at: 24_500)
    #expect(abs(follower.quarters(at: 24_000) - 2.25) < 1e-9)
    // A start goes to the beginning whatever was said before, also without a stop.
    follower.take(.start, at: 24_600)
    follower.take(.clock, at: 25_000)
    #expect(abs(follower.quarters(at: 25_000)) < 1e-9)
  }

  @Test func `A clock that restarts its pulses with the start is followed at once`() {
    var follower = follower(pulses: 0..<500)
    follower.take(.start, at: 499_400)
    for pulse in 0..<4 { follower.take(.clock, at: ClockFrame(499_400 + Int64(pulse) * 1_000)) }
    #expect(abs(follower.quarters(at: 523_400) - 1) < 1e-4)
  }

  @Test func `A running clock that starts again, at any tempo, is followed from its start`() {
    for seed in 1...300 as ClosedRange<UInt64> {
      var numbers = Generator(seed: seed)
      var follower = MIDIClockFollower(sampleRate: 48_000)
      var time: Int64 = 0
      /// Sends pulses with up to a millisecond of jitter from a start on.
      func send(_ count: Int64) -> Int64 {
        let period = Int64(numbers.number(600...2_000))
        let start = time
        for pulse in 0..<count {
          time = max(time, start + pulse * period + Int64(numbers.number(-48...48)))
          if pulse == 0 { follower.take(.start, at: ClockFrame(time)) }
          follower.take(.clock, at: ClockFrame(time))
        }
        return start + count * period
      }
      time = send(500) + Int64(numbers.number(0...5_000))
      let end = send(240)
      #expect(abs(follower.quarters(at: ClockFrame(end)) - 10) < 0.1 / 24, "\(seed)")
    }
  }

  @Test func `A lost clock is reported, and the music goes on at the last tempo until it is back`() {
    var follower = MIDIClockFollower(sampleRate: 48_000)
    follower.take(.start, at: 0)
    for pulse in 0..<100 { follower.take(.clock, at: ClockFrame(Int64(pulse) * 1_000)) }
    #expect(!follower.isLost(at: ClockFrame(99_000 + 24_000)))
    #expect(follower.isLost(at: ClockFrame(99_000 + 24_001)))
    #expect(follower.isRolling)
    #expect(abs(follower.quarters(at: 240_000) - 10) < 1e-9)
    // Back three seconds later and 0.2 pulses off: the nearest pulse is meant.
    for pulse in 240..<264 { follower.take(.clock, at: ClockFrame(Int64(pulse) * 1_000 + 200)) }
    #expect(!follower.isLost(at: 264_000))
    #expect(abs(follower.quarters(at: 264_200) - 11) < 1e-3)
  }

  @Test func `A slow clock is not lost between two pulses`() {
    // 1 BPM: 2.5 s from pulse to pulse.
    var follower = MIDIClockFollower(sampleRate: 48_000)
    follower.take(.start, at: 0)
    for pulse in 0..<24 {
      #expect(pulse == 0 || !follower.isLost(at: ClockFrame(Int64(pulse) * 120_000 - 1)))
      follower.take(.clock, at: ClockFrame(Int64(pulse) * 120_000))
    }
    #expect(follower.framesPerQuarter == 2_880_000)
    #expect(abs(follower.quarters(at: 2_880_000) - 1) < 1e-9)
  }

  @Test func `The tempo stays within 1 and 999 BPM whatever comes`() {
    var follower = MIDIClockFollower(sampleRate: 48_000)
    var generator = Generator(seed: 7)
    var frame: Int64 = 0
    for _ in 0..<200_000 {
      let message: MIDIMessage =
        switch generator.next() % 50 {
        case 0: .start
        case 1: .stop
        case 2: .continue
        case 3: .songPosition(SongPosition(sixteenths: Int64(generator.next() % 16_384))!)
        default: .clock
        }
      follower.take(message, at: ClockFrame(frame))
      // From nothing to some seconds, mostly short.
      let exponent = generator.next() % 18
      frame += Int64(generator.next() % (1 << exponent))
      let tempo = 60 * 48_000 / follower.framesPerQuarter
      #expect(0.999...999.001 ~= tempo)
      #expect(follower.quarters(at: ClockFrame(frame)).isFinite)
    }
  }
}
