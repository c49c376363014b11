import Realtime
import Synchronization

/// The answer to a call of JACK's, which a server that hangs would keep waiting for ever.
///
/// The call is made on another thread, which gives the answer; the one that asked waits for a while and goes on without.
final class BoundedCall<Answer: Sendable>: Sendable {
  private let answer = Mutex<Result<Answer, JACKError>?>(nil)
  private let isAnswered = MonotonicSemaphore()

  func give(_ result: Result<Answer, JACKError>) {
    answer.withLock { $0 = result }
    isAnswered.signal()
  }

  /// - Throws: what the call threw, or that the server doesn't answer; the other thread then still waits for it.
  func wait(for server: String?) throws(JACKError) -> Answer {
    _ = isAnswered.wait(for: .seconds(4))
    guard let result = answer.withLock({ $0 }) else { throw .silent(name: server) }
    return try result.get()
  }
}
