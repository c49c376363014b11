import Dispatch
import Realtime

/// What a host runs on: libjack, a clock, and a queue for calls that may have to wait for the server.
package struct HostPlatform: Sendable {
  package var library = JACKLibrary.system
  /// Reads the monotonic clock.
  package var now: @Sendable () -> Instant = { .now }
  /// Makes the conductor's calls to the server, in their order.
  package var calls: any WorkQueue = DispatchQueue(label: "tactus.jack")
  /// How long the conductor waits for an answer: longer than a working server takes, even on a busy machine.
  package var patience = Duration.milliseconds(200)

  package init() {}
}
