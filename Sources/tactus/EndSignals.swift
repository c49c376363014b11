import Glibc
import Realtime
import Synchronization

/// Receives the signals that end Tactus (SIGINT, SIGTERM, SIGHUP) on one thread. They interrupt no other thread, in particular
/// not the audio thread, and none is lost.
///
/// Dispatch's signal sources can't be used: on Linux they interrupt each thread in turn, and under load they lose about one
/// signal in a few hundred.
final class EndSignals: Sendable {
  private let receiver = Mutex<(@Sendable () -> Void)?>(nil)
  private let came = Atomic(false)

  /// Whether a receiver has received a signal.
  /// - Thread: any
  var haveCome: Bool { came.load(ordering: .acquiring) }

  /// Blocks the signals in all threads started later, so create it before any other thread. Until `report` is called, a signal
  /// ends the process at once.
  ///
  /// If SIGHUP is ignored at the start (`nohup`), it stays ignored. SIGINT does not: shells ignore it for background jobs, but
  /// a user who sends it wants Tactus to end.
  /// - Throws: `NamedThread.StartError` if the system creates no thread.
  init() throws(NamedThread.StartError) {
    // When a reader closes its end, let `write` fail instead of ending the process.
    signal(SIGPIPE, SIG_IGN)
    var numbers = sigset_t()
    sigemptyset(&numbers)
    for number in [SIGINT, SIGTERM] + (EndSignals.outlivesTerminal ? [] : [SIGHUP]) {
      sigaddset(&numbers, number)
    }
    pthread_sigmask(SIG_BLOCK, &numbers, nil)
    try NamedThread("signals") { [self, numbers] in
      var numbers = numbers
      var number: Int32 = 0
      while sigwait(&numbers, &number) == 0 { take(number, of: &numbers) }
    }
  }

  /// Sets the receiver of later signals. It runs on the signals' thread. If an earlier receiver has received a signal, it also
  /// runs at once, on the calling thread.
  /// - Thread: any
  func report(_ receive: @escaping @Sendable () -> Void) {
    receiver.withLock { $0 = receive }
    if haveCome { receive() }
  }

  private func take(_ number: Int32, of numbers: inout sigset_t) {
    if let receive = receiver.withLock({ $0 }) {
      came.store(true, ordering: .releasing)
      return receive()
    }
    // The signal ends the process without running `exit` handlers.
    ChildProcess.endAll()
    pthread_sigmask(SIG_UNBLOCK, &numbers, nil)
    raise(number)
    // If the signal is ignored, the process continues.
    pthread_sigmask(SIG_BLOCK, &numbers, nil)
  }

  /// Whether SIGHUP was ignored at the start, as under `nohup`.
  private static var outlivesTerminal: Bool {
    var action = sigaction()
    sigaction(SIGHUP, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
