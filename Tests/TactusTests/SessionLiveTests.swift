import Foundation
import OSC
import TestBench
import TestInTime
import Testing

@Suite(.serialized, .inTime) struct SessionLiveTests {
  private static let document = """
    title: Live
    defaults: {tempo: 300, meter: 2/4}
    sections:
      - {name: A, bars: 4, label: a}
      - {name: B, until: next, label: b}
      - {name: C, bars: 100, label: c, colour: teal}
    """

  private func folder() throws -> Scratch {
    let folder = Scratch()
    for name in ["in", "tactus/sessions"] {
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
    }
    for name in [
      "in/a.yaml", "in/beside.yaml", "tactus/sessions/b.yaml", "tactus/sessions/.hidden.yaml", "out.yaml",
    ] {
      try SessionLiveTests.document.write(toFile: "\(folder.path)/\(name)", atomically: true, encoding: .utf8)
    }
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/tactus/sessions/link.yaml", withDestinationPath: "\(folder.path)/out.yaml")
    try "machine example.org password hunter2".write(
      toFile: "\(folder.path)/tactus/sessions/notes.yaml", atomically: true, encoding: .utf8)
    try "songs: [b.yaml, ../../out.yaml]".write(
      toFile: "\(folder.path)/tactus/sessions/set.yaml", atomically: true, encoding: .utf8)
    return folder
  }

