import CJack
import Realtime

/// The active client's clock. JACK answers these calls from shared memory, even while the server hangs.
struct ClientClock: @unchecked Sendable {
  // `@unchecked`: used only under the lock `JACKHost.clientClock`, which keeps the client open.
  let client: OpaquePointer
  let name: String
  /// Frames per second.
  var sampleRate: Int
  /// Frames from a sample in the `out` port to the speakers.
  var latency = 0
  let shared: UnsafePointer<SharedClock>

  // Both conversions are relative to now: PipeWire before 0.3.66 returns wrong values for past times and frames.

  /// The clock frame that leaves the `out` port at a time.
  func frame(at time: UInt64, rendered: Int64) -> Int64 {
    let ahead = Double(Int64(bitPattern: time &- monotonicNow())) * 1e-9 * Double(sampleRate)
    let now = Int32(bitPattern: now &- UInt32(truncatingIfNeeded: rendered))
    return rendered + Int64(now) + Int64(ahead.rounded())
  }

  /// The time at which a clock frame is rendered; nil before the client's first cycle.
  func time(of clockFrame: Int64) -> UInt64? {
    let ahead = Int32(bitPattern: UInt32(truncatingIfNeeded: clockFrame) &- now)
    // A client's clock is not valid before its first cycle.
    guard ahead.magnitude < 10 * sampleRate else { return nil }
    return monotonicNow() &+ UInt64(bitPattern: Int64(ahead) * 1_000_000_000 / Int64(sampleRate))
  }

  /// The clock's current frame, modulo 2³².
  private var now: UInt32 { jack_frame_time(client) &+ shared.pointee.phase.load(ordering: .relaxed) }
}
