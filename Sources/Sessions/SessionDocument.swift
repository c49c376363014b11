import Control
import MusicTime

/// What one file says: a song, or a setlist that names others.
public enum SessionDocument: Sendable {
  case song(Session)
  /// A setlist, with the paths of its songs as the document writes them.
  case setlist(title: String, files: [String])

  /// Reads a document from text, without opening any other file.
  ///
  /// - Parameters:
  ///   - file: the name that faults carry.
  ///   - sounds: the names of sound sets that need no folder; empty to take every name on trust.
  /// - Throws: `Faults` with everything that is wrong.
  public init(yaml text: String, file: String, sounds: [String] = []) throws(Faults) {
    let log = FaultLog(file: file)
    guard let content = DocumentContent(text, folder: folder(of: file), sounds: sounds, log),
      log.faults.isEmpty
    else { throw Faults(faults: log.sorted) }
    switch content {
    case .song(let session, _): self = .song(session)
    case .setlist(let title, let songs): self = .setlist(title: title, files: songs.map(\.file))
    }
  }
}

/// A document as it was read, with what it takes to go on.
enum DocumentContent {
  case song(Session, SongPlan)
  case setlist(title: String, songs: [SetlistReader.Song])

  /// nil, and faults in the log, where anything is wrong.
  init?(_ text: String, folder: String, sounds: [String], _ log: FaultLog) {
    guard let root = YAMLText.compose(text, log) else { return nil }
    var isSetlist = false
    if case .mapping(let mapping) = root { isSetlist = mapping.keys.contains { $0.string == "songs" } }
    let known = isSetlist ? DocumentKeys.setlist : DocumentKeys.song
    guard let fields = Fields(root, of: isSetlist ? "setlist" : "session", known: known, log) else {
      return nil
    }
    if isSetlist {
      guard let (title, songs) = SetlistReader(log: log).songs(fields) else { return nil }
      self = .setlist(title: title, songs: songs)
    } else {
      let styles = StyleReader(log: log, sounds: sounds, folder: folder)
      guard let (session, plan) = SongReader(log: log, styles: styles).song(fields) else { return nil }
      self = .song(session, plan)
    }
  }
}

/// The folder part of a path, "" where it has none.
func folder(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "" }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}
