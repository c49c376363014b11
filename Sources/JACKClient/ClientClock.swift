import CJack
import Engine
import MusicTime
import Realtime

/// The active client's clock. JACK answers these calls from shared memory, even while the server hangs.
struct ClientClock: @unchecked Sendable {
  // `@unchecked`: used only under the lock `JACKHost.clientClock`, which keeps the client open.
  let client: OpaquePointer
  let jack: JACKLibrary
  let name: String
  /// Frames per second.
  var sampleRate: Int
  /// Frames from the engine to the speakers, on the longest connected path.
  var latency = 0
  let shared: UnsafePointer<SharedClock>

  /// Reads the clock now; nil before the client's first cycle.
  ///
  /// Only the current frame is read: PipeWire before 0.3.66 returns wrong values for past times and frames.
  /// - Parameters:
  ///   - rendered: the first clock frame that is not rendered yet.
  ///   - now: reads the monotonic clock, immediately after the server's.
  func read(rendered: ClockFrame, _ now: () -> Instant) -> HostClock? {
    // Frame times are modulo 2³².
    let frame = jack.frameTime(client) &+ shared.pointee.phase.load(ordering: .relaxed)
    let instant = now()
    let ahead = Int32(bitPattern: frame &- UInt32(truncatingIfNeeded: rendered.number))
    // A client's clock is not valid before its first cycle.
    guard ahead.magnitude < 10 * sampleRate else { return nil }
    return HostClock(
      instant: instant, frame: rendered + Int64(ahead), sampleRate: sampleRate, latency: latency,
      period: shared.pointee.period.load(ordering: .relaxed))
  }
}
