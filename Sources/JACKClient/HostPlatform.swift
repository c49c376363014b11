import Dispatch
import Realtime

/// The platform of a host: libjack, a clock, and a queue for calls that may wait for the server.
package struct HostPlatform: Sendable {
  package var library = JACKLibrary.system
  /// Reads the monotonic clock.
  package var now: @Sendable () -> Instant = { .now }
  /// Carries out the conductor's calls to the server, in order.
  package var calls: any WorkQueue = DispatchQueue(label: "tactus.jack")
  /// How long the conductor waits for an answer: longer than a working server needs, even on a busy machine.
  package var patience = Duration.milliseconds(200)

  package init() {}
}
