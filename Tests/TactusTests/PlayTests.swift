import Foundation
import OSC
import TestBench
import TestInTime
import Testing

@Suite(.serialized, .inTime) struct PlayTests {
  @Test func `Bars that are counted end by themselves when the last clip has sounded`() async throws {
    let music = [
      "--tempo", "300", "--meter", "2/4", "--subdivision", "9", "--sound", "hi-hat", "--bars", "3",
    ]
    let folder = Scratch()
    let path = "\(folder.path)/bars.wav"
    let rendering = try Subprocess(
      try Subprocess.built("tactus"), ["render", "-o", path, "--bit-depth", "32"] + music)
    #expect(try rendering.waitForExit() == .exited(0))
    let reference = try RenderedFile(path).samples
    try await JACKServer.run(period: 1_024) { server in
      let player = try Player(server: server, music + ["--fresh", "--no-connect", "--stopped"])
      let recorder = try RecorderClient(
        server: server, sources: ["tactus:out"], storage: .samples(capacity: 480_000))
      recorder.record()
      player.send("start")
      #expect(try player.process.waitForExit() == .exited(0))
      try recorder.pass(4_096)
      let heard = recorder.samples()
      let start =
        try #require(heard.firstIndex { $0 != 0 }) - (try #require(reference.firstIndex { $0 != 0 }))
      let astray = reference.indices.filter {
        heard[start + $0] != reference[$0] && !recorder.misses(start + $0)
      }
      #expect(astray == [])
      #expect(player.process.lines.contains { $0.contains("\"event\":\"finished\"") })

      let beats = player.beats
      // What should have begun in a cycle that the machine kept the player from isn't begun.
      let isWhole = !player.missedCycles
      #expect(beats.count == 3 * 2 * 9 || !isWhole)
      let first = try #require(beats.first)
      // 300 · 9 clicks a minute: 1066 2/3 frames.
      let places = (0..<54).map { first.frame + Int64((Double($0) * 3_200 / 3).rounded()) }
      #expect(Set(beats.map(\.frame)).isSubset(of: places))
      #expect(beats.filter { $0.role == "accent" }.map(\.bar) == [1, 2, 3] || !isWhole)
    }
  }

  @Test func `The JSON events say where Tactus can be reached`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let player = try Player(
        server: server, ["--fresh", "--osc-port", "0", "--name", "click"],
        environment: ["XDG_RUNTIME_DIR": folder.path])
      try player.waitForConnection()
      let line = try #require(player.process.lines.first { $0.contains("connected") })
      let reported = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(reported["client"] as? String == "click")
      #expect(reported["server"] as? String == server.name)
      #expect(reported["sampleRate"] as? Int == server.sampleRate)
      #expect(reported["socket"] as? String == "\(folder.path)/click@\(server.name).osc")
      let port = try #require(reported["port"] as? Int)
      #expect(reported["osc"] as? String == "osc.udp://127.0.0.1:\(port)/")
      player.app.send([OSCMessage("/tactus/tempo")], to: OSCPeer(url: "osc.udp://127.0.0.1:\(port)/")!)
      #expect(try player.answer("tempo").arguments == [.float(120)])
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test func `People are told what plays where, and that a server is back`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let start = { (options: [String]) in
        try Subprocess(
          try Subprocess.built("tactus"),
          ["play", "--server", server.name, "--osc-port", "0", "--stopped"] + options,
          environment: ["XDG_STATE_HOME": folder.path, "XDG_RUNTIME_DIR": folder.path])
      }
      var process = try start(["--tempo", "133.7", "--meter", "7/8"])
      try process.waitForLine(containing: "OSC listens on osc.udp://127.0.0.1:")
      #expect(process.lines.first == "133.7 in 7/8, role free")
      #expect(process.lines[1] == "JACK client 'tactus' at 48000 Hz on the JACK server '\(server.name)'")
      #expect(process.lines[3].hasSuffix(", \(folder.path)/tactus@\(server.name).osc"))
      server.kill()
      #expect(eventually { process.errorLines.contains { $0.contains("has gone") } })
      try server.restart()
      #expect(eventually { process.errorLines.contains("tactus: the JACK server is back, at 48000 Hz") })
      process.signal(SIGINT)
      #expect(try process.waitForExit() == .exited(0))

