import Control
import Foundation
import MusicTime
import Sessions
import Sound

/// How the program gets at session documents and voices.
enum SessionReading {
  private static let loader = SessionLoader(sounds: BuiltInSound.allCases.map(\.name))

  /// Reads a document that the user has named.
  /// - Throws: `Failure` with every fault of it.
  static func read(_ path: String) throws -> (setlist: Setlist, place: SessionPlace) {
    try checkReadable(path)
    do {
      return (try loader.load(path), SessionPlace(path: URL(fileURLWithPath: path).standardizedFileURL.path))
    } catch {
      throw Failure("\(error)", code: .data)
    }
  }

  /// - Throws: `Failure` where there is no file that may be read.
  static func checkReadable(_ path: String) throws {
    guard access(path, R_OK) != 0 else { return }
    let code = errno
    // What stands where a command does may be meant for one.
    if code == ENOENT, CommandLine.arguments.dropFirst().first == path {
      throw Failure(
        "there is neither a file nor a command \(quoted(path)): tactus --help lists the commands",
        code: .noInput)
    }
    throw Failure(
      "\(path): \(String(cString: strerror(code))): must be a file that can be read", code: .noInput)
  }

  /// Reads documents that somebody names over the network: those of one folder alone.
  static func reader(of folder: String) -> @Sendable (String) throws -> (Setlist, SessionPlace) {
    let folder = SessionFolder(path: folder)
    return { name in
      let path = try folder.resolve(name)
      return (try SessionLoader(sounds: loader.sounds, folder: folder).load(path), SessionPlace(path: path))
    }
  }

  /// Where documents are looked for that are named over the network, if no session is played: the XDG data folder.
  static var folder: String {
    let environment = ProcessInfo.processInfo.environment
    let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    return (data ?? NSHomeDirectory() + "/.local/share") + "/tactus/sessions"
  }

  private static let speech = Speech()

  static let speak: Speaker = { text, voice, sampleRate in
    try speech.clip(
      text, gain: voice.volume.gain, speed: voice.speed, language: voice.language, sampleRate: sampleRate)
  }
}
