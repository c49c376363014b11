import Foundation
import Realtime

/// The system's monotonic clock.
public enum Monotonic {
  /// Nanoseconds since some fixed point.
  /// - Thread: any
  public static var now: UInt64 { monotonicNow() }

  /// The same instant in nanoseconds since the Unix epoch, by the wall clock as it stands now.
  /// - Thread: any
  public static func wallClock(of time: UInt64) -> Int64 { ClockReading.now.wallClock(of: time) }

  /// The instant that the wall clock shows as nanoseconds since the Unix epoch; 0 for instants before the machine
  /// started.
  /// - Thread: any
  public static func time(ofWallClock wallClock: Int64) -> UInt64 {
    ClockReading.now.time(ofWallClock: wallClock)
  }
}

/// What the monotonic clock and the wall clock show at the same instant.
///
/// A person, or a daemon, may set the wall clock at any time: a date of it is worth something only beside a reading that is
/// fresh, and nothing keeps one.
struct ClockReading {
  /// Nanoseconds since some fixed point.
  let monotonic: UInt64
  /// Nanoseconds since the Unix epoch.
  let wallClock: Int64

  static var now: ClockReading {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return ClockReading(
      monotonic: monotonicNow(), wallClock: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// What the wall clock shows at an instant. Inverse of `time(ofWallClock:)`.
  func wallClock(of time: UInt64) -> Int64 {
    // Wrapping, so that a time that makes no sense makes no crash.
    wallClock &+ Int64(bitPattern: time &- monotonic)
  }

  /// The instant at which the wall clock shows this; 0 for instants before the machine started.
  func time(ofWallClock date: Int64) -> UInt64 {
    let (ahead, overflow) = date.subtractingReportingOverflow(wallClock)
    guard !overflow else { return date < 0 ? 0 : .max }
    let (time, past) = Int64(monotonic).addingReportingOverflow(ahead)
    return past ? .max : UInt64(max(0, time))
  }
}
