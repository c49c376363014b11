import Control
import Foundation
import Sessions

/// The folder with the program's settings and documents, and the faults of its disk.
final class Disk: @unchecked Sendable {
  // `@unchecked`: the simulator has one thread.

  struct Full: Error, CustomStringConvertible {
    let description = "No space left on device"
  }

  let folder: String
  let file: StateFile
  private let flaw: Flaw?
  /// Since when saves have succeeded; nil while they fail.
  private(set) var fineSince: UInt64? = 0
  var isFull: Bool { fineSince == nil }
  /// Number of successful saves in all lives of the program.
  private(set) var saves = 0
  /// Whether the last save failed.
  private(set) var lastFailed = false
  /// Whether a save has succeeded since the state file was missing.
  private(set) var hasSaved = false
  /// The saved settings, kept forever if that flaw is planted.
  private var pile: [Settings] = []

  init(flaw: Flaw?) throws {
    let memory = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    folder = memory + "/tactus-simulator-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder + "/documents", withIntermediateDirectories: true)
    file = StateFile(path: folder + "/state/tactus.yaml")
    self.flaw = flaw
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func write(_ settings: Settings) throws {
    guard !isFull else {
      lastFailed = true
      throw Full()
    }
    var settings = settings
    if flaw == .swingIsNotSaved { try? settings.set(.swing(.straight)) }
    if flaw == .savesPileUp { pile.append(settings) }
    try file.write(settings)
    (saves, lastFailed, hasSaved) = (saves + 1, false, true)
  }

  func fill() { fineSince = nil }

  func clear(at time: UInt64) { fineSince = time }

  /// Notes that the program has set a damaged state file aside.
  func noteSetAside() { hasSaved = false }

  /// Number of saves that are kept in memory.
  var waiting: Int { pile.count }

  /// Leaves a part of a new file beside the old one, as an interrupted save does.
  func leaveRest(percent: Int) {
    guard let bytes = FileManager.default.contents(atPath: file.path) else { return }
    let part = bytes.prefix(bytes.count * percent / 100)
    _ = FileManager.default.createFile(atPath: file.path + ".cut.new", contents: Data(part))
  }

  /// Cuts the state file off.
  /// - Returns: the remaining bytes; nil if there is no file.
  func cut(percent: Int) -> [UInt8]? {
    guard let bytes = FileManager.default.contents(atPath: file.path) else { return nil }
    let part = Data(bytes.prefix(bytes.count * percent / 100))
    _ = FileManager.default.createFile(atPath: file.path, contents: part)
    return Array(part)
  }

  func read(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: path).map { Array($0) } }

  func path(of document: Document) -> String { path(ofDocument: document.name) }

  func path(ofDocument name: String) -> String { "\(folder)/documents/\(name)" }

  func write(_ document: Document) { write(document.text, to: document.name) }

  /// Writes a document under a name.
  func write(_ text: String, to name: String) {
    _ = FileManager.default.createFile(atPath: "\(folder)/documents/\(name)", contents: Data(text.utf8))
  }
}
