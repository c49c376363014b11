import Control
import Foundation
import MusicTime
import Sessions
import Testing
import Validation

@Suite struct SessionLibraryTests {
  private func library(_ documents: [String: String]) throws -> (SessionLibrary, DocumentFolder) {
    let folder = try DocumentFolder()
    for (name, text) in documents { try folder.write(name, text) }
    return (SessionLibrary(folder: SessionFolder(path: folder.path), sounds: ["sine"]), folder)
  }

  private func song(_ title: String, tempo: String = "92", meter: String = "6/8", bars: Int = 4) -> String {
    "title: \(title)\nsections: [{bars: \(bars), tempo: \(tempo), meter: \(meter)}]\n"
  }

  @Test func documentsAreListedWithWhatIsInThem() throws {
    let (library, folder) = try library([
      "b.yaml": song("Second"), "a/one.yaml": song("First", tempo: "{from: 60, to: 120}", meter: "4/4"),
      "gig.yaml": "title: Friday\nsongs: [{file: b.yaml, then: 2 s}, b.yaml]\n",
      "broken.yaml": "sections: 3\n",
      ".hidden.yaml": song("Hidden"), ".git/x.yaml": song("Hidden"), "notes.md": "no document",
      "out.yaml": song("Out"),
    ])
    try FileManager.default.removeItem(atPath: folder.path + "/out.yaml")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/out.yaml", withDestinationPath: "/etc/hostname")
    let documents = library.documents()
    #expect(documents.map(\.name) == ["a/one.yaml", "b.yaml", "broken.yaml", "gig.yaml"])
    #expect(documents.map(\.isFaulty) == [false, false, true, false])
    #expect(documents.map { $0.content?.title } == ["First", "Second", nil, "Friday"])
    #expect(documents.map { $0.content?.songs } == [1, 1, nil, 2])
    #expect(documents.map { $0.content?.tempo.thousandths } == [60_000, 92_000, nil, 92_000])
    #expect(documents.map { $0.content?.meter.description } == ["4/4", "6/8", nil, "6/8"])
    // Four bars of six eighths at 92 eighths a minute, twice, and two seconds between.
    let bars = 24 * 60.0 / 92
    #expect(abs((documents[3].content?.seconds ?? 0) - (2 * bars + 2)) < 1e-6)
  }

  @Test func `The known part of a length is reported`() throws {
    let open = "sections: [{bars: 2, tempo: 120, meter: 4/4}, {name: Vamp, until: next}, {time: 3}]\n"
    let (library, folder) = try library([
      "closed.yaml": song("Closed"), "open.yaml": open,
      "round.yaml": "cycles: forever\n" + "sections: [{bars: 2}]\n",
      "set.yaml": "title: Set\nsongs: [{file: open.yaml, then: 2 s}, open.yaml]\n",
    ])
    let documents = library.documents()
    #expect(documents.map(\.name) == ["closed.yaml", "open.yaml", "round.yaml", "set.yaml"])
    #expect(documents.map { $0.content?.seconds == nil } == [false, true, true, true])
    #expect(documents.dropFirst().map { $0.content?.leastSeconds } == [7, nil, 16])
    withExtendedLifetime(folder) {}
  }

  @Test func aDocumentIsFoundByNameStemAndTitle() throws {
    let (library, folder) = try library([
      "Gig.yaml": song("Friday night"), "set/one.klick": "4 4/4 120\n", "b.yml": song("Gig two"),
    ])
    for (text, name) in [
      ("Gig.yaml", "Gig.yaml"), ("gig", "Gig.yaml"), ("GIG.YAML", "Gig.yaml"), ("friday NIGHT", "Gig.yaml"),
      ("one", "set/one.klick"), ("set/one", "set/one.klick"), ("gig two", "b.yml"),
    ] {
      #expect(try library.path(of: text) == "\(folder.path)/\(name)", "\(text)")
    }
    for text in [
      "", "night", "../\(URL(fileURLWithPath: folder.path).lastPathComponent)/Gig.yaml", "/etc/hostname",
    ] {
      #expect(try library.path(of: text) == nil, "\(text)")
    }
  }

  @Test func whereSeveralAreMeantTheyAreNamed() throws {
    let (library, folder) = try library([
      "a/song.yaml": song("X"), "b/song.yaml": song("Yes"), "c.yaml": song("yes"),
    ])
    defer { withExtendedLifetime(folder) {} }
    #expect(throws: InvalidValue("session", "'song'", allowed: "one of a/song.yaml, b/song.yaml")) {
      try library.path(of: "song")
    }
    #expect(throws: InvalidValue("session", "'YES'", allowed: "one of b/song.yaml, c.yaml")) {
      try library.path(of: "YES")
    }
  }

  @Test func aLinkThatLeadsOutIsNotFollowed() throws {
    let (library, folder) = try library(["a.yaml": song("In")])
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/all", withDestinationPath: "/")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/self", withDestinationPath: folder.path)
    #expect(library.documents().map(\.name) == ["a.yaml"])
  }

  @Test func whatIsTooLateIsListedByItsNameAlone() throws {
    let (library, folder) = try library(["a.yaml": song("A"), "b.yaml": song("B")])
    defer { withExtendedLifetime(folder) {} }
    var calls = 0
    let documents = library.documents {
      calls += 1
      return calls > 1
    }
    #expect(
      documents.map { $0.content?.title } == ["A", nil] && documents.map(\.name) == ["a.yaml", "b.yaml"])
  }

  @Test func aFolderThatIsMissingHasNoDocuments() throws {
    let library = SessionLibrary(folder: SessionFolder(path: "/nowhere/at/all"), sounds: [])
    #expect(library.documents() == [])
    #expect(try library.path(of: "gig") == nil)
  }
}
