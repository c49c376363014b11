import CJack
import Files
import Glibc
import Synchronization

/// jack2's thread that receives the server's notifications and calls the notification callbacks of one client.
///
/// When a client is closed, jack2 cancels this thread asynchronously. If the thread is just handling a notification, such as the end of
/// another client, it holds a lock of libjack. Nothing would release that lock, so closing would wait for it without end. Therefore a
/// client is closed only after this thread has ended, or while it waits for the server. When the server has gone, it ends by itself,
/// but the last notifications may arrive after the one by which Tactus learns this.
struct NotificationThread {
  enum State {
    case ended
    /// It waits for a notification.
    case waiting
    case busy
  }

  /// The thread's ID in the system; 0 if there is none, as on PipeWire, which cancels no thread that may hold a lock.
  private let id: Int32

  init(id: Int32) { self.id = id }

  /// Opens a client.
  /// - Parameter open: opens it. Of the threads that jack2 creates meanwhile, the last one receives the notifications.
  /// - Returns: what `open` returns, and the client's thread.
  static func found<Client>(_ jack: JACKLibrary, _ open: () -> Client) -> (Client, NotificationThread) {
    if !jack.isPipeWire { jack.setThreadCreator(createThread) }
    lastCreated.store(0, ordering: .relaxed)
    let client = open()
    return (client, NotificationThread(id: lastCreated.load(ordering: .acquiring)))
  }

  /// Waits until the thread may be cancelled. If the server has gone, waits for the thread's end.
  /// - Thread: any but JACK's
  func settle(isServerGone: () -> Bool) {
    var looks = 0
    // Five seconds at most: no notification takes that long.
    for attempt in 0..<2_500 {
      switch state {
      case .ended: return
      case .waiting: looks += 1
      case .busy: looks = 0
      }
      // A notification arrives in parts, so one look isn't enough. A server that lives on may have removed the client and kept its
      // connection.
      if looks > 1, !isServerGone() || attempt > 250 { return }
      usleep(2_000)
    }
  }

  var state: State {
    guard id != 0, access("/proc/self/task/\(id)", F_OK) == 0 else { return .ended }
    // The number and the arguments of the system call in which it waits, or `running`. If the system hides that, the thread counts as
    // waiting, as it nearly always does.
    guard let call = text(of: "/proc/self/task/\(id)/syscall") else { return .waiting }
    return call.split(separator: " ").first == Substring(String(tactus_read_call)) ? .waiting : .busy
  }
}

/// The ID of the last thread that libjack has created; 0: none.
private let lastCreated = Atomic<Int32>(0)

/// The function of a thread that libjack creates.
private struct ThreadStart {
  let function: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
  let argument: UnsafeMutableRawPointer?
}

/// Creates a thread for libjack, and stores its ID. jack2 waits until its threads have begun, so the ID is stored when a client is open.
private let createThread: jack_thread_creator_t = { thread, attributes, function, argument in
  let start = UnsafeMutablePointer<ThreadStart>.allocate(capacity: 1)
  start.initialize(to: ThreadStart(function: function!, argument: argument))
  let code = pthread_create(
    thread!, attributes,
    { context in
      let start = context!.assumingMemoryBound(to: ThreadStart.self)
      let (function, argument) = (start.pointee.function, start.pointee.argument)
      start.deallocate()
      lastCreated.store(tactus_thread_id(), ordering: .releasing)
      return function(argument)
    }, start)
  if code != 0 { start.deallocate() }
  return code
}
