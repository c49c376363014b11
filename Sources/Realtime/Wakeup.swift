import CLinux
import Glibc

/// Wakes a thread that waits in `poll`, from any other thread. An eventfd, closed with its owner.
package struct Wakeup: ~Copyable, Sendable {
  /// Readable from `post` until `clear`. -1 if the system has no descriptor left: `poll` ignores it, so that only its timeout
  /// ends a wait.
  package let descriptor: Int32
  /// Why there is no descriptor, such as `EMFILE`; 0 if there is one.
  package let error: Int32

  package init() {
    descriptor = tactus_eventfd()
    error = descriptor < 0 ? errno : 0
  }

  deinit { if isOpen { close(descriptor) } }

  /// Whether there is a descriptor.
  package var isOpen: Bool { descriptor >= 0 }

  /// Wakes the waiting thread, immediately or when it next waits.
  /// - Thread: any but audio; also in signal handlers
  package func post() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Takes all posts so far.
  /// - Thread: the waiting one
  package func clear() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
  }

  /// Waits for a post, at most for some milliseconds, and takes it. A negative limit waits without end.
  /// - Thread: the waiting one
  package func wait(milliseconds: Int32) {
    var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&file, 1, milliseconds)
    clear()
  }
}
