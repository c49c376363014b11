import Control
import Files
import Glibc
import MusicTime
import Validation

/// Lists and finds the documents of the session folder.
package struct SessionLibrary: Sendable {
  /// The maximum number of documents that are listed.
  static let limit = 1_000
  /// How many levels of folders are searched.
  private static let depth = 4
  /// How many files and folders are examined.
  private static let visits = 10_000

  private let folder: SessionFolder
  private let loader: SessionLoader

  /// - Parameter sounds: names of sound sets that need no folder.
  package init(folder: SessionFolder, sounds: [String]) {
    self.folder = folder
    loader = SessionLoader(sounds: sounds, folder: folder)
  }

  /// All documents, sorted by name. Songs that belong to a setlist are listed, too.
  /// - Parameter isLate: once it returns true, the remaining documents are listed only by name.
  /// - Thread: any but audio
  package func documents(until isLate: () -> Bool = { false }) -> [DocumentSummary] {
    names().map { name in
      guard !isLate() else { return DocumentSummary(name: name, content: nil) }
      do throws(Faults) {
        return DocumentSummary(name: name, content: DocumentSummary.Content(try loader.load(path(name))))
      } catch {
        return DocumentSummary(name: name, content: nil, isFaulty: true)
      }
    }
  }

  /// The path of the document that a user names: by its file name, with or without extension and in any case, or by its title.
  /// - Parameter listed: the documents, whose titles are searched if no name fits; nil lists them.
  /// - Returns: nil if there is none.
  /// - Throws: `InvalidValue` if there are several.
  /// - Thread: any but audio
  package func path(
    of text: String, among listed: (() -> [DocumentSummary])? = nil
  ) throws(InvalidValue) -> String? {
    let wanted = text.lowercased()
    let names = names()
    if names.contains(text) { return path(text) }
    var found = names.filter { name in
      let name = name.lowercased()
      let stem = name.prefix(upTo: name.lastIndex(of: ".") ?? name.endIndex)
      return name == wanted || stem == wanted || documentName(of: name) == wanted
    }
    if found.isEmpty {
      found = (listed?() ?? documents()).filter { $0.content?.title.lowercased() == wanted }.map(\.name)
    }
    guard found.count < 2 else {
      throw InvalidValue(
        "session", quoted(text), allowed: "one of \(found.prefix(8).joined(separator: ", "))")
    }
    return found.first.map(path)
  }

  /// The names of documents that begin with a text, sorted.
  /// - Thread: any but audio
  package func names(beginning text: String) -> [String] { names().filter { $0.hasPrefix(text) } }

  private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  /// The paths of the documents in the folder, sorted.
  private func names() -> [String] {
    guard let root = SessionFolder.real(folder.path) else { return [] }
    var names: [String] = []
    var visits = SessionLibrary.visits
    collect("", depth: 1, root: root, &visits, into: &names)
    return names.sorted()
  }

  private func collect(
    _ prefix: String, depth: Int, root: String, _ visits: inout Int, into names: inout [String]
  ) {
    for name in Files.names(inFolder: path(prefix)).sorted() where !name.hasPrefix(".") {
      visits -= 1
      guard names.count < SessionLibrary.limit, visits > 0 else { return }
      if isFolder(path(prefix + name)) {
        // A folder outside the session folder, to which a link leads, is not searched.
        guard depth < SessionLibrary.depth, let real = SessionFolder.real(path(prefix + name)),
          real.hasPrefix(root + "/")
        else { continue }
        collect(prefix + name + "/", depth: depth + 1, root: root, &visits, into: &names)
      } else if SessionFolder.isDocument(name), folder.admits(path(prefix + name)) {
        names.append(prefix + name)
      }
    }
  }
}

extension DocumentSummary.Content {
  fileprivate init?(_ setlist: Setlist) {
    guard let first = setlist.songs.first?.song.plans.first(where: { !$0.isCountIn }) else { return nil }
    let tempo: Tempo? =
      switch first.tempo {
      case .constant(let tempo), .ramp(let tempo, _): tempo
      case .beats(let tempos): tempos.first
      }
    guard let tempo else { return nil }
    self.init(
      title: setlist.title, songs: setlist.songs.count, seconds: setlist.seconds,
      leastSeconds: setlist.leastSeconds, tempo: tempo, meter: first.layout.meter)
  }
}
