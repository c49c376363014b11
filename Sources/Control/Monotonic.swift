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

  /// Reads the wall clock between two readings of the monotonic one, and again if the thread was held up meanwhile: a busy
  /// machine would otherwise date a beat milliseconds off.
  static var now: ClockReading {
    var time = timespec()
    var (monotonic, wallClock, spread) = (UInt64(0), Int64(0), UInt64.max)
    for _ in 0..<8 where spread > 20_000 {
      let before = monotonicNow()
      clock_gettime(CLOCK_REALTIME, &time)
      let width = monotonicNow() - before
      guard width < spread else { continue }
      spread = width
      (monotonic, wallClock) = (
        before + width / 2, Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
      )
    }
    return ClockReading(monotonic: monotonic, wallClock: wallClock)
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
