import Foundation
import OSCControl
import TestBench
import Testing

@Suite(.serialized) struct KeyboardTests {
  @Test func `Keys steer the metronome, and quitting leaves the terminal as it was`() async throws {
    try await JACKServer.run { server in
      let terminal = try Terminal()
      let player = try Player(server: server, ["--fresh", "--no-connect", "--stopped"], on: terminal)
      try player.process.waitForLine(containing: "? shows the keys")
      #expect(eventually { terminal.isRaw })
      player.send("subscribe")
      try player.answer("tempo")
      // An arrow key is none of ours, though it ends in a letter.
      terminal.type("\u{1B}[N")
      for (keys, tempo) in [("+++", 123), ("-", 122), ("=_-", 121)] as [(String, Float)] {
        terminal.type(keys)
        try player.answer("tempo") { $0.arguments == [.float(tempo)] }
      }
      for playing: Int32 in [1, 0] {
        terminal.type(" ")
        try player.answer("toggle") { $0.arguments == [.int32(playing)] }
      }
      terminal.type("h")
      #expect(eventually { player.process.errorLines.contains { $0.contains("session none") } })
      terminal.type("?")
      try player.process.waitForLine(containing: "tap the tempo")
      terminal.type("q")
      #expect(try player.process.waitForExit() == .exited(0))
      #expect(!terminal.isRaw)
    }
  }

  @Test func `Keys go through a session`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let song = "\(folder.path)/song.yaml"
      let sections = ["one", "two"].map { "  - {name: \($0), bars: 100, tempo: 120}\n" }.joined()
      try "sections:\n\(sections)".write(toFile: song, atomically: true, encoding: .utf8)
      let terminal = try Terminal()
      let player = try Player(
        server: server, [song, "--fresh", "--no-connect", "--stopped"], on: terminal)
      try player.process.waitForLine(containing: "? shows the keys")
      player.send("subscribe")
      try player.answer("speed")
      terminal.type("++-")
      try player.answer("speed") { $0.arguments == [.int32(105)] }
      terminal.type("n")
      try player.answer("section") { $0.arguments.first == .string("two") }
      try player.answer("left") { $0.arguments == [.int32(191), .int32(191)] }
      // Where it waits is to be seen, and stays so when other lines come.
      terminal.type("??")
      try player.process.waitForLine(containing: "song · two · 100 bars · 3:11 · 105 %  stopped")
      terminal.type("p")
      try player.answer("section") { $0.arguments.first == .string("one") }
      for held: Int32 in [1, 0] {
        terminal.type("h")
        try player.answer("hold") { $0.arguments == [.int32(held)] }
      }
      for playing: Int32 in [1, 0] {
        terminal.type(" ")
        try player.answer("toggle") { $0.arguments == [.int32(playing)] }
      }
      #expect(try player.interrupt() == .exited(0))
      #expect(!terminal.isRaw)
    }
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGQUIT, SIGSEGV])
  func `A signal that ends it leaves the terminal as it was`(signal: Int32) async throws {
    try await JACKServer.run { server in
      let terminal = try Terminal()
      let player = try Player(
        server: server, ["--fresh", "--no-connect"], environment: ["SWIFT_BACKTRACE": "enable=no"],
        on: terminal)
      #expect(eventually { terminal.isRaw })
      player.process.signal(signal)
      let isOurs = [SIGTERM, SIGHUP].contains(signal)
      #expect(try player.process.waitForExit() == (isOurs ? .exited(0) : .signalled(signal)))
      #expect(!terminal.isRaw)
    }
  }

  @Test func `Stopped it gives the terminal back, and takes it again when it goes on`() async throws {
    try await JACKServer.run { server in
      let terminal = try Terminal()
      let player = try Player(server: server, ["--fresh", "--no-connect"], on: terminal)
      for _ in 1...2 {
        #expect(eventually { terminal.isRaw })
        player.process.signal(SIGTSTP)
        #expect(eventually { player.state == "T" })
        #expect(!terminal.isRaw)
        player.process.signal(SIGCONT)
      }
      #expect(eventually { terminal.isRaw && player.state == "S" })
      terminal.type("q")
      #expect(try player.process.waitForExit() == .exited(0))
      #expect(!terminal.isRaw)
    }
  }
}

extension Player {
  /// The state of the process as the kernel names it: T is stopped.
  fileprivate var state: String {
    let text = (try? String(contentsOfFile: "/proc/\(process.processID)/stat", encoding: .utf8)) ?? ""
    return text.split(separator: ")").last?.split(separator: " ").first.map(String.init) ?? ""
  }
}
