import Engine
import Glibc
import MusicTime

/// A user's sound set: a folder with a sound file for each role.
///
/// A file's name without the extension gives its role: `accent`, `beat`, `subdivision` or `cue`, in any case. Files with
/// other names are ignored. `accent` or `beat` must exist, and each replaces the other if it is missing. A missing
/// `subdivision` plays the beat, a missing `cue` the accent. The volumes of the roles still distinguish
/// them.
///
/// Files named `1`, `2`, `3`… count the beats of a bar: they sound instead of accents and beats. With them the folder needs
/// neither `accent` nor `beat`.
struct SampleFolder {
  /// In lower case; formats that libsndfile reads.
  static let extensions = ["wav", "flac", "ogg", "aif", "aiff"]

  /// The expected content of a folder, for messages.
  static let layout =
    "the files accent, beat, subdivision and cue (WAV, FLAC, OGG or AIFF; at least accent or beat), or files 1, 2, 3… that count the beats"
  /// The highest beat number of a file.
  static let numbers = 99

  let path: String

  init(_ path: String) {
    self.path = path
  }

  /// Reads the set at a sample rate.
  ///
  /// - Throws: `SoundError`.
  func clips(sampleRate: Int) throws(SoundError) -> ClipSet {
    let (files, numbers) = try files()
    let count = try countingClips(numbers, sampleRate: sampleRate)
    guard files[.beat] != nil || files[.accent] != nil || count != nil else {
      throw SoundError(path: path, .noClips)
    }

    func clip(_ role: ClickRole) throws(SoundError) -> Clip? {
      guard let file = files[role] else { return nil }
      return Clip(try SampleReader(path: file).samples(sampleRate: sampleRate))
    }
    let (accent, beat) = (try clip(.accent), try clip(.beat))
    let (subdivision, cue) = (try clip(.subdivision), try clip(.cue))

    // At least one of the three exists.
    let theAccent = (accent ?? beat ?? count?.clips[0])!
    let theBeat = (beat ?? accent ?? count?.clips[0])!
    let roles = PerRole(
      accent: theAccent, beat: theBeat, subdivision: subdivision ?? theBeat, cue: cue ?? theAccent)
    return ClipSet(roles, count: count)
  }

  /// Clips for the numbered beats; nil if there are none.
  private func countingClips(_ files: [Int: String], sampleRate: Int) throws(SoundError) -> CountingClips? {
    guard let last = files.keys.max() else { return nil }
    var clips: [Clip] = []
    for number in 1...last {
      guard let file = files[number] else { throw SoundError(path: path, .missingNumber(number, of: last)) }
      clips.append(Clip(try SampleReader(path: file).samples(sampleRate: sampleRate)))
    }
    return CountingClips(clips, countsBars: false)
  }

  /// The paths of the files, by their roles and by their numbers.
  private func files() throws(SoundError) -> (roles: [ClickRole: String], numbers: [Int: String]) {
    var (roles, numbers) = ([ClickRole: String](), [Int: String]())
    for name in try names().sorted() {
      let file = "\(path)/\(name)"
      let other: String?
      switch SampleFolder.place(ofFile: name) {
      case .role(let role): other = roles.updateValue(file, forKey: role)
      case .number(let number): other = numbers.updateValue(file, forKey: number)
      case nil: other = nil
      }
      if let other { throw SoundError(path: file, .sameRole(as: other)) }
    }
    return (roles, numbers)
  }

  /// The paths of the files that have a purpose; empty if the folder can't be read.
  var paths: [String] {
    let found = (try? names()) ?? []
    return found.filter { SampleFolder.place(ofFile: $0) != nil }.map { "\(path)/\($0)" }
  }

  /// The purpose of a file.
  enum Place: Equatable {
    case role(ClickRole)
    /// The number of a beat, from 1.
    case number(Int)
  }

  /// The purpose of a file by its name; nil if it is ignored.
  static func place(ofFile name: String) -> Place? {
    guard let dot = name.lastIndex(of: ".") else { return nil }
    guard extensions.contains(name[name.index(after: dot)...].lowercased()) else { return nil }
    let stem = name[..<dot].lowercased()
    if SpokenNumber.isNumber(stem), let number = Int(stem), 1...numbers ~= number { return .number(number) }
    return ClickRole.allCases.first { $0.name == stem }.map { .role($0) }
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
