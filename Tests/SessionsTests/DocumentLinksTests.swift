import Foundation
import Testing

@testable import Sessions

@Suite struct DocumentLinksTests {
  private let place: DocumentFolder
  private let links: DocumentLinks
  private var folder: String { place.path + "/Tactus.nA" }

  init() throws {
    place = try DocumentFolder()
    links = DocumentLinks(folder: place.path + "/Tactus.nA")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  private func target(_ name: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
  }

  @Test func theLinkToADocumentGoesWhenAnotherOneIsOpenOrNone() throws {
    links.update(from: nil, to: "/music/a.yaml")
    links.update(from: "/music/a.yaml", to: "/music/a.yaml")
    #expect(names == ["a.yaml"] && target("a.yaml") == "/music/a.yaml")
    links.update(from: "/music/a.yaml", to: "/music/b.yaml")
    #expect(names == ["b.yaml"] && target("b.yaml") == "/music/b.yaml")
    // Another one of the same name.
    links.update(from: "/music/b.yaml", to: "/other/b.yaml")
    #expect(names == ["b.yaml"] && target("b.yaml") == "/other/b.yaml")
    links.update(from: "/other/b.yaml", to: nil)
    #expect(names == [])
  }

  @Test func whatOthersHaveMadeThereStays() throws {
    try place.write("Tactus.nA/a.yaml", "mine")
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/b.yaml", withDestinationPath: "/mine/b.yaml")
    for document in ["a.yaml", "b.yaml"] {
      links.update(from: nil, to: "/music/" + document)
      links.update(from: "/music/" + document, to: nil)
    }
    #expect(names == ["a.yaml", "b.yaml"])
    #expect(try String(contentsOfFile: "\(folder)/a.yaml", encoding: .utf8) == "mine")
    #expect(target("b.yaml") == "/mine/b.yaml")
  }

  @Test func documentsInsideTheFolderNeedNoLink() throws {
    links.update(from: nil, to: folder + "/song.yaml")
    #expect(names == [])
    // A folder whose name begins alike is another one.
    links.update(from: nil, to: folder + "B/song.yaml")
    #expect(names == ["song.yaml"])
  }
}
