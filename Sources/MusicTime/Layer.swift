import Validation

/// A voice of pulses beside the beats: a polyrhythm, such as 5 pulses over a bar, or a polymeter, such as a pattern of seven
/// eighths.
package struct Layer: Hashable, Sendable {
  /// Allowed numbers of a layer.
  package static let numbers = 1...8
  /// Allowed numbers of pulses over a span.
  package static let pulses = 1...64
  /// Allowed numbers of beats or bars in a span.
  package static let spans = 1...99
  /// Allowed MIDI notes.
  package static let notes = 0...127

  /// How often a layer sounds.
  package enum Rate: Hashable, Sendable {
    /// A number of pulses, evenly over a span.
    case pulses(Int, over: Span)
    /// A pulse every note.
    case every(BeatUnit)
  }

  /// A length of the music.
  package enum Span: Hashable, Sendable {
    /// Beat units.
    case beats(Int)
    case bars(Int)
    case note(BeatUnit)
  }

  /// Where a layer restarts, with a pulse and the first letter of its pattern.
  package enum Reset: String, CaseIterable, Sendable {
    case bar
    /// Each of the bar's groups; the bar, if it has none.
    case group
    case section
    /// The layer continues through sections and loops.
    case never
  }

  /// "" if it has no name.
  package var name = ""
  package var rate: Rate
  /// Repeats without end. nil: an accent on the first pulse of a span; plain pulses if the rate has no span.
  package var pattern: AccentPattern?
  /// Where the layer restarts.
  package var reset = Reset.section
  /// The name of a sound set; nil for the sound set of the beats.
  package var sound: String?
  /// The MIDI note, within `notes`; nil for the default note of the layer's number.
  package var note: Int?

  package init(_ rate: Rate) { self.rate = rate }

  /// Whole notes from one pulse to the next.
  package func interval(in meter: Meter, beatUnit: BeatUnit) -> Rational {
    switch rate {
    case .every(let note): note.length
    case .pulses(let pulses, .beats(let beats)): beatUnit.length * Rational(beats, pulses)
    case .pulses(let pulses, .bars(let bars)): meter.barLength * Rational(bars, pulses)
    case .pulses(let pulses, .note(let note)): note.length * Rational(1, pulses)
    }
  }

  /// The accents of its pattern, or of the default pattern.
  package var accents: [Accent] {
    if let pattern { return pattern.accents }
    guard case .pulses(let pulses, _) = rate else { return [.beat] }
    return AccentPattern(groups: [pulses]).accents
  }

  /// Its rate in short form; nil if its span is not a number of beats.
  package var polyrhythm: Polyrhythm? {
    guard case .pulses(let pulses, .beats(let beats)) = rate else { return nil }
    return try? Polyrhythm(pulses: pulses, beats: beats)
  }
}

/// Pulses against beats: `3:4` is three pulses in the time of four beats.
package struct Polyrhythm: Hashable, Sendable {
  package let pulses: Int
  package let beats: Int

  /// The default sound set of a polyrhythm.
  package static let sound = "clave"

  /// - Throws: `InvalidValue` if a number is out of range.
  package init(pulses: Int, beats: Int) throws(InvalidValue) {
    guard Layer.pulses ~= pulses, Layer.spans ~= beats else {
      throw Polyrhythm.invalid("\(pulses):\(beats)")
    }
    (self.pulses, self.beats) = (pulses, beats)
  }

  /// Reads `3:4`.
  /// - Throws: `InvalidValue` if the text has another form, or a number is out of range.
  package init(text: String) throws(InvalidValue) {
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

  package var rate: Layer.Rate { .pulses(pulses, over: .beats(beats)) }

  /// A layer with this rate and the default sound set.
  package var layer: Layer {
    var layer = Layer(rate)
    layer.sound = Polyrhythm.sound
    return layer
  }
}

extension Polyrhythm: CustomStringConvertible {
  package var description: String { "\(pulses):\(beats)" }
}
