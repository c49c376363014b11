import Validation

/// A voice of pulses beside the beats: a polyrhythm, such as 5 pulses over a bar, or a polymeter, such as a pattern of seven
/// eighths.
public struct Layer: Hashable, Sendable {
  /// The numbers of the layers.
  public static let numbers = 1...8
  /// Pulses over a span.
  public static let pulses = 1...64
  /// Beats or bars of a span.
  public static let spans = 1...99
  /// MIDI notes.
  public static let notes = 0...127

  /// How often it sounds.
  public enum Rate: Hashable, Sendable {
    /// A number of pulses, evenly over a span.
    case pulses(Int, over: Span)
    /// A pulse every note.
    case every(BeatUnit)
  }

  /// A length of the music.
  public enum Span: Hashable, Sendable {
    /// Beat units.
    case beats(Int)
    case bars(Int)
    case note(BeatUnit)
  }

  /// Where it begins anew, with a pulse and the first letter of its pattern.
  public enum Reset: String, CaseIterable, Sendable {
    case bar
    /// Each of the bar's groups; the bar, if it has none.
    case group
    case section
    /// It runs on through sections and loops.
    case never
  }

  /// "" if it has no name.
  public var name = ""
  public var rate: Rate
  /// Repeats without end. nil: an accent on the first pulse of a span; plain pulses if it has none.
  public var pattern: AccentPattern?
  public var reset = Reset.section
  /// The name of a sound set; nil for that of the beats.
  public var sound: String?
  /// The MIDI note; nil for the one of its number.
  public var note: Int?

  public init(_ rate: Rate) { self.rate = rate }

  /// Whole notes from one pulse to the next.
  public func interval(in meter: Meter, beatUnit: BeatUnit) -> Rational {
    switch rate {
    case .every(let note): note.length
    case .pulses(let pulses, .beats(let beats)): beatUnit.length * Rational(beats, pulses)
    case .pulses(let pulses, .bars(let bars)): meter.barLength * Rational(bars, pulses)
    case .pulses(let pulses, .note(let note)): note.length * Rational(1, pulses)
    }
  }

  /// The letters of its pattern.
  public var accents: [Accent] {
    if let pattern { return pattern.accents }
    guard case .pulses(let pulses, _) = rate else { return [.beat] }
    return AccentPattern(groups: [pulses]).accents
  }

  /// The short form that it has; nil if its span is not a number of beats.
  public var polyrhythm: Polyrhythm? {
    guard case .pulses(let pulses, .beats(let beats)) = rate else { return nil }
    return try? Polyrhythm(pulses: pulses, beats: beats)
  }
}

/// Pulses against beats: `3:4` is three pulses in the time of four beats.
public struct Polyrhythm: Hashable, Sendable {
  public let pulses: Int
  public let beats: Int

  /// The sound set of a polyrhythm for which none is given.
  public static let sound = "clave"

  /// - Throws: `InvalidValue` if a number is out of range.
  public init(pulses: Int, beats: Int) throws(InvalidValue) {
    guard Layer.pulses ~= pulses, Layer.spans ~= beats else {
      throw Polyrhythm.invalid("\(pulses):\(beats)")
    }
    (self.pulses, self.beats) = (pulses, beats)
  }

  /// Reads `3:4`.
  /// - Throws: `InvalidValue` if the text has another form, or a number is out of range.
  public init(text: String) throws(InvalidValue) {
    guard let (pulses, beats) = integerPair(text, separator: ":") else {
      throw Polyrhythm.invalid(quoted(text))
    }
    try self.init(pulses: pulses, beats: beats)
  }

  private static func invalid(_ value: String) -> InvalidValue {
    InvalidValue(
      "polyrhythm", value,
      allowed: "\(Layer.pulses.shown) pulses against \(Layer.spans.shown) beats, as in 3:4")
  }

  public var rate: Layer.Rate { .pulses(pulses, over: .beats(beats)) }

  /// As a layer.
  public var layer: Layer {
    var layer = Layer(rate)
    layer.sound = Polyrhythm.sound
    return layer
  }
}

extension Polyrhythm: CustomStringConvertible {
  public var description: String { "\(pulses):\(beats)" }
}
