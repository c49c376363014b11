import Foundation
import OSC
import Synchronization
import TestBench
import TestInTime
import Testing

@Suite(.serialized, .inTime) struct PanelLiveTests {
  @Test func `Each key of the metronome acts, and the screen shows it`() async throws {
    try await JACKServer.run { server in
      let player = try PanelPlayer(server: server, ["--stopped"])
      try player.waitForPanel()
      try player.press(" ", showing: "▶ playing")
      try player.press(" ", showing: "■ stopped")
      // The tempo has the focus. In text digits it can be read.
      try player.terminal.resize(columns: 30, rows: 8)
      try player.terminal.waitFor("› 120  4/4")
      for (key, tempo) in [
        ("Up", "121"), ("Right", "131"), ("S-Up", "131.1"), ("Down", "130.1"), ("Left", "120.1"),
        ("S-Down", "120"), ("S-Right", "120.1"), ("S-Left", "120"),
      ] { try player.press(key, showing: "› \(tempo)  4/4") }
      try player.press("7", "/", "9", "BSpace", "8", showing: "meter 7/8_")
      try player.press("Enter", showing: "› 120  7/8")
      try player.press("5", "/", "Enter", showing: "› 120  5/8")
      try player.press("9", "3", ".", "5", "Enter", showing: "› 93.5  5/8")
      try player.press("+", "-", "-", showing: "› 92.5  5/8")
      try player.press(":", "t", "e", "m", "p", "o", "Space", "1", "2", "0", "Enter", showing: "› 120  5/8")
      try player.press("9", "Escape", showing: "› 120  5/8")
      // What is refused stays to be mended, and control and space start and stop meanwhile.
      for key in [":", "t", "e", "m", "p", "o", "Space", "9", "2", ",", "5"] { try player.terminal.type(key) }
      try player.press("Enter", showing: "! tempo '92,5'")
      try player.press("BSpace", showing: ":tempo 92,_")
      try player.press("C-Space", showing: "▶ playing")
      try player.press("C-Space", showing: "■ stopped")
      try player.press("BSpace", ".", "5", "Enter", showing: "› 92.5  5/8")
      try player.press("1", "2", "0", "Enter", showing: "› 120  5/8")

      try player.terminal.resize(columns: 80, rows: 24)
      try player.press("Tab", showing: "› 2 a beat")
      try player.press("Right", "Up", "S-Up", "S-Up", showing: "11.2 %")
      try player.press("Tab", showing: "› 3 a beat")
      try player.press("BTab", "BTab", "BTab", showing: "› cue")
      try player.press("Left", "Down", showing: "89 %")
      try player.press("m", showing: "MUTED")
      try player.press("m", showing: "sine")
      try player.terminal.waitForScreen { !$0.contains { $0.contains("MUTED") } }
      try player.press("g", showing: "gap 1+1")
      try player.press("g", showing: "sine")
      try player.terminal.waitForScreen { !$0.contains { $0.contains("gap 1+1") } }
      try player.press("l", showing: "move a control: volume/cue")
      try player.press("l", showing: "MIDI 0 learned")
      try player.insist("h", showing: "! no session is open")
      try player.press(":", "s", "a", "v", "e", "Space", "A", "Enter", showing: "preset A")
      try player.press("v", showing: "n next")
      try player.press("v", showing: "1  A, 120 in 5/8")
      try player.press("v", showing: "2 a beat")
      try player.press("?", showing: "tap the tempo")
      try player.press("?", showing: "2 a beat")
      try player.insist("s", showing: "saving the settings")
      let state = player.folder.path + "/tactus"
      #expect(eventually { (try? FileManager.default.contentsOfDirectory(atPath: state))?.isEmpty == false })

      // At some 60 beats a minute, whatever the machine makes of it.
      try player.terminal.resize(columns: 30, rows: 8)
      try player.terminal.waitFor("120  5/8")
      for _ in 1...4 {
        try player.terminal.type("t")
        pause(.milliseconds(900))
      }
      try player.terminal.waitForScreen { screen in
        screen.contains { row in
          row.split(separator: " ").compactMap { Double($0) }.contains { 40..<75 ~= $0 }
        }
      }
      try player.terminal.resize(columns: 80, rows: 24)
      try player.terminal.type("q")
      let (code, damage) = try player.waitForEnd()
      #expect(code == 0)
      #expect(damage == [])
    }
  }

