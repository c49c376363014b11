import CNcurses
import Foundation
import Synchronization

/// Gives the terminal back when Tactus crashes, as curses can't: its calls are not for signal handlers.
enum TerminalRescue {
  private static let crashes = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]

  /// Notes how the terminal is, and what it takes to have it so again. Call it before curses changes anything.
  static func prepare() {
    tcgetattr(STDIN_FILENO, &modesBefore)
    // No keypad mode, no style, the cursor, the screen that there was.
    let bytes = ["rmkx", "sgr0", "cnorm", "rmcup"].flatMap(capability)
    let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = memory.initialize(from: bytes)
    resetBytes = UnsafeBufferPointer(memory)
    isArmed.store(false, ordering: .relaxed)
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { rescue($0) }
    // Where the stack has run over there may be another.
    action.sa_flags = SA_ONSTACK | Int32(bitPattern: UInt32(SA_RESETHAND))
    for number in crashes { sigaction(number, &action, nil) }
  }

  /// Whether the terminal is curses' now.
  static func arm(_ isOurs: Bool) { isArmed.store(isOurs, ordering: .releasing) }

  /// The bytes of a capability, without the pauses that terminals of old needed.
  private static func capability(_ name: String) -> [UInt8] {
    guard let text = tigetstr(name), Int(bitPattern: text) != -1 else { return [] }
    let pauses = /\$<[^>]*>/
    return Array(String(cString: text).replacing(pauses, with: "").utf8)
  }
}

// Set before a handler can read them, and then never again.
nonisolated(unsafe) private var modesBefore = termios()
nonisolated(unsafe) private var resetBytes = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
private let isArmed = Atomic<Bool>(false)

/// Gives the terminal back and lets the signal do what it does. Nothing here but what a handler may call.
private func rescue(_ number: Int32) {
  if isArmed.exchange(false, ordering: .acquiringAndReleasing) {
    _ = write(STDOUT_FILENO, resetBytes.baseAddress, resetBytes.count)
    tcsetattr(STDIN_FILENO, TCSANOW, &modesBefore)
  }
  raise(number)
}
