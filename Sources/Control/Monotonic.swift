import Foundation
import Realtime

/// The system's monotonic clock.
public enum Monotonic {
  /// Nanoseconds since some fixed point.
  /// - Thread: any
  public static var now: UInt64 { monotonicNow() }

  /// The same instant in nanoseconds since the Unix epoch, by the wall clock as it stands now.
  /// - Thread: any
  public static func wallClock(of time: UInt64) -> Int64 {
    // Wrapping, so that a time that makes no sense makes no crash.
    wallClock &+ Int64(bitPattern: time &- now)
  }

  /// The instant that the wall clock shows as nanoseconds since the Unix epoch; 0 for instants before the machine
  /// started.
  /// - Thread: any
  public static func time(ofWallClock wallClock: Int64) -> UInt64 {
    let (ahead, overflow) = wallClock.subtractingReportingOverflow(self.wallClock)
    guard !overflow else { return wallClock < 0 ? 0 : .max }
    let (time, past) = Int64(now).addingReportingOverflow(ahead)
    return past ? .max : UInt64(max(0, time))
  }

  /// Nanoseconds since the Unix epoch.
  private static var wallClock: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
