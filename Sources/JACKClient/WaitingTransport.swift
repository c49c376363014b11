/// A transport of PipeWire that has been started and waits for the engine.
///
/// After a stop PipeWire shows the frame at which the last period that it played began, and a start goes on after that period. Where the
/// transport was located after the stop, it rolls from the frame that it shows (measured with 0.3.65; the source of 1.6.8 reads so). No client
/// is told which it will be, and the pre-roll has to know. So a transport that waits is located once to where it is.
struct WaitingTransport: BitwiseCopyable {
  /// The frame that it shows.
  private var frame: UInt32?
  /// Whether it has been located since it was started.
  private var isLocated = false

  @_noLocks
  init() {}

  /// Whether it has to be located to the frame that it shows. That is so in the second cycle: who starts it and then locates it comes
  /// first.
  /// - Thread: audio
  @_noLocks
  mutating func mustLocate(to frame: UInt32) -> Bool {
    defer { self.frame = frame }
    guard let before = self.frame, !isLocated else { return false }
    isLocated = true
    return frame == before
  }
}