  @Test func `The keys go through a session, and the screen tells how far it is`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let song = "\(folder.path)/song.yaml"
      let sections = ["one", "two"].map { "  - {name: \($0), bars: 100, tempo: 120, meter: 3/4}\n" }.joined()
      try "sections:\n\(sections)".write(toFile: song, atomically: true, encoding: .utf8)
      let player = try PanelPlayer(server: server, [song, "--stopped"])
      try player.waitForPanel()
      try player.terminal.waitFor("then two")
      #expect(try player.terminal.screen.joined().contains("3/4"))
      try player.press("Up", "Right", showing: "speed 111 %")
      try player.press("n", showing: "two · 100 bars")
      try player.press("p", showing: "one · 100 bars")
      try player.press("h", showing: "held")
      try player.press(" ", showing: "bar 1 of 100")
      try player.press(" ", showing: "‖ paused")
      try player.insist("N", showing: "! there is no other song")
      // The pattern is the document's: the volumes come after the speed.
      try player.press("Tab", showing: "› mix")
      try player.press("q", showing: "after ")
    }
  }

  private static let sizes = [(20, 5), (40, 12), (80, 24), (120, 40), (200, 60)]

  @Test func `At every size accents, choices and controllers are set with keys`() async throws {
    try await JACKServer.run { server in
      let player = try PanelPlayer(server: server, ["--stopped"])
      try player.waitForPanel()
      for (columns, rows) in PanelLiveTests.sizes {
        try player.terminal.resize(columns: columns, rows: rows)
        try player.terminal.waitForScreen { $0.count == rows && $0[0].contains("stopped") }
        try player.press("a", showing: "beat 1: accent")
        try player.press("Right", "Up", showing: "beat 2: soft")
        try player.press("X", showing: "beat 3: beat")
        try player.press("Left", showing: "beat 2: accent")
        try player.press("BSpace", showing: "beat 2: beat")
        try player.press("Left", "Tab", showing: "beat unit of the")
        try player.press("Tab", showing: "groups none")
        try player.press("Up", showing: "groups 2+2")
        try player.press("Down", "Tab", showing: "gap none")
        try player.press("Up", "Up", showing: "gap 1+2")
        try player.press("g", "Tab", showing: "sound sine")
        try player.press("Tab", showing: "profile full")
        try player.press("L", showing: "MIDI, 0 learned")
        try player.press("r", "e", "s", "t", "a", "r", "t", showing: "› restart")
        try player.press("Enter", showing: "move a control")
        try player.press("Escape", showing: "move a control to")
        try player.press("Escape", showing: "MIDI, 0 learned  t")
        try player.press("Escape", showing: "stopped")
        try player.press("Escape", showing: "JACK")
      }
      try player.press("q", showing: "after ")
    }
  }

  @Test
  func `At every size keys go through the list, recall presets, open a document and go to its sections`()
    async throws
  {
    try await JACKServer.run { server in
      let player = try PanelPlayer(server: server, ["--stopped"])
      try player.waitForPanel()
      let folder = player.folder.path + "/.local/share/tactus/sessions"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let sections = ["one", "two"].map { "  - {name: \($0), bars: 100, tempo: 120}\n" }.joined()
      try "title: Gig\nsections:\n\(sections)".write(
        toFile: folder + "/gig.yaml", atomically: true, encoding: .utf8)
      for name in ["A", "B"] {
        try player.press(":", "s", "a", "v", "e", "Space", name, "Enter", showing: "preset \(name)")
      }
      for (columns, rows) in PanelLiveTests.sizes {
        try player.resize(columns: columns, rows: rows)
        try player.press("v", "v", showing: "› ▶ 2  B, 120")
        try player.press("Up", showing: "›   1  A")
        try player.press("Enter", showing: "› ▶ 1  A")
        try player.press("Down", "Enter", showing: "› ▶ 2  B")
        try player.press("PPage", showing: "›   1  A")
        try player.press("NPage", showing: "›   Gig, ")
        try player.press("Enter", showing: "› ▶ one, 100")
        try player.press("Down", "Enter", showing: "› ▶ two, 100")
        try player.press("Space", showing: "▶ playing")
        try player.press("Tab", showing: "› ▶ Gig, ")
        try player.press("Enter", showing: "A session")
        try player.press("Escape", "Space", showing: "‖ paused")
        try player.press(":", "c", "l", "o", "s", "e", "Enter", showing: "› ▶ 2  B")
        try player.press("v", showing: "JACK")
      }
      try player.press("q", showing: "after ")
    }
  }

  @Test func `A fader that must be picked up says which way to move it`() async throws {
    try await JACKServer.run { server in
      let fader = try MIDIClient(server: server, name: "fader")
      let player = try PanelPlayer(server: server, ["--stopped"])
      try player.waitForPanel()
      try fader.connect(to: "tactus:control")
      for key in [":", "l", "e", "a", "r", "n", "Space", "v", "o", "l", "u", "m", "e"] {
        try player.terminal.type(key)
      }
      try player.press("Enter", showing: "move a control: volume")
      fader.send(0xB0, 7, 64, at: fader.soon)
      try player.terminal.waitFor("MIDI 1 learned")
      fader.send(0xB0, 7, 10, at: fader.soon)
      try player.terminal.waitFor("volume: move up to 100 % (at 8 %)")
      fader.send(0xB0, 7, 64, at: fader.soon)
      try player.terminal.waitFor("volume: move up to 100 % (at 50 %)")
      // It says so for a while, and no longer once the fader has met the value.
      try player.terminal.waitForScreen { !$0.contains { $0.contains("move up") } }
      fader.send(0xB0, 7, 90, at: fader.soon)
      try player.terminal.waitFor("volume: move up")
      fader.send(0xB0, 7, 127, at: fader.soon)
      fader.send(0xB0, 7, 64, at: fader.soon)
      try player.terminal.waitForScreen { screen in
        screen.contains { $0.contains("  mix ") && $0.hasSuffix(" 50.4 %") }
          && !screen.contains { $0.contains("move up") }
      }
      try player.press("q", showing: "after ")
    }
  }

  @Test func `At every size the mouse moves the tempo, and clicks set beats and faders`() async throws {
    try await JACKServer.run { server in
      let player = try PanelPlayer(server: server, ["--stopped"])
      try player.waitForPanel()
      try #require(eventually { (try? player.terminal.state("#{mouse_any_flag}")) == "1" })
      for (columns, rows) in PanelLiveTests.sizes {
        let before = try player.resize(columns: columns, rows: rows)
        let digits = 1...(rows < 8 ? 1 : 6)
        try player.terminal.mouse(64, row: rows < 8 ? 1 : 2, column: 3)
        try player.terminal.waitForScreen { $0.count == rows && $0[digits] != before[digits] }
      }
      try player.terminal.resize(columns: 30, rows: 8)
      try player.terminal.waitFor("› 125  4/4")
      try player.terminal.mouse(65, row: 1, column: 3)
      try player.terminal.waitFor("› 124  4/4")

      // The third beat's box, of any size.
      let box = /│ +3 +│|│ +3│/
      for (columns, rows) in PanelLiveTests.sizes.dropFirst(2) {
        try player.resize(columns: columns, rows: rows)
        // The last row may be drawn before the gauge is complete.
        let screen = try player.terminal.waitForScreen { $0.contains { $0.contains(/mix +█+ +100 %$/) } }
        let row = try #require(screen.firstIndex { $0.contains(box) })
        let column = try #require(Array(screen[row]).firstIndex(of: "3"))
        try player.terminal.mouse(0, row: row, column: column)
        try player.terminal.waitFor("◦ 3")
        try player.press("BSpace", showing: "  3")
        try player.terminal.waitForScreen { !$0.contains { $0.contains("◦ 3") } }
        let mix = try #require(screen.firstIndex { $0.contains("  mix ") })
        let line = Array(screen[mix])
        let gauge = try #require(line.lastIndex(of: "█"))
        let start = try #require(line[..<gauge].lastIndex { $0 != "█" }) + 1
        try player.terminal.mouse(0, row: mix, column: start)
        try player.terminal.waitForScreen { $0.contains { $0.contains("› mix") && $0.hasSuffix("off") } }
        try player.terminal.mouse(0, row: mix, column: gauge)
        try player.terminal.waitForScreen { $0.contains { $0.contains("› mix") && $0.hasSuffix("100 %") } }
        try player.press("a", showing: "beat 3: beat")
      }
      // Left to the terminal, it does nothing here.
      for key in [":", "m", "o", "u", "s", "e", "Space", "o", "f", "f", "Enter"] {
        try player.terminal.type(key)
      }
      #expect(eventually { (try? player.terminal.state("#{mouse_any_flag}")) == "0" })
      for key in [":", "m", "o", "u", "s", "e", "Enter"] { try player.terminal.type(key) }
      #expect(eventually { (try? player.terminal.state("#{mouse_any_flag}")) == "1" })
      // What tmux keeps of the other screen is mixed up where the size is not that of the start.
      try player.resize(columns: 80, rows: 24)
      try player.terminal.type("q")
      let (code, damage) = try player.waitForEnd()
      #expect(code == 0 && damage == [], "\(damage)")
    }
  }

  @Test func `The panel goes on after whatever the mouse does`() async throws {
    try await JACKServer.run { server in
      let player = try PanelPlayer(server: server, ["--tempo", "900"])
      try player.waitForPanel()
      try #require(eventually { (try? player.terminal.state("#{mouse_any_flag}")) == "1" })
      func bar() throws -> Int {
        let text = try player.terminal.screen.joined(separator: "\n")
        return text.firstMatch(of: /bar ([0-9]+)/).flatMap { Int($0.1) } ?? 0
      }
      // A click and its release, the other buttons, a wheel to the side, and one that no terminal has.
      for button: UInt8 in [0, 1, 2, 66, 67, 128] {
        try player.terminal.mouse(button, row: 0, column: 20)
        let before = try bar()
        try player.terminal.waitForScreen { _ in ((try? bar()) ?? 0) > before + 1 }
      }
      try player.terminal.type("q")
      let (code, damage) = try player.waitForEnd()
      #expect(code == 0 && damage == [], "\(damage)")
    }
  }

  @Test func `Clicks count during any number of resize signals`() async throws {
    try await JACKServer.run { server in
      let player = try PanelPlayer(server: server, ["--stopped"])
      try player.waitForPanel()
      let process = try player.processID
      let screen = try player.terminal.screen
      let mix = try #require(screen.firstIndex { $0.contains("  mix ") })
      let line = Array(screen[mix])
      let gauge = try #require(line.lastIndex(of: "█"))
      let start = try #require(line[..<gauge].lastIndex { $0 != "█" }) + 1
      let signals = try Subprocess("sh", ["-c", "while kill -WINCH \(process); do sleep 0.02; done"])
      for _ in 1...4 {
        for (column, text) in [(start, "off"), (gauge, "100 %")] {
          try player.terminal.mouse(0, row: mix, column: column)
          try player.terminal.waitForScreen { $0.contains { $0.contains("› mix") && $0.hasSuffix(text) } }
        }
      }
      signals.signal(SIGTERM)
      try signals.waitForExit()
      try player.terminal.type("q")
      let (code, damage) = try player.waitForEnd()
      #expect(code == 0 && damage == [], "\(damage)")
    }
  }

  @Test func `A click on a section of the list goes there, and an edited document is read while it plays`()
    async throws
  {
    try await JACKServer.run { server in
      let folder = Scratch()
      let song = "\(folder.path)/song.yaml"
      func write(_ names: String...) throws {
        let sections = names.map { "  - {name: \($0), bars: 100, tempo: 120}\n" }.joined()
        try "sections:\n\(sections)".write(toFile: song, atomically: true, encoding: .utf8)
      }
      try write("one", "two")
      let player = try PanelPlayer(server: server, [song, "--stopped"])
      try player.waitForPanel()
      try player.press("v", "v", showing: "▶ one, 100 bars")
      let screen = try player.terminal.screen
      let row = try #require(screen.firstIndex { $0.contains("two, 100 bars") })
      try player.terminal.mouse(0, row: row, column: 6)
      try player.terminal.waitFor("▶ two, 100 bars")
      try player.press("Space", showing: "▶ playing")
      try write("one", "two", "three")
      try player.press("R", showing: "three, 100 bars")
      #expect(try player.terminal.screen[0].contains("▶ playing"))
      try "sections: [\n".write(toFile: song, atomically: true, encoding: .utf8)
      try player.press("R", showing: "song.yaml:2:1")
      #expect(try player.terminal.screen[0].contains("▶ playing"))
      try player.press("q", "q", showing: "after ")
    }
  }

  @Test func `At every size a coach's lines are seen, in every view`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let song = "\(folder.path)/climb.yaml"
      try """
      sections:
        - name: Climb
          tempo: {from: 80, to: 140}
          advance: {when: {spread: 12 ms, bars: 8}, by: 4}
      """.write(toFile: song, atomically: true, encoding: .utf8)
      // Nobody plays: the coach waits for the first stroke.
      let player = try PanelPlayer(server: server, [song, "--hits"])
      try player.waitForPanel()
      for (columns, rows) in PanelLiveTests.sizes {
        try player.terminal.resize(columns: columns, rows: rows)
        try player.terminal.waitForScreen { $0.count == rows && $0.contains { $0.contains("1/8: play") } }
        if rows >= 12 {
          try player.terminal.waitFor("goal 8 bars: spread 12 ms")
          try player.terminal.waitFor("then 84 BPM, step 1/16")
        }
        // On stage large letters say it; there is no small text of the coach then.
        try player.press("v", showing: rows < 8 ? "Climb" : "n next")
        if rows == 12 { try player.terminal.waitFor("goal 8 bars: spread 12 ms") }
        try player.press("v", showing: "▶ Climb")
        try player.press("v", showing: "1/8: play")
      }
      try player.press("q", "q", showing: "after ")
    }
  }

  @Test func `A practice log that can't be written is told on the panel, and beside it when that has gone`()
    async throws
  {
    try await JACKServer.run { server in
      let data = Scratch()
      try FileManager.default.createDirectory(
        atPath: data.path + "/tactus/practice.sqlite", withIntermediateDirectories: true)
      let player = try PanelPlayer(
        server: server, ["--hits", "--tempo", "600"], columns: 120,
        environment: ["XDG_DATA_HOME": data.path])
      try player.waitForPanel()
      let machine = try MIDIClient(server: server)
      try machine.connect(to: "tactus:hits")
      let first = machine.soon
      machine.send((0..<20).map { (first + 4_800 * $0, [0x99, 38, 100]) })
      try machine.waitUntilSent()
      try player.terminal.waitFor("20 hits")
      try player.press("Space", showing: "is a folder, not a practice log")
      #expect(try player.terminal.screen.allSatisfy { !$0.contains("tactus: ") })
      try player.press("q", showing: "after ")
      try player.terminal.waitFor("1 take was not kept in the practice log")
    }
  }

  @Test func `Keys save a song's nudge, silence bars and repeat bars`()
    async throws
  {
    try await JACKServer.run { server in
      let folder = Scratch()
      let song = "\(folder.path)/song.yaml"
      try "title: Slow one # keep\nsections:\n  - {name: one, bars: 100, tempo: 120}\n"
        .write(toFile: song, atomically: true, encoding: .utf8)
      let player = try PanelPlayer(server: server, [song])
      try player.waitForPanel()
      try player.insist("S", showing: "! this song's tempo was not moved")
      try player.press("S-Up", "S-Up", showing: "speed 100 %, +2 BPM")
      try player.press("S", showing: "saved the song's tempo in its document")
      #expect(
        try String(contentsOfFile: song, encoding: .utf8)
          == "title: Slow one # keep\nnudge: 2\nsections:\n  - {name: one, bars: 100, tempo: 120}\n")
      #expect(try player.terminal.screen[0].contains("▶ playing"))
      try player.press("g", showing: "SILENT")
      try player.press("g", showing: "one · bar")
      try player.terminal.waitForScreen { !$0.contains { $0.contains("SILENT") || $0.contains("gap 1+1") } }
      try player.press("B", showing: "loop")
      try player.press("B", showing: "loop")
      try player.press("B", showing: "one · bar")
      try player.press("q", "q", showing: "after ")
    }
  }

  @Test func `A resize redraws, and a narrow window stays readable`() async throws {
    try await JACKServer.run { server in
      let player = try PanelPlayer(server: server, ["--tempo", "133.7", "--meter", "7/8"])
      try player.waitForPanel()
      try player.terminal.waitFor("┃")
      for (columns, rows) in [(20, 5), (200, 60), (40, 12), (33, 30), (120, 9), (20, 5)] {
        try player.terminal.resize(columns: columns, rows: rows)
        let screen = try player.terminal.waitForScreen { screen in
          screen.first?.contains("▶ playing") == true && screen.count == rows
            && screen.contains { $0.contains("7/8") } && screen.contains { $0.contains("JACK") }
            && screen.contains {
              $0.contains("●") || $0.contains("◆") || $0.contains("┃") || $0.contains("█")
            }
        }
        #expect(screen.allSatisfy { $0.count <= columns })
      }
      // Smaller than anything can be read in.
      try player.terminal.resize(columns: 3, rows: 2)
      try player.terminal.resize(columns: 80, rows: 24)
      try player.terminal.waitFor("2 a beat")
      try player.press("q", showing: "after ")
    }
  }

  @Test(arguments: [nil, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT, SIGILL, SIGTRAP] as [Int32?])
  func `However Tactus ends, the terminal is restored`(signal: Int32?) async throws {
    try await JACKServer.run { server in
      let player = try PanelPlayer(server: server)
      try player.waitForPanel()
      #expect(try player.hasTerminal)
      if let signal { kill(try player.processID, signal) } else { try player.terminal.type("q") }
      let (code, damage) = try player.waitForEnd()
      #expect(damage == [])
      let isOurs = signal == nil || [SIGINT, SIGTERM, SIGHUP].contains(signal)
      #expect(code == (isOurs ? 0 : 128 + Int(signal!)))
    }
  }

  @Test func `A stopped Tactus restores the terminal, and takes it again when it continues`() async throws {
    try await JACKServer.run { server in
      let player = try PanelPlayer(server: server, after: "read line; fg; echo again")
      try player.waitForPanel()
      try player.terminal.type("C-z")
      // 148: stopped by SIGTSTP.
      let (code, damage) = try player.waitForEnd()
      #expect(code == 148)
      #expect(damage == [])
      try player.terminal.type("Enter")
      try player.waitForPanel()
      #expect(try player.hasTerminal)
      try player.press("q", showing: "again")
      #expect(try !player.hasTerminal)
    }
  }

  @Test func `The panel reports the loss of the server, and the terminal is restored at the end`()
    async throws
  {
    try await JACKServer.run { server in
      let player = try PanelPlayer(server: server)
      try player.waitForPanel()
      server.kill()
      try player.terminal.waitFor("waiting for it")
      try player.terminal.waitFor("no server, xruns")
      // The keys act meanwhile.
      try player.press("m", showing: "MUTED")
      try server.restart()
      try player.terminal.waitForScreen { !$0.joined().contains("waiting for it") }
      server.kill()
      try player.terminal.waitFor("waiting for it")
      try player.terminal.type("q")
      let (code, damage) = try player.waitForEnd()
      #expect(code == 0)
      #expect(damage == [])
    }
  }

  @Test(arguments: ["", "1"])
  func `Colours are left out where nobody wants them`(noColor: String) async throws {
    try await JACKServer.run { server in
      let player = try PanelPlayer(server: server, environment: ["NO_COLOR": noColor])
      try player.waitForPanel()
      // SGR 30 to 37.
      let isColoured = {
        (try? player.terminal.styledScreen.joined().contains(/\u{1B}\[[0-9;]*3[0-7]m/)) == true
      }
      if noColor.isEmpty {
        #expect(eventually(isColoured))
      } else {
        try player.terminal.waitFor("q quit")
        #expect(!isColoured())
      }
      try player.press("q", showing: "after ")
    }
  }

  @Test func `Where there is no Unicode it draws with ASCII`() async throws {
    try await JACKServer.run { server in
      let player = try PanelPlayer(server: server, environment: ["LC_ALL": "C"])
      try player.waitForPanel()
      let screen = try player.terminal.waitFor("> playing")
      #expect(screen.utf8.allSatisfy { $0 < 128 })
      #expect(try player.terminal.screen.joined().utf8.allSatisfy { $0 < 128 })
      try player.press("q", showing: "after ")
    }
  }

  @Test(arguments: [["--plain"], []])
  func `Asked for plain lines, or where it can't draw, it gives a line a beat`(options: [String]) async throws
  {
    try await JACKServer.run { server in
      let player = try PanelPlayer(
        server: server, options + ["--bars", "2", "--tempo", "400"],
        term: options.isEmpty ? "dumb" : nil)
      let (code, damage) = try player.waitForEnd()
      #expect(code == 0)
      #expect(damage == [])
      let lines = try player.terminal.screen.filter { $0.hasPrefix("bar ") }
      #expect(lines.first == "bar 1  beat 1  ●")
      #expect(lines.count == 8)
    }
  }

  @Test(arguments: [[], ["--quiet"]])
  func `A pipe gets a line a beat, but not from a service`(options: [String]) async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let process = try Subprocess(
        try Subprocess.built("tactus"),
        [
          "play", "--server", server.name, "--fresh", "--no-connect", "--osc-port", "0", "--bars", "2",
          "--tempo", "400",
        ] + options, environment: ["XDG_STATE_HOME": folder.path, "XDG_RUNTIME_DIR": ""])
      #expect(try process.waitForExit() == .exited(0))
      #expect(process.lines.filter { $0.hasPrefix("bar ") }.count == (options.isEmpty ? 8 : 0))
      #expect(!process.lines.joined().contains("\u{1B}"))
    }
  }

  @Test func `The lights follow the beats as they sound, not as they are rendered`() async throws {
    // Rendered 85 ms ahead and more.
    try await JACKServer.run(period: 4_096) { server in
      let beats = Mutex<[(beat: Int32, time: Double)]>([])
      var listening = OSCServer.Configuration()
      listening.port = 0
      let app = OSCServer(
        listening,
        onMessages: { messages, _, _ in
          for message in messages where message.address == "/tactus/beat" {
            guard case .int32(let beat) = message.arguments[1], let time = message.time else { continue }
            beats.withLock { $0.append((beat, Double(time.unixNanoseconds) / 1e9)) }
          }
        }, onFault: { _, _ in })
      try app.start()
      let port = UInt16.random(in: 20_000..<60_000)
      let player = try PanelPlayer(
        server: server, ["--osc-port", "\(port)", "--tempo", "150"], columns: 30, rows: 8)
      try player.waitForPanel()
      app.send([OSCMessage("/tactus/subscribe")], to: OSCPeer(url: "osc.udp://127.0.0.1:\(port)/")!)
      var seen: [(beat: Int32, time: Double)] = []
      while seen.count < 12 {
        let screen = try player.terminal.waitForScreen { $0.count > 3 }
        let now = Date().timeIntervalSince1970
        guard let row = screen.first(where: { $0.contains { "◇◆".contains($0) } }),
          let lit = row.split(separator: " ").firstIndex(where: { "◆●".contains($0) })
        else { continue }
        if seen.last?.beat != Int32(lit + 1) { seen.append((Int32(lit + 1), now)) }
      }
      // The first has been lit since nobody knows when.
      let late = seen.dropFirst().compactMap { light in
        beats.withLock { $0.filter { $0.beat == light.beat } }.map { light.time - $0.time }
          .min { abs($0) < abs($1) }
      }.sorted()
      try #require(late.count > 6)
      #expect(-0.005..<0.1 ~= late[late.count / 2], "\(late)")
      try player.press("q", showing: "after ")
    }
  }

  @Test func `The panel takes less than 2 % of a core at 120 beats a minute`() async throws {
    try await JACKServer.run { server in
      let player = try PanelPlayer(
        server: server, ["--subdivision", "3:0.5", "--subdivision", "4:0.5"], columns: 120, rows: 40)
      try player.waitForPanel()
      let process = try player.processID
      let (before, seconds) = (try panelTime(process), 5.0)
      pause(.seconds(seconds))
      let share = (try panelTime(process) - before) / seconds
      print("panel: \(share * 100) % of a core")
      #expect(share < 0.02)
      try player.press("q", showing: "after ")
    }
  }

  /// Seconds of processor that the panel's thread has used, to a nanosecond.
  private func panelTime(_ process: pid_t) throws -> Double {
    let tasks = "/proc/\(process)/task"
    for task in try FileManager.default.contentsOfDirectory(atPath: tasks)
    where try String(contentsOfFile: "\(tasks)/\(task)/comm", encoding: .utf8) == "tactus-panel\n" {
      let text = try String(contentsOfFile: "\(tasks)/\(task)/schedstat", encoding: .utf8)
      return Double(text.split(separator: " ")[0])! / 1e9
    }
    throw BenchError("no thread of the panel")
  }
}
