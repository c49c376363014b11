import Control
import Files
import Foundation
import MusicTime
import Yams

/// The file in which the settings survive a restart.
public struct StateFile: Sendable {
  public let path: String

  /// The largest file that is read, in bytes; ours has a few hundred, and with as many bindings as can be 150 000.
  static let sizeLimit = 262_144

  /// How many aliases (`*name`) are read. Ours has none, and each can double what a few bytes grow to.
  static let aliasLimit = 8

  public init(path: String) { self.path = path }

  /// The state of a client of that name, in the XDG state folder.
  public init(client: String) {
    let environment = ProcessInfo.processInfo.environment
    let home = environment["HOME"] ?? NSHomeDirectory()
    // The XDG specification has relative paths ignored.
    let folder =
      environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/state"
    let safe = String(client.map { $0.isLetter || $0.isNumber || "-_ ".contains($0) ? $0 : "_" })
    path = folder + "/tactus/\(safe).yaml"
  }

  /// What reading the file came to.
  public enum Outcome: Sendable {
    /// There was none.
    case none
    case settings(Settings)
    /// It was damaged; it now lies elsewhere, and the reason says why.
    case damaged(reason: String, movedTo: String?)
  }

  /// Reads the settings. A damaged file is set aside, so that nothing of it is lost or overwritten.
  public func read() -> Outcome {
    guard FileManager.default.fileExists(atPath: path) else { return .none }
    do {
      return .settings(try decode())
    } catch let error as StateError where error.isPassing {
      // A disk that is not there today may be tomorrow; nothing says that the file is bad.
      return .damaged(reason: "\(error)", movedTo: nil)
    } catch {
      let aside = unusedPath()
      let isMoved = (try? FileManager.default.moveItem(atPath: path, toPath: aside)) != nil
      return .damaged(reason: StateFile.reason(error), movedTo: isMoved ? aside : nil)
    }
  }

  /// Writes the settings, wholly or not at all.
  /// - Throws: `WriteError`.
  public func write(_ settings: Settings) throws {
    let encoder = YAMLEncoder()
    encoder.options.sortKeys = true
    let text = "# Tactus's settings; written by itself.\n" + (try encoder.encode(SettingsDocument(settings)))
    let folder = (path as NSString).deletingLastPathComponent
    // What is wrong shows when the file is opened.
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try WholeFile.write(text.utf8, to: path)
  }

  private func decode() throws -> Settings {
    guard let file = FileHandle(forReadingAtPath: path) else { throw StateError.unreadable(path, errno) }
    defer { try? file.close() }
    let data = try file.read(upToCount: StateFile.sizeLimit + 1) ?? Data()
    guard data.count <= StateFile.sizeLimit else { throw StateError.tooLarge }
    guard let text = String(data: data, encoding: .utf8) else { throw StateError.notText }
    // A `*` may also be part of a name, which does no harm.
    guard text.utf8.count(where: { $0 == UInt8(ascii: "*") }) <= StateFile.aliasLimit else {
      throw StateError.tooManyAliases
    }
    return try YAMLDecoder().decode(SettingsDocument.self, from: text).settings()
  }

  private func unusedPath() -> String {
    let names = ["\(path).damaged"] + (2...99).map { "\(path).damaged-\($0)" }
    return names.first { !FileManager.default.fileExists(atPath: $0) } ?? names[0]
  }

  /// An error in one line, in words that Foundation and Yams don't have.
  private static func reason(_ error: any Error) -> String {
    switch error {
    case DecodingError.typeMismatch(let type, let context),
      DecodingError.valueNotFound(let type, let context):
      "\(key(context)): must be \(kind(type))"
    case DecodingError.dataCorrupted(let context):
      context.underlyingError.map(reason) ?? "\(key(context)): can't be read"
    case YamlError.scanner(_, let problem, let mark, _), YamlError.parser(_, let problem, let mark, _),
      YamlError.composer(_, let problem, let mark, _):
      "line \(mark.line), column \(mark.column): \(problem)"
    case YamlError.reader(let problem, _, _, _): problem
    case YamlError.duplicatedKeysInMapping(let keys, _): "key \(quoted(keys.first ?? "")) twice"
    case is InvalidValue, is StateError: "\(error)"
    default: "not settings in YAML"
    }
  }

  private static func key(_ context: DecodingError.Context) -> String {
    let key = context.codingPath.map(\.stringValue).joined(separator: ".")
    return key.isEmpty ? "the file" : key
  }

  private static func kind(_ type: any Any.Type) -> String {
    switch type {
    case is Double.Type: "a number"
    case is Int.Type: "a whole number"
    case is String.Type: "a text"
    case is Yams.Node.Scalar.Type: "a single value"
    default: "keys and values"
    }
  }
}

enum StateError: Error, CustomStringConvertible {
  /// Whether it says nothing of what is in the file.
  var isPassing: Bool {
    if case .unreadable = self { true } else { false }
  }

  case unreadable(String, Int32)
  case tooLarge
  case notText
  case tooManyAliases

  var description: String {
    switch self {
    case .unreadable(let path, let code): "\(path) can't be read: \(String(cString: strerror(code)))"
    case .tooLarge: "larger than \(StateFile.sizeLimit) bytes"
    case .notText: "not UTF-8 text"
    case .tooManyAliases: "more than \(StateFile.aliasLimit) aliases"
    }
  }
}
