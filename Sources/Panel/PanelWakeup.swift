import Glibc
import Realtime
import Synchronization

/// Wakes the panel's thread from other threads and from the terminal's signals.
enum PanelWakeup {
  /// Signals received since the last call.
  struct Signals { var resized, stop, resumed: Bool }

  /// Installs handlers that wake the panel on the terminal's signals.
  static func prepare() {
    // Create the wakeup now, since a signal handler must not.
    _ = wakeup.descriptor
    for number in [SIGWINCH, SIGTSTP, SIGCONT] { handle(number) }
  }

  private static func handle(_ number: Int32) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { note($0) }
    action.sa_flags = SA_RESTART
    sigaction(number, &action, nil)
  }

  /// Wakes the panel's thread.
  /// - Thread: any, signal handlers included
  static func post() { wakeup.post() }

  /// Waits for a key, a wakeup, or a timeout.
  /// - Returns: false if the terminal has closed.
  /// - Thread: panel
  static func wait(milliseconds: Int32, forKeys: Bool) -> Bool {
    var files = [
      pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: forKeys ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
    ]
    _ = poll(&files, 2, milliseconds)
    wakeup.clear()
    return files[1].revents & Int16(POLLHUP | POLLERR | POLLNVAL) == 0
  }

  static func takeSignals() -> Signals {
    Signals(
      resized: resized.exchange(false, ordering: .relaxed), stop: stop.exchange(false, ordering: .relaxed),
      resumed: resumed.exchange(false, ordering: .relaxed))
  }

  /// Suspends Tactus, as Ctrl-Z does, and returns when it continues. The kernel ignores this if no shell could continue Tactus.
  static func stopProcess() {
    signal(SIGTSTP, SIG_DFL)
    raise(SIGTSTP)
    handle(SIGTSTP)
  }
}

/// Created on first use, and never closed: a signal handler may use it at any time.
private let wakeup = Wakeup()
private let resized = Atomic<Bool>(false)
private let stop = Atomic<Bool>(false)
private let resumed = Atomic<Bool>(false)

private func note(_ number: Int32) {
  switch number {
  case SIGWINCH: resized.store(true, ordering: .relaxed)
  case SIGTSTP: stop.store(true, ordering: .relaxed)
  default: resumed.store(true, ordering: .relaxed)
  }
  PanelWakeup.post()
}
