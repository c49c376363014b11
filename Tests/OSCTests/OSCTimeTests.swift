import OSC
import OSCBench
import TestNumbers
import Testing

@Suite struct OSCTimeTests {
  @Test func everyNanosecondComesBackExactly() {
    var random = Generator(seed: 1)
    for _ in 0..<100_000 {
      let nanoseconds = Int64.random(in: -61_000_000_000_000_000...4_233_000_000_000_000_000, using: &random)
      #expect(OSCTime(unixNanoseconds: nanoseconds).unixNanoseconds == nanoseconds)
    }
    for nanoseconds: Int64 in [-1, 0, 1, 999_999_999, 1_000_000_000, -1_000_000_000, -999_999_999] {
      #expect(OSCTime(unixNanoseconds: nanoseconds).unixNanoseconds == nanoseconds)
    }
  }

  @Test func everyTimetagComesBackWithinANanosecond() {
    var random = Generator(seed: 2)
    for _ in 0..<100_000 {
      let time = OSCTime(
        seconds: .random(in: 0 ... .max, using: &random), fraction: .random(in: 0 ... .max, using: &random))
      let back = OSCTime(unixNanoseconds: time.unixNanoseconds)
      let difference =
        Int64(bitPattern: UInt64(back.seconds) << 32 | UInt64(back.fraction))
        &- Int64(bitPattern: UInt64(time.seconds) << 32 | UInt64(time.fraction))
      #expect(abs(difference) <= 3, "3 units are 0.7 ns")
    }
  }

  @Test func theUnixEpochIs2208988800SecondsAfter1900() {
    #expect(OSCTime(unixNanoseconds: 0) == OSCTime(seconds: 2_208_988_800, fraction: 0))
    #expect(OSCTime(unixNanoseconds: 500_000_000).fraction == 1 << 31)
    #expect(OSCTime(unixNanoseconds: -500_000_000) == OSCTime(seconds: 2_208_988_799, fraction: 1 << 31))
  }

  @Test func timeGoesOnWhenTheSecondsWrapIn2036() {
    let last = OSCTime(seconds: .max, fraction: 1 << 31).unixNanoseconds
    let next = OSCTime(seconds: 0, fraction: 1 << 31).unixNanoseconds
    #expect(next - last == 1_000_000_000)
  }

  @Test func whatCantBeSaidIsMovedToTheNearestThatCan() {
    #expect(OSCTime(unixNanoseconds: .min) == OSCTime(seconds: 1 << 31, fraction: 0))
    #expect(OSCTime(unixNanoseconds: .max) == OSCTime(seconds: 1 << 31 - 1, fraction: .max))
  }

  @Test func zeroAndOneMeanAtOnce() {
    #expect(OSCTime.immediate.isImmediate)
    #expect(OSCTime(seconds: 0, fraction: 0).isImmediate)
    #expect(!OSCTime(seconds: 1, fraction: 0).isImmediate)
    #expect(!OSCTime(seconds: 0, fraction: 2).isImmediate)
  }
}
