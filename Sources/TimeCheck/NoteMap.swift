import Validation

/// The drums of an e-drum's notes: General MIDI's drum map, and learned notes, which replace its entries.
package struct NoteMap: Hashable, Sendable {
  /// The syntax of `init(text:)`, for messages.
  package static let allowed =
    "notes 0…127 with a drum each, such as 38 snare, 40 rim (drums: \(Drum.names)); empty"

  /// The notes that differ from General MIDI.
  private var learned: [UInt8: Drum] = [:]

  package init() {}

  /// The drum of a note, 0…127; nil if it is not known.
  package func drum(of note: UInt8) -> Drum? { learned[note] ?? Drum(generalMIDI: note) }

  /// Assigns a note, 0…127, to a drum.
  package mutating func learn(_ note: UInt8, as drum: Drum) {
    learned[note] = Drum(generalMIDI: note) == drum ? nil : drum
  }

  // MARK: Text

  /// Reads notes with their drums: `38 snare, 40 rim`; an empty text is General MIDI.
  /// - Throws: `InvalidValue` for another syntax, an unknown drum, or a note that occurs twice.
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
