import MusicTime
import Realtime

/// Computes instants for frames with the same intervals as the frames. The host's clock jitters by more than a tap's offset within
/// its period.
struct FrameTimes {
  /// How far the host's time may lie from the computed one.
  private static let tolerance = Duration.milliseconds(5)
  /// Seconds without a frame after which the host's time is taken again.
  private static let rest: Int64 = 3

  private var origin: (frame: ClockFrame, time: Instant)?
  private var last: ClockFrame = 0

  /// The time of a frame, no earlier than the last one's.
  /// - Parameters:
  ///   - told: the host's instant for the frame.
  ///   - sampleRate: frames per second.
  mutating func time(of frame: ClockFrame, told: Instant, sampleRate: Int) -> Instant {
    defer { last = frame }
    guard let origin, frame >= last, frame - last < FrameTimes.rest * Int64(sampleRate) else {
      self.origin = (frame, told)
      return told
    }
    let elapsed = Double(frame - origin.frame) * 1e9 / Double(sampleRate)
    let time = origin.time + .nanoseconds(Int64(elapsed.rounded()))
    guard max(time, told) - min(time, told) < FrameTimes.tolerance else {
      self.origin = (frame, told)
      return told
    }
    return time
  }
}
