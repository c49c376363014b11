import Control
import Foundation
import Sessions
import Testing

@Suite struct ExampleTests {
  static let files = (try? FileManager.default.contentsOfDirectory(atPath: examples))?.sorted() ?? []

  @Test("The examples load", arguments: files.filter { $0 != "README.md" })
  func load(file: String) throws {
    let setlist = try SessionLoader(sounds: ["sine", "woodblock", "clave", "cowbell"]).load(
      examples + "/" + file)
    #expect(!setlist.title.isEmpty)
    for entry in setlist.songs {
      #expect(!entry.song.plans.isEmpty)
      #expect(entry.song.loopStart.map { entry.song.plans.indices ~= $0 } ?? true)
    }
  }

  @Test(
    "The examples read back as they were written",
    arguments: files.filter { !["README.md", "setlist.yaml", "fortnight.yaml"].contains($0) })
  func roundTrip(file: String) throws {
    let path = examples + "/" + file
    let session =
      file.hasSuffix(".klick")
      ? try KlickMap(path: path).session : try song(String(contentsOfFile: path, encoding: .utf8))
    #expect(try song(session.yaml) == session)
  }

  @Test func thereIsOneForEachUse() {
    #expect(ExampleTests.files.count == 16)
  }

  @Test func theReadmeKnowsEveryKey() throws {
    let readme = try String(contentsOfFile: examples + "/README.md", encoding: .utf8)
    let words = Set(readme.split { !($0.isLetter || $0 == "-") })
    for key in DocumentKeys.all { #expect(words.contains(Substring(key)), "\(key) is missing") }
    // A key that begins a row of a table is one that the reader knows.
    for line in readme.split(separator: "\n") where line.hasPrefix("| `") {
      let key = line.dropFirst(3).prefix { $0 != "`" }
      #expect(DocumentKeys.all.contains(String(key)), "\(key) is unknown")
    }
  }
}
