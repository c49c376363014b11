import Control
import Engine
import Foundation
import MusicTime
import TestBench
import TestInTime
import Testing
import Validation

@testable import tactus

/// External text in the lines of `--json`.
@Suite struct EventLineTests {
  static let hostile = [
    "\u{1B}[2J\u{1B}]0;x\u{7}", "a\nb\r\n", "\"},{\"event\":\"beat\"\\", "\u{9B}31m\u{7F}\u{0}",
    "\u{202E}exe.wav",
    "a\u{2028}b\u{2029}\u{85}", "\u{E000}\u{F0000}", "\u{FEFF}\u{200B}\u{2066}", "\u{E0041}\u{10FFFF}",
  ]

  private func progress(_ text: String) throws -> Snapshot {
    var snapshot = Snapshot(settings: Settings())
    var progress = SessionProgress(layout: try BarLayout(meter: Meter(4, 4)))
    (progress.title, progress.section, progress.colour, progress.next) = (text, text, text, text)
    snapshot.progress = progress
    return snapshot
  }

  /// Each line is one object for a reader of lines, and contains no control characters for a terminal.
  @Test(arguments: hostile)
  func `Whatever a text holds, it is one line of JSON, printable, and says the text`(
    text: String
  ) throws {
    let connection = Connection(client: text, server: text, osc: text, port: 1, socket: text)
    let reports: [(Report, fields: Set<String>)] = [
      (.warning(text), ["text"]), (.losses(text), ["text"]), (.guarded(text, outline: nil), ["text"]),
      (.host(.lost(text)), ["text"]),
      (.host(.connected(sampleRate: 48_000)), ["client", "server", "osc", "socket"]),
      (
        .changed(from: Snapshot(settings: Settings()), to: try progress(text)),
        ["title", "section", "colour", "next"]
      ),
    ]
    for (report, fields) in reports {
      let lines = EventLine.events(of: report, { connection }).compactMap(\.line)
      #expect(!lines.isEmpty)
      var reported: Set<String> = []
      for line in lines {
        #expect(line.unicodeScalars.allSatisfy { $0.isPrintable }, "\(line.debugDescription)")
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        for (key, value) in try #require(object) where value as? String == text { reported.insert(key) }
      }
      #expect(reported == fields, "\(lines)")
    }
  }
}

/// The same through the whole program.
@Suite(.serialized, .inTime) struct EventLineLiveTests {
  @Test
  func `Names of files, titles and sounds from strangers come out as lines of JSON and printable errors`()
    async throws
  {
    try await JACKServer.run { server in
      let folder = Scratch()
      let hostile = "x\u{1B}[2J\n{\"event\":\"beat\"}\u{202E}\u{7}"
      let path = "\(folder.path)/\(hostile).yaml"
      // A document itself can't hold such text.
      let text = "title: Song\nsections: [{name: A, colour: teal, bars: 2}]\n"
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      let player = try Player(
        server: server, ["--fresh", "--no-connect", "--stopped", path], folder: folder)
      try player.waitForConnection()
      for name in ["sound", "session", "goto", "tempo", hostile] { player.send(name, .string(hostile)) }
      // Without a document sounds are read.
      player.send("session", .string(""))
      player.send("sound", .string("/" + hostile))
      try player.process.waitForLine(containing: "\"event\":\"warning\"")
      // After this the conductor has told all of it.
      player.send("tempo")
      try player.answer("tempo")
      #expect(try player.interrupt() == .exited(0))
      #expect(player.process.lines.contains { $0.contains("\"event\":\"section\"") })
      for line in player.process.lines {
        #expect(line.unicodeScalars.allSatisfy { $0.isPrintable }, "\(line.debugDescription)")
        let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(object?["event"] is String, "\(line.debugDescription)")
      }
      for line in player.process.errorLines {
        #expect(line.unicodeScalars.allSatisfy { $0.isPrintable }, "\(line.debugDescription)")
      }
    }
  }
}
