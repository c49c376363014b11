import OSC
import OSCControl
import Realtime

/// The monotonic clock and the wall clock of the simulated world.
final class SimulatedTime: @unchecked Sendable {
  // `@unchecked`: the simulator has one thread.

  /// The monotonic clock, in nanoseconds.
  var now: UInt64
  /// The wall clock minus the monotonic clock, in nanoseconds.
  private var offset: Int64

  init(now: UInt64, wallClock: Int64) {
    self.now = now
    offset = wallClock - Int64(now)
  }

  /// Sets the wall clock ahead.
  func setWallClock(ahead seconds: Int) { offset += Int64(seconds) * 1_000_000_000 }

  /// The wall clock's time at an instant.
  func wallClock(of time: UInt64) -> Int64 { Int64(bitPattern: time) &+ offset }

  func time(ofWallClock date: Int64) -> UInt64 { UInt64(max(0, date - offset)) }

  /// The same clocks, for the program.
  var clock: RemoteClock {
    RemoteClock(
      now: { Instant(nanoseconds: self.now) }, wallClock: { self.wallClock(of: $0.nanoseconds) },
      instant: { Instant(nanoseconds: self.time(ofWallClock: $0)) })
  }
}
