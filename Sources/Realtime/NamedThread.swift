import CLinux
import Glibc

/// A thread that runs one function and then ends.
///
/// It inherits the signal mask of the thread that starts it.
package struct NamedThread: Sendable {
  /// The system has no thread left.
  package struct StartError: Error, CustomStringConvertible {
    /// The error number, such as `EAGAIN`.
    package let code: Int32

    package var description: String { "can't start a thread: \(String(cString: strerror(code)))" }
  }

  private let thread: pthread_t
  /// Signalled when the function has returned and is released.
  private let end = MonotonicSemaphore()

  /// The data passed to the new thread.
  private final class Context {
    let name: StaticString
    var body: (() -> Void)?
    let end: MonotonicSemaphore

    init(_ name: StaticString, _ body: @escaping () -> Void, _ end: MonotonicSemaphore) {
      (self.name, self.body, self.end) = (name, body, end)
    }
  }

  /// Starts a thread.
  /// - Parameters:
  ///   - name: at most 15 bytes, as debuggers and `top` show it.
  ///   - body: the function to run. It is released on the new thread, so that objects used only by `body` are freed there.
  /// - Throws: `StartError` if the system can't start a thread.
  /// - Thread: any but audio
  @discardableResult
  package init(_ name: StaticString, _ body: consuming sending @escaping () -> Void) throws(StartError) {
    // Without `consume` the caller's thread may be the last to hold the function, and would release it after the new thread
    // has ended.
    let context = Unmanaged.passRetained(Context(name, consume body, end))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { context in
        // Balances passRetained.
        let context = Unmanaged<Context>.fromOpaque(context!).takeRetainedValue()
        context.name.withUTF8Buffer { name in
          _ = name.withMemoryRebound(to: CChar.self) { pthread_setname_np(pthread_self(), $0.baseAddress!) }
        }
        context.body?()
        context.body = nil
        context.end.signal()
        return nil
      }, context.toOpaque())
    guard code == 0 else {
      context.release()
      throw StartError(code: code)
    }
    pthread_detach(thread)
    self.thread = thread
  }

  /// Waits until the function has returned. On its own thread it does not wait.
  /// - Returns: false after a timeout, or on the thread itself.
  /// - Thread: any but audio
  package func hasEnded(within limit: Duration) -> Bool {
    guard pthread_equal(thread, pthread_self()) == 0, end.wait(for: limit) else { return false }
    // Lets later calls succeed too.
    end.signal()
    return true
  }
}
