import OSC
import TestBench

/// `tactus play` on a terminal in tmux.
final class PanelPlayer {
  let terminal: Tmux
  let folder = Scratch()

  /// - Parameters:
  ///   - term: the value of TERM.
  ///   - after: the shell commands after Tactus has ended or stopped.
  init(
    server: JACKServer, _ options: [String] = [], columns: Int = 80, rows: Int = 24,
    environment: [String: String] = [:], term: String? = nil, after: String = ""
  ) throws {
    let command =
      [
        try Subprocess.built("tactus"), "play", "--server", server.name, "--fresh", "--no-connect",
      ] + (options.contains("--osc-port") ? [] : ["--osc-port", "0"]) + options
    let variables = [
      "XDG_STATE_HOME": folder.path, "HOME": folder.path, "XDG_RUNTIME_DIR": "", "LC_ALL": "C.UTF-8",
      "NO_COLOR": "",
    ].merging(environment) { $1 }
    // The modes of the terminal before and after are to be read on its screen.
    let script = """
      set -m; echo before $(stty -g | md5sum | cut -c1-8); \(term.map { "TERM=\($0) " } ?? "")\(command.map { "'\($0)'" }.joined(separator: " ")); echo code $?; \
      echo after $(stty -g | md5sum | cut -c1-8); \(after.isEmpty ? "" : after + ";") exec sleep 1000
      """
    terminal = try Tmux(script, columns: columns, rows: rows, environment: variables)
  }

  var processID: Int32 { get throws { try terminal.processID(named: "tactus") } }

  /// Waits until the panel is there.
  func waitForPanel() throws {
    try terminal.waitForScreen {
      $0.contains { $0.contains("playing  role") || $0.contains("stopped  role") }
    }
  }

  /// Changes the size of the terminal, and waits until the panel is drawn for it: tmux tells the program of its size a quarter of a second
  /// later, and until then the mouse is on what was drawn last.
  /// - Returns: the screen.
  @discardableResult
  func resize(columns: Int, rows: Int) throws -> [String] {
    try terminal.resize(columns: columns, rows: rows)
    return try terminal.waitForScreen {
      $0.count == rows && (rows < 8 ? $0[1].hasPrefix("› ") : $0[rows - 1].contains("? keys"))
    }
  }

  /// Presses keys, and waits until a row of the screen contains a text.
  @discardableResult
  func press(_ keys: String..., showing text: String) throws -> String {
    for key in keys { try terminal.type(key) }
    return try terminal.waitFor(text)
  }

  /// Presses a key repeatedly until a row of the screen contains a text: another message may hide it for a time.
  func insist(_ key: String, showing text: String) throws {
    for _ in 1...10 {
      try terminal.type(key)
      if (try? terminal.waitFor(text, within: .seconds(1))) != nil { return }
    }
    try terminal.waitFor(text)
  }

  /// Whether the panel controls the terminal: no cursor, the alternate screen, application keys.
  var hasTerminal: Bool {
    get throws { try terminal.state("#{cursor_flag} #{alternate_on} #{keypad_flag}") == "0 1 1" }
  }

  /// Waits until Tactus has ended; returns its exit code from the shell, and the modes of the terminal that were not restored.
  func waitForEnd() throws -> (code: Int, damage: [String]) {
    let screen = try terminal.waitForScreen { $0.contains { $0.hasPrefix("after ") } }
    func line(_ start: String) -> String? {
      screen.first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }
    var damage: [String] = []
    if line("before ") == nil || line("before ") != line("after ") { damage.append("modes") }
    let state = try terminal.state("#{cursor_flag} #{alternate_on} #{keypad_flag} #{mouse_any_flag}")
    if state != "1 0 0 0" { damage.append("cursor, screen, keypad, mouse \(state)") }
    return (line("code ").flatMap { Int($0) } ?? -1, damage)
  }
}
