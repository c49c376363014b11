import Glibc

/// Nanoseconds of the system's monotonic clock. JACK's and Ableton Link's own clock is the raw one, which nobody disciplines:
/// the two drift apart by seconds a day, so that only times from now on carry over.
/// - Thread: any but audio
public func monotonicNow() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