      process = try start([])
      try process.waitForLine(containing: "OSC listens")
      #expect(
        process.lines[0]
          == "133.7 in 7/8, role free, settings of the last run (--fresh: the defaults)")
      process.signal(SIGINT)
      #expect(try process.waitForExit() == .exited(0))
    }
  }

  @Test func `What people type for a tempo, a meter and no accents is what they mean`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      func firstLine(_ arguments: [String]) throws -> String? {
        let process = try Subprocess(
          try Subprocess.built("tactus"),
          arguments + ["--server", server.name, "--osc-port", "0", "--stopped", "--no-connect"],
          environment: ["XDG_STATE_HOME": folder.path, "XDG_RUNTIME_DIR": folder.path])
        try process.waitForLine(containing: "OSC listens")
        process.signal(SIGINT)
        #expect(try process.waitForExit() == .exited(0))
        return process.lines.first
      }
      #expect(try firstLine(["--fresh", "--bpm", "90"]) == "90 in 4/4, role free")
      #expect(try firstLine(["133.7", "--fresh"])?.hasPrefix("133.7 in 4/4, ") == true)
      #expect(try firstLine(["7/8", "--fresh"])?.hasPrefix("120 in 7/8, ") == true)
      #expect(try firstLine(["--fresh", "--meter", "7"])?.hasPrefix("120 in 7/4, ") == true)
      let state = "\(folder.path)/tactus/tactus.yaml"
      func saved() throws -> String { try String(contentsOfFile: state, encoding: .utf8) }
      _ = try firstLine(["--accents", "Xoxo"])
      #expect(try saved().contains("Xoxo"))
      _ = try firstLine(["--accents", ""])
      #expect(try !saved().contains("Xoxo"))
    }
  }

  @Test func `A port or sound that isn't there is named, and nothing plays`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      for (options, code) in [(["--sound", folder.path], 66), (["--connect", "nobody:in"], 69)] {
        let player = try Player(server: server, ["--fresh"] + options)
        #expect(try player.process.waitForExit() == .exited(Int32(code)))
        #expect(player.process.errorLines.joined().contains(options[1]))
        #expect(player.beats == [])
      }
    }
  }

  @Test func `A reader that leaves ends it`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let process = try Subprocess(
        "sh",
        [
          "-c", "\"$0\" play --fresh --server \"$1\" --osc-port 0 | head -n 1", Subprocess.built("tactus"),
          server.name,
        ],
        environment: ["XDG_STATE_HOME": folder.path, "XDG_RUNTIME_DIR": ""])
      #expect(try process.waitForExit() == .exited(0))
      #expect(process.lines.count == 1)
      #expect(process.errorLines == [])
    }
  }

  @Test(arguments: [("/dev/full", "No space left on device"), ("&-", nil)] as [(String, String?)])
  func `If no output can be written, the music goes on`(output: String, reported: String?) async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let began = ContinuousClock.now
      let process = try Subprocess(
        "sh",
        [
          "-c", "\"$0\" play --fresh --server \"$1\" --osc-port 0 --tempo 240 --bars 2 >\(output)",
          Subprocess.built("tactus"), server.name,
        ],
        environment: ["XDG_STATE_HOME": folder.path, "XDG_RUNTIME_DIR": ""])
      #expect(try process.waitForExit() == .exited(0))
      #expect(ContinuousClock.now - began > .seconds(2))
      let lines = process.errorLines.filter { $0.contains("output") }
      #expect(lines == (reported.map { ["tactus: output: \($0): continuing without it"] } ?? []))
    }
  }

  @Test func `A signal that ends Tactus interrupts none of its threads`() async throws {
    try await JACKServer.run { server in
      let player = try Player(server: server, ["--fresh", "--no-connect"])
      try player.waitForBeat()
      let ending: UInt64 = [SIGHUP, SIGINT, SIGTERM].reduce(0) { $0 | 1 << UInt64($1 - 1) }
      let folder = "/proc/\(player.process.processID)/task"
      let threads = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(threads.count > 5)
      let interrupted = try threads.filter {
        // One that has ended meanwhile is interrupted no more.
        guard let status = try? String(contentsOfFile: "\(folder)/\($0)/status", encoding: .utf8) else {
          return false
        }
        let blocked = try #require(
          status.firstMatch(of: /SigBlk:\s*(\w+)/).flatMap { UInt64($0.1, radix: 16) })
        return blocked & ending != ending
      }
      // The one that waits for them, while it does.
      #expect(interrupted.count <= 1)
      player.process.signal(SIGHUP)
      #expect(try player.process.waitForExit() == .exited(0))
    }
  }

  @Test func `Settings survive Ctrl-C, are left alone when fresh, and set aside when damaged`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let start = { (options: [String]) in
        let player = try Player(server: server, ["--stopped"] + options, folder: folder)
        try player.waitForConnection()
        return player
      }
      let state = "\(folder.path)/tactus/tactus.yaml"
      var player = try start([])
      try player.set("tempo", .float(133.5))
      try player.set("accents", .string("Xxox"))
      #expect(try player.interrupt() == .exited(0))

      player = try start([])
      player.send("tempo")
      #expect(try player.answer("tempo").arguments == [.float(133.5)])
      player.send("accents")
      #expect(try player.answer("accents").arguments == [.string("Xxox")])
      #expect(try player.interrupt() == .exited(0))

      let before = try String(contentsOfFile: state, encoding: .utf8)
      for number in 1...2 {
        player = try start(["--fresh", "--role", "lead-if-free"])
        player.send("tempo")
        #expect(try player.answer("tempo").arguments == [.float(120)])
        #expect(try player.interrupt() == .exited(0))
        #expect(try String(contentsOfFile: state, encoding: .utf8) == before)

        player = try start(["--fresh"])
        try player.set("tempo", .float(99))
        #expect(try player.interrupt() == .exited(0))
        let backup = state + ".before-fresh" + (number == 1 ? "" : "-2")
        #expect(try String(contentsOfFile: backup, encoding: .utf8) == before)
        #expect(try String(contentsOfFile: state, encoding: .utf8).contains("tempo: 99"))
        try before.write(toFile: state, atomically: true, encoding: .utf8)
      }

      try "tempo: [fast".write(toFile: state, atomically: true, encoding: .utf8)
      player = try start([])
      player.send("tempo")
      #expect(try player.answer("tempo").arguments == [.float(120)])
      #expect(try player.interrupt() == .exited(0))
      #expect(player.process.errorLines.joined().contains("tactus.yaml.damaged"))
      let kept = try String(contentsOfFile: state + ".damaged", encoding: .utf8)
      #expect(kept == "tempo: [fast")
    }
  }
}
