/// A layer as a user sets it: by OSC in one line, in a document with keys. It shares no code with the program.
struct LayerPattern: Equatable {
  /// The layers that histories use. Each has a port.
  static let numbers = 1...4

  enum Span: Equatable {
    case beats(Int)
    case bars(Int)
    /// A note of this fraction of a whole note.
    case note(Int, Int)
  }

  enum Reset: String, CaseIterable {
    case bar, group, section, never
  }

  /// Number of pulses over the span. A pulse on every note is one pulse over that note.
  var pulses = 1
  var span = Span.bars(1)
  /// Whether it was set as a pulse on every note.
  var isEvery = false
  /// A letter for each pulse; empty for the default.
  var letters = ""
  var reset = Reset.section
  /// nil: the note of the layer's number.
  var note: Int?
  /// nil: the sound set of the beats.
  var sound: String?
  /// Volume in hundredths; for a section of a document.
  var volume = 100

  init() {}

  /// Parses the program's report of a layer: `5 over 2 bars, pattern X.x, reset bar, note 60, sound clave`.
  init?(_ text: String) {
    let parts = text.split(separator: ",").map { $0.split(separator: " ").map(String.init) }
    guard let rate = parts.first, rate.count >= 2 else { return nil }
    if rate[0] == "every" {
      guard let span = LayerPattern.span(Array(rate[1...])) else { return nil }
      (isEvery, self.span) = (true, span)
    } else {
      guard rate.count >= 3, rate[1] == "over", let pulses = Int(rate[0]),
        let span = LayerPattern.span(Array(rate[2...]))
      else { return nil }
      (self.pulses, self.span) = (pulses, span)
    }
    for part in parts.dropFirst() {
      guard part.count == 2 else { return nil }
      switch part[0] {
      case "pattern": letters = part[1]
      case "note": note = Int(part[1])
      case "sound": sound = part[1]
      case "reset":
        guard let reset = Reset(rawValue: part[1]) else { return nil }
        self.reset = reset
      default: return nil
      }
    }
  }

  private static func span(_ words: [String]) -> Span? {
    guard let last = words.last else { return nil }
    let note = last.split(separator: "/").compactMap { Int($0) }
    if note.count == 2 { return .note(note[0], note[1]) }
    let count = words.count == 1 ? 1 : Int(words[0]) ?? 0
    return last.hasPrefix("beat") ? .beats(count) : last.hasPrefix("bar") ? .bars(count) : nil
  }

  private var spanText: String {
    switch span {
    case .beats(let count): count == 1 ? "beat" : "\(count) beats"
    case .bars(let count): count == 1 ? "bar" : "\(count) bars"
    case .note(let count, let unit): "\(count)/\(unit)"
    }
  }

  /// The form that an app sends.
  var text: String {
    var parts = [isEvery ? "every \(spanText)" : "\(pulses) over \(spanText)"]
    if !letters.isEmpty { parts.append("pattern \(letters)") }
    if reset != .section { parts.append("reset \(reset.rawValue)") }
    if let note { parts.append("note \(note)") }
    if let sound { parts.append("sound \(sound)") }
    return parts.joined(separator: ", ")
  }

  /// The form in a document.
  var entry: String {
    var parts = isEvery ? ["every: \(spanText)"] : ["pulses: \(pulses)", "over: \(spanText)"]
    if !letters.isEmpty { parts.append("pattern: \"\(letters)\"") }
    if reset != .section { parts.append("reset: \(reset.rawValue)") }
    if let note { parts.append("note: \(note)") }
    if let sound { parts.append("sound: \(sound)") }
    if volume != 100 { parts.append("volume: \(Double(volume) / 100)") }
    return "{" + parts.joined(separator: ", ") + "}"
  }

  /// The letters of its pulses; they repeat.
  var pattern: [Character] {
    if !letters.isEmpty { return Array(letters) }
    return isEvery ? ["x"] : ["X"] + Array(repeating: "x", count: pulses - 1)
  }

  /// The MIDI note of a layer with this number.
  func midiNote(_ number: Int) -> UInt8 { UInt8(note ?? [75, 37, 67, 68][number - 1]) }
}
