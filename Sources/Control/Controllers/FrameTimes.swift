import MusicTime
import Realtime

/// Computes the instants of frames, with exactly the frames' intervals. The host's clock jitters by more than the differences
/// between taps in one period.
struct FrameTimes {
  /// The maximum difference between the host's instant and the computed one.
  private static let tolerance = Duration.milliseconds(5)
  /// Seconds without a frame after which the host's instant is used again.
  private static let rest: Int64 = 3

  private var origin: (frame: ClockFrame, time: Instant)?
  private var last: ClockFrame = 0

  /// The time of a frame; not earlier than the previous one.
  /// - Parameters:
  ///   - estimate: the host's instant for the frame.
  ///   - sampleRate: frames per second.
  mutating func time(of frame: ClockFrame, estimate: Instant, sampleRate: Int) -> Instant {
    defer { last = frame }
    guard let origin, frame >= last, frame - last < FrameTimes.rest * Int64(sampleRate) else {
      self.origin = (frame, estimate)
      return estimate
    }
    let elapsed = Double(frame - origin.frame) * 1e9 / Double(sampleRate)
    let time = origin.time + .nanoseconds(Int64(elapsed.rounded()))
    guard max(time, estimate) - min(time, estimate) < FrameTimes.tolerance else {
      self.origin = (frame, estimate)
      return estimate
    }
    return time
  }
}