  @Test func `Over OSC only what the session folder or the user offers is opened, and nothing is quoted`()
    async throws
  {
    try await JACKServer.run(period: 512) { server in
      let folder = try folder()
      let player = try Player(
        server: server, ["--fresh", "--no-connect", "--stopped", "\(folder.path)/in/a.yaml"], folder: folder,
        environment: ["XDG_DATA_HOME": folder.path])
      try player.waitForConnection()
      player.send("subscribe")
      try player.answer("song") { $0.arguments == [.int32(1), .int32(1), .string("Live")] }

      for name in [
        "../out.yaml", "\(folder.path)/in/beside.yaml", "beside.yaml", "link.yaml", "set.yaml", "none.yaml",
        ".",
        "a\u{1}", ".hidden.yaml", "notes.yaml",
      ] {
        let count = player.answers("error").count
        player.send("session", .string(name))
        try player.answer("error") { _ in player.answers("error").count > count }
      }
      #expect(player.answers("error").allSatisfy { !"\($0)".contains("hunter2") })
      // The user's own terminal has the whole of it.
      #expect(
        eventually {
          player.process.errorLines.contains { $0.contains("notes.yaml:1:") && $0.contains("hunter2") }
        })
      player.send("session", .string("a.yaml"))
      try player.answer("session") { message in
        if case .string(let path) = message.arguments.first { path.hasSuffix("/in/a.yaml") } else { false }
      }
      player.send("session", .string("b.yaml"))
      try player.answer("session") { message in
        if case .string(let path) = message.arguments.first {
          path.hasSuffix("/tactus/sessions/b.yaml")
        } else {
          false
        }
      }
      try player.answer("left") { $0.arguments == [.int32(2), .int32(-1)] }

      player.send("start")
      try player.answer("section") { $0.arguments == [.string("A"), .string(""), .int32(3), .int32(4)] }
      try player.answer("upcoming") { $0.arguments == [.string("C")] }
      try player.answer("left") { $0.arguments == [.int32(-1), .int32(-1)] }
      player.send("next")
      try player.answer("section") { $0.arguments.prefix(2) == [.string("C"), .string("teal")] }
      // 100 bars of 0.4 s, counted down second by second.
      for left in stride(from: 39, through: 37, by: -1) {
        try player.answer("left") { $0.arguments == [.int32(Int32(left)), .int32(Int32(left))] }
      }
      player.send("goto", .string("a"))
      try player.answer("section") { $0.arguments.first == .string("A") }
      player.send("hold", .int32(1))
      try player.answer("hold") { $0.arguments == [.int32(1)] }
      player.send("speed", .int32(50))
      try player.answer("speed") { $0.arguments == [.int32(50)] }
      player.send("tempo", .float(90))
      try player.answer("error") { $0.arguments.first == .string("/tactus/tempo") }
      player.send("pause")
      try player.answer("toggle") { $0.arguments == [.int32(0)] }
      player.send("resume")
      try player.answer("toggle") { $0.arguments == [.int32(1)] }
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test func `A document at which a run died is opened again by hand alone`() async throws {
    try await JACKServer.run(period: 512) { server in
      let folder = try folder()
      let path = "\(folder.path)/in/a.yaml"
      let options = ["--no-connect", "--stopped", "--name", "died"]
      // What a run leaves that dies while it opens the session of the last one.
      let state = "\(folder.path)/tactus/died.yaml"
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/tactus", withIntermediateDirectories: true)
      try "session: \(path)\n".write(toFile: state, atomically: true, encoding: .utf8)
      try path.write(toFile: state + ".opening", atomically: true, encoding: .utf8)

      let metronome = try Player(server: server, options, folder: folder)
      try metronome.waitForConnection()
      metronome.send("session")
      #expect(try metronome.answer("session").arguments == [.string("")])
      let reported = metronome.process.errorLines.filter { $0.contains(path) }
      #expect(reported.count == 1 && reported[0].hasSuffix("tactus play \(path) opens it"))
      metronome.process.signal(SIGKILL)
      _ = try metronome.process.waitForExit()
      #expect(FileManager.default.fileExists(atPath: state + ".opening"))

      let byHand = try Player(server: server, options + [path], folder: folder)
      try byHand.waitForConnection()
      byHand.send("subscribe")
      try byHand.answer("song") { $0.arguments == [.int32(1), .int32(1), .string("Live")] }
      #expect(try byHand.interrupt() == .exited(0))
      #expect(!FileManager.default.fileExists(atPath: state + ".opening"))
      #expect(try String(contentsOfFile: state, encoding: .utf8).contains("/in/a.yaml"))
    }
  }

  /// The bar of what `/tactus/section` tells; 0 if there is none.
  private func bar(of section: OSCMessage) -> Int32 {
    if section.arguments.count > 2, case .int32(let bar) = section.arguments[2] { bar } else { 0 }
  }

  @Test func `A session is offered again at its last position, stopped`() async throws {
    try await JACKServer.run(period: 512) { server in
      let folder = try folder()
      let options = ["--no-connect", "--name", "again"]
      let first = try Player(server: server, options + ["\(folder.path)/in/a.yaml"], folder: folder)
      try first.waitForBeat()
      first.send("subscribe")
      first.send("goto", .string("c"))
      try first.answer("section") { $0.arguments.first == .string("C") }
      try first.answer("section") { $0.arguments.first == .string("C") && bar(of: $0) >= 3 }
      #expect(try first.interrupt() == .exited(0))

      // Who plays the metronome in between leaves it there.
      let metronome = try Player(server: server, options + ["--tempo", "200"], folder: folder)
      try metronome.waitForBeat()
      #expect(try metronome.interrupt() == .exited(0))

      let second = try Player(server: server, options, folder: folder)
      try second.waitForConnection()
      second.send("subscribe")
      let stood = try second.answer("section") { $0.arguments.first == .string("C") && bar(of: $0) >= 3 }
      try second.answer("state") { $0.arguments == [.string("paused")] }
      try second.answer("toggle") { $0.arguments == [.int32(0)] }
      #expect(second.beats.isEmpty)
      second.send("start")
      try second.waitForBeat()
      try second.answer("section") { bar(of: $0) == bar(of: stood) + 1 }
      #expect(try second.interrupt() == .exited(0))

      // A document that is gone is said, and the metronome is there.
      try FileManager.default.removeItem(atPath: "\(folder.path)/in/a.yaml")
      let third = try Player(server: server, options + ["--stopped"], folder: folder)
      try third.waitForConnection()
      #expect(third.process.errorLines.contains { $0.contains("can no longer be read") })
      #expect(try third.interrupt() == .exited(0))
    }
  }

  @Test func `Each section is reported once as JSON, with the values of the OSC addresses`() async throws {
    try await JACKServer.run(period: 512) { server in
      let folder = try folder()
      let options = ["--fresh", "--no-connect", "--stopped", "\(folder.path)/in/a.yaml"]
      let player = try Player(server: server, options, folder: folder)
      try player.process.waitForLine(
        containing: #""event":"section","next":"B","section":"A","sectionElapsed":0,"sectionLeft":2"#)
      player.send("start")
      try player.process.waitForLine(
        containing: #""next":"C","section":"B","sectionElapsed":0,"song":1,"songElapsed":"#)
      player.send("next")
      try player.process.waitForLine(
        containing: #""bars":100,"colour":"teal","event":"section","next":"","section":"C","sectionEl"#)
      #expect(player.process.lines.count { $0.contains(#""event":"section""#) } == 3)
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test func `An endless session renders a day without growing`() throws {
    let folder = Scratch()
    let path = "\(folder.path)/endless.yaml"
    let text =
      "cycles: forever\nsections: [{time: 20 s, tempo: 171}, {time: 10 s, silent: true, cue: chime}]\n"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    let process = try Subprocess(
      try Subprocess.built("tactus"),
      ["render", path, "-o", "\(folder.path)/day.flac", "--sample-rate", "8000", "--bit-depth", "16"]
        + ["--duration", "24:00:00"])
    var sizes: [Int] = []
    while process.isRunning {
      let status = (try? String(contentsOfFile: "/proc/\(process.processID)/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS") }
      if let size = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) { sizes.append(size) }
      process.waitForChange(within: .milliseconds(10))
    }
    #expect(try process.waitForExit(within: .seconds(120)) == .exited(0), "\(process.report)")
    try #require(sizes.count > 20)
    let early = sizes[sizes.count / 5]
    print("a day of a session: \(early) kB after a fifth, at most \(sizes.max()!) kB")
    #expect(sizes.max()! - early < 1_000)
  }
}
