import Foundation
import OSC
import TestBench
import TestInTime
import Testing

/// Takes that are played through a real server, and what the practice log keeps of them.
@Suite(.serialized, .inTime) struct PracticeLogLiveTests {
  /// 600 beats a minute: each stroke is within 50 ms of a click.
  private static let interval: Int64 = 4_800
  private static let music = ["--fresh", "--tempo", "600", "--no-connect", "--hits"]

  /// Runs a command, and waits for its end.
  private func run(_ folder: Scratch, _ arguments: String...) throws -> Subprocess {
    let command = try Subprocess(
      Subprocess.built("tactus"), arguments, environment: ["HOME": folder.path, "XDG_DATA_HOME": ""])
    try command.waitForExit()
    return command
  }

  private func logPath(_ folder: Scratch) -> String { folder.path + "/.local/share/tactus/practice.sqlite" }

  /// The takes that the log of a folder lists.
  private func takes(_ folder: Scratch) throws -> [[String: Any]] {
    let text = try run(folder, "log", "export", "--json", "--hits").lines.joined(separator: "\n")
    guard !text.isEmpty else { return [] }
    return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
  }

  private func player(_ server: JACKServer, _ folder: Scratch, _ options: [String] = []) throws -> Player {
    let player = try Player(
      server: server, PracticeLogLiveTests.music + ["--stopped"] + options, folder: folder,
      environment: ["XDG_DATA_HOME": ""])
    try player.waitForConnection()
    return player
  }

  /// Plays strokes on a snare, and waits until they are told.
  private func play(_ machine: MIDIClient, _ process: Subprocess, _ count: Int64 = 20, reported: String)
    throws
  {
    let line = process.lines.count
    let first = machine.soon
    machine.send((0..<count).map { (first + PracticeLogLiveTests.interval * $0, [0x99, 38, 100]) })
    try machine.waitUntilSent()
    try process.waitForLine(containing: reported, from: line)
  }

  @Test func `A take is kept at the end, summed up, listed, exported and reported`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let tactus = try Subprocess(
        Subprocess.built("tactus"),
        ["play", "--plain", "--no-web", "--osc-port", "0", "--server", server.name]
          + PracticeLogLiveTests.music,
        environment: [
          "HOME": folder.path, "XDG_DATA_HOME": "", "XDG_STATE_HOME": folder.path, "XDG_RUNTIME_DIR": "",
        ])
      try tactus.waitForLine(containing: "beat 1")
      let machine = try MIDIClient(server: server)
      try machine.connect(to: "tactus:hits")
      try play(machine, tactus, reported: "beat 4")
      try tactus.waitForLine(containing: "beat 1", from: tactus.lines.count)
      tactus.signal(SIGINT)
      #expect(try tactus.waitForExit() == .exited(0))
      let summary = tactus.lines.first { $0.contains("Kept in") }
      #expect(summary?.hasPrefix("1 take, ") == true && summary?.contains(logPath(folder)) == true)

      let take = try #require(try takes(folder).first)
      #expect(take["hits"] as? Int == 20 && take["tempoLast"] as? Double == 600)
      #expect(take["meter"] as? String == "4/4" && take["sampleRate"] as? Int == 48_000)
      let began = try #require(take["unixMilliseconds"] as? Double) / 1_000
      #expect(abs(began - Date().timeIntervalSince1970) < 60)
      let hits = try #require(take["hitList"] as? [[String: Any]])
      #expect(hits.count == 20 && hits.allSatisfy { $0["drum"] as? String == "snare" })
      #expect(hits.last?["frame"] as? Int64 == 19 * PracticeLogLiveTests.interval)

      let list = try run(folder, "log", "--today").lines
      #expect(list.count == 3 && list[1].contains("metronome 4/4") && list[2].hasPrefix("1 take, "))
      let report = try run(folder, "report", folder.path + "/report.html")
      #expect(report.lines.first?.hasPrefix("written to ") == true)
      let page = try String(contentsOfFile: folder.path + "/report.html", encoding: .utf8)
      #expect(page.contains("Each hit over time") && !page.contains("http:") && !page.contains("https"))

      #expect(try run(folder, "log", "forget", "--all").errorLines.first?.contains("add --yes") == true)
      #expect(try takes(folder).count == 1)
      #expect(try run(folder, "log", "forget", "--take", "1", "--yes").lines == ["1 take forgotten"])
      #expect(try takes(folder).isEmpty)
    }
  }

  @Test func `If Tactus is killed in a take, only that take is lost`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let player = try player(server, folder)
      let machine = try MIDIClient(server: server)
      try machine.connect(to: "tactus:hits")
      player.send("start")
      try player.waitForBeat()
      try play(machine, player.process, reported: "\"event\":\"hit\"")
      player.send("stop")
      try player.process.waitForLine(containing: "\"event\":\"take\"")
      let deadline = Deadline.within(.seconds(20))
      while try takes(folder).isEmpty, !deadline.hasPassed {}
      let count = player.process.lines.count
      player.send("start")
      try player.process.waitForLine(containing: "\"event\":\"beat\"", from: count)
      try play(machine, player.process, reported: "\"event\":\"hit\"")
      player.process.signal(SIGKILL)
      try player.process.waitForExit()
      let kept = try takes(folder)
      // The stop may come before the last strokes are told.
      let hits = kept.first?["hits"] as? Int ?? 0
      #expect(kept.count == 1 && 1...20 ~= hits, "\(kept)")
    }
  }

  @Test(arguments: [true, false])
  func `Without a log nothing is written`(_ byOption: Bool) async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let player = try player(server, folder, byOption ? ["--no-log"] : [])
      if !byOption { try player.set("listen/log", .int32(0)) }
      let machine = try MIDIClient(server: server)
      try machine.connect(to: "tactus:hits")
      player.send("start")
      try player.waitForBeat()
      try play(machine, player.process, reported: "\"event\":\"hit\"")
      player.send("stop")
      try player.process.waitForLine(containing: "\"event\":\"take\"")
      #expect(try player.interrupt() == .exited(0))
      #expect(!FileManager.default.fileExists(atPath: logPath(folder)))
    }
  }

  @Test func `A log that cannot be written is reported, and the music goes on`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      try FileManager.default.createDirectory(
        atPath: logPath(folder), withIntermediateDirectories: true)
      let player = try player(server, folder)
      let machine = try MIDIClient(server: server)
      try machine.connect(to: "tactus:hits")
      player.send("start")
      try player.waitForBeat()
      try play(machine, player.process, reported: "\"event\":\"hit\"")
      player.send("stop")
      try player.process.waitForLine(containing: "\"event\":\"take\"")
      let count = player.process.lines.count
      player.send("start")
      try player.process.waitForLine(containing: "\"event\":\"beat\"", from: count)
      #expect(try player.interrupt() == .exited(0))
      #expect(player.process.errorLines.contains { $0.contains("is a folder, not a practice log") })
      #expect(player.process.errorLines.contains { $0.contains("1 take was not kept") })
    }
  }
}
