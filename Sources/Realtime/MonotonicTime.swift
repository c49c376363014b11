import Glibc

/// Nanoseconds of the system's monotonic clock. JACK and Ableton Link use the raw monotonic clock, which NTP does not adjust:
/// the two drift apart by seconds per day, so convert only durations from now.
/// - Thread: any but audio
public func monotonicNow() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
