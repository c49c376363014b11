import Control
import Files
import Validation

/// Loads documents from disk: a song, a klick map, or a setlist and all its songs.
package struct SessionLoader: Sendable {
  /// Names of sound sets that need no folder. If empty, sound names are not checked.
  package var sounds: [String]
  /// The folder that must contain every file; nil for no restriction.
  package var folder: SessionFolder?
  /// Whether a voice exists; nil if that is not checked.
  package var voices: (@Sendable (String) -> Bool)?
  /// The known parameters.
  package var table: ParameterTable

  /// - Parameters:
  ///   - sounds: names of sound sets that need no folder. If empty, sound names are not checked.
  ///   - folder: the folder that must contain every file; nil for no restriction.
  ///   - voices: whether a voice exists; nil if that is not checked.
  ///   - table: the known parameters.
  package init(
    sounds: [String] = [], folder: SessionFolder? = nil, voices: (@Sendable (String) -> Bool)? = nil,
    table: ParameterTable = .standard
  ) {
    self.sounds = sounds
    self.folder = folder
    self.voices = voices
    self.table = table
  }

  /// Loads a file and all files that it names.
  ///
  /// - Throws: `Faults` with everything that is wrong in any of the files.
  /// - Thread: any but audio
  package func load(_ path: String) throws(Faults) -> Setlist { try loadWithFiles(path).setlist }

  /// As `load`, with the paths of all files that were read.
  func loadWithFiles(_ path: String) throws(Faults) -> (setlist: Setlist, files: Set<String>) {
    var run = LoadRun(loader: self)
    let songs = run.songs(path, at: nil, depth: 1)
    guard run.faults.isEmpty else { throw Faults(faults: run.faults) }
    return (Setlist(title: run.title, songs: songs), run.files)
  }

  /// The name and version of the loaded libyaml.
  package static var libraryVersion: String { YAMLEvents.libraryVersion }

  /// The name and version of the loaded expat.
  package static var xmlLibraryVersion: String { XMLWalk.libraryVersion }
}

/// One load: what has been read, and which files are being read.
private struct LoadRun {
  /// The maximum nesting of setlists.
  static let depthLimit = 8

  let loader: SessionLoader
  var faults: [Fault] = []
  var title = ""
  private(set) var files: Set<String> = []
  private var open: Set<FileIdentity> = []
  private var read: [FileIdentity: Setlist.Entry] = [:]
  private var songCount = 0
  private var planCount = 0
  private var bytesLeft = SessionLimits.bytes

  init(loader: SessionLoader) { self.loader = loader }

  /// A setlist's entry that names a file.
  struct Place {
    let file: String
    let mark: Mark
    /// The file as the entry names it.
    let name: String
  }

  /// - Parameter place: the setlist entry that names the file; nil for the first file.
  mutating func songs(_ path: String, at place: Place?, depth: Int) -> [Setlist.Entry] {
    guard faults.count < FaultLog.limit, bytesLeft >= 0 else { return [] }
    if let folder = loader.folder, !folder.admits(path) {
      fail(
        place, path, "file \(quoted(place?.name ?? path))",
        allowed: "a document in the session folder")
      return []
    }
    // A setlist may name a large song a thousand times.
    if depth <= LoadRun.depthLimit, let song = FileIdentity(path).flatMap({ read[$0] }) {
      files.insert(path)
      return entry(song, place, path)
    }
    let file: TextFile
    do throws(TextFile.ReadError) { file = try TextFile(reading: path) } catch {
      if case .content(let fault) = error { faults.append(fault) }
      // If the file doesn't exist, report the entry that names it rather than line 1 of the file.
      if let (what, allowed) = error.ofFile {
        fail(place, path, place.map { "\(quoted($0.name)), \(what)" } ?? what, allowed: allowed)
      }
      return []
    }
    files.insert(path)
    guard !open.contains(file.identity) else {
      fail(
        place, path, "file \(quoted(place?.name ?? path)), which includes itself", allowed: "another document"
      )
      return []
    }
    guard depth <= LoadRun.depthLimit else {
      fail(place, path, "setlists within setlists", allowed: "at most \(LoadRun.depthLimit) deep")
      return []
    }
    bytesLeft -= file.text.utf8.count
    guard bytesLeft >= 0 else {
      fail(
        place, path, "files of more than \(SessionLimits.bytes) bytes together",
        allowed: "at most \(SessionLimits.bytes) bytes")
      return []
    }
    open.insert(file.identity)
    defer { open.remove(file.identity) }

    if KlickMap.isMap(file.text, path: path) {
      do throws(Faults) {
        let map = try KlickMap(file.text, file: path)
        let song = try map.plan()
        let read = Setlist.Entry(song: song)
        self.read[file.identity] = read
        return entry(read, place, path)
      } catch {
        faults += error.faults
        return []
      }
    }
    let log = FaultLog(file: path)
    let folder = folder(of: path)
    let content = DocumentContent(
      file.text, folder: folder, sounds: loader.sounds, voices: loader.voices, table: loader.table,
      keepsParts: false, log)
    faults += log.sorted
    switch content {
    case nil: return []
    case .song(_, var song):
      if song.title.isEmpty { song.title = documentName(of: path) }
      let read = Setlist.Entry(song: song, path: path)
      self.read[file.identity] = read
      return entry(read, place, path)
    case .setlist(let title, let songs):
      if depth == 1 { self.title = title.isEmpty ? documentName(of: path) : title }
      var entries: [Setlist.Entry] = []
      for song in songs {
        let target = song.file.hasPrefix("/") || folder.isEmpty ? song.file : folder + "/" + song.file
        var found = self.songs(
          target, at: Place(file: path, mark: song.mark, name: song.file), depth: depth + 1)
        if !found.isEmpty { found[found.count - 1].after = song.after }
        entries += found
        if songCount > SessionLimits.songs || planCount > SessionLimits.plans { break }
      }
      return entries
    }
  }

  private mutating func entry(
    _ entry: Setlist.Entry, _ place: Place?, _ path: String
  ) -> [Setlist.Entry] {
    if place == nil { title = entry.song.title }
    let wasWithin = songCount <= SessionLimits.songs && planCount <= SessionLimits.plans
    songCount += 1
    planCount += entry.song.plans.count
    guard songCount <= SessionLimits.songs, planCount <= SessionLimits.plans else {
      if wasWithin {
        fail(
          place, path, "setlist of more than \(SessionLimits.songs) songs or \(SessionLimits.plans) sections",
          allowed: "shorter, with all repeats")
      }
      return []
    }
    return [entry]
  }

  private mutating func fail(
    _ place: Place?, _ path: String, _ what: String, allowed: String
  ) {
    let (line, column) = (place?.mark.line ?? 1, place?.mark.column ?? 1)
    faults.append(Fault(file: place?.file ?? path, line: line, column: column, what: what, allowed: allowed))
  }
}
