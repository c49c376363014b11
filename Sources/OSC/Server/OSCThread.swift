// It has `pthread_setname_np`, which Glibc hides.
import CLiblo
import Glibc
import Realtime

/// The osc thread. It runs a loop, and can be joined with a time limit.
struct OSCThread: Sendable {
  private let thread: pthread_t
  /// Signalled once the loop has ended.
  private let end = MonotonicSemaphore()

  private final class Body {
    var loop: OSCLoop?
    let end: MonotonicSemaphore

    init(_ loop: OSCLoop, _ end: MonotonicSemaphore) {
      self.loop = loop
      self.end = end
    }
  }

  /// Starts a thread that runs the loop and owns it.
  init(running loop: sending OSCLoop) throws(OSCStartError) {
    let body = Unmanaged.passRetained(Body(loop, end))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { context in
        // Balances passRetained: the thread takes the loop over and lets go of it at its end.
        guard let context else { return nil }
        pthread_setname_np(pthread_self(), "tactus-osc")
        let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
        body.loop?.run()
        body.loop = nil
        body.end.signal()
        return nil
      }, body.toOpaque())
    guard code == 0 else {
      body.release()
      throw .system("OSC thread", code)
    }
    self.thread = thread
  }

  /// Waits for the loop's end. Does not wait if called on the osc thread itself.
  ///
  /// - Parameter limit: the longest wait.
  /// - Returns: whether the loop has ended.
  func join(within limit: Duration) -> Bool {
    guard pthread_equal(thread, pthread_self()) == 0, end.wait(for: limit) else {
      pthread_detach(thread)
      return false
    }
    pthread_join(thread, nil)
    return true
  }
}
