import ArgumentParser
import Control
import Engine
import Files
import MusicTime
import Sound
import Validation

/// The options for the music, shared by `play` and `render`.
struct MusicalOptions: ParsableArguments {
  @Option(
    name: .of(Parameters.tempo), parsing: .unconditional, help: .of(Parameters.tempo),
    transform: { try Tempo(text: $0) })
  var tempo: Tempo?

  @Option(
    parsing: .unconditional, help: .of(Parameters.meter, "such as 7/8; 7 alone is 7/4"),
    transform: { try Meter(text: $0, of: Parameters.meter.parameter) })
  var meter: Meter?

  @Option(
    parsing: .unconditional,
    help: .of(
      Parameters.beatUnit, "such as 1/4, 1/4. (dotted) or 3/8",
      saying: "The note that counts as one beat. --set beat-unit= restores the meter's own."),
    transform: { try BeatUnit(text: $0) })
  var beatUnit: BeatUnit?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A division of the beat, \(Subdivision.range.shown), and its volume, such as 3:0.5. Repeatable.",
      valueName: "N[:volume]"),
    transform: SubdivisionOption.init)
  var subdivision: [SubdivisionOption] = []

  @Option(
    parsing: .unconditional, help: .of(Parameters.accents), transform: AccentsOption.init)
  var accents: AccentsOption?

  @Option(
    parsing: .unconditional,
    help: .of(Parameters.groups, "--accents override them"),
    transform: GroupsOption.init)
  var groups: GroupsOption?

  @Option(
    parsing: .unconditional,
    help: .of(
      Parameters.swing, "0…1, or \(Swing.allowedPercents): the first part in per cent of the pair",
      saying: "Delay of every second part of the subdivisions 2, 4, 8: \(Swing.meanings)."),
    transform: { try Swing(text: $0) })
  var swing: Swing?

  @Option(
    parsing: .unconditional,
    help: .of(
      Parameters.gap, "such as 4+4; 0+0: all bars sound",
      saying: "Bars that sound and bars that are silent, in turn from bar 1 on."),
    transform: { try Gap(text: $0) })
  var gap: Gap?

  @Option(
    parsing: .unconditional,
    help: .of(Parameters.polyrhythm, "such as 3:4; more layers with --set layer/2=\"5 over bar\""),
    transform: PolyrhythmOption.init)
  var polyrhythm: PolyrhythmOption?

  @Option(
    help:
      "Sound set: \(SoundSource.names.joined(separator: ", ")), a folder, or two files such as /accent.wav,/beat.wav.",
    completion: Completions.sounds, transform: { try SoundSource($0) })
  var sound: SoundSource?

  @Option(parsing: .unconditional, help: .of(Parameters.volume(.master)), transform: readVolume)
  var volume: Volume?

  @Option(parsing: .unconditional, help: .of(Parameters.volume(.accent)), transform: readVolume)
  var accentVolume: Volume?

  @Option(parsing: .unconditional, help: .of(Parameters.volume(.beat)), transform: readVolume)
  var beatVolume: Volume?

  @Option(parsing: .unconditional, help: .of(Parameters.volume(.subdivision)), transform: readVolume)
  var subdivisionVolume: Volume?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Any parameter by its OSC name, such as swing=0.5 or volume/cue=0.8. Repeatable.",
      valueName: "name=value"),
    completion: Completions.parameters, transform: { try SettingOption($0).setting })
  var set: [Setting] = []

  @Option(parsing: .unconditional, help: "Bars to play.", transform: readBars)
  var bars: Int?

  /// The settings of all options except `--set`, in the order in which they are applied.
  private var settings: [Setting] {
    var all: [Setting?] = [
      meter.map { Setting.meter($0) }, beatUnit.map { Setting.beatUnit($0) }, tempo.map { Setting.tempo($0) },
    ]
    for option in subdivision { all.append(Setting.subdivision(option.subdivision, option.volume)) }
    // Saved accents would hide the given groups, so remove them.
    if groups != nil { all.append(Setting.accents(nil)) }
    all += [
      groups.map { Setting.groups($0.groups) }, accents.map { Setting.accents($0.pattern) },
      swing.map { Setting.swing($0) }, gap.map { Setting.gap($0) },
      polyrhythm.map { Setting.polyrhythm($0.polyrhythm) }, sound.map { Setting.sound($0.name) },
    ]
    let volumes: [(Fader, Volume?)] = [
      (.master, volume), (.accent, accentVolume), (.beat, beatVolume), (.subdivision, subdivisionVolume),
    ]
    for (fader, volume) in volumes { all.append(volume.map { Setting.volume(fader, $0) }) }
    return all.compactMap { $0 }
  }

  /// Whether any option sets something that a session's document defines.
  var isMusic: Bool { bars != nil || (settings + set).contains(where: \.parameter.isMusic) }

  /// Whether any option sets a volume.
  var isVolume: Bool { settings.contains { $0.parameter.isVolume && !$0.parameter.isMusic } }

  /// - Throws: `ValidationError` if musical options are combined with a session.
  func validate(beside file: String?) throws {
    // The value of a mistyped option is parsed as the file. The parser reports that error later.
    guard let file, fileExists(file), isMusic else { return }
    throw ValidationError(
      "a session sets its own tempo, meter, pattern, sound and length: leave these options out (volumes are allowed)"
    )
  }

  /// Applies these options to settings.
  /// - Throws: `InvalidValue` if they don't match each other.
  func apply(to settings: inout Settings) throws(InvalidValue) {
    for setting in self.settings { try settings.set(setting) }
    try settings.set(set)
  }
}

