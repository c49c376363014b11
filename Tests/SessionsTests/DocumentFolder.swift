import Control
import Foundation
import Sessions

/// A folder of documents that lasts as long as a test.
final class DocumentFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "tactus-documents-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  @discardableResult
  func write(_ name: String, _ text: String) throws -> String { try write(name, Array(text.utf8)) }

  @discardableResult
  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let file = path + "/" + name
    let folder = (file as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    return file
  }
}

/// The project's examples.
let examples = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/sessions"

/// The session that a document is.
func song(_ yaml: String) throws -> Session {
  guard case .song(let session) = try SessionDocument(yaml: yaml, file: "song.yaml") else {
    throw Fault(file: "song.yaml", line: 1, column: 1, what: "a setlist", allowed: "a song")
  }
  return session
}

/// What is wrong with a document, as `line:column what`.
func faults(_ yaml: String) -> [String] {
  do throws(Faults) {
    _ = try SessionDocument(yaml: yaml, file: "song.yaml", sounds: ["sine", "clave"])
    return []
  } catch {
    return error.faults.map { "\($0.line):\($0.column) \($0.what)" }
  }
}
