import Control
import Foundation
import MusicTime
import Testing

@testable import Sessions

/// A player's tempo in a song's document.
@Suite struct SongNudgeTests {
  private static let waltz = """
    # Ours.
    title: Waltz   # the slow one
    # From the top.
    sections:
      - {name: A, bars: 4, tempo: 90}   # not faster
      - name: B
        time: 20 s
        tempo: {from: 90, to: 120}

    """

  private func tempos(_ yaml: String) throws -> [TempoCurve] { try song(yaml).plan().plans.map(\.tempo) }

  @Test func `A nudge moves every tempo of the song, and no length in seconds`() throws {
    let plain = try song(SongNudgeTests.waltz).plan()
    let plan = try song("nudge: -1.5\n" + SongNudgeTests.waltz).plan()
    #expect(plan.plans[0].tempo == .constant(try Tempo(88.5)))
    #expect(plan.plans[1].tempo == .ramp(from: try Tempo(88.5), to: try Tempo(118.5)))
    #expect(plan.plans[1].length == plain.plans[1].length)
    #expect(plan.nudge == -1_500 && plain.nudge == 0)
    let countIn = try song("nudge: 2\ncount-in: 1\n" + SongNudgeTests.waltz).plan()
    #expect(countIn.plans[0].tempo == .constant(try Tempo(92)))
    #expect(faults("nudge: 101\nsections: [{bars: 1}]") == ["1:8 nudge '101'"])
    #expect(faults("nudge: fast\nsections: [{bars: 1}]") == ["1:8 nudge 'fast'"])
  }

  @Test func `Saving a nudge changes one line and keeps everything else, including comments`() throws {
    let text = try #require(SongNudge.edited(SongNudgeTests.waltz, 2_000))
    #expect(
      text
        == SongNudgeTests.waltz.replacing(
          "slow one\n", with: "slow one\nnudge: 2\n", maxReplacements: 1))
    let again = try #require(SongNudge.edited(text, -1_500))
    #expect(again == text.replacing("nudge: 2", with: "nudge: -1.5"))
    // Without a nudge the line goes.
    #expect(SongNudge.edited(again, 0) == SongNudgeTests.waltz)
  }

  @Test(arguments: [
    "sections: [{bars: 4, tempo: 90}]",
    "{title: Flow, sections: [{bars: 4}]}",
    "---\n{sections: [{bars: 4}]}\n",
    "  title: Indented\n  sections:\n    - bars: 1\n",
    "title:\n  On the next line\nsections: [{bars: 1}]\n",
    "title: Of two\n  lines\nsections: [{bars: 1}]\n",
    "title: >-\n  Folded\n\nsections: [{bars: 1}]\n",
    "sections:\n  - {bars: 1}\ntitle: At the end",
    "title: Windows\r\nsections:\r\n  - {bars: 1}\r\n",
    "nudge: 1   # by ear\ntitle: Other\nsections: [{bars: 1}]\n",
    "\"title\": quoted\n'sections': [{bars: 1}]\n",
    "%YAML 1.1\n---\ntitle: Directive\nsections: [{bars: 1}]\n...\n",
  ])
  func `However a song is written, it is the same song with the nudge, and without it the text is as before`(
    text: String
  ) throws {
    let before = try song(text)
    let after = try #require(SongNudge.edited(text, 2_500))
    var wanted = before
    wanted.nudge = 2_500
    #expect(try song(after) == wanted, "\(after)")
    #expect(!after.contains("\r\n") || !after.replacing("\r\n", with: "").contains("\n"))
    // The lines that were there are there in their order.
    var rest = after.split(separator: "\n")[...]
    for line in text.split(separator: "\n") where !line.hasPrefix("nudge") && !line.contains("{") {
      let index = try #require(rest.firstIndex(of: line), "\(line)")
      rest = rest[(index + 1)...]
    }
    let back = try #require(SongNudge.edited(after, 0))
    #expect(try song(back).nudge == 0)
  }

  @Test func `A file keeps its mode and its byte order mark, and a link stays a link`() throws {
    let folder = try DocumentFolder()
    let path = try folder.write("song.yaml", "\u{FEFF}" + SongNudgeTests.waltz)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    let link = folder.path + "/link.yaml"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    try SongNudge.write(link, 1_000)
    let bytes = try #require(FileManager.default.contents(atPath: path))
    #expect(bytes.starts(with: [0xEF, 0xBB, 0xBF]))
    #expect(try song(String(decoding: bytes.dropFirst(3), as: UTF8.self)).nudge == 1_000)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
  }

  @Test func `A document that can't be written is as it was, and the reason is told without its path`() throws
  {
    let folder = try DocumentFolder()
    let path = folder.path + "/gone.yaml"
    let missing = #expect(throws: SongNudge.NudgeError.self) { try SongNudge.write(path, 1_000) }
    #expect(missing?.description.contains(path) == true && missing?.outline.contains(path) == false)
    #expect(missing?.outline.contains("not saved") == true)
    let list = try folder.write("set.yaml", "songs: [song.yaml]\n")
    #expect(throws: SongNudge.NudgeError.self) { try SongNudge.write(list, 1_000) }
    #expect(FileManager.default.contents(atPath: list) == Data("songs: [song.yaml]\n".utf8))
    // The file is replaced, not overwritten: its folder must be writable.
    let song = try folder.write("closed/song.yaml", SongNudgeTests.waltz)
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path + "/closed")
    defer {
      try? FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: folder.path + "/closed")
    }
    guard geteuid() != 0 else { return }
    #expect(throws: SongNudge.NudgeError.self) { try SongNudge.write(song, 1_000) }
    #expect(FileManager.default.contents(atPath: song) == Data(SongNudgeTests.waltz.utf8))
  }

  @Test func `Songs of a set know their documents; a klick map keeps no tempo`() throws {
    let folder = try DocumentFolder()
    try folder.write("song.yaml", SongNudgeTests.waltz)
    try folder.write("map.klick", "4 4/4 120\n")
    let list = try folder.write("set.yaml", "songs: [song.yaml, map.klick, song.yaml]\n")
    let songs = try SessionLoader().load(list).songs
    #expect(songs.map(\.path) == [folder.path + "/song.yaml", nil, folder.path + "/song.yaml"])
  }

  @Test func `An import writes it, and a tempo map has it`() throws {
    let session = try song("nudge: 3\nsections: [{bars: 1, tempo: 120}]")
    #expect(try song(session.yaml) == session)
    #expect(session.yaml.contains("nudge: 3"))
    #expect(try session.plan().seconds.map { abs($0 - 4 * 60 / 123.0) < 1e-9 } == true)
  }
}
