import Control
import Files
import Foundation

@testable import Sessions

/// A state file in a temporary folder.
final class StateFolder {
  let folder = NSTemporaryDirectory() + "tactus-state-\(UUID().uuidString)"
  var file: StateFile { StateFile(path: folder + "/tactus/tactus.yaml") }
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder + "/tactus")) ?? []).sorted()
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func put(_ data: some Sequence<UInt8>) throws {
    try FileManager.default.createDirectory(atPath: folder + "/tactus", withIntermediateDirectories: true)
    try writeFile(Array(data), to: file.path)
  }

  /// The reason why a text, or a part of it, can't be used; nil if all of it can.
  func damage(_ text: String) throws -> String? {
    try put(text.utf8)
    return switch file.read() {
    case .none, .settings: nil
    case .partial(_, let reason, _), .damaged(let reason, _): reason
    }
  }
}

extension StateFile.Outcome {
  var settings: Settings? { if case .settings(let settings, _) = self { settings } else { nil } }
  var isDamaged: Bool { if case .damaged = self { true } else { false } }
  var isNone: Bool { if case .none = self { true } else { false } }
}
