/// A PipeWire transport that has been started and waits for the engine.
///
/// After a stop, PipeWire shows the first frame of the last period that it played, and the next start continues after that
/// period. If the transport was located after the stop, it rolls from the frame that it shows (measured with 0.3.65; the source
/// of 1.6.8 does the same). Clients can't know which case applies, but the pre-roll needs to know the frame. So a waiting
/// transport is located once to the frame that it shows.
struct WaitingTransport: BitwiseCopyable {
  /// The frame that it shows; nil before the first cycle.
  private var frame: UInt32?
  /// Whether it has been located since it was started.
  private var isLocated = false

  @_noLocks
  init() {}

  /// Whether it must be located to the frame that it shows: in the second cycle, so that a client which starts it and then
  /// locates it comes first.
  /// - Thread: audio
  @_noLocks
  mutating func mustLocate(to frame: UInt32) -> Bool {
    defer { self.frame = frame }
    guard let before = self.frame, !isLocated else { return false }
    isLocated = true
    return frame == before
  }
}
