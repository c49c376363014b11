import Realtime

/// The clocks of a remote: the system's, or simulated ones.
package struct RemoteClock: Sendable {
  /// The present instant.
  package let now: @Sendable () -> Instant
  /// The wall clock at an instant, in nanoseconds since the Unix epoch.
  package let wallClock: @Sendable (_ instant: Instant) -> Int64
  /// The instant of a wall clock time in nanoseconds since the Unix epoch.
  package let instant: @Sendable (_ wallClock: Int64) -> Instant

  package init(
    now: @escaping @Sendable () -> Instant, wallClock: @escaping @Sendable (Instant) -> Int64,
    instant: @escaping @Sendable (Int64) -> Instant
  ) {
    self.now = now
    self.wallClock = wallClock
    self.instant = instant
  }

  /// The system's clocks.
  package static let system = RemoteClock(
    now: { .now }, wallClock: { $0.onWallClock }, instant: { Instant(onWallClock: $0) })
}
