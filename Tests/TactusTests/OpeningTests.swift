import Foundation
import OSC
import TestBench
import TestInTime
import Testing

/// A document during whose opening the program dies is not opened unasked again, whoever had it opened.
@Suite(.serialized, .inTime) struct OpeningTests {
  private let folder = Scratch()
  /// As the program names it.
  private var sessions: String {
    URL(fileURLWithPath: "\(folder.path)/tactus/sessions").standardizedFileURL.path
  }
  private var state: String { "\(folder.path)/tactus/died.yaml" }
  private var note: String { state + ".opening" }

  init() throws {
    try FileManager.default.createDirectory(atPath: sessions, withIntermediateDirectories: true)
    // A voice that hangs: while its texts are spoken a document is being opened.
    let voice = "\(folder.path)/espeak-ng"
    try "#!/bin/sh\ncat >/dev/null\nexec sleep 60\n".write(toFile: voice, atomically: true, encoding: .utf8)
    chmod(voice, 0o755)
    try "sections: [{bars: 4, cue: {say: one}}]\n".write(
      toFile: "\(sessions)/spoken.yaml", atomically: true, encoding: .utf8)
  }

  private func play(_ server: JACKServer, _ options: String...) throws -> Player {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return try Player(
      server: server, ["--no-connect", "--stopped", "--name", "died"] + options, folder: folder,
      environment: ["XDG_DATA_HOME": folder.path, "PATH": "\(folder.path):\(path)"])
  }

  private var isOpening: Bool { FileManager.default.fileExists(atPath: note) }

  private func isSaved(_ path: String) -> Bool {
    (try? String(contentsOfFile: state, encoding: .utf8).contains(path)) == true
  }

  /// Kills a program that opens a document; returns whether that hit it while it did.
  private func kill(_ player: Player) throws -> Bool {
    player.process.signal(SIGKILL)
    _ = try player.process.waitForExit()
    return isOpening
  }

  /// Starts the program as after such a death: it names the document, and opens none.
  private func expectNotOpened(_ path: String, _ server: JACKServer, _ options: String) throws {
    #expect(isSaved(path), "else nothing would be opened in any case")
    let player = try play(server, options)
    try player.waitForConnection()
    player.send("session")
    #expect(try player.answer("session").arguments == [.string("")])
    let reported = player.process.errorLines.filter { $0.contains(path) }
    #expect(reported.count == 1 && reported[0].hasSuffix("tactus play \(path) opens it"), "\(reported)")
    #expect(try player.interrupt() == .exited(0))
  }

  @Test func `One that was opened over OSC`() async throws {
    try await JACKServer.run { server in
      let path = "\(sessions)/spoken.yaml"
      let player = try play(server, "--klick-osc")
      try player.waitForConnection()
      player.send("session", .string("spoken.yaml"))
      // Its settings are saved while the voice is waited for.
      #expect(eventually { isOpening && isSaved(path) })
      #expect(try kill(player))
      try expectNotOpened(path, server, "--klick-osc")
    }
  }

  @Test func `One that the state file names`() async throws {
    try await JACKServer.run { server in
      let path = "\(sessions)/spoken.yaml"
      // The program may have gone on before it is killed: another try.
      let isHit = try (0..<10).contains { _ in
        try? FileManager.default.removeItem(atPath: note)
        try "session: \(path)\n".write(toFile: state, atomically: true, encoding: .utf8)
        let player = try play(server, "--osc-bind", "127.0.0.1")
        return try eventually { isOpening } && kill(player)
      }
      #expect(isHit)
      try expectNotOpened(path, server, "--klick-osc")
    }
  }

  @Test func `A map that was opened through klick`() async throws {
    try await JACKServer.run { server in
      let path = "\(sessions)/song.klick"
      let load = [
        OSCMessage("/klick/metro/set_type", .string("map")),
        OSCMessage("/klick/map/load_file", .string(path)),
      ]
      try "1 4/4 120\n".write(toFile: path, atomically: true, encoding: .utf8)
      let first = try play(server, "--klick-osc")
      try first.waitForConnection()
      for message in load { first.app.send([message], to: first.peer) }
      #expect(eventually { isSaved(path) })
      #expect(try first.interrupt() == .exited(0))
      #expect(!isOpening)

      // It takes a while to read now.
      try String(repeating: "1 4/4 120\n1 3/4 99.5\n", count: 49_000).write(
        toFile: path, atomically: true, encoding: .utf8)
      let isHit = try (0..<10).contains { _ in
        let player = try play(server, "--klick-osc")
        try player.waitForConnection()
        // The last one is opened at the start.
        guard eventually({ !isOpening }) else { return false }
        for message in load { player.app.send([message], to: player.peer) }
        return try eventually { isOpening } && kill(player)
      }
      #expect(isHit)
      try expectNotOpened(path, server, "--klick-osc")
    }
  }
}
