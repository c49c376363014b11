import Glibc

extension Instant {
  /// The instant in nanoseconds since the Unix epoch, by the wall clock as it stands now.
  /// - Thread: any but audio
  package var onWallClock: Int64 { ClockReading.now.wallClock(of: self) }

  /// The instant at which the wall clock, as it stands now, shows a date.
  /// - Parameter wallClock: nanoseconds since the Unix epoch. A date before the machine started becomes `distantPast`.
  /// - Thread: any but audio
  package init(onWallClock wallClock: Int64) { self = ClockReading.now.instant(ofWallClock: wallClock) }
}

/// A reading of the monotonic clock and the wall clock at the same instant.
///
/// A user or a daemon may set the wall clock at any time. A date is therefore valid only together with a fresh reading, and
/// is never stored.
struct ClockReading {
  let monotonic: Instant
  /// Nanoseconds since the Unix epoch.
  let wallClock: Int64

  /// Reads the wall clock between two readings of the monotonic one, and again if the thread was interrupted meanwhile:
  /// otherwise dates of beats would be wrong by milliseconds on a busy machine.
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
    return ClockReading(monotonic: Instant(nanoseconds: monotonic), wallClock: wallClock)
  }

  /// The date that the wall clock shows at an instant, in nanoseconds since the Unix epoch. Inverse of
  /// `instant(ofWallClock:)`.
  func wallClock(of instant: Instant) -> Int64 {
    // Wrapping: an invalid date must not trap.
    wallClock &+ Int64(bitPattern: instant.nanoseconds &- monotonic.nanoseconds)
  }

  /// The instant at which the wall clock shows a date; `distantPast` for dates before the machine started.
  func instant(ofWallClock date: Int64) -> Instant {
    let (ahead, overflow) = date.subtractingReportingOverflow(wallClock)
    guard !overflow else { return date < 0 ? .distantPast : .never }
    return monotonic + .nanoseconds(ahead)
  }
}
