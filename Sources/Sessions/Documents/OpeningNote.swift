import Files
import Glibc
import Synchronization

/// Records beside the state file which document is being opened.
///
/// The note is on disk before the document is read, and is removed when the document's song is ready to play or the document
/// is refused. A note found at startup names a document that crashed Tactus: it is not opened again automatically.
package final class OpeningNote: Sendable {
  private let path: String
  /// Whether no other Tactus uses the state file. Otherwise the note is its note, and no crash.
  private let isOwner: Bool
  /// The document of this run's note.
  private let noted = Mutex<String?>(nil)

  /// - Parameter state: the note's path is this file's with `.opening` appended.
  /// - Parameter isOwner: false while another Tactus uses the state file: then there is no note.
  package init(beside state: StateFile, isOwner: Bool = true) {
    (path, self.isOwner) = (state.path + ".opening", isOwner)
  }

  /// The document that an earlier run was opening when it crashed; nil if there is none.
  package var interrupted: String? { isOwner ? try? TextFile(path: path).text : nil }

  /// Writes the note for a document and reads the document. If reading throws, the note is removed; otherwise `remove` removes
  /// it.
  package func reading<T>(_ document: String, _ read: () throws -> T) rethrows -> T {
    write(for: document)
    do { return try read() } catch {
      remove(for: document)
      throw error
    }
  }

  /// Writes the note for a document that is about to be used.
  package func write(for document: String) {
    guard isOwner else { return }
    noted.withLock { noted in
      noted = document
      // If no note can be written, no settings can be saved either, so the document is not reopened at the next start.
      PrivateFolder.make(folder(of: path))
      try? WholeFile.write(document.utf8, to: path)
    }
  }

  /// Removes the note, because the document caused no crash.
  /// - Parameter document: the opened document; the note of another one stays. nil removes any note, at the end of a run.
  package func remove(for document: String? = nil) {
    noted.withLock { noted in
      guard let current = noted, current == document ?? current else { return }
      noted = nil
      unlink(path)
    }
  }
}
