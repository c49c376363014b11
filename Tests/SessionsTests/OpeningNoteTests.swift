import Foundation
import Testing
import Validation

@testable import Sessions

@Suite struct OpeningNoteTests {
  private let folder: DocumentFolder
  private let state: StateFile

  init() throws {
    folder = try DocumentFolder()
    state = StateFile(path: folder.path + "/tactus/tactus.yaml")
  }

  /// The document whose opening the previous run did not survive, as the next run finds it.
  private var found: String? { OpeningNote(beside: state).interrupted }

  @Test func `The note of another Tactus that runs is no crash`() {
    OpeningNote(beside: state).reading("/a.yaml") {}
    let second = OpeningNote(beside: state, isOwner: false)
    #expect(second.interrupted == nil)
    second.reading("/b.yaml") {}
    second.withdraw()
    #expect(found == "/a.yaml")
  }

  @Test func aRunThatDiesWhileItOpensADocumentLeavesItsName() {
    let note = OpeningNote(beside: state)
    #expect(found == nil)
    note.reading("/songs/ü.yaml") { #expect(found == "/songs/ü.yaml") }
    #expect(found == "/songs/ü.yaml")
    note.noteOpened("/songs/ü.yaml")
    #expect(found == nil)
  }

  @Test func aDocumentThatIsRefusedLeavesNothing() {
    let note = OpeningNote(beside: state)
    let refusal = InvalidValue("document", "a", allowed: "b")
    #expect(throws: refusal) { try note.reading("/a.yaml") { throw refusal } }
    #expect(found == nil)
  }

  @Test func aDocumentThatIsReadyLeavesTheNoteOfTheNext() {
    let note = OpeningNote(beside: state)
    note.reading("/a.yaml") {}
    note.reading("/b.yaml") { note.noteOpened("/a.yaml") }
    #expect(found == "/b.yaml")
    note.withdraw()
    #expect(found == nil)
  }

  @Test func `A run that does not come to open its document puts the note of an earlier crash back`() {
    OpeningNote(beside: state).reading("/a.yaml") {}
    for document in ["/b.yaml", "/a.yaml"] {
      let note = OpeningNote(beside: state)
      note.reading(document) { #expect(found == document) }
      // It waits for a server, and is ended.
      note.withdraw()
      #expect(found == "/a.yaml")
    }
    // A document that is read and refused does not crash the program.
    let refusal = InvalidValue("document", "a", allowed: "b")
    let note = OpeningNote(beside: state)
    #expect(throws: refusal) { try note.reading("/a.yaml") { throw refusal } }
    #expect(found == nil)
    note.reading("/b.yaml") {}
    note.noteOpened("/b.yaml")
    note.withdraw()
    #expect(found == nil)
  }

  @Test func aRunThatOpensNothingLeavesTheNoteOfAnother() {
    OpeningNote(beside: state).reading("/a.yaml") {}
    OpeningNote(beside: state).withdraw()
    #expect(found == "/a.yaml")
  }
}
