import Foundation
import OSC
import TestBench
import Testing

/// The examples in `remotes/`, run by the programs that they are for: they control Tactus, and hear its beats.
@Suite(.serialized) struct RemoteExampleTests {
  /// What an example is told to do, and does: it sets the tempo, starts, and is told of three beats.
  private func check(
    _ name: String, tempo: Float, beat: some RegexComponent,
    run: (_ example: String, _ folder: Scratch) throws -> Subprocess
  ) async throws {
    try await JACKServer.run(period: 1_024) { server in
      let player = try Player(server: server, ["--fresh", "--no-connect", "--stopped", "--tempo", "240"])
      try player.waitForConnection()
      let folder = Scratch()
      let program = try run(try RemoteExampleTests.copy(name, speakingTo: player.port, into: folder), folder)
      defer { program.signal(SIGKILL) }
      try player.waitForBeat()
      #expect(
        eventually {
          player.send("tempo")
          return player.answers("tempo").contains {
            if case .float(let value)? = $0.arguments.first { abs(value - tempo) < 0.01 } else { false }
          }
        }, "\(program.report)")
      var heard = 0
      try program.waitForLine {
        heard += $0.contains(beat) ? 1 : 0
        return heard == 3
      }
      // What changes elsewhere is shown.
      player.send("tempo", .float(222.5))
      try program.waitForLine { $0.contains("222.5") }
      #expect(try player.interrupt() == .exited(0))
    }
  }

  /// Examples speak to port 9700; a test has a port of its own.
  private static func copy(_ name: String, speakingTo port: UInt16, into folder: Scratch) throws -> String {
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("remotes/\(name)")
    let text = try String(contentsOf: source, encoding: .utf8)
    try #require(text.contains("9700"))
    let path = "\(folder.path)/\(name)"
    try text.replacing("9700", with: "\(port)").write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private static let hasPythonOSC =
    (try? Subprocess("python3", ["-c", "import pythonosc"]).waitForExit() == .exited(0)) ?? false

  @Test(.enabled(if: hasPythonOSC, "the Python package python-osc is not installed"))
  func `The Python example sets the tempo, starts and hears beats`() async throws {
    try await check("tactus_osc.py", tempo: 233.5, beat: #/^beat \d+ \d+ (accent|beat) /#) { path, _ in
      // Its standard input stays open.
      try Subprocess(
        "sh", ["-c", "{ printf 'tempo 233.5\\nstart\\n'; exec sleep 100; } | python3 -u '\(path)'"])
    }
  }

  @Test(.enabled(if: Subprocess.isInstalled("pd"), "puredata-core is not installed"))
  func `The Pure Data example sets the tempo, starts and hears beats`() async throws {
    // Half of the way from 40 to 240.
    try await check("tactus.pd", tempo: 140, beat: #/^lamp: 1$/#) { path, folder in
      let listener = folder.path + "/listener.pd"
      try """
      #N canvas 0 0 400 200 12;
      #X obj 20 20 r tactus-lamp;
      #X obj 20 50 print lamp;
      #X obj 120 20 r tactus-label;
      #X obj 120 50 print label;
      #X connect 0 0 1 0;
      #X connect 2 0 3 0;

      """.write(toFile: listener, atomically: true, encoding: .utf8)
      // Its fader and its switch are moved as a hand would.
      return try Subprocess(
        "sh",
        [
          "-c",
          "exec pd -nogui -noaudio -nomidi -stderr -send 'tactus-tempo 0.5' -send 'tactus-playing 1' '\(listener)' '\(path)' 2>&1",
        ])
    }
  }

  @Test(.enabled(if: Subprocess.isInstalled("sclang"), "supercollider-language is not installed"))
  func `The SuperCollider example sets the tempo, starts and hears beats`() async throws {
    try await check("tactus.scd", tempo: 233.5, beat: #/^\[ beat, \d+, \d+, (accent|beat) \]/#) {
      path, folder in
      let driver = folder.path + "/driver.scd"
      try """
      "\(path)".load;
      ~tactus.("tempo", 233.5);
      ~tactus.("start");

      """.write(toFile: driver, atomically: true, encoding: .utf8)
      // Without a display, and as root.
      return try Subprocess(
        "sclang", [driver],
        environment: [
          "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "QT_QPA_PLATFORM": "offscreen",
          "QTWEBENGINE_DISABLE_SANDBOX": "1",
        ])
    }
  }
}
