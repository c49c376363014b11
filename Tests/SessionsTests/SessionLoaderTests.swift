import Control
import Foundation
import Sessions
import Testing

@Suite struct SessionLoaderTests {
  private func faults(_ path: String, folder: SessionFolder? = nil) -> [Fault] {
    do throws(Faults) {
      _ = try SessionLoader(folder: folder).load(path)
      return []
    } catch { return error.faults }
  }

  @Test func aSetlistPlaysItsSongsInOrder() throws {
    let folder = try DocumentFolder()
    try folder.write("songs/a.yaml", "title: A\nsections: [{bars: 1}]")
    try folder.write("songs/b.klick", "4 3/4 120\n")
    try folder.write("encore.yaml", "songs: [songs/a.yaml, {file: songs/b.klick, then: 0}]")
    let path = try folder.write(
      "list.yaml",
      "title: L\nsongs:\n  - {file: songs/a.yaml, then: 2.5 s}\n  - {file: encore.yaml, then: 1}\n")
    let setlist = try SessionLoader().load(path)
    #expect(setlist.title == "L")
    #expect(setlist.songs.map(\.song.title) == ["A", "A", "b"])
    #expect(setlist.songs.map(\.after) == [.pause(milliseconds: 2_500), .wait, .pause(milliseconds: 1_000)])
  }

  @Test func aSingleSongIsASetlistOfOne() throws {
    let folder = try DocumentFolder()
    let setlist = try SessionLoader().load(try folder.write("name.of.it.yaml", "sections: [{bars: 1}]"))
    #expect(setlist.songs.count == 1)
    #expect(setlist.title == "name.of.it")
    #expect(setlist.songs[0].song.title == "name.of.it")
  }

  @Test func aLargeSongThatIsNamedAThousandTimesIsReadOnce() throws {
    let folder = try DocumentFolder()
    try folder.write("large.yaml", "sections: [{bars: 1}]\n" + SessionLoaderTests.comment)
    let path = try folder.write("list.yaml", "songs:\n" + String(repeating: "- large.yaml\n", count: 1_000))
    var songs = 0
    let time = try ContinuousClock().measure { songs = try SessionLoader().load(path).songs.count }
    #expect(songs == 1_000)
    #expect(time < .seconds(20))
  }

  @Test func filesThatAreTooLargeTogetherAreRefusedOnce() throws {
    let folder = try DocumentFolder()
    try folder.write("song.yaml", "sections: [{bars: 1}]\n")
    try folder.write("large.yaml", "songs: [song.yaml]\n" + SessionLoaderTests.comment)
    let path = try folder.write("list.yaml", "songs:\n" + String(repeating: "- large.yaml\n", count: 1_000))
    var found: [Fault] = []
    let time = ContinuousClock().measure { found = faults(path) }
    #expect(found.map(\.what) == ["files of more than 64000000 bytes together"])
    #expect(found.map(\.line) == [6])
    #expect(time < .seconds(60))
  }

  /// Fifteen megabytes.
  private static let comment = String(
    repeating: "#" + String(repeating: "x", count: 98) + "\n", count: 150_000)

  @Test func missingSongsAreReportedWhereTheyAreNamed() throws {
    let folder = try DocumentFolder()
    let path = try folder.write("list.yaml", "songs:\n  - no.yaml\n  - file: neither.yaml\n    then: wait\n")
    #expect(faults(path).map { "\($0.file):\($0.line):\($0.column)" } == ["\(path):2:5", "\(path):3:11"])
  }

