import Engine
import Glibc
import MusicTime

/// A user's sound set: a folder with a sound file for each role.
///
/// A file's name without the extension gives its role: `accent`, `beat`, `subdivision` or `cue`, in any case. Files with
/// other names are ignored. `accent` or `beat` must exist, and each replaces the other if it is missing. A missing
/// `subdivision` plays the beat, a missing `cue` the accent. The volumes of the roles still distinguish
/// them.
struct SampleFolder {
  /// In lower case; formats that libsndfile reads.
  static let extensions = ["wav", "flac", "ogg", "aif", "aiff"]

  /// The expected content of a folder, for messages.
  static let layout =
    "the files accent, beat, subdivision and cue (WAV, FLAC, OGG or AIFF; accent or beat at least)"

  let path: String

  init(_ path: String) {
    self.path = path
  }

  /// Reads the set at a sample rate.
  ///
  /// - Throws: `SoundError`.
  func clips(sampleRate: Int) throws(SoundError) -> ClipSet {
    let files = try files()
    guard files[.beat] != nil || files[.accent] != nil else { throw SoundError(path: path, .noClips) }

    func clip(_ role: Role) throws(SoundError) -> Clip? {
      guard let file = files[role] else { return nil }
      return Clip(try SampleReader(path: file).samples(sampleRate: sampleRate))
    }
    let (accent, beat) = (try clip(.accent), try clip(.beat))
    let (subdivision, cue) = (try clip(.subdivision), try clip(.cue))

    // `files` has checked that one of the two exists.
    let theAccent = (accent ?? beat)!
    let theBeat = (beat ?? accent)!
    return ClipSet(
      accent: theAccent, beat: theBeat, subdivision: subdivision ?? theBeat, cue: cue ?? theAccent)
  }

  /// The path of each role's file.
  private func files() throws(SoundError) -> [Role: String] {
    var found: [Role: String] = [:]
    for name in try names().sorted() {
      guard let role = SampleFolder.role(ofFile: name) else { continue }
      if let other = found[role] {
        throw SoundError(path: "\(path)/\(name)", .sameRole(as: other))
      }
      found[role] = "\(path)/\(name)"
    }
    return found
  }

  /// The role that a file name denotes, if any.
  static func role(ofFile name: String) -> Role? {
    guard let dot = name.lastIndex(of: ".") else { return nil }
    guard extensions.contains(name[name.index(after: dot)...].lowercased()) else { return nil }
    let stem = name[..<dot].lowercased()
    return Role.allCases.first { $0.name == stem }
  }

  private func names() throws(SoundError) -> [String] {
    guard let folder = opendir(path) else {
      let code = errno
      let missing = code == ENOTDIR || code == ENOENT
      throw SoundError(path: path, missing ? .notAFolder : .unreadable(reason: reason(code)))
    }
    defer { closedir(folder) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(folder) {
      // Use a pointer into the entry rather than a copy: an entry may be shorter than its declared type.
      let offset = MemoryLayout<dirent>.offset(of: \.d_name)!
      let name = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
      names.append(String(cString: name))
      errno = 0
    }
    guard errno == 0 else { throw SoundError(path: path, .unreadable(reason: reason(errno))) }
    return names
  }
}
