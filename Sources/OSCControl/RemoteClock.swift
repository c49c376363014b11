import Control

/// The clocks by which a remote dates what it receives and reports. A simulation gives its own.
package struct RemoteClock: Sendable {
  /// The present instant, in nanoseconds of the monotonic clock.
  package let now: @Sendable () -> UInt64
  /// What the wall clock shows at an instant, in nanoseconds since the Unix epoch.
  package let wallClock: @Sendable (_ time: UInt64) -> Int64
  /// The instant at which the wall clock shows so many nanoseconds since the Unix epoch.
  package let time: @Sendable (_ wallClock: Int64) -> UInt64

  package init(
    now: @escaping @Sendable () -> UInt64, wallClock: @escaping @Sendable (UInt64) -> Int64,
    time: @escaping @Sendable (Int64) -> UInt64
  ) {
    self.now = now
    self.wallClock = wallClock
    self.time = time
  }

  /// The system's clocks.
  package static let system = RemoteClock(
    now: { Monotonic.now }, wallClock: { Monotonic.wallClock(of: $0) },
    time: { Monotonic.time(ofWallClock: $0) })
}
