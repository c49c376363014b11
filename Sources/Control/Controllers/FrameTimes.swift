/// Makes frames times that are as far apart as the frames are: the host's clock wavers, by more than a tap's place in its
/// period.
struct FrameTimes {
  /// Nanoseconds by which the host may say otherwise.
  private static let tolerance: UInt64 = 5_000_000
  /// Seconds without a frame after which the host is believed anew.
  private static let rest: Int64 = 3

  private var origin: (frame: Int64, time: UInt64)?
  private var last: Int64 = 0

  /// The time of a frame, no earlier than the last one's.
  /// - Parameters:
  ///   - told: what the host says, in nanoseconds.
  ///   - sampleRate: frames a second.
  mutating func time(of frame: Int64, told: UInt64, sampleRate: Int) -> UInt64 {
    defer { last = frame }
    guard let origin, frame >= last, frame - last < FrameTimes.rest * Int64(sampleRate) else {
      self.origin = (frame, told)
      return told
    }
    let elapsed = Double(frame - origin.frame) * 1e9 / Double(sampleRate)
    let time = origin.time + UInt64(elapsed.rounded())
    guard max(time, told) - min(time, told) < FrameTimes.tolerance else {
      self.origin = (frame, told)
      return told
    }
    return time
  }
}
