import Realtime
import Synchronization

/// A JACK call with a timeout. Without it, a server that hangs would block the caller forever.
///
/// Another thread makes the call and stores the answer. The caller waits for the answer until the timeout.
final class BoundedCall<Answer: Sendable>: Sendable {
  private let answer = Mutex<Result<Answer, JACKError>?>(nil)
  private let isAnswered = MonotonicSemaphore()

  /// Stores the answer and wakes the caller. Call it once.
  /// - Thread: any
  func give(_ result: Result<Answer, JACKError>) {
    answer.withLock { $0 = result }
    isAnswered.signal()
  }

  /// - Throws: the call's error; `JACKError.silent` after the timeout. The other thread then continues to wait.
  func wait(for server: String?, within patience: Duration = .seconds(4)) throws(JACKError) -> Answer {
    _ = isAnswered.wait(for: patience)
    guard let result = answer.withLock({ $0 }) else { throw .silent(name: server) }
    return try result.get()
  }
}
