import MusicTime
import Testing

@Suite("FrameTime")
struct FrameTimeTests {
  @Test("The nearest frame of a frame's exact start is that frame, on both sides of zero")
  func exactFrames() {
    let numbers: [Int64] = [0, 1, -1, 48_000, -48_000, 1 << 61, -(1 << 61)]
    for frame in numbers.map({ TimelineFrame($0) }) {
      #expect(FrameTime(frame: frame).nearestFrame == frame)
    }
  }

  @Test("From half a frame before it an instant rounds to a frame, and just before that to the one before")
  func ties() {
    let numbers: [Int64] = [0, 1, -1, 1 << 40, -(1 << 40)]
    for frame in numbers.map({ TimelineFrame($0) }) {
      let half = FrameTime(roundingTo: frame)
      #expect(half.nearestFrame == frame)
      #expect(FrameTime(raw: half.raw - 1).nearestFrame == frame - 1)
      #expect(half < FrameTime(frame: frame))
      #expect(FrameTime(frame: frame) - half == .halfFrame)
    }
  }

  @Test("A duration rounds as a time does, and up to whole frames; a time moved there and back stays")
  func durations() {
    for frames in [0, 1, -1, 1 << 40, -(1 << 40)] as [Int64] {
      let whole = FrameDuration(wholeFrames: frames)
      let bit = FrameDuration(raw: 1)
      #expect(whole.nearestFrames == frames && whole.framesRoundedUp == frames)
      #expect((whole + bit).framesRoundedUp == frames + 1 && (whole - bit).framesRoundedUp == frames)
      #expect(
        (whole - .halfFrame).nearestFrames == frames && (whole - .halfFrame - bit).nearestFrames == frames - 1
      )
      #expect(whole.magnitude == (-whole).magnitude && whole.magnitude >= .zero)
      let time = FrameTime(frame: 48_000) + bit
      #expect(time + whole - whole == time && (time + whole) - time == whole)
    }
    let beat = FrameDuration(raw: 264_600 << 64 / 13)
    #expect(7 * beat / beat == 7 && (7 * beat - FrameDuration(raw: 1)) / beat == 6)
  }
}
