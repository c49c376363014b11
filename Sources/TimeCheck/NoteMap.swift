import Validation

/// Which note of an e-drum is which drum: General MIDI's drum map, and what was learned in place of it.
package struct NoteMap: Hashable, Sendable {
  package static let allowed =
    "notes 0…127 with a drum each, such as 38 snare, 40 rim (drums: \(Drum.names)); empty"

  /// What differs from General MIDI.
  private var learned: [UInt8: Drum] = [:]

  package init() {}

  /// - Returns: nil if the note is no drum that is known.
  package func drum(of note: UInt8) -> Drum? { learned[note] ?? Drum(generalMIDI: note) }

  /// Has a note be a drum.
  package mutating func learn(_ note: UInt8, as drum: Drum) {
    learned[note] = Drum(generalMIDI: note) == drum ? nil : drum
  }

  // MARK: Text

  /// Reads notes with their drums: `38 snare, 40 rim`.
  /// - Throws: `InvalidValue`.
  package init(text: String) throws(InvalidValue) {
    var seen: Set<UInt8> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) where !text.isEmpty {
      let words = part.split(separator: " ", maxSplits: 1)
      guard words.count == 2, let note = UInt8(words[0]), note < 128, seen.insert(note).inserted,
        let drum = Drum(rawValue: words[1].trimmingSpaces)
      else { throw InvalidValue("listen/notes", quoted(text), allowed: NoteMap.allowed) }
      learn(note, as: drum)
    }
  }

  /// The notes that differ from General MIDI, lowest first, as `init(text:)` reads them.
  package var text: String {
    learned.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.rawValue)" }.joined(separator: ", ")
  }
}

extension Drum {
  /// All names, for messages.
  package static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

extension Substring {
  fileprivate var trimmingSpaces: String {
    var text = self
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
