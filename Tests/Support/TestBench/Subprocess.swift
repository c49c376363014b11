import Glibc
import Synchronization

/// A program under test: collects its output in lines, sends signals, and ends it in any case.
///
/// Its standard input is `/dev/null` or a terminal. It ends with the test process, and at the latest with this object. Only one
/// thread may wait at a time.
public final class Subprocess: Sendable {
  public let command: [String]
  let child: ChildProcess
  private let standardOutput: LineReader
  private let standardError: LineReader

  /// Starts `program` (a path, or a name that is looked up in PATH) in this process's environment plus the given variables.
  public convenience init(
    _ program: String, _ arguments: [String] = [], environment: [String: String] = [:]
  ) throws {
    try self.init([program] + arguments, environment: environment, deathSignal: "KILL")
  }

  init(_ command: [String], environment: [String: String], deathSignal: String) throws {
    self.command = command
    let (out, error) = (makePipe(), makePipe())
    let input = open("/dev/null", O_RDONLY)
    defer { for file in [input, out.writing, error.writing] { close(file) } }
    standardOutput = LineReader(out.reading)
    standardError = LineReader(error.reading)
    child = try ChildProcess(
      command, environment: currentEnvironment().merging(environment) { $1 },
      files: [input, out.writing, error.writing], deathSignal: deathSignal)
    standardOutput.start { [changed = child.changed] in changed.post() }
    standardError.start { [changed = child.changed] in changed.post() }
  }

  deinit {
    child.killGroup()
  }

  public var processID: pid_t { child.pid }
  public var isRunning: Bool { child.exitStatus == nil }

  /// The lines of standard output so far, without line ends.
  public var lines: [String] { standardOutput.lines }
  /// The lines of standard error so far, without line ends.
  public var errorLines: [String] { standardError.lines }

  /// Waits for a line of standard output, from the line numbered `first`, that `matches` accepts.
  ///
  /// Throws as soon as the program has ended without printing such a line.
  @discardableResult
  public func waitForLine(
    from first: Int = 0, within limit: Duration = .seconds(30), where matches: (String) -> Bool
  ) throws -> String {
    var looked = first
    let found = try child.changed.wait(until: .within(limit)) { () throws -> String? in
      let ended = !isRunning && standardOutput.isAtEnd
      let lines = standardOutput.lines
      while looked < lines.count {
        defer { looked += 1 }
        if matches(lines[looked]) { return lines[looked] }
      }
      if ended { throw BenchError("ended without the expected line\n\(report)") }
      return nil
    }
    guard let found else { throw BenchError("no such line within \(limit)\n\(report)") }
    return found
  }

  @discardableResult
  public func waitForLine(
    containing text: String, from first: Int = 0, within limit: Duration = .seconds(30)
  ) throws -> String {
    try waitForLine(from: first, within: limit) { $0.contains(text) }
  }

  /// Waits until the program prints or ends, at most for a time.
  public func waitForChange(within limit: Duration) { child.changed.wait(until: .within(limit)) }

  /// Sends a signal, such as `SIGINT`; does nothing if the program has ended.
  public func signal(_ number: Int32) {
    child.signal(number)
  }

  /// Waits for the end of the program and of its output. At the limit it kills the program and throws.
  @discardableResult
  public func waitForExit(within limit: Duration = .seconds(30)) throws -> ExitStatus {
    guard let status = child.waitForExit(until: .within(limit)) else {
      child.killGroup()
      _ = child.waitForExit(until: .within(.seconds(5)))
      throw BenchError("still running after \(limit)\n\(report)")
    }
    // A descendant may hold the pipes open: the wait for its output is short.
    _ = child.changed.wait(until: .within(.seconds(1))) {
      standardOutput.isAtEnd && standardError.isAtEnd ? true : nil
    }
    return status
  }

  /// The command, its state and its output, for failure messages.
  public var report: String {
    let state = child.exitStatus.map { "\($0)" } ?? "running"
    return """
      \(command.joined(separator: " ")): \(state)
      -- standard output:
      \(lines.joined(separator: "\n"))
      -- standard error:
      \(errorLines.joined(separator: "\n"))
      """
  }

  /// Whether a program with this name is in PATH; tests that need other programs are skipped without them.
  public static func isInstalled(_ name: String) -> Bool {
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    return path.split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
  }

  /// The path of a program that was built beside this test bundle, such as `tactus`.
  public static func built(_ name: String) throws -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let bundle = String(decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let folder = bundle.split(separator: "/").dropLast().joined(separator: "/")
    let path = "/\(folder)/\(name)"
    guard access(path, X_OK) == 0 else { throw BenchError("\(path) was not built") }
    return path
  }
}

private func currentEnvironment() -> [String: String] {
  var variables: [String: String] = [:]
  var next = environ
  while let entry = next.pointee {
    let parts = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
    next += 1
  }
  return variables
}
