import Glibc

/// A counting semaphore whose timeouts use the monotonic clock.
///
/// Dispatch's semaphores use the wall clock on Linux: if it is set back, a wait of milliseconds takes hours.
package final class MonotonicSemaphore: @unchecked Sendable {
  // `@unchecked`: the mutex protects the count, and the pointers never change.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var count = 0

  /// Creates a semaphore with count 0.
  package init() {
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

  /// Increments the count and wakes one waiting thread.
  /// - Thread: any but audio
  package func signal() {
    pthread_mutex_lock(mutex)
    count += 1
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Waits until the count is positive and decrements it.
  /// - Thread: any but audio
  package func wait() { _ = wait(until: .never) }

  /// Waits at most for `limit` until the count is positive, and decrements it.
  /// - Returns: false after a timeout.
  /// - Thread: any but audio
  package func wait(for limit: Duration) -> Bool { wait(until: Instant.now + limit) }

  /// Waits at most until a deadline for the count to be positive, and decrements it.
  /// - Parameter deadline: `.never` for waiting without end, `.distantPast` for not waiting at all.
  /// - Returns: false after a timeout.
  /// - Thread: any but audio
  package func wait(until deadline: Instant) -> Bool {
    var time = timespec(
      tv_sec: Int(deadline.nanoseconds / 1_000_000_000), tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    // Waiting for a deadline that has passed would still give way to other threads.
    while count == 0, deadline > .distantPast {
      guard pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT else { break }
    }
    guard count > 0 else { return false }
    count -= 1
    return true
  }
}
