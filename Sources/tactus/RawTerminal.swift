import Dispatch
import Foundation
import Synchronization

/// The terminal on standard input, which gives each key as it is pressed, and shows none.
///
/// It is so only while Tactus runs in its foreground: at the end, however that comes (SIGKILL apart), and while Tactus is
/// stopped, the terminal is as it was before.
final class RawTerminal: @unchecked Sendable {
  // `@unchecked`: the sources are made with it and then only kept.

  private struct State {
    var isRaw = false
    var isOver = false
    /// Until when it is left alone because Tactus is about to be stopped.
    var stopEnds = DispatchTime(uptimeNanoseconds: 0)
    /// How the source of SIGTSTP listens, while it doesn't.
    var listening: sigaction?
  }

  private let state = Mutex(State())
  private var signals: [any DispatchSourceSignal] = []

  /// nil where standard input or output is no terminal.
  init?() {
    var modes = termios()
    guard isatty(STDOUT_FILENO) != 0, tcgetattr(STDIN_FILENO, &modes) == 0 else { return nil }
    modesBefore = modes
    // What ends Tactus without its own doing.
    for number in [SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE] {
      signal(number, restoreAndDie)
    }
    heed(SIGTSTP) { [self] in stop() }
    heed(SIGCONT) { [self] in
      state.withLock { $0.stopEnds = DispatchTime(uptimeNanoseconds: 0) }
      enter()
    }
  }

  /// Whether the keys are meant for Tactus, rather than for a shell that runs it in the background.
  var isInForeground: Bool {
    let group = tcgetpgrp(STDIN_FILENO)
    // Where it is nobody's controlling terminal, nothing else reads it.
    return group < 0 || group == getpgrp()
  }

  /// Takes the terminal's keys from now on, where that may be.
  func enter() {
    state.withLock { state in
      guard !state.isRaw, !state.isOver, isInForeground, DispatchTime.now() >= state.stopEnds,
        var modes = modesBefore
      else { return }
      if var listening = state.listening.take() { sigaction(SIGTSTP, &listening, nil) }
      modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
      state.isRaw = tcsetattr(STDIN_FILENO, TCSANOW, &modes) == 0
    }
  }

  /// Gives the terminal back for good.
  func leave() {
    state.withLock { state in
      state.isOver = true
      restore(&state)
    }
  }

  /// Stops as Ctrl-Z does, with the terminal given back before.
  private func stop() {
    state.withLock { state in
      restore(&state)
      state.stopEnds = .now() + .milliseconds(300)
      var (standard, listening) = (sigaction(), sigaction())
      sigaction(SIGTSTP, &standard, &listening)
      // The second of two has no more to say.
      if state.listening == nil { state.listening = listening }
      // Not SIGSTOP: where there is no shell to have it go on, it does not stop.
      kill(getpid(), SIGTSTP)
    }
  }

  private func restore(_ state: inout State) {
    // From the background it would change what the shell has set.
    if state.isRaw, isInForeground, var modes = modesBefore { tcsetattr(STDIN_FILENO, TCSANOW, &modes) }
    state.isRaw = false
  }

  private func heed(_ number: Int32, _ body: @escaping @Sendable () -> Void) {
    let source = DispatchSource.makeSignalSource(signal: number)
    source.setEventHandler(handler: body)
    source.resume()
    signals.append(source)
  }
}

/// How the terminal was; set before anybody else looks at it, and then never again.
nonisolated(unsafe) private var modesBefore: termios?

/// Gives the terminal back and lets the signal do what it does.
private func restoreAndDie(_ number: Int32) {
  if var modes = modesBefore { tcsetattr(STDIN_FILENO, TCSANOW, &modes) }
  signal(number, SIG_DFL)
  raise(number)
}
