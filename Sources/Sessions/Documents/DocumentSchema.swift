import Control
import MusicTime
import TimeCheck
import Validation

/// The JSON Schema (draft 2020-12) of session documents, with which editors complete and check them during typing.
///
/// Keys come from `DocumentKeys`, ranges and help from the parameters' declarations and from the types that check the values.
/// The schema accepts everything that the reader accepts. Conditions between keys (accents that fit the bar, lengths that fit
/// each other) are checked only by the reader.
package enum DocumentSchema {
  /// The schema as JSON text, with sorted keys.
  /// - Parameters:
  ///   - sounds: names of sound sets, which editors offer.
  ///   - table: the known parameters.
  /// - Throws: an error of `JSONEncoder`.
  package static func json(sounds: [String], _ table: ParameterTable = .standard) throws -> String {
    let root: JSON = [
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "Tactus session",
      "description": "A song, a practice plan or a setlist for Tactus.",
      "oneOf": [schema("song").json, schema("setlist").json],
      "$defs": .keys(definitions(sounds: sounds, table).mapValues(\.json)),
    ]
    return try root.lines()
  }

  private static func schema(_ definition: String) -> Schema { .reference(definition) }

  static func definitions(sounds: [String], _ table: ParameterTable = .standard) -> [String: Schema] {
    let style = style(sounds: sounds, table)
    let length: [String: Schema] = [
      "bars": .integer(1...SessionLimits.bars, "Length in bars."),
      "beats": .integer(1...SessionLimits.bars, "Length in beat units; the last bar may be cut short."),
      "time": time("Length as a time."),
      "until": .any(
        [.choice(["next"], "Lasts until you go to the next section."), goal("What ends the section.")],
        "What ends the section."),
    ]
    let section: [String: Schema] = [
      "name": .text("The section's name."),
      "label": .text("Target for goto, before names; different for every section."),
      "drop-out": .keys(
        DocumentKeys.dropOut,
        [
          "what": .choice(DropOut.Part.allCases.map(\.rawValue), "What is removed step by step."),
          "every": .integer(SessionLimits.stepBars, "Bars of each step."),
        ], required: DocumentKeys.dropOut, "Removes accents or subdivisions step by step."),
      "cue": .any(
        [
          .text("A text that is spoken, or chime."),
          .keys(DocumentKeys.cue, ["say": .text("The text.")], required: ["say"], ""),
        ], "Sounds at the section's start, on the port cue."),
      "advance": .keys(
        DocumentKeys.advance,
        [
          "when": goal("The goal."), "by": step,
          "else": .keys(
            DocumentKeys.fallback,
            ["after": .integer(SessionLimits.failures, "Failures in a row."), "by": step],
            required: DocumentKeys.fallback, "What happens after failures."),
        ], required: ["when", "by"], "The tempo changes with how well it is played."),
    ]
    return [
      "song": song(),
      "setlist": .keys(
        DocumentKeys.setlist,
        [
          "title": .text("The setlist's title."),
          "songs": .list(.reference("entry"), 1...SessionLimits.songs, "Sessions, klick maps or setlists."),
        ], required: ["songs"], "A setlist."),
      "entry": .any(
        [
          .text("A path, relative to the setlist."),
          .keys(
            DocumentKeys.entry,
            [
              "file": .text("A path, relative to the setlist."),
              "then": .any(
                [.choice(["wait"], "Wait for a start."), time("Continue after a pause.")],
                "What follows the song."),
            ], required: ["file"], ""),
        ], "A song of the setlist."),
      "part": .any([.reference("section"), .reference("group")], "A section or a group."),
      "section": .keys(
        DocumentKeys.sectionKeys(table), section.merging(length) { $1 }.merging(style) { $1 }, required: [],
        "A section."),
      "group": .keys(
        DocumentKeys.group,
        [
          "repeat": .integer(1...SessionLimits.repeats, "How often its sections are played."),
          "defaults": .reference("style"),
          "sections": .list(.reference("part"), 1...SessionLimits.plans, "The sections that are repeated."),
        ], required: ["repeat", "sections"], "Sections that are repeated."),
      "style": .keys(DocumentKeys.styleKeys(table), style, required: [], "How sections sound."),
      "tempo": tempo, "volume": .number(Volume.bounds, "A volume, \(Volume.allowed)."),
    ]
  }

  private static var step: Schema {
    let bounds = Tempo.stepBounds
    return .any(
      [
        .number(bounds, "Step in beats a minute."),
        .number(-bounds.upperBound...(-bounds.lowerBound), "The same, negative."),
      ], "Step in beats a minute; from and to give the direction.")
  }

  private static func goal(_ help: String) -> Schema {
    func amount(_ range: ClosedRange<Double>, _ unit: String, _ help: String) -> Schema {
      .any([.number(range, help), .pattern("^[0-9]+(\\.[0-9]+)? *\(unit)$", help)], help)
    }
    return .keys(
      DocumentKeys.goal,
      [
        "bars": .integer(TimingGoal.bars, "Bars that are judged together; 8 by default."),
        "spread": amount(TimingGoal.milliseconds, "ms", "The largest spread, as 12 ms."),
        "mean": amount(TimingGoal.milliseconds, "ms", "How far from the target on average, as 5 ms."),
        "missed": amount(TimingGoal.percent, "%", "How many clicks may be missed, as 2 %."),
        "silent": amount(
          TimingGoal.percent, "%", "How many of the silent beats must be in the window, as 80 %."),
        "tempo": amount(
          TimingGoal.deviation, "%", "How far the tempo of silent bars may be from the click's, as 2 %."),
      ], required: [], help)
  }

  private static func song() -> Schema {
    let nudge = Double(Rendition.mostNudged)
    let seconds = SessionLimits.countInTime.upperBound / 1_000
    return .keys(
      DocumentKeys.song,
      [
        "title": .text("The song's title."),
        "count-in": .any(
          [
            .integer(SessionLimits.countInBars, "Bars."),
            .keys(
              DocumentKeys.countIn,
              [
                "bars": .integer(SessionLimits.countInBars, "Length in bars."),
                "beats": .integer(SessionLimits.countInBeats, "Length in beats."),
                "time": time("Length as a time, up to \(seconds) s."),
                "spoken": .flag("A voice counts."),
              ], required: [], ""),
          ], "Played before bar 1."),
        "cycles": .any(
          [.integer(1...SessionLimits.repeats, "Times."), .choice(["forever"], "Until you stop it.")],
          "How often all sections are played."),
        "nudge": .number(-nudge...nudge, "Beats a minute by which all tempos are moved."),
        "defaults": .reference("style"),
        "sections": .list(.reference("part"), 1...SessionLimits.plans, "The sections, in order."),
        "timecode": .pattern(
          "^[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}[:;][0-9]{1,2}$", "The timecode at its start, as 01:00:00:00."),
        "voice": .keys(
          DocumentKeys.voice,
          [
            "volume": .reference("volume"), "rate": .integer(VoiceSettings.speeds, "Words a minute."),
            "speed": .integer(VoiceSettings.speeds, "An older name of rate."),
            "language": .text("A voice of espeak-ng, as en, de, pt-br or en+f3."),
          ], required: [], "How cues are spoken."),
      ], required: ["sections"], "A song, a practice plan or an interval timer.")
  }

  /// A regular expression that matches the whole numbers of a range below 100.
  private static func numbers(_ range: ClosedRange<Int>) -> String {
    let tens = (range.lowerBound / 10...range.upperBound / 10).map { ten -> String in
      let first = max(range.lowerBound, 10 * ten) % 10
      let last = min(range.upperBound, 10 * ten + 9) % 10
      return (ten > 0 ? "\(ten)" : "") + "[\(first)-\(last)]"
    }
    return "(" + tens.joined(separator: "|") + ")"
  }

  /// The keys of sections: the parameters' keys, and those with their own form.
  private static func style(sounds: [String], _ table: ParameterTable) -> [String: Schema] {
    let values: [(String, Schema)] = table.ofSections.compactMap { parameter in
      parameter.sectionKey.map { ($0, Schema.value(of: parameter)) }
    }
    return forms(sounds: sounds).merging(values) { $1 }
  }

  private static func forms(sounds: [String]) -> [String: Schema] {
    let meter = "^\(numbers(Meter.range))/\(numbers(Meter.range))$"
    let polyrhythm = "^\(numbers(Layer.pulses)):\(numbers(Layer.spans))$"
    return [
      "tempo": .reference("tempo"),
      "meter": .form(meter, Parameters.meter.parameter, Meter.allowedText),
      "beat-unit": .form("^[0-9]+/[0-9]+\\.{0,2}$", Parameters.beatUnit.parameter, BeatUnit.allowed),
      "groups": .any(
        [
          .form("^[0-9]+(\\+[0-9]+)*$", Parameters.groups.parameter, Groups.allowed),
          .integer(1...BarLayout.maximumBeats, "Beats."),
        ], Parameters.groups.parameter.summary),
      "subdivisions": .any(
        [
          .keys(
            Subdivision.range.map(String.init),
            Dictionary(uniqueKeysWithValues: Subdivision.range.map { ("\($0)", .reference("volume")) }),
            required: [], "Volumes by parts."),
          .list(
            .integer(Subdivision.range, "Parts."), 0...Subdivision.range.count, "Parts at full volume."),
          .integer(Subdivision.range, "Parts."),
        ], "Parts of the beat that sound, \(Subdivision.range.shown), and their volumes."),
      "accents": .form("^[Xxo.]+$", Parameters.accents.parameter, AccentPattern.allowed),
      "volumes": .keys(
        DocumentKeys.volumes,
        Dictionary(uniqueKeysWithValues: DocumentKeys.volumes.map { ($0, .reference("volume")) }),
        required: [], "Volumes, multiplied by the player's."),
      "sound": .any(
        [.choice(sounds, "A built-in sound set."), .text("A folder of sound files.")],
        Parameters.sound.parameter.summary),
      "colour": .text("A name, or '#rrggbb' in quotes, for displays."),
      "layers": .list(
        layer(sounds: sounds), 0...Layer.numbers.count, "Voices beside the beats: polyrhythms and polymeters."
      ),
      "polyrhythm": .pattern(polyrhythm, "Pulses against beats, such as 3:4: a layer, in short."),
      "silent": .flag("The section is silent."),
      "gap": .keys(
        DocumentKeys.gap,
        [
          "play": .integer(SessionLimits.gapBars, "Bars that sound."),
          "rest": .integer(SessionLimits.gapBars, "Silent bars after them."),
          "grow": .integer(
            SessionLimits.gapGrowth, "Bars by which each rest is longer than the one before."),
        ], required: ["play", "rest"], "Bars that sound and silent bars in turn."),
      "random-silence": .keys(
        DocumentKeys.randomSilence,
        [
          "percent": .integer(SessionLimits.percent, "Chance of each bar to be silent."),
          "rise": .integer(SessionLimits.percent, "Percent by which the chance rises with each bar."),
          "seed": .integer(SessionLimits.seeds, "Selects the bars."),
        ], required: ["percent"], "Bars are silent at random."),
    ]
  }

  private static func layer(sounds: [String]) -> Schema {
    .keys(
      DocumentKeys.layer,
      [
        "name": .text("The layer's name."),
        "pulses": .integer(Layer.pulses, "Pulses over a span."),
        "over": .pattern(
          "^(beat|bar|\(numbers(Layer.spans)) (beats?|bars?)|[0-9]+/[0-9]+\\.{0,2})$",
          "The span: beat, bar, as 2 bars or 4 beats, or a note as 1/2; a bar by default."),
        "every": .pattern("^[0-9]+/[0-9]+\\.{0,2}$", "A pulse every note, such as 1/8."),
        "pattern": .pattern("^[Xxo.]+$", "X x o . for each pulse; repeats."),
        "reset": .choice(Layer.Reset.allCases.map(\.rawValue), "Where it restarts."),
        "sound": .any(
          [.choice(sounds, "A built-in sound set."), .text("A folder of sound files.")], "Its own sound."),
        "volume": .reference("volume"), "note": .integer(Layer.notes, "Its MIDI note."),
      ], required: [], "A layer.")
  }

  private static var tempo: Schema {
    let tempo = Schema.parameter(Parameters.tempo.parameter)
    let by = Schema.number(Tempo.stepBounds, "Step in beats a minute.")
    let bars = SessionLimits.stepBars
    return .any(
      [
        tempo, .list(tempo, 1...SessionLimits.plans, "One tempo for each beat."),
        .keys(DocumentKeys.ramp, ["from": tempo, "to": tempo], required: DocumentKeys.ramp, "A ramp."),
        .keys(
          DocumentKeys.ladder,
          [
            "from": tempo, "to": tempo, "by": by, "every": .integer(bars, "Bars of each step."),
            "then": .choice(TempoLadder.End.allCases.map(\.rawValue), "What follows the last step."),
          ], required: DocumentKeys.ramp + ["by", "every"], "A ladder."),
        .keys(
          DocumentKeys.randomTempo,
          [
            "from": tempo, "to": tempo, "by": by, "every": .integer(bars, "Bars of each tempo."),
            "random": .flag("Draws the tempos at random."),
            "seed": .integer(SessionLimits.seeds, "Selects the tempos."),
          ], required: DocumentKeys.ramp + ["every", "random"], "Tempos drawn at random."),
      ], Parameters.tempo.parameter.summary)
  }

  private static func time(_ help: String) -> Schema {
    let longest = Double(SessionLimits.milliseconds / 1_000)
    return .any(
      [
        .number(0...longest, "Seconds."), .text("As 20 s, 250 ms, 1.5 min, 2 h, 1:30 or 1:02:03."),
      ], help)
  }
}

