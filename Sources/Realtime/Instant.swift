import Glibc

/// An instant on the system's monotonic clock, to a nanosecond.
///
/// Arithmetic saturates at `distantPast` and `never`, so that a date from outside cannot trap. JACK and Ableton Link use the
/// raw monotonic clock, which NTP does not adjust: the two drift apart by seconds per day, so convert only durations from
/// now.
package struct Instant: Comparable, Hashable, BitwiseCopyable, Sendable {
  /// Nanoseconds since a fixed point before the machine started.
  package let nanoseconds: UInt64

  package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// No instant is earlier: a deadline that has always passed.
  package static let distantPast = Instant(nanoseconds: 0)
  /// Later than every other instant: a deadline that never comes.
  package static let never = Instant(nanoseconds: .max)

  /// The current instant. Only the outermost layer reads it; all others get the instant as an argument.
  /// - Thread: any but audio
  package static var now: Instant { Instant(nanoseconds: monotonicNow()) }

  package static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }

  package static func + (instant: Instant, duration: Duration) -> Instant {
    // `never` plus any duration is still `never`.
    guard instant != .never else { return instant }
    let offset = duration.nanoseconds
    let (sum, overflow) =
      offset < 0
      ? instant.nanoseconds.subtractingReportingOverflow(offset.magnitude)
      : instant.nanoseconds.addingReportingOverflow(offset.magnitude)
    guard overflow else { return Instant(nanoseconds: sum) }
    return offset < 0 ? .distantPast : .never
  }

  package static func - (instant: Instant, duration: Duration) -> Instant { instant + (.zero - duration) }

  /// The time from the second instant to the first.
  package static func - (a: Instant, b: Instant) -> Duration {
    a < b
      ? .zero - Duration(unsigned: b.nanoseconds - a.nanoseconds)
      : Duration(unsigned: a.nanoseconds - b.nanoseconds)
  }
}

extension Duration {
  fileprivate init(unsigned nanoseconds: UInt64) {
    self.init(
      secondsComponent: Int64(nanoseconds / 1_000_000_000),
      attosecondsComponent: Int64(nanoseconds % 1_000_000_000) * 1_000_000_000)
  }

  /// The duration in whole nanoseconds, rounded towards zero, at most 292 years.
  package var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    guard !isTooLong, !overflow else { return seconds < 0 ? .min : .max }
    return sum
  }

  /// The duration in seconds.
  package var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}

/// Nanoseconds of the system's monotonic clock. JACK and Ableton Link use the raw monotonic clock, which NTP does not adjust:
/// the two drift apart by seconds per day, so convert only durations from now.
/// - Thread: any but audio
package func monotonicNow() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
