import Control
import Foundation

@testable import Sessions

/// A temporary folder of documents.
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
    try writeFile(bytes, to: file)
    return file
  }
}

/// Writes a new file without waiting for the disk. `Data` waits, and so do file systems when a file is overwritten; a test may
/// write ten thousand files.
func writeFile(_ bytes: [UInt8], to path: String) throws {
  unlink(path)
  guard let file = fopen(path, "w") else { throw CocoaError(.fileWriteUnknown) }
  defer { fclose(file) }
  guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw CocoaError(.fileWriteUnknown) }
}

/// The project's examples.
let examples = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/sessions"

/// The session of a document.
/// - Throws: `Faults`, none of them for a setlist.
func song(_ yaml: String) throws -> Session {
  let log = FaultLog(file: "song.yaml")
  guard case .song(let session, _) = DocumentContent(yaml, folder: "", sounds: [], log) else {
    throw Faults(faults: log.sorted)
  }
  return session
}

/// The faults of a document.
func reported(_ yaml: String) -> [Fault] {
  let log = FaultLog(file: "song.yaml")
  _ = DocumentContent(yaml, folder: "", sounds: ["sine", "clave"], log)
  return log.sorted
}

/// The faults of a document, as `line:column what`.
func faults(_ yaml: String) -> [String] {
  reported(yaml).map { "\($0.line):\($0.column) \($0.what)" }
}