/// Accents such as `Xxx`; an empty text is those of the meter and the groups.
struct AccentsOption {
  let pattern: AccentPattern?

  @Sendable
  init(_ text: String) throws { pattern = text.isEmpty ? nil : try AccentPattern(text: text) }
}

/// Groups such as `3+2+2`; an empty text is none.
struct GroupsOption {
  let groups: Groups?

  @Sendable
  init(_ text: String) throws { groups = text.isEmpty ? nil : try Groups(text: text) }
}

/// A polyrhythm such as `3:4`; an empty text is none.
struct PolyrhythmOption {
  let polyrhythm: Polyrhythm?

  @Sendable
  init(_ text: String) throws { polyrhythm = text.isEmpty ? nil : try Polyrhythm(text: text) }
}

/// A subdivision and its volume such as `3:0.5`; `3` has full volume.
struct SubdivisionOption {
  let subdivision: Subdivision
  let volume: Volume

  @Sendable
  init(_ text: String) throws {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let divisor = Int(parts[0]) else {
      throw InvalidValue(
        "subdivision", quoted(text),
        allowed: "\(Subdivision.range.shown), with a volume as in 3:0.5")
    }
    subdivision = try Subdivision(divisor)
    volume = parts.count > 1 ? try Volume(text: String(parts[1])) : .full
  }
}

/// A parameter and its value such as `swing=0.5`.
struct SettingOption {
  let setting: Setting

  /// - Parameter table: all parameters.
  /// - Throws: `InvalidValue` for an unknown name or an invalid value.
  init(_ text: String, among table: ParameterTable = .standard) throws(InvalidValue) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, let parameter = table[parts[0]] else {
      let meant = Spelling.corrected(parts[0], among: table.parameters.map(\.name))
      throw InvalidValue(
        "set", quoted(text),
        allowed: (meant.map { "\($0)=…, perhaps; or " } ?? "")
          + "name=value, with a name that `tactus reference` lists below /tactus/")
    }
    setting = try Setting(parameter, text: parts[1])
  }
}

@Sendable
private func readVolume(_ text: String) throws -> Volume { try Volume(text: text) }

/// Reads a number.
/// - Parameters:
///   - name: the name of the value, for the message.
///   - allowed: the allowed values, for the message; not checked.
/// - Throws: `InvalidValue` if the text is not a number.
@Sendable
func readNumber(_ text: String, _ name: String, _ allowed: String) throws -> Double {
  guard let number = Double(text) else { throw InvalidValue(name, quoted(text), allowed: allowed) }
  return number
}

@Sendable
private func readBars(_ text: String) throws -> Int {
  guard let bars = Int(text), 1...1_000_000 ~= bars else {
    throw InvalidValue("bars", quoted(text), allowed: "1…1000000")
  }
  return bars
}

extension NameSpecification {
  /// The names of a parameter's option: its own and its other spellings.
  static func of<Value>(_ parameter: TypedParameter<Value>) -> NameSpecification {
    NameSpecification(([parameter.parameter.name] + parameter.parameter.otherNames).map { .customLong($0) })
  }
}

extension ArgumentHelp {
  /// The help of a parameter's option, from its declaration.
  /// - Parameters:
  ///   - form: the format on the command line, if it differs from the range.
  ///   - summary: the help without the format, if the declaration's describes a format of OSC.
  static func of<Value>(
    _ parameter: TypedParameter<Value>, _ form: String? = nil, saying summary: String? = nil
  ) -> ArgumentHelp {
    let parameter = parameter.parameter
    guard let summary else { return ArgumentHelp(parameter.help(form)) }
    return ArgumentHelp("\(summary) (\(form ?? parameter.allowed))")
  }
}
