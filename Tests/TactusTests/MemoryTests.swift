import Foundation
import OSC
import TestBench
import TestInTime
import Testing

/// Limits of memory and disk space for documents and messages, with the whole program.
@Suite(.serialized, .inTime) struct MemoryTests {
  private let folder = Scratch()
  private var sessions: String { "\(folder.path)/tactus/sessions" }

  init() throws {
    try FileManager.default.createDirectory(atPath: sessions, withIntermediateDirectories: true)
  }

  /// Starts the program without a document.
  private func play(_ server: JACKServer) throws -> Player {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let player = try Player(
      server: server, ["--fresh", "--no-connect"], folder: folder,
      environment: [
        "XDG_DATA_HOME": folder.path, "XDG_CACHE_HOME": folder.path + "/cache",
        "PATH": "\(folder.path):\(path)",
      ])
    try player.waitForBeat()
    player.send("subscribe")
    return player
  }

  /// Opens a document and waits until its song can be played.
  private func open(_ name: String, _ title: String, with player: Player) throws {
    let seen = player.process.lines.count
    player.send("session", .string(name))
    try player.process.waitForLine(from: seen, within: .seconds(120)) {
      $0.contains("\"sectionLeft\":") && $0.contains("\"title\":\"\(title)\"")
    }
  }

  private func write(_ text: String, to name: String) throws {
    try text.write(toFile: "\(sessions)/\(name)", atomically: true, encoding: .utf8)
  }

  @Test func `A sound folder that is spelled in 200 ways is read once`() async throws {
    try await JACKServer.run { server in
      try FileManager.default.createDirectory(atPath: "\(sessions)/kit", withIntermediateDirectories: true)
      // Eight megabytes as they are played.
      for role in ["accent", "beat", "subdivision", "cue"] {
        try RIFF.sine(seconds: 10).write(to: URL(fileURLWithPath: "\(sessions)/kit/\(role).wav"))
      }
      let spellings = (0..<200).map { String(repeating: "./", count: $0 + 1) + "kit" }
      let sections = spellings.map { "  - {bars: 1, sound: \($0)}\n" }.joined()
      try write("title: spelled\nsections:\n" + sections, to: "spelled.yaml")
      let player = try play(server)
      let before = try player.memory()
      try open("spelled.yaml", "spelled", with: player)
      let most = try player.mostMemory() - before
      print("memory: a sound folder of 8 MB spelled in 200 ways: \(most) kB")
      #expect(player.process.errorLines == [])
      // The files are read whole, too. 200 times it would be 1.6 GB, and 128 MB as far as a song's budget goes.
      #expect(most < 65_536)
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test func `Three hundred texts that nobody has spoken yet keep to the memory for a song and to the cache`()
    async throws
  {
    try await JACKServer.run { server in
      // Half a megabyte for each text.
      try RIFF.sine(seconds: 5.2).write(to: URL(fileURLWithPath: "\(folder.path)/said.wav"))
      let voice = "\(folder.path)/espeak-ng"
      try "#!/bin/sh\ncat >/dev/null\necho >>\(folder.path)/calls\ncat \(folder.path)/said.wav\n".write(
        toFile: voice, atomically: true, encoding: .utf8)
      chmod(voice, 0o755)
      let sections = (0..<300).map { "  - {bars: 1, cue: {say: text \($0)}}\n" }.joined()
      try write("title: spoken\nsections:\n" + sections, to: "spoken.yaml")
      try write("title: short\nsections: [{bars: 1}]\n", to: "short.yaml")
      let player = try play(server)
      let before = try player.memory()
      try open("spoken.yaml", "spoken", with: player)
      // Spoken is more than a song may have.
      #expect(
        eventually(within: .seconds(120)) {
          player.process.errorLines.contains { $0.contains("beyond the memory for a song's sounds") }
        })
      let calls = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/calls")).count
      let most = try player.mostMemory() - before
      let cache = "\(folder.path)/cache/tactus/speech"
      let kept = try FileManager.default.contentsOfDirectory(atPath: cache).reduce(0) { sum, name in
        sum + ((try FileManager.default.attributesOfItem(atPath: "\(cache)/\(name)")[.size] as? Int) ?? 0)
      }
      print(
        "memory: 300 texts of half a MB on disk, \(calls) spoken: \(most) kB, and \(kept / 1_000) kB kept on disk"
      )
      #expect(calls == 300)
      #expect(kept <= 64_000_000)
      #expect(most < 200_000)
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test func `Dated swings of the largest bar keep to the memory for dated changes`() async throws {
    try await JACKServer.run { server in
      let player = try play(server)
      try player.set("meter", .int32(99), .int32(1))
      try player.set("beat-unit", .int32(1), .int32(99))
      for parts in 2...9 { try player.set("subdivision/\(parts)", .float(1)) }
      let before = try player.mostMemory()
      let due = UInt64((Date().timeIntervalSince1970 + 2_208_988_800 + 2) * 4_294_967_296)
      // As many as a sender may have waiting, 20 ms apart.
      for index in 0..<64 {
        let swing = OSCBytes.message("/tactus/swing", Float(index + 1) / 100)
        player.send(raw: OSCBytes.bundle(at: due + UInt64(index) * 85_899_346, swing))
      }
      try player.answer("swing", within: .seconds(120)) {
        if case .float(let swing) = $0.arguments[0] { abs(swing - 0.64) < 0.001 } else { false }
      }
      let growth = try player.mostMemory() - before
      print("memory: 64 dated swings of a 99/1 bar in 99ths: \(growth) kB")
      #expect(growth < 200_000)
      #expect(try player.interrupt() == .exited(0))
    }
  }
}