/// A schema of one value.
indirect enum Schema {
  case integer(ClosedRange<Int>, String)
  case number(ClosedRange<Double>, String)
  case flag(String)
  case text(String)
  /// A text that matches a regular expression.
  case pattern(String, String)
  case choice([String], String)
  case list(Schema, ClosedRange<Int>, String)
  /// A mapping with these keys and no others.
  case keys([String], [String: Schema], required: [String], String)
  case any([Schema], String)
  /// A definition of the document's `$defs`.
  case reference(String)

  /// The schema of a parameter's number, with its range, unit and help.
  static func parameter(_ parameter: Parameter) -> Schema {
    .number(parameter.bounds, parameter.help())
  }

  static func form(_ pattern: String, _ parameter: Parameter, _ form: String) -> Schema {
    .pattern(pattern, parameter.help(form))
  }

  /// The schema of a parameter that sections set in its text form.
  static func value(of parameter: Parameter) -> Schema {
    switch parameter.kind {
    case .number:
      let text = Schema.pattern("^-?[0-9]+(\\.[0-9]+)? ?[^0-9. ].*$", "A number with its unit.")
      return .any([.parameter(parameter), text], parameter.summary)
    case .integer(let bounds): return .integer(bounds, parameter.help())
    case .flag: return .any([.flag(""), .integer(0...1, "")], parameter.summary)
    case .choice(let names): return .choice(names, parameter.summary)
    case .text, .pair: return .text(parameter.help())
    }
  }

  var json: JSON {
    switch self {
    case .integer(let range, let help):
      described(
        help,
        ["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)])
    case .number(let range, let help):
      described(
        help, ["type": "number", "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound)])
    case .flag(let help): described(help, ["type": "boolean"])
    // A name may look like a number.
    case .text(let help): described(help, ["type": ["string", "number"]])
    case .pattern(let pattern, let help): described(help, ["type": "string", "pattern": .text(pattern)])
    case .choice(let names, let help): described(help, ["enum": .list(names.map { .text($0) })])
    case .list(let item, let counts, let help):
      described(
        help,
        [
          "type": "array", "items": item.json, "minItems": .integer(counts.lowerBound),
          "maxItems": .integer(counts.upperBound),
        ])
    case .keys(let keys, let schemas, let required, let help):
      described(
        help,
        [
          "type": "object", "additionalProperties": false, "required": .list(required.map { .text($0) }),
          "properties": .keys(
            Dictionary(uniqueKeysWithValues: keys.map { ($0, schemas[$0]?.json ?? [:]) })),
        ])
    case .any(let schemas, let help): described(help, ["anyOf": .list(schemas.map(\.json))])
    case .reference(let name): ["$ref": .text("#/$defs/\(name)")]
    }
  }

  private func described(_ help: String, _ keys: [String: JSON]) -> JSON {
    .keys(help.isEmpty ? keys : keys.merging(["description": .text(help)]) { $1 })
  }
}
