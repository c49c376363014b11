import Validation

/// What Tactus listens to: audio inputs, and the notes of an e-drum.
package struct ListeningSetup: Equatable, Sendable {
  /// An audio input.
  package struct Input: Equatable, Sendable {
    package var name: String
    package var mode: Mode

    package init(name: String, mode: Mode) { (self.name, self.mode) = (name, mode) }

    /// The short name of its JACK port.
    package var port: String { name.isEmpty ? "listen" : "listen-\(name)" }

    /// What others call it.
    package var title: String { name.isEmpty ? "listen" : name }
  }

  /// What is plugged in.
  package enum Mode: String, CaseIterable, Sendable {
    /// A microphone, or anything else that sounds.
    case mic
    /// A drum trigger: one short pulse for each stroke.
    case trigger
    /// What is recorded and not judged, as the sound of an e-drum that is heard through its notes.
    case record
  }

  package var inputs: [Input]
  /// Whether there is a MIDI port for an e-drum.
  package var hasNotes: Bool

  package static let limit = 8
  package static let off = ListeningSetup(inputs: [], hasNotes: false)
  /// One microphone.
  package static let standard: [Input] = [Input(name: "", mode: .mic)]

  package init(inputs: [Input] = [], hasNotes: Bool = false) {
    (self.inputs, self.hasNotes) = (inputs, hasNotes)
  }

  package var isOn: Bool { !inputs.isEmpty || hasNotes }

  /// The inputs that are judged, by their indices.
  package var judged: [Int] { inputs.indices.filter { inputs[$0].mode != .record } }

  /// What is plugged into a source; nil for notes.
  package func mode(of source: HitSource) -> Mode? {
    guard case .input(let index) = source, inputs.indices.contains(index) else { return nil }
    return inputs[index].mode
  }

  /// The JACK port of an e-drum's notes, which no input may be called.
  package static let notesPort = "hits"

  /// The JACK port of a source.
  package func port(of source: HitSource) -> String {
    switch source {
    case .input(let index): inputs.indices.contains(index) ? inputs[index].port : "listen"
    case .notes: ListeningSetup.notesPort
    }
  }

  /// What messages call a source.
  package func title(of source: HitSource) -> String {
    switch source {
    case .input(let index): inputs.indices.contains(index) ? inputs[index].title : "listen"
    case .notes: ListeningSetup.notesPort
    }
  }

  // MARK: Text

  package static let allowed =
    "mic, trigger, record, off, or up to 8 names with a mode each, such as snare:trigger,overhead:mic"

  /// Reads the inputs: a mode is one input, `off` is none, names with a mode are an input each.
  /// - Throws: `InvalidValue`.
  package static func inputs(text: String) throws(InvalidValue) -> [Input] {
    if text == "off" || text.isEmpty { return [] }
    if let mode = Mode(rawValue: text) { return [Input(name: "", mode: mode)] }
    var inputs: [Input] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard words.count == 2, let mode = Mode(rawValue: words[1]), isName(words[0]), inputs.count < limit,
        !inputs.contains(where: { $0.name == words[0] })
      else { throw InvalidValue("listen", quoted(text), allowed: allowed) }
      inputs.append(Input(name: words[0], mode: mode))
    }
    return inputs
  }

  /// Letters, digits and hyphens, beginning with a letter; not a word that means something else.
  private static func isName(_ text: String) -> Bool {
    guard let first = text.first, first.isASCII, first.isLetter, text.utf8.count <= 16 else { return false }
    return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
      && Mode(rawValue: text) == nil && text != "off" && text != notesPort
  }

  /// The inputs as `inputs(text:)` reads them.
  package var text: String {
    if inputs.isEmpty { return "off" }
    if inputs.count == 1, inputs[0].name.isEmpty { return inputs[0].mode.rawValue }
    return inputs.map { "\($0.name):\($0.mode.rawValue)" }.joined(separator: ",")
  }
}
