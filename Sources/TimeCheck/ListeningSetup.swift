import Validation

/// The inputs that Tactus listens to: audio inputs, and the notes of an e-drum.
package struct ListeningSetup: Equatable, Sendable {
  /// An audio input.
  package struct Input: Equatable, Sendable {
    /// Empty for an input that was given by its mode alone.
    package var name: String
    package var mode: Mode

    package init(name: String, mode: Mode) { (self.name, self.mode) = (name, mode) }

    /// The short name of its JACK port.
    package var port: String { name.isEmpty ? "listen" : "listen-\(name)" }

    /// Its name for users.
    package var title: String { name.isEmpty ? "listen" : name }
  }

  /// How an input is used, and which detector it has.
  package enum Mode: String, CaseIterable, Sendable {
    /// A microphone or another continuous sound.
    case mic
    /// A drum trigger: one short pulse for each stroke.
    case trigger
    /// Only recorded and not judged, for example the sound of an e-drum whose notes are judged.
    case record
  }

  package var inputs: [Input]
  /// Whether there is a MIDI port for an e-drum.
  package var hasNotes: Bool

  /// The most audio inputs.
  package static let limit = 8
  /// No inputs.
  package static let off = ListeningSetup(inputs: [], hasNotes: false)
  /// One microphone.
  package static let standard: [Input] = [Input(name: "", mode: .mic)]

  package init(inputs: [Input] = [], hasNotes: Bool = false) {
    (self.inputs, self.hasNotes) = (inputs, hasNotes)
  }

  /// Whether there is any input.
  package var isOn: Bool { !inputs.isEmpty || hasNotes }

  /// The indices of the audio inputs that are judged.
  package var judged: [Int] { inputs.indices.filter { inputs[$0].mode != .record } }

  /// The mode of an audio input; nil for notes and unknown inputs.
  package func mode(of source: HitSource) -> Mode? {
    guard case .input(let index) = source, inputs.indices.contains(index) else { return nil }
    return inputs[index].mode
  }

  /// The short name of the JACK port for an e-drum's notes. No input may have this name.
  package static let notesPort = "hits"

  /// The short name of a source's JACK port.
  package func port(of source: HitSource) -> String {
    switch source {
    case .input(let index): inputs.indices.contains(index) ? inputs[index].port : "listen"
    case .notes: ListeningSetup.notesPort
    }
  }

  /// The name of a source for users.
  package func title(of source: HitSource) -> String {
    switch source {
    case .input(let index): inputs.indices.contains(index) ? inputs[index].title : "listen"
    case .notes: ListeningSetup.notesPort
    }
  }

  // MARK: Text

  /// The syntax of `inputs(text:)`, for messages.
  package static let allowed =
    "mic, trigger, record, off, or up to 8 names with a mode each, such as snare:trigger,overhead:mic"

  /// Reads inputs: a mode is one input without a name; `off` and an empty text are none; `NAME:MODE,…` is one input for each
  /// name.
  /// - Throws: `InvalidValue` if the text is anything else.
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

  /// Whether a text is a name: at most 16 letters, digits and hyphens, the first a letter, and not a word with another meaning.
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
