import Glibc
import Synchronization

/// A terminal in a test's own tmux server: the test types, reads the screen, and changes the size.
public final class Tmux: Sendable {
  private static let counter = Atomic<Int>(0)

  private let name: String
  private let server: Subprocess

  /// Runs a shell script on a new terminal.
  public init(_ script: String, columns: Int, rows: Int, environment: [String: String]) throws {
    name = "tactus-test-\(getpid())-\(Tmux.counter.add(1, ordering: .relaxed).newValue)"
    // In the foreground, so that it ends with the test.
    server = try Subprocess(
      "tmux", ["-D", "-u", "-f", "/dev/null", "-L", name],
      environment: environment.merging(["TMUX": "", "SHELL": "/bin/sh"]) { $1 })
    let deadline = Deadline.within(.seconds(10))
    let never = Event()
    while try !tell("new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", script).isDone {
      guard server.isRunning, !deadline.hasPassed else { throw BenchError("no tmux\n\(server.report)") }
      never.wait(until: .within(.milliseconds(20)))
    }
  }

  deinit {
    // Its terminals hang up.
    server.signal(SIGTERM)
    _ = try? server.waitForExit()
  }

  @discardableResult
  private func tell(_ command: String...) throws -> (isDone: Bool, lines: [String]) { try tell(command) }

  @discardableResult
  private func tell(_ command: [String]) throws -> (isDone: Bool, lines: [String]) {
    // -N: does not start another server, which would outlive the test.
    let client = try Subprocess("tmux", ["-N", "-u", "-L", name] + command)
    return (try client.waitForExit() == .exited(0), client.lines)
  }

  /// Presses keys, by tmux's names: `a`, `Up`, `S-Up`, `BTab`, `C-z`.
  public func type(_ keys: String...) throws {
    for key in keys { try tell("send-keys", key) }
  }

  /// Uses the mouse at a row and column from 0: button 0 is a click, 64 the wheel up and 65 the wheel down.
  public func mouse(_ button: UInt8, row: Int, column: Int) throws {
    // A click also releases the button.
    for code in button == 0 ? [32, 35] : [32 + Int(button)] {
      let bytes = [0x1B, 0x5B, 0x4D, code, 33 + column, 33 + row]
      try tell(["send-keys", "-H"] + bytes.map { String($0, radix: 16) })
    }
  }

  public func resize(columns: Int, rows: Int) throws {
    try tell("resize-window", "-x", "\(columns)", "-y", "\(rows)")
  }

  /// The rows of the screen as text.
  public var screen: [String] { get throws { try tell("capture-pane", "-p").lines } }

  /// The rows of the screen with the escape codes of their styles.
  public var styledScreen: [String] { get throws { try tell("capture-pane", "-p", "-e").lines } }

  /// A property of the terminal in tmux's format language, such as `#{cursor_flag}`.
  public func state(_ format: String) throws -> String {
    try tell("display-message", "-p", format).lines.first ?? ""
  }

  /// Waits until the screen fulfils a condition; returns the screen.
  @discardableResult
  public func waitForScreen(
    within limit: Duration = .seconds(10), where matches: ([String]) -> Bool
  ) throws -> [String] {
    let deadline = Deadline.within(limit)
    let never = Event()
    while true {
      let screen = try self.screen
      if matches(screen) { return screen }
      if deadline.hasPassed {
        throw BenchError("no such screen within \(limit)\n\(screen.joined(separator: "\n"))")
      }
      never.wait(until: .within(.milliseconds(20)))
    }
  }

  /// Waits until a row of the screen contains a text; returns the row.
  @discardableResult
  public func waitFor(_ text: String, within limit: Duration = .seconds(10)) throws -> String {
    try waitForScreen(within: limit) { $0.contains { $0.contains(text) } }.first { $0.contains(text) } ?? ""
  }

  /// The id of the process with this name that the script runs.
  public func processID(named name: String) throws -> pid_t {
    let shell = try state("#{pane_pid}")
    let children = readFile("/proc/\(shell)/task/\(shell)/children").split(separator: " ").compactMap {
      pid_t($0)
    }
    guard let found = children.first(where: { readFile("/proc/\($0)/comm") == name + "\n" }) else {
      throw BenchError("no \(name) runs\n\(try screen.joined(separator: "\n"))")
    }
    return found
  }
}

private func readFile(_ path: String) -> String {
  guard let file = fopen(path, "r") else { return "" }
  defer { fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 4_096)
  let count = fread(&bytes, 1, bytes.count, file)
  return String(decoding: bytes.prefix(count), as: UTF8.self)
}
