import CSndfile
import Foundation
import OSC
import TestBench
import TestInTime
import Testing

/// Takes that are recorded through a real server.
@Suite(.serialized, .inTime) struct RecordingLiveTests {
  /// 600 beats a minute: each stroke is within 50 ms of a click.
  private static let interval = 4_800
  private static let music = ["--fresh", "--tempo", "600", "--no-connect", "--sound", "square"]

  /// The channels of a FLAC file.
  private func channels(_ path: String) throws -> [[Float]] {
    var info = SF_INFO()
    guard let file = sf_open(path, Int32(SFM_READ), &info) else {
      throw BenchError("\(path): " + String(cString: sf_strerror(nil)))
    }
    defer { sf_close(file) }
    #expect(info.format & Int32(SF_FORMAT_TYPEMASK) == SF_FORMAT_FLAC && info.samplerate == 48_000)
    var samples = [Float](repeating: 0, count: Int(info.frames * Int64(info.channels)))
    #expect(sf_readf_float(file, &samples, info.frames) == info.frames)
    let count = Int(info.channels)
    return (0..<count).map { channel in
      stride(from: channel, to: samples.count, by: count).map { samples[$0] }
    }
  }

  /// Where sounds begin after silence.
  private func onsets(_ samples: [Float], after silence: Int = 1_000) -> [Int] {
    var found: [Int] = []
    var last = -silence
    for (frame, sample) in samples.enumerated() where abs(sample) > 1e-4 {
      if frame - last >= silence { found.append(frame) }
      last = frame
    }
    return found
  }

  private struct HitLine: Decodable {
    let milliseconds: Double
  }

  private func player(_ server: JACKServer, _ folder: Scratch, _ options: [String]) throws -> Player {
    let player = try Player(
      server: server, RecordingLiveTests.music + ["--stopped"] + options, folder: folder,
      environment: ["XDG_DATA_HOME": ""])
    try player.waitForConnection()
    return player
  }

  private func waitForFiles(_ folder: String, _ count: Int, _ player: Player) throws -> [String] {
    let deadline = Deadline.within(.seconds(20))
    while true {
      let files = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
      if files.count >= count { return files }
      guard !deadline.hasPassed else { throw BenchError("no \(count) files\n\(player.process.report)") }
      player.process.waitForChange(within: .milliseconds(200))
    }
  }

