import Control
import Validation

extension SettingsDocument {
  /// The values of a document that were left out because they are not allowed.
  struct LeftOutValues {
    private(set) var first: InvalidValue?
    private var last: InvalidValue?
    private var listing = Listing()

    mutating func append(_ fault: InvalidValue) {
      // What is no mapping is one fault, however many keys are looked for in it.
      guard fault != last else { return }
      (first, last) = (first ?? fault, fault)
      listing.append("\(fault)")
    }

    /// One line; nil without faults.
    var description: String? { listing.description }
  }

  /// The first sentences of many, and the number of the others. A hostile file could cause 100 000.
  private struct Listing {
    private static let most = 3
    private var sentences: [String] = []
    private var others = 0

    mutating func append(_ sentence: @autoclosure () -> String) {
      if sentences.count < Listing.most { sentences.append(sentence()) } else { others += 1 }
    }

    /// One line; nil without sentences.
    var description: String? {
      sentences.isEmpty
        ? nil : (sentences + (others > 0 ? ["and \(others) more"] : [])).joined(separator: "; ")
    }
  }

  /// What misspelled keys of a document probably should be, in one line; nil if no unknown key resembles a key that is missing.
  /// Newer versions may have more keys, so other unknown keys are no faults.
  static func advice(on root: Node, _ table: ParameterTable = .standard) -> String? {
    var misspelled = SettingsDocument(Settings(), table).knownKeys.misspelled(in: root)
    for (list, keys) in [("midi", BindingDocument.knownKeys), ("presets", PresetDocument.knownKeys(table))] {
      for (index, item) in ((try? root.list(list)) ?? []).prefix(KnownKeys.compared).enumerated() {
        misspelled += keys.misspelled(in: item).map { ("\(list).\(index).\($0)", $1) }
      }
    }
    var listing = Listing()
    for (key, known) in misspelled { listing.append("unknown key \(quoted(key)): \(known), perhaps") }
    return listing.description
  }
}
