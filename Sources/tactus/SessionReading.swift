import Control
import Files
import Glibc
import Sessions
import Sound
import Validation

/// Access to session documents and voices.
enum SessionReading {
  /// The documents that network clients may open.
  static let documents = OpenableDocuments(
    folder: SessionFolder(path: folder), sounds: SoundSource.names, listed: { listing.documents() })

  /// The documents of the session folder.
  static let library = SessionLibrary(
    folder: SessionFolder(path: folder), sounds: SoundSource.names)

  /// The same documents, for clients that request the list often.
  static let listing = DocumentListing { isLate in library.documents(until: isLate) }

  /// The path of a document that a user names: a file, with or without its `.yaml`; otherwise a document of the session folder,
  /// by its name or title.
  /// - Returns: the text itself if there is neither.
  /// - Throws: `InvalidValue` if several documents have that name.
  static func found(_ text: String) throws(InvalidValue) -> String {
    if text.isEmpty || fileExists(text) && !isFolder(text) { return text }
    let file = ["yaml", "yml"].map { "\(text).\($0)" }.first { fileExists($0) && !isFolder($0) }
    if let file { return file }
    return try library.path(of: text) ?? text
  }

  /// Reads a document that the user has named.
  /// - Throws: `CommandError` with all its faults.
  static func read(_ path: String) throws -> (setlist: Setlist, place: SessionPlace) {
    try checkReadable(path)
    do {
      return (try documents.readForUser(path), SessionPlace(path: self.path(of: path)))
    } catch {
      throw CommandError(error, code: .data)
    }
  }

  /// The absolute path of a file, as in `SessionPlace`.
  static func path(of file: String) -> String { absolutePath(file) }

  /// Reads the document of the last run.
  /// - Throws: `CommandError` with all its faults.
  static func readAgain(_ path: String) throws -> Setlist {
    try checkReadable(path)
    do { return try documents.readAgain(path) } catch { throw CommandError(error, code: .data) }
  }

  /// Checks that a file can be read.
  /// - Throws: `CommandError` if the file doesn't exist or can't be read.
  static func checkReadable(_ path: String) throws {
    guard access(path, R_OK) != 0 else { return }
    let code = errno
    // The first argument may be a mistyped command.
    if code == ENOENT, CommandLine.arguments.dropFirst().first == path {
      throw CommandError(
        "there is no file, document or command \(quoted(path)): tactus list shows the documents, tactus --help the commands",
        code: .noInput)
    }
    if code == ENOENT, Tactus.isCommand(path), CommandLine.arguments.dropFirst().first?.hasPrefix("-") == true
    {
      throw CommandError(
        "there is no file or document \(quoted(path)): options come after the command, as in tactus \(path) --help",
        code: .noInput)
    }
    if code == ENOENT, !path.contains("/") {
      throw CommandError(
        "there is no file or document \(quoted(path)): tactus list shows the documents", code: .noInput)
    }
    if code == ENOENT {
      throw CommandError("\(path): there is no such file: name one that exists", code: .noInput)
    }
    throw CommandError(
      "\(path): \(String(cString: strerror(code))): must be a file that can be read", code: .noInput)
  }

  /// The session folder, in the XDG data folder. Names from network clients are relative to it.
  static var folder: String { UserFolder.data.path + "/tactus/sessions" }

  private static let speech = Speech()

  /// Speaks a text with espeak-ng.
  static let speak: Speaker = { text, voice, sampleRate in
    try speech.clip(
      text, gain: voice.volume.gain, speed: voice.speed, language: voice.language, sampleRate: sampleRate)
  }
}
