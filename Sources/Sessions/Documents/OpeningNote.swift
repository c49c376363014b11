import Files
import Glibc
import Synchronization

/// Records beside the state file which document is being opened.
///
/// The note is on disk before the document is read, and is removed when the document's song is ready to play. A note found at
/// startup names a document that crashed Tactus, or took so long that the user ended it: it is not opened again automatically. If
/// this run does not come to open a document, the earlier note is put back.
package final class OpeningNote: Sendable {
  private let path: String
  /// Whether no other Tactus uses the state file. Otherwise the note is its note, and no crash.
  private let isOwner: Bool
  private struct Notes {
    /// The document of this run's note.
    var own: String?
    /// The document of the note that this run has found; nil once a document is open.
    var found: String?
  }

  private let notes = Mutex(Notes())

  /// - Parameter state: the note's path is this file's with `.opening` appended.
  /// - Parameter isOwner: false while another Tactus uses the state file: then there is no note.
  package init(beside state: StateFile, isOwner: Bool = true) {
    (path, self.isOwner) = (state.path + ".opening", isOwner)
    if isOwner { notes.withLock { $0.found = try? TextFile(path: path).text } }
  }

  /// The document that an earlier run was opening when it ended; nil if there is none.
  package var interrupted: String? { notes.withLock { $0.found } }

  /// Writes the note for a document and reads the document. If reading throws, the note is withdrawn.
  package func reading<T>(_ document: String, _ read: () throws -> T) rethrows -> T {
    write(for: document)
    do { return try read() } catch {
      withdraw(for: document)
      throw error
    }
  }

  /// Writes the note for a document that is about to be used.
  package func write(for document: String) {
    guard isOwner else { return }
    notes.withLock { notes in
      notes.own = document
      // If no note can be written, no settings can be saved either, so the document is not reopened at the next start.
      PrivateFolder.make(folder(of: path))
      try? WholeFile.write(document.utf8, to: path)
    }
  }

  /// Removes the note, because the document is open and has caused no crash. The note of another document stays.
  package func noteOpened(_ document: String?) {
    notes.withLock { notes in
      guard let own = notes.own, own == document else { return }
      notes = Notes()
      unlink(path)
    }
  }

  /// Takes the note back, because the document is not opened after all. The note of an earlier crash is put back.
  /// - Parameter document: the note of another one stays; nil takes any note back, at the end of a run.
  package func withdraw(for document: String? = nil) {
    notes.withLock { notes in
      guard let own = notes.own, own == document ?? own else { return }
      notes.own = nil
      // A document that was refused has been read.
      if document != nil, notes.found == document { notes.found = nil }
      if let found = notes.found { try? WholeFile.write(found.utf8, to: path) } else { unlink(path) }
    }
  }
}
