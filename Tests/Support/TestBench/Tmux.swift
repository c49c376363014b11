import Glibc
import Synchronization

/// A terminal in a tmux of a test's own: somebody types on it, looks at its screen, and changes its size.
public final class Tmux: Sendable {
  private static let counter = Atomic<Int>(0)

  private let name: String
  private let server: Subprocess

  /// Runs a shell's script on a new terminal.
  public init(_ script: String, columns: Int, rows: Int, environment: [String: String]) throws {
    name = "tactus-test-\(getpid())-\(Tmux.counter.add(1, ordering: .relaxed).newValue)"
    // In the foreground, so that it dies with the test.
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
    // -N: never a server of the client's own, which would outlive the test.
    let client = try Subprocess("tmux", ["-N", "-u", "-L", name] + command)
    return (try client.waitForExit() == .exited(0), client.lines)
  }

  /// Presses keys by tmux's names: `a`, `Up`, `S-Up`, `BTab`, `C-z`.
  public func type(_ keys: String...) throws {
    for key in keys { try tell("send-keys", key) }
  }

  /// Does something with the mouse at a place, from 0: a click has the button 0, the wheel 64 up and 65 down.
  public func mouse(_ button: UInt8, row: Int, column: Int) throws {
    // A button is released too.
    for code in button == 0 ? [32, 35] : [32 + Int(button)] {
      let bytes = [0x1B, 0x5B, 0x4D, code, 33 + column, 33 + row]
      try tell(["send-keys", "-H"] + bytes.map { String($0, radix: 16) })
    }
  }

  public func resize(columns: Int, rows: Int) throws {
    try tell("resize-window", "-x", "\(columns)", "-y", "\(rows)")
  }

  /// What the screen shows, row by row.
  public var screen: [String] { get throws { try tell("capture-pane", "-p").lines } }

  /// The same with the escape codes of its styles.
  public var styledScreen: [String] { get throws { try tell("capture-pane", "-p", "-e").lines } }

  /// What tmux knows of the terminal, by its formats: `#{cursor_flag}`.
  public func state(_ format: String) throws -> String {
    try tell("display-message", "-p", format).lines.first ?? ""
  }

  /// Waits until the screen is as wanted; returns it.
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

  /// The process that the script runs, where it has this name.
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
