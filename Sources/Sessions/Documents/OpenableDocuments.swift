import Control
import Files
import Synchronization
import Validation

/// The documents that network clients may open: those of the session folder, and those that the user has opened.
///
/// The user opens the file of `tactus play FILE` and the files that it names. These are recognised only by their names, so that
/// a request for any other path reveals nothing about the disk.
/// - Thread: any but audio
package final class OpenableDocuments: Sendable {
  private struct Opened {
    /// Paths as given, and with symbolic links resolved.
    var paths: Set<String> = []
    /// Folders of the files that the user has named: requests may give names relative to them.
    var folders: Set<String> = []
  }

  private let loader: SessionLoader
  private let folder: SessionFolder
  private let library: SessionLibrary
  private let listed: (@Sendable () -> [DocumentSummary])?
  private let opened = Mutex(Opened())

  /// - Parameters:
  ///   - sounds: names of sound sets that need no folder.
  ///   - listed: the documents of the folder, for the search by title; nil lists them for each.
  package init(
    folder: SessionFolder, sounds: [String], listed: (@Sendable () -> [DocumentSummary])? = nil
  ) {
    self.folder = folder
    self.listed = listed
    library = SessionLibrary(folder: folder, sounds: sounds)
    loader = SessionLoader(sounds: sounds)
  }

  /// Reads a document that the user has named, and allows network clients to open it and the files that it names.
  /// - Throws: `Faults`.
  package func readForUser(_ path: String) throws(Faults) -> Setlist {
    let setlist = try readOpened(path)
    opened.withLock { _ = $0.folders.insert(Files.folder(of: absolutePath(path))) }
    return setlist
  }

  /// Reads a document that may name any file, and allows network clients to open all of them.
  private func readOpened(_ path: String) throws(Faults) -> Setlist {
    let (setlist, files) = try loader.loadWithFiles(path)
    opened.withLock { opened in
      for file in files {
        let absolute = absolutePath(file)
        opened.paths.formUnion([absolute, SessionFolder.real(file) ?? absolute])
      }
    }
    return setlist
  }

  /// Reads the document of the last run, which a network client may have opened.
  /// - Throws: `Faults`.
  package func readAgain(_ path: String) throws(Faults) -> Setlist {
    folder.admits(path) ? try restricted.load(path) : try readForUser(path)
  }

  /// Reads a document that a network client names.
  /// - Throws: `InvalidValue` if the name may not be opened; `Faults`.
  package func read(_ name: String) throws -> (Setlist, SessionPlace) {
    if let path = openedPath(name) { return (try readOpened(path), SessionPlace(path: path)) }
    let path = try admittedPath(name)
    return (try restricted.load(path), SessionPlace(path: path))
  }

  /// The path of a document that a network client names.
  /// - Throws: `InvalidValue` if the name may not be opened.
  package func path(of name: String) throws(InvalidValue) -> String {
    if let path = openedPath(name) { return path }
    return try admittedPath(name)
  }

  /// The path of a document of the session folder, which is named as on the command line.
  private func admittedPath(_ file: String) throws(InvalidValue) -> String {
    let name = try folder.relativeName(file)
    do throws(InvalidValue) {
      return try folder.resolve(name)
    } catch {
      guard !name.isEmpty, let path = try library.path(of: name, among: listed) else { throw error }
      return try folder.resolvePath(path)
    }
  }

  /// A loader restricted to the session folder.
  private var restricted: SessionLoader {
    var loader = loader
    loader.folder = folder
    return loader
  }

  private func openedPath(_ name: String) -> String? {
    opened.withLock { opened in
      if name.hasPrefix("/") { return opened.paths.contains(name) ? name : nil }
      return opened.folders.lazy.map { "\($0)/\(name)" }.first { opened.paths.contains($0) }
    }
  }
}
