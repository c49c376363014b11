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
    }
  }
}
