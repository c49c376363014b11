import Testing
import Timecode
import Validation

@Suite struct TimecodeTests {
  @Test(
    "Every frame of a day has a number of its own, which leads back to it", arguments: TimecodeRate.allCases)
  func everyFrame(rate: TimecodeRate) {
    var last = Timecode(count: -1, rate: rate)
    #expect(last.count(rate) == rate.perDay - 1)
    for count in stride(from: Int64(0), to: rate.perDay, by: 7) {
      let time = Timecode(count: count, rate: rate)
      guard time.count(rate) == count, time != last else {
        Issue.record("frame \(count) is \(time), which is frame \(time.count(rate))")
        return
      }
      last = time
    }
    #expect(Timecode(count: rate.perDay, rate: rate) == .zero)
  }

  @Test func dropFrameLeavesOutTwoNumbersAMinuteButForEveryTenth() {
    func time(_ count: Int64) -> String { "\(Timecode(count: count, rate: .dropFrame))" }
    #expect(time(1_799) == "00:00:59:29")
    #expect(time(1_800) == "00:01:00:02")
    #expect(time(17_981) == "00:09:59:29")
    #expect(time(17_982) == "00:10:00:00")
    #expect(time(107_892) == "01:00:00:00")
    #expect(TimecodeRate.dropFrame.perDay == 24 * 107_892)
  }

  @Test func aNumberThatTheRateLacksIsTheNextThatItHas() throws {
    #expect(try Timecode(text: "00:01:00:00").count(.dropFrame) == 1_800)
    #expect(try Timecode(text: "00:01:00;01").count(.dropFrame) == 1_800)
    #expect(try Timecode(text: "00:00:00:29").count(.film) == 23)
  }

  @Test(arguments: [
    "", "1", "24:00:00:00", "00:60:00:00", "00:00:00:30", "00:00:00", "+1:00:00:00", "001:00:00:00",
  ])
  func otherTextsAreRefused(_ text: String) {
    #expect(throws: InvalidValue.self) { try Timecode(text: text) }
  }

  @Test(
    "Points lie on the nearest sample, after a month too", arguments: TimecodeRate.allCases,
    [44_100, 48_000, 192_000])
  func samples(rate: TimecodeRate, sampleRate: Int) {
    let (frames, seconds) = rate.fraction
    for unit in [0, 1, 159, 160, -1, 4_800_001, 30 * rate.perDay * 160 + 7] {
      let sample = rate.sample(of: unit, parts: 160, sampleRate: sampleRate)
      let error = Int128(sample) * Int128(160 * frames) - Int128(unit) * Int128(Int64(sampleRate) * seconds)
      #expect(2 * error.magnitude <= Int128(160 * frames).magnitude)
      #expect(rate.unit(from: sample, parts: 160, sampleRate: sampleRate) == unit)
      #expect(rate.unit(from: sample + 1, parts: 160, sampleRate: sampleRate) == unit + 1)
    }
  }

  @Test(arguments: TimecodeRate.allCases)
  func everyLinearFrameBeginsAtTheSameLevel(rate: TimecodeRate) {
    for count in stride(from: Int64(0), to: rate.perDay, by: 997) {
      let frame = LTCFrame(Timecode(count: count, rate: rate), rate)
      #expect(frame.isHigh(0))
      #expect(!frame.isHigh(159))
    }
  }

  @Test func messagesHaveTheStandardsBytes() throws {
    let time = try Timecode(text: "17:42:58:29")
    func bytes(_ message: MTCMessage) -> [UInt8] { (0..<message.length).map { message.byte($0) } }
    #expect(bytes(.fullFrame(time, .thirty)) == [0xF0, 0x7F, 0x7F, 0x01, 0x01, 0x71, 42, 58, 29, 0xF7])
    let pieces = (0..<8).map { bytes(.quarterFrame(piece: $0, of: time, .dropFrame))[1] }
    #expect(pieces == [0x0D, 0x11, 0x2A, 0x33, 0x4A, 0x52, 0x61, 0x75])
  }
}
