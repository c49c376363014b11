import Glibc

/// A counting semaphore that waits by the monotonic clock.
///
/// Dispatch's goes by the wall clock on Linux: one that is set back meanwhile makes hours of a wait of milliseconds.
public final class MonotonicSemaphore: @unchecked Sendable {
  // `@unchecked`: the count is touched under the mutex alone, and the pointers never change.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var count = 0

  /// With a count of 0.
  public init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Adds one, which lets one who waits go on.
  /// - Thread: any but audio
  public func signal() {
    pthread_mutex_lock(mutex)
    count += 1
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Takes one; waits for it as long as it takes.
  /// - Thread: any but audio
  public func wait() { _ = wait(until: .max) }

  /// Takes one; waits for it for a time at most.
  /// - Returns: whether there was one.
  /// - Thread: any but audio
  public func wait(for limit: Duration) -> Bool {
    let (seconds, attoseconds) = limit.components
    return wait(until: monotonicNow() + UInt64(max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000)))
  }

  /// Takes one; waits for it until a deadline.
  /// - Parameter deadline: by `monotonicNow`; `.max` for never.
  /// - Returns: whether there was one.
  /// - Thread: any but audio
  public func wait(until deadline: UInt64) -> Bool {
    var time = timespec(
      tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while count == 0 {
      guard pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT else { break }
    }
    guard count > 0 else { return false }
    count -= 1
    return true
  }
}