  @Test func faultsOfAllSongsAreReportedInTheirFiles() throws {
    let folder = try DocumentFolder()
    try folder.write("a.yaml", "sections: [{bars: 0}]")
    try folder.write("b.klick", "4 4/4\n")
    let path = try folder.write("list.yaml", "songs: [a.yaml, b.klick]")
    #expect(
      faults(path).map { "\($0.file.split(separator: "/").last!):\($0.line):\($0.column)" } == [
        "a.yaml:1:19", "b.klick:1:6",
      ])
  }

  @Test func aSetlistThatIncludesItselfIsRefused() throws {
    let folder = try DocumentFolder()
    let own = try folder.write("own.yaml", "songs:\n  - ./own.yaml\n")
    #expect(
      faults(own).map { "\($0.line):\($0.column) \($0.what)" }.first?.hasSuffix("which includes itself")
        == true)
    let first = try folder.write("first.yaml", "songs: [second.yaml]")
    let second = try folder.write("second.yaml", "songs:\n  - link.yaml\n")
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/link.yaml", withDestinationPath: first)
    let found = faults(first)
    #expect(found.count == 1 && found[0].file == second && found[0].line == 2)
  }

  @Test func setlistsThatMultiplyAreRefused() throws {
    let folder = try DocumentFolder()
    try folder.write("0.yaml", "sections: [{bars: 1}]")
    for level in 1...7 {
      let songs = Array(repeating: "\(level - 1).yaml", count: 1_000).joined(separator: ", ")
      try folder.write("\(level).yaml", "songs: [\(songs)]")
    }
    let found = faults(folder.path + "/7.yaml")
    #expect(found.count == 1)
    #expect(found.first?.what.contains("more than 1000 songs") == true)
  }

  @Test func whatIsNoTextFileIsRefused() throws {
    let folder = try DocumentFolder()
    mkfifo(folder.path + "/pipe.yaml", 0o600)
    try folder.write("large.yaml", [UInt8](repeating: 0x20, count: 16_000_001))
    #expect(faults(folder.path).map(\.what) == ["no regular file"])
    #expect(faults(folder.path + "/pipe.yaml").map(\.what) == ["no regular file"])
    #expect(faults("/dev/zero").map(\.what) == ["no regular file"])
    #expect(faults(folder.path + "/large.yaml").map(\.what) == ["file of more than 16000000 bytes"])
    #expect(faults(folder.path + "/none.yaml").map(\.what) == ["no such file"])
    #expect(faults("a\0b").map(\.what) == ["path"])
    #expect(faults("").map(\.what) == ["path"])
  }

  @Test func bytesThatAreNoTextAreReportedWhereTheyAre() throws {
    let folder = try DocumentFolder()
    func place(_ bytes: [UInt8]) throws -> [String] {
      faults(try folder.write("x.yaml", bytes)).map { "\($0.line):\($0.column) \($0.what)" }
    }
    #expect(try place(Array("title: é\nname: ü".utf8) + [0xFF, 0x0A]) == ["2:8 byte 0xFF"])
    #expect(try place(Array("a: b\n".utf8) + [0xC3]) == ["2:1 byte 0xC3"])
    #expect(try place([0xED, 0xA0, 0x80]) == ["1:1 byte 0xED"])
    #expect(try place(Array("a: b\nc: ".utf8) + [0, 0x64]) == ["2:4 NUL byte"])
    #expect(try place([0xFF, 0xFE, 0x61, 0x00]) == ["1:4 NUL byte"])
    #expect(
      try place([0xEF, 0xBB, 0xBF] + Array("cycles: 0\nsections: [{bars: 1}]".utf8)) == ["1:9 cycles '0'"])
  }

  @Test func songsOutsideTheFolderAreRefusedWhereOneIsSet() throws {
    let folder = try DocumentFolder()
    try folder.write("secret.yaml", "sections: [{bars: 1}]")
    try folder.write("in/song.yaml", "sections: [{bars: 1}]")
    let path = try folder.write("in/list.yaml", "songs: [song.yaml, ../secret.yaml, /etc/hostname]")
    #expect(faults(path, folder: SessionFolder(path: folder.path + "/in")).map(\.column) == [20, 36])
    #expect(faults(path, folder: SessionFolder(path: folder.path)).map(\.column) == [36])
  }
}
