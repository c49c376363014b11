import CLiblo
import Glibc

/// The osc thread: it runs a loop and can be joined within a time.
struct OSCThread: Sendable {
  private let thread: pthread_t
  private let end: Ending

  /// Readable once the loop has ended.
  private final class Ending: Sendable {
    let descriptor: Int32

    init() throws(OSCStartError) {
      descriptor = tactus_eventfd()
      guard descriptor >= 0 else { throw .system("OSC thread", errno) }
    }

    deinit { close(descriptor) }

    func signal() {
      var one: UInt64 = 1
      write(descriptor, &one, MemoryLayout<UInt64>.size)
    }
  }

  private final class Body {
    var loop: OSCLoop?
    let end: Ending

    init(_ loop: OSCLoop, _ end: Ending) {
      self.loop = loop
      self.end = end
    }
  }

  /// Hands a loop over to a thread of its own, which is the last to hold it.
  init(running loop: sending OSCLoop) throws(OSCStartError) {
    let end = try Ending()
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
    self.end = end
  }

  /// Waits for the loop's end, and whether it came in time. Never waits on the osc thread itself.
  ///
  /// - Parameter milliseconds: the longest wait, from 0.
  func join(within milliseconds: Int32) -> Bool {
    var polled = pollfd(fd: end.descriptor, events: Int16(POLLIN), revents: 0)
    guard pthread_equal(thread, pthread_self()) == 0, poll(&polled, 1, milliseconds) == 1 else {
      pthread_detach(thread)
      return false
    }
    pthread_join(thread, nil)
    return true
  }
}
