import CJack
import Files
import Glibc
import Synchronization

/// libjack's thread that receives the server's notifications and calls the notification callbacks.
///
/// When a client is closed, jack2 cancels this thread asynchronously. If the thread is just handling a notification, it may hold a
/// lock of libjack. Nothing would release that lock, so closing the client would wait for it without end. Therefore a client is
/// closed only while this thread waits for the next notification, or after it has ended. If the server has gone, it ends soon.
final class NotificationThread: Sendable {
  /// The thread's ID in the system; 0 before the first callback.
  private let id = Atomic<Int32>(0)

  /// Called in each callback.
  /// - Thread: the notification thread
  func note() { id.store(tactus_thread_id(), ordering: .relaxed) }

  /// Called before a new client is activated: it has another thread.
  /// - Thread: supervisor
  func forget() { id.store(0, ordering: .relaxed) }

  /// Waits until the thread handles no notification.
  /// - Thread: supervisor
  func settle() {
    // For about a second at most: no notification takes that long.
    for _ in 0..<500 where isBusy { usleep(2_000) }
  }

  /// Whether the thread runs and does not wait for a notification. False if the system doesn't tell.
  var isBusy: Bool {
    let id = id.load(ordering: .relaxed)
    // The number and the arguments of the system call in which the thread waits, or `running`. No such file: it has ended.
    guard id != 0, id != tactus_thread_id(), let call = text(of: "/proc/self/task/\(id)/syscall") else {
      return false
    }
    return call.split(separator: " ").first != Substring(String(tactus_read_call))
  }
}
