import Realtime
import Synchronization

/// A JACK call with a timeout: a server that hangs would block the caller for ever.
///
/// Another thread makes the call and stores the answer. The caller waits for it until the timeout.
final class BoundedCall<Answer: Sendable>: Sendable {
  private let answer = Mutex<Result<Answer, JACKError>?>(nil)
  private let isAnswered = MonotonicSemaphore()

  func give(_ result: Result<Answer, JACKError>) {
    answer.withLock { $0 = result }
    isAnswered.signal()
  }

  /// - Throws: the call's error, or `JACKError.silent` after the timeout; the other thread then keeps waiting.
  func wait(for server: String?, within patience: Duration = .seconds(4)) throws(JACKError) -> Answer {
    _ = isAnswered.wait(for: patience)
    guard let result = answer.withLock({ $0 }) else { throw .silent(name: server) }
    return try result.get()
  }
}
