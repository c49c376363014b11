import MusicTime
import OSC

/// A sound as klick identifies it, with its pitch. `name` is its name in Tactus.
struct KlickSound: Equatable {
  enum Source: Equatable {
    /// One of klick's built-in sounds, 0…3. Tactus has a sound for each.
    case number(Int)
    /// The files for accents and for all other beats.
    case files(String, String)
    /// A sound of Tactus that has no number in klick.
    case other(String)
  }

  let source: Source
  /// Factors of the frequencies of accents and of all other beats.
  let pitch: (accent: Float, beat: Float)

  /// Tactus's sounds for klick's numbers 0…3: square, sine, noise and a bell.
  static let numbered = ["square", "sine", "hi-hat", "cowbell"]
  /// klick's number for silence, and the number that older manuals name.
  static let silence = [-1, -2]
  /// The permitted factors: two octaves down to two octaves up.
  static let pitches = 0.25...4.0

  init(_ source: Source, pitch: (accent: Float, beat: Float) = (1, 1)) {
    (self.source, self.pitch) = (source, pitch)
  }

  /// Reads the name of a sound set, with its pitch if it has one (see `SoundSource`).
  init(name: String) {
    let parts = name.split(separator: "@", omittingEmptySubsequences: false)
    let factors = parts.last!.split(separator: ",").compactMap { Float($0) }
    let isPitched = parts.count > 1 && factors.count == 2
    self.init(
      KlickSound.source(isPitched ? parts.dropLast().joined(separator: "@") : name),
      pitch: isPitched ? (factors[0], factors[1]) : (1, 1))
  }

  private static func source(_ name: String) -> Source {
    if let number = numbered.firstIndex(of: name) { return .number(number) }
    return files(Substring(name)).map { .files($0, $1) } ?? .other(name)
  }

  private static func files(_ text: Substring) -> (String, String)? {
    let parts = text.split(separator: ",/", maxSplits: 1, omittingEmptySubsequences: false)
    return text.hasPrefix("/") && parts.count == 2 ? (String(parts[0]), "/\(parts[1])") : nil
  }

  var name: String {
    let base =
      switch source {
      case .number(let number): KlickSound.numbered[number]
      case .files(let accent, let beat): "\(accent),\(beat)"
      case .other(let name): name
      }
    return pitch == (1, 1) ? base : "\(base)@\(Double("\(pitch.accent)")!),\(Double("\(pitch.beat)")!)"
  }

  var arguments: [OSCArgument] {
    switch source {
    case .number(let number): [.int32(Int32(number))]
    case .files(let accent, let beat): [.string(accent), .string(beat)]
    case .other(let name): [.string(name), .string(name)]
    }
  }

  static func == (a: KlickSound, b: KlickSound) -> Bool { a.name == b.name }
}
