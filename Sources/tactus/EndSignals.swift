import Foundation
import Synchronization

/// The signals that end Tactus, and the thread that waits for them: they interrupt no other, the audio thread least of all, and
/// none is lost.
///
/// Dispatch's sources are no help here: on Linux they interrupt each thread in turn, and under load one signal in some hundred
/// comes to nothing.
final class EndSignals: Sendable {
  private let receiver = Mutex<(@Sendable () -> Void)?>(nil)

  /// Keeps them from all threads that begin from here on, so it comes before any other. Until there is a receiver they end the
  /// process at once.
  ///
  /// SIGHUP is left alone where it is ignored at the start (`nohup`); SIGINT, which shells have what runs in the background
  /// ignore, is not: who sends it means it.
  init() {
    // A reader of ours that leaves is an error of `write`, not our end.
    signal(SIGPIPE, SIG_IGN)
    var numbers = sigset_t()
    sigemptyset(&numbers)
    for number in [SIGINT, SIGTERM] + (EndSignals.outlivesTerminal ? [] : [SIGHUP]) {
      sigaddset(&numbers, number)
    }
    pthread_sigmask(SIG_BLOCK, &numbers, nil)
    let thread = Thread { [self, numbers] in
      var numbers = numbers
      var number: Int32 = 0
      while sigwait(&numbers, &number) == 0 { take(number, of: &numbers) }
    }
    thread.name = "signals"
    thread.start()
  }

  /// Has each of them told, on a thread of their own, instead of ending the process.
  func tell(_ receive: @escaping @Sendable () -> Void) { receiver.withLock { $0 = receive } }

  private func take(_ number: Int32, of numbers: inout sigset_t) {
    if let receive = receiver.withLock({ $0 }) { return receive() }
    pthread_sigmask(SIG_UNBLOCK, &numbers, nil)
    raise(number)
    // Where whoever started it has it ignored, the process goes on.
    pthread_sigmask(SIG_BLOCK, &numbers, nil)
  }

  /// Whether `nohup` started it.
  private static var outlivesTerminal: Bool {
    var action = sigaction()
    sigaction(SIGHUP, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
