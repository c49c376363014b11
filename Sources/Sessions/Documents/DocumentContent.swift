import Control
import MusicTime

/// The content of one file: a song and its plan, or a setlist that names other files.
enum DocumentContent {
  case song(Session, SongPlan)
  case setlist(title: String, songs: [SetlistReader.Song])

  /// The approximate length of a section in a long document.
  private static let bytesOfSection = 50

  /// Reads a document from text, without opening any other file.
  ///
  /// nil if the text is unusable. The log then contains the faults. It may also contain faults of single setlist entries if the
  /// result is not nil.
  /// - Parameters:
  ///   - folder: the folder of the document.
  ///   - sounds: the names of sound sets that need no folder. If empty, sound names are not checked.
  ///   - voices: whether a voice exists; nil if that is not checked.
  ///   - table: the known parameters.
  ///   - keepsParts: whether the session contains its parts. The parts of a hundred thousand sections occupy 30 MB in addition
  ///     to their plans.
  init?(
    _ text: String, folder: String, sounds: [String], voices: (@Sendable (String) -> Bool)? = nil,
    table: ParameterTable = .standard, keepsParts: Bool = true, _ log: FaultLog
  ) {
    // Sections are read while the document is parsed, so that a hundred thousand of them need no tree. Their faults count only
    // if the document is a song.
    let styles = StyleReader(log: log, sounds: sounds, voices: voices, folder: folder, table: table)
    func makeReader() -> SectionReader {
      SectionReader(
        styles: styles.reporting(to: FaultLog(file: log.file)),
        capacity: text.utf8.count / DocumentContent.bytesOfSection, keepsParts: keepsParts)
    }
    var sections = makeReader()
    let consumer = ItemConsumer(key: "sections", begin: { sections.begin($0) }, take: { sections.read($0) })
    guard let root = YAMLText.compose(text, log, consumer: consumer) else { return nil }
    var isSetlist = false
    if case .mapping(let mapping) = root {
      isSetlist = mapping.keys.contains { $0.string == "songs" }
      if !isSetlist, sections.hasItems, !sections.knowsDefaults, mapping.index(of: "defaults") != nil {
        // The defaults follow the sections, which are read again with them.
        sections = makeReader()
        let again = ItemConsumer(
          key: "sections", begin: { _ in sections.begin(mapping) }, take: { sections.read($0) })
        _ = YAMLText.compose(text, FaultLog(file: log.file), consumer: again)
      }
    }
    let known = isSetlist ? DocumentKeys.setlist : DocumentKeys.song
    guard let fields = Fields(root, of: isSetlist ? "setlist" : "session", known: known, log) else {
      return nil
    }
    if isSetlist {
      guard let (title, songs) = SetlistReader(log: log).songs(fields) else { return nil }
      self = .setlist(title: title, songs: songs)
    } else {
      let reader = SongReader(log: log, styles: styles, text: text)
      guard let (session, plan) = reader.song(fields, &sections) else { return nil }
      self = .song(session, plan)
    }
  }
}

/// A file's name without folder and extension, for a document without a title.
func documentName(of path: String) -> String {
  let name = path.split(separator: "/").last.map(String.init) ?? path
  guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
  return String(name[..<dot])
}
