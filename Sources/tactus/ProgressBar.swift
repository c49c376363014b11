import Glibc

/// A progress bar on a terminal. Prints nothing if standard error is not a terminal.
struct ProgressBar {
  private static let width = 40
  private let isTerminal = isatty(STDERR_FILENO) != 0
  private var shown = -1

  /// Shows the progress.
  /// - Parameter part: the completed fraction, 0…1.
  mutating func show(_ part: Double) {
    let percent = Int(part * 100)
    guard isTerminal, percent != shown else { return }
    shown = percent
    let done = percent * ProgressBar.width / 100
    let bar = String(repeating: "█", count: done) + String(repeating: "░", count: ProgressBar.width - done)
    put("\r\(bar) \(percent) %")
  }

  /// Removes the bar from the terminal.
  func clear() {
    if isTerminal { put("\r\u{1B}[K") }
  }

  private func put(_ text: String) { StandardError.put(text) }
}
