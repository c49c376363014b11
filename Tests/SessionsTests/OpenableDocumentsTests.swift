import Control
import Foundation
import MusicTime
import Sessions
import Testing
import Validation

@Suite struct OpenableDocumentsTests {
  private let good = "sections: [{bars: 1}]"

  private func documents(_ folder: DocumentFolder) -> OpenableDocuments {
    OpenableDocuments(folder: SessionFolder(path: folder.path + "/sessions"), sounds: [])
  }

  @Test func `Only documents of the session folder can be opened, and nothing that is hidden`() throws {
    let folder = try DocumentFolder()
    for name in [
      "a.yaml", "b.YML", "sub/c.yaml", ".netrc", ".hidden.yaml", ".git/d.yaml", "id_rsa", "key.pem",
    ] {
      try folder.write("sessions/" + name, good)
    }
    for (link, target) in [("e.yaml", ".netrc"), ("f.yaml", ".git/d.yaml"), ("g.yaml", "a.yaml")] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/sessions/" + link, withDestinationPath: folder.path + "/sessions/" + target)
    }
    let documents = documents(folder)
    for name in ["a.yaml", "b.YML", "sub/c.yaml", "g.yaml"] {
      let (_, place) = try documents.read(name)
      // What is told of a document opens it again.
      #expect(try documents.read(place.path).1 == place)
    }
    for name in [
      ".netrc", ".hidden.yaml", ".git/d.yaml", "id_rsa", "key.pem", "e.yaml", "f.yaml", "sub/../.netrc",
      folder.path + "/sessions/.netrc", folder.path + "/sessions/e.yaml", folder.path + "/sessions/../.netrc",
    ] {
      #expect(throws: InvalidValue.self) { try documents.read(name) }
    }
    // Whether a hidden file exists is not told.
    func refusal(_ name: String) -> String? {
      do { _ = try documents.read(name) } catch { return "\(error)".replacing(name, with: "") }
      return nil
    }
    #expect(refusal(".netrc") == refusal(".nothing"))
  }

  @Test(arguments: ["gig.yaml", "gig", "GIG", "friday night", "sub/one", "one"])
  func `A document is named as on the command line: with or without extension, or by its title`(name: String)
    throws
  {
    let folder = try DocumentFolder()
    try folder.write("sessions/gig.yaml", "title: Friday night\n" + good)
    try folder.write("sessions/sub/one.klick", "4 120\n")
    try folder.write("sessions/.hidden.yaml", "title: gig\n" + good)
    let documents = documents(folder)
    let library = SessionLibrary(folder: SessionFolder(path: folder.path + "/sessions"), sounds: [])
    let path = try #require(try library.path(of: name))
    for name in [name, folder.path + "/sessions/" + name] {
      #expect(try documents.path(of: name).hasSuffix(path))
      #expect(try documents.read(name).1.path.hasSuffix(path))
    }
  }

  @Test func `Who names no document is told where it was looked for, and how to list those there are`() throws
  {
    let folder = try DocumentFolder()
    let documents = documents(folder)
    func refusal(_ name: String) -> String {
      do { return try documents.path(of: name) } catch { return "\(error)" }
    }
    let place = folder.path + "/sessions"
    #expect(refusal("nope") == "there is no session folder: make \(place), and put documents there")
    try folder.write("sessions/song/a.yaml", good)
    try folder.write("sessions/song/b.yaml", good)
    for name in ["nope", "nope.yaml", ".netrc"] {
      #expect(
        refusal(name)
          == "there is no document '\(name)' in \(place): tactus list and /tactus/sessions show its documents"
      )
    }
    try folder.write("sessions/sub/a.yaml", good)
    #expect(refusal("a") == "session 'a': must be one of song/a.yaml, sub/a.yaml")
  }

  @Test
  func `What the user has opened can be opened again, with the files that it names, and nothing beside`()
    throws
  {
    let folder = try DocumentFolder()
    let list = try folder.write("home/list.yaml", "songs: [song.yaml, ../other/map]")
    try folder.write("home/song.yaml", good)
    try folder.write("other/map", "4 120\n")
    try folder.write("home/secret.yaml", good)
    let documents = documents(folder)
    #expect(throws: InvalidValue.self) { try documents.read("list.yaml") }
    _ = try documents.readForUser(list)
    for name in ["list.yaml", list, "song.yaml", folder.path + "/home/song.yaml", folder.path + "/other/map"]
    {
      _ = try documents.read(name)
    }
    #expect(try documents.path(of: folder.path + "/other/map").hasSuffix("/other/map"))
    for name in ["secret.yaml", folder.path + "/home/secret.yaml", "../other/map", "map"] {
      #expect(throws: InvalidValue.self) { try documents.read(name) }
      #expect(throws: InvalidValue.self) { try documents.path(of: name) }
    }
  }

  @Test func `A setlist of the session folder names nothing outside of it, in the next run neither`() throws {
    let folder = try DocumentFolder()
    try folder.write("sessions/list.yaml", "songs: [../out.yaml, .hidden.yaml]")
    try folder.write("out.yaml", good)
    try folder.write("sessions/.hidden.yaml", good)
    let documents = documents(folder)
    for read in [
      { _ = try documents.read("list.yaml") },
      { _ = try documents.readAgain(folder.path + "/sessions/list.yaml") },
    ] {
      let faults = #expect(throws: Faults.self) { try read() }
      #expect(
        faults?.faults.map(\.allowed)
          == Array(repeating: "a document in the session folder", count: 2))
    }
  }

  @Test(arguments: [
    "machine example.org login me password hunter2", "password: hunter2",
    "title: a\nhunter2: x\nsections: [{bars: 1}]",
    "sections: [{bars: hunter2}]", "sections: [{bars: 1, tempo: hunter2, sound: hunter2, colour: hunter2}]",
    "songs: [hunter2]", "songs: [{file: hunter2, then: hunter2}]",
    "sections: [{bars: 1, label: hunter2}, {bars: 1, label: hunter2}]",
    "hunter2: 1\nhunter2: 2", "a: *hunter2", "a: !hunter2 b", "[hunter2", "4 hunter2\n",
    "hunter2: 4 4/4 120\n4 hunter2",
    "%hunter2\n--- a", "sections: [{until: hunter2}]", "hunter2",
  ])
  func `What a peer is told of a faulty document quotes nothing of it`(text: String) throws {
    let folder = try DocumentFolder()
    for name in ["x.yaml", "x.klick"] {
      try folder.write("sessions/" + name, text)
      let faults = #expect(throws: Faults.self) { try documents(folder).read(name) }
      let outline = try #require(faults).outline
      #expect(outline.contains("line ") && outline.contains("column ") && outline.contains("must be "))
      #expect(!outline.contains("hunter2") && !outline.contains(folder.path), "\(outline)")
      #expect(outline.utf8.count < 1_000 && outline.unicodeScalars.allSatisfy(\.isPrintable))
      #expect(faults?.description.contains("/sessions/\(name):") == true)
    }
  }
}