  @Test func `Click and strokes in a recording agree with the reported times; log and report name the file`()
    async throws
  {
    try await JACKServer.run { server in
      let folder = Scratch()
      let takes = folder.path + "/takes"
      let player = try player(server, folder, ["--listen", "trigger", "--record", takes])
      let drummer = try PulseClient(server: server, interval: RecordingLiveTests.interval)
      try drummer.client.connect(drummer.port, "tactus:listen")
      player.send("start")
      let deadline = Deadline.within(.seconds(20))
      while player.process.lines.count(where: { $0.contains("\"event\":\"hit\"") }) < 40 {
        guard !deadline.hasPassed else { throw BenchError(player.process.report) }
        player.process.waitForChange(within: .milliseconds(200))
      }
      player.send("stop")
      try player.process.waitForLine(containing: "\"event\":\"take\"")
      #expect(try player.interrupt() == .exited(0))

      let file = try #require(try waitForFiles(takes, 1, player).first)
      #expect(file.hasSuffix(" metronome.flac"))
      let channels = try channels("\(takes)/\(file)")
      #expect(channels.count == 2)
      let (clicks, strokes) = (onsets(channels[0]), onsets(channels[1]))
      #expect(clicks.count >= 40 && strokes.count >= 40)
      let reported = player.process.lines.filter { $0.contains("\"event\":\"hit\"") }.compactMap {
        try? JSONDecoder().decode(HitLine.self, from: Data($0.utf8))
      }
      let late = try #require(reported.first).milliseconds
      // Each stroke is as far from its click in the file as it was told. The click's first sample may be silent.
      let apart = clicks.dropFirst(2).dropLast(2).map { click in
        Double((strokes.min { abs($0 - click) < abs($1 - click) } ?? 0) - click) / 48
      }
      #expect(
        apart.allSatisfy { abs(abs($0) - abs(late)) <= 2.01 / 48 } || player.missedCycles,
        "\(late): \(apart)")

      let export = try Subprocess(
        Subprocess.built("tactus"), ["log", "export", "--json"],
        environment: ["HOME": folder.path, "XDG_DATA_HOME": ""])
      try export.waitForExit()
      let text = export.lines.joined(separator: "\n")
      let kept = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
      let take = try #require(kept.first)
      #expect((take["recording"] as? String)?.hasSuffix("/takes/\(file)") == true, "\(text)")
      #expect(take["recordingLost"] as? Double == 0 || player.missedCycles)
      // The take begins with a stroke.
      let begin = try #require(take["recordingSeconds"] as? Double) * 48_000
      #expect(strokes.contains { abs(Double($0) - begin) <= 1.01 } || player.missedCycles)
      let report = try Subprocess(
        Subprocess.built("tactus"), ["report", folder.path + "/report.html"],
        environment: ["HOME": folder.path, "XDG_DATA_HOME": ""])
      try report.waitForExit()
      let page = try String(contentsOfFile: folder.path + "/report.html", encoding: .utf8)
      #expect(page.contains(file))
    }
  }

  @Test func `Each start is a file of its own, none is overwritten, and the setting ends one`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let takes = folder.path + "/takes"
      let player = try player(server, folder, ["--hits", "--listen", "record", "--record", takes])
      for count in 1...3 {
        player.send("start")
        _ = try waitForFiles(takes, count, player)
        player.send("stop")
        player.send("playing")
        try player.answer("playing") { $0.arguments == [.int32(0)] }
      }
      try player.set("listen/record", .int32(0))
      player.send("start")
      try player.waitForBeat()
      player.send("stop")
      #expect(try player.interrupt() == .exited(0))
      #expect(try waitForFiles(takes, 3, player).count == 3)
    }
  }

  @Test func `A file that cannot grow causes a message, and the music goes on`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      // As on a disk that is full: no file of this process may become larger.
      let tactus = try Subprocess(
        "sh",
        [
          "-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\"", try Subprocess.built("tactus"), "play",
          "--plain", "--no-web", "--osc-port", "0", "--server", server.name, "--fresh", "--tempo", "600",
          "--sound", "tambourine", "--no-log", "--listen", "record", "--connect", "tactus:listen", "--record",
          folder.path + "/takes",
        ],
        environment: ["HOME": folder.path, "XDG_STATE_HOME": folder.path, "XDG_RUNTIME_DIR": ""])
      let deadline = Deadline.within(.seconds(20))
      while !tactus.errorLines.contains(where: { $0.contains("the recording ends here") }) {
        guard !deadline.hasPassed else { throw BenchError(tactus.report) }
        tactus.waitForChange(within: .milliseconds(200))
      }
      let count = tactus.lines.count
      try tactus.waitForLine(containing: "beat 4", from: count)
      tactus.signal(SIGINT)
      #expect(try tactus.waitForExit() == .exited(0))
      #expect(tactus.errorLines.count { $0.contains("the music goes on") } == 1)
      let file = try #require(
        try FileManager.default.contentsOfDirectory(atPath: folder.path + "/takes").first)
      var info = SF_INFO()
      let recorded = try #require(sf_open("\(folder.path)/takes/\(file)", Int32(SFM_READ), &info))
      defer { sf_close(recorded) }
      #expect(info.channels == 2)
      var frames = [Float](repeating: 0, count: 2 * 4_800)
      #expect(sf_readf_float(recorded, &frames, 4_800) == 4_800)
    }
  }

  @Test(arguments: [
    (["--record", "x"], "add --listen mic"),
    (["--listen", "mic", "--record", "/nowhere/at/all"], "must be a folder"),
    (
      ["--listen", (1...8).map { "d\($0):mic" }.joined(separator: ","), "--record", "/tmp"], "at most 7"
    ),
  ])
  func `What can't be recorded is refused with one sentence`(_ options: [String], _ sentence: String)
    async throws
  {
    try await JACKServer.run { server in
      let folder = Scratch()
      let process = try Subprocess(
        Subprocess.built("tactus"),
        ["play", "--plain", "--no-web", "--osc-port", "0", "--server", server.name] + options,
        environment: [
          "HOME": folder.path, "XDG_DATA_HOME": "", "XDG_STATE_HOME": folder.path, "XDG_RUNTIME_DIR": "",
        ])
      #expect(try process.waitForExit() == .exited(64))
      #expect(process.errorLines.contains { $0.contains(sentence) }, "\(process.report)")
    }
  }
}
