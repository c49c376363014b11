import CNcurses
import Glibc
import Synchronization

/// Restores the terminal when Tactus crashes. curses can't do that: its functions are not async-signal-safe.
enum TerminalRescue {
  private static let crashes = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]

  /// Records the terminal's state and the bytes that restore it. Call it before curses changes anything.
  static func prepare() {
    tcgetattr(STDIN_FILENO, &modesBefore)
    // Disable mouse reports, leave keypad mode, reset the style, show the cursor, leave the alternate screen.
    let mouse = capability("kmous").isEmpty ? "" : "\u{1B}[?1006l\u{1B}[?1000l"
    let bytes = mouse.utf8 + ["rmkx", "sgr0", "cnorm", "rmcup"].flatMap(capability)
    let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = memory.initialize(from: bytes)
    resetBytes = UnsafeBufferPointer(memory)
    isArmed.store(false, ordering: .relaxed)
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { rescue($0) }
    // After a stack overflow the handler needs its own stack, if there is one.
    action.sa_flags = SA_ONSTACK | Int32(bitPattern: UInt32(SA_RESETHAND))
    for number in crashes { sigaction(number, &action, nil) }
  }

  /// Sets whether curses controls the terminal, so that a crash must restore it.
  static func arm(_ isOurs: Bool) { isArmed.store(isOurs, ordering: .releasing) }

  /// The bytes of a capability, without padding delays.
  private static func capability(_ name: String) -> [UInt8] {
    guard let text = tigetstr(name), Int(bitPattern: text) != -1 else { return [] }
    let pauses = /\$<[^>]*>/
    return Array(String(cString: text).replacing(pauses, with: "").utf8)
  }
}

// Set before a handler can read them, and constant from then on.
nonisolated(unsafe) private var modesBefore = termios()
nonisolated(unsafe) private var resetBytes = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
private let isArmed = Atomic<Bool>(false)

/// Restores the terminal and re-raises the signal. Calls only async-signal-safe functions.
private func rescue(_ number: Int32) {
  if isArmed.exchange(false, ordering: .acquiringAndReleasing) {
    _ = write(STDOUT_FILENO, resetBytes.baseAddress, resetBytes.count)
    tcsetattr(STDIN_FILENO, TCSANOW, &modesBefore)
  }
  raise(number)
}
