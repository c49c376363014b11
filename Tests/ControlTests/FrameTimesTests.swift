import ControlBench
import MusicTime
import Realtime
import Testing

@testable import Control

@Suite struct FrameTimesTests {
  @Test func `Times are as far apart as their frames, despite jitter of the host's clock`() {
    var times = FrameTimes()
    var last: Instant?
    for tap in 0..<200 as Range<Int64> {
      let wavering = Instant(
        nanoseconds: UInt64(10_000_000_000 + tap * 500_000_000 + (tap % 3 - 1) * 900_000))
      let time = times.time(of: ClockFrame(tap * 24_000), estimate: wavering, sampleRate: 48_000)
      if let last { #expect(time - last == .milliseconds(500)) }
      last = time
    }
  }

  @Test func `After a pause, or if frames and host diverge, the host's time is used`() {
    var times = FrameTimes()
    #expect(times.time(of: 0, estimate: 1_000, sampleRate: 48_000) == 1_000)
    #expect(times.time(of: 48_000, estimate: 1_000_001_900, sampleRate: 48_000) == 1_000_001_000)
    #expect(times.time(of: 300_000, estimate: 6_250_003_000, sampleRate: 48_000) == 6_250_003_000)
    #expect(times.time(of: 300_048, estimate: 7_000_000_000, sampleRate: 48_000) == 7_000_000_000)
    // Another server counts anew.
    #expect(times.time(of: 5, estimate: 8_000_000_000, sampleRate: 48_000) == 8_000_000_000)
  }
}
