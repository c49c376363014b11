import Engine
import MusicTime
import TimeCheck
import Timecode
import Validation

/// The declarations of all parameters.
///
/// To add one, declare it here and add it to `all`. `Settings` stores its value; a type that uses it reads
/// `settings[Parameters.name]`.
package enum Parameters {
  // MARK: Music

  package static let meter = TypedParameter<Meter>(
    "meter",
    .pair(Meter.range, Meter.range, allowed: "\(Meter.range.shown) \(Meter.range.shown)"),
    standard: .common, isPattern: true, "Notes in a bar, and which note.")
  package static let beatUnit = TypedParameter<BeatUnit?>(
    "beat-unit",
    .pair(
      0...BeatUnit.numbers.upperBound, 0...BeatUnit.numbers.upperBound,
      allowed:
        "a note 1/\(Meter.range.lowerBound)…1/\(Meter.range.upperBound), dotted (3/8) or double-dotted (7/16); 0 0"
    ),
    standard: nil, isPattern: true, "The note that counts as one beat; 0 0 is the meter's own.")
  package static let profile = TypedParameter<TempoProfile>(
    "profile", TempoProfile.kind, standard: .full, isInPresets: true,
    "The range of tempos: \(TempoProfile.allCases.map(\.summary).joined(separator: "; ")). Nudges and taps stop at the limits."
  )
  package static let tempo = TypedParameter<Tempo>(
    "tempo", .number(Tempo.bounds, parts: 1_000), unit: Tempo.unit, standard: Tempo(clamping: 120_000),
    isMusic: true, control: .init(range: 40...240, detent: 1), otherNames: ["bpm"],
    "The tempo, to a thousandth, in beat units.")
  package static let wholeTempo = TypedParameter<Bool>(
    "tempo/whole", .flag, standard: false, savedAs: ["whole-tempo"],
    "1: taps, faders and knobs set whole beats a minute.")
  package static let groups = TypedParameter<Groups?>(
    "groups", .text(allowed: "such as 3+2+2, adding up to the beats of the bar; empty"), standard: nil,
    isPattern: true, "Groups of beats; each starts with an accent.")
  package static let accents = TypedParameter<AccentPattern?>(
    "accents", .text(allowed: "X x o . for each beat; empty"), standard: nil, isPattern: true,
    "Accent, beat, soft or silent for each beat of the bar; empty: an accent on the downbeat, or on each group."
  )
  package static let swing = TypedParameter<Swing>(
    "swing", .number(Swing.bounds, parts: 1_000), standard: .straight, isPattern: true,
    sectionKey: "swing", control: .level,
    "Delay of every second part of the subdivisions 2, 4, 8: \(Swing.meanings); as a text also the first part in per cent of the pair, \(Swing.allowedPercents)."
  )
  package static let gap = TypedParameter<Gap>(
    "gap",
    .pair(
      0...Gap.plays.upperBound, Gap.rests,
      allowed: "bars \(Gap.plays.shown), bars \(Gap.rests.shown); 0 0"),
    standard: .off, isMusic: true,
    "Bars that sound and bars that are silent, in turn from bar 1 on; 0 0: all bars sound.")

  // MARK: Layers

  /// The short form of layer 1: sets the layer's span.
  package static let polyrhythm = TypedParameter<Polyrhythm?>(
    "polyrhythm",
    .text(
      allowed:
        "pulses \(Layer.pulses.shown) against beats \(Layer.spans.shown), such as 3:4; empty"),
    standard: nil, savedAs: [], isPattern: true,
    "Pulses against beats, as layer 1: 3:4 is three pulses in the time of four beats; empty turns layer 1 off."
  )
  /// A layer, by its number from 1.
  package static func layer(_ number: Int) -> TypedParameter<Layer?> {
    layers[number - Layer.numbers.lowerBound]
  }
  private static let layers = Layer.numbers.map { number in
    TypedParameter<Layer?>(
      "layer/\(number)",
      .text(
        allowed: "such as 5 over bar or every 1/8; then pattern, reset, note, name, sound after commas; empty"
      ),
      standard: nil, savedAs: ["layers", "\(number)"], isPattern: true, label: "layer \(number)",
      "Pulses beside the beats, such as `5 over 2 bars, pattern X.x.x, reset bar, sound clave`; empty is off."
    )
  }
  /// The number of the layer, from 1, to which a volume belongs; nil if the parameter is not a layer's volume.
  package static func layer(ofVolume parameter: Parameter) -> Int? {
    layerVolumes.firstIndex { $0.parameter == parameter }.map { $0 + Layer.numbers.lowerBound }
  }
  /// Whether a parameter is a layer, or the short form of layer 1.
  static func isLayer(_ parameter: Parameter) -> Bool {
    parameter == polyrhythm.parameter || layers.contains { $0.parameter == parameter }
  }
  /// The volume of a layer, by its number from 1.
  package static func layerVolume(_ number: Int) -> TypedParameter<Volume> {
    layerVolumes[number - Layer.numbers.lowerBound]
  }
  private static let layerVolumes = Layer.numbers.map { number in
    TypedParameter<Volume>(
      "volume/layer-\(number)", .volume, standard: .layer, savedAs: ["volumes", "layer-\(number)"],
      isInPresets: true, control: .level, label: "layer \(number)", "Volume of layer \(number).")
  }

  // MARK: Sound

  /// The volume of a subdivision, by its number of parts.
  package static func subdivision(_ subdivision: Subdivision) -> TypedParameter<Volume> {
    subdivisions[subdivision.parts - Subdivision.range.lowerBound]
  }
  private static let subdivisions = Subdivision.all.map { subdivision in
    TypedParameter<Volume>(
      "subdivision/\(subdivision.parts)", .volume, standard: .off,
      savedAs: ["subdivisions", "\(subdivision.parts)"], isPattern: true, control: .level,
      label: "\(subdivision.parts) a beat",
      "Volume of the beat's division into \(subdivision.parts); 0 is off.")
  }
  /// The volume of a role, or the master volume.
  package static func volume(_ fader: Fader) -> TypedParameter<Volume> { volumes[fader.index] }
  private static let volumes = Fader.allCases.map { fader in
    TypedParameter<Volume>(
      fader == .master ? "volume" : "volume/\(fader.rawValue)", .volume, standard: .full,
      savedAs: ["volumes", fader.rawValue], isInPresets: true, control: .level,
      label: fader == .master ? "mix" : fader.rawValue,
      fader == .master ? "Volume of the mix, the port `out`." : "Volume of the role `\(fader.rawValue)`.")
  }
  /// The sound sets that need no folder.
  package static let builtInSounds = [
    "sine", "square", "woodblock", "clave", "tambourine", "hi-hat", "cowbell", "beep", "pulse", "voice",
    "voice-bars",
  ]
  package static let sound = TypedParameter<String>(
    "sound", .text(allowed: builtInSounds.joined(separator: ", ") + ", or a folder"),
    standard: "sine", isMusic: true, "The sound set: a built-in one, or a folder of sound files.")
  package static let mute = TypedParameter<Bool>(
    "mute", .flag, standard: false, savedAs: [], "1 silences the mix and keeps its volume.")
  /// The mute of a role.
  package static func mute(_ role: ClickRole) -> TypedParameter<Bool> { roleMutes[role] }
  private static let roleMutes = PerRole(
    accent: ClickRole.accent, beat: .beat, subdivision: .subdivision, cue: .cue
  ).map { role in
    TypedParameter<Bool>(
      "mute/\(role.name)", .flag, standard: false, savedAs: [],
      "1 silences the role `\(role.name)` and keeps its volume.")
  }

  package static let voice = TypedParameter<Bool>(
    "voice", .flag, standard: true, savedAs: ["voice", "on"],
    "0: the texts of documents are chimes, and nothing is spoken.")
  package static let voiceRate = TypedParameter<SpeechRate>(
    "voice/rate", SpeechRate.kind, unit: "words a minute", standard: .ofDocument,
    savedAs: ["voice", "rate"], "How fast the voice speaks, from 80; 0: as the document says.")
  package static let voiceLanguage = TypedParameter<VoiceName?>(
    "voice/language", .text(allowed: "a voice of espeak-ng, as en, de, pt-br or en+f3; empty"), standard: nil,
    savedAs: ["voice", "language"], "The language of the voice; empty: as the document says.")

  package static let beatStrength = TypedParameter<Double>(
    "strength/beat", .number(0.05...1, parts: 100), standard: 1, savedAs: ["strength", "beat"],
    "The strength with which beats without an accent are reported, for lights and motors. What sounds stays as it is."
  )
  package static let voiceVolume = TypedParameter<Volume>(
    "voice/volume", .volume, standard: .full, savedAs: ["voice", "volume"], control: .level, label: "voice",
    "Volume of spoken texts, multiplied by the document's; chimes are not affected.")

  // MARK: Synchronisation

  package static let quantise = TypedParameter<Quantise>(
    "quantise", Quantise.kind, standard: .now, otherNames: ["quantize"],
    "When a change of tempo, meter or pattern takes effect. Volumes move at once.")
  package static let role = TypedParameter<SyncMode>(
    "role", SyncMode.kind, standard: .free, "Where Tactus takes its time from.")
  package static let compensatesLatency = TypedParameter<Bool>(
    "latency/compensation", .flag, standard: true, savedAs: ["latency", "compensation"],
    "1: in `lead` and `follow` the clicks leave the speakers on the transport's time, and the MIDI clock and notes are sent when the click is heard, by the ports' latencies."
  )
  package static let clickOffset = TypedParameter<ClockOffset>(
    "click/offset", .offset, unit: "ms", standard: .none, savedAs: ["click-offset"],
    "In `lead` and `follow`: delay of the clicks against the transport; negative is earlier.")
  package static let preRoll = TypedParameter<Int>(
    "pre-roll", .integer(0...16), unit: "bars", standard: 0, savedAs: ["pre-roll", "bars"],
    "Bars to count whenever the music starts, at any position. On the JACK transport they are counted before it rolls, whoever starts it."
  )
  package static let preRollSeconds = TypedParameter<Double>(
    "pre-roll/seconds", .number(0...PreRollPolicy.limit, parts: 10), unit: "s", standard: 0,
    savedAs: ["pre-roll", "seconds"], "Count at least so many seconds, in whole bars.")
  package static let publishedBeat = TypedParameter<PublishedBeat>(
    "publish", PublishedBeat.kind, standard: .meter,
    "In `lead`: the beats that other JACK clients read. `meter`: notes of the meter's unit. `quarters`: quarters, for clients that take every beat for one, such as Hydrogen and jack_midi_clock."
  )
  package static let clockInLoss = TypedParameter<MIDIClockLoss>(
    "clock-in/loss", MIDIClockLoss.kind, standard: .continue, savedAs: ["clock-in-loss"],
    "In `midi-clock`: whether the music continues at the last tempo or stops when the clock is lost.")
  package static let clockInOffset = TypedParameter<ClockOffset>(
    "clock-in/offset", .offset, unit: "ms", standard: .none, savedAs: ["clock-in-offset"],
    "In `midi-clock`: delay of the clicks against the clock; negative is earlier. The ports' latencies are compensated already."
  )
  package static let clockRunsWhileStopped = TypedParameter<Bool>(
    "clock/stopped", .flag, standard: false, savedAs: ["clock", "stopped"],
    "1: the MIDI clock also ticks while Tactus is stopped, at the set tempo, and during a count-in.")
  package static let clockOffset = TypedParameter<ClockOffset>(
    "clock/offset", .offset, unit: "ms", standard: .none, savedAs: ["clock", "offset"],
    "Delay of the MIDI clock against the click; negative is earlier.")
  package static let clockSearch = TypedParameter<Double>(
    "clock/search", .number(0...2_000, parts: 1), unit: "ms", standard: 0, savedAs: ["clock", "search"],
    "How long a machine takes to find a song position; it is sent a continue after that.")
  package static let pulsesPerQuarter = TypedParameter<PulsesPerQuarter>(
    "pulse/ppqn", PulsesPerQuarter.kind, unit: "pulses a quarter", standard: .standard,
    savedAs: ["pulse", "ppqn"],
    "Pulses a quarter note on the port `pulse`: 1, 2, 3, 4, 6, 8, 12, 16, 24 or 48. Volca and Pocket Operator read 2, DIN sync 24 or 48."
  )
  package static let pulseLength = TypedParameter<Double>(
    "pulse/length", .number(0.1...100, parts: 10), unit: "ms", standard: PulseOutput().length,
    savedAs: ["pulse", "length"], "How long a pulse lasts; at most half the way to the next.")
  package static let pulseLevel = TypedParameter<Double>(
    "pulse/level", .number(-1...1, parts: 100), standard: Double(PulseOutput().level),
    savedAs: ["pulse", "level"],
    "The level of the ports `pulse`, `run` and `reset`, as a part of full scale; negative for negative voltage."
  )
  package static let pulseOffset = TypedParameter<ClockOffset>(
    "pulse/offset", .offset, unit: "ms", standard: .none, savedAs: ["pulse", "offset"],
    "Delay of the pulses against the click; negative is earlier.")
  package static let timecodeRate = TypedParameter<TimecodeRate>(
    "timecode/rate", TimecodeRate.kind, unit: "frames a second", standard: TimecodeOutput().rate,
    savedAs: ["timecode", "rate"],
    "Frames a second of the timecode on the ports `timecode` and `ltc`. 29.97 is drop-frame.")
  package static let timecodeStart = TypedParameter<Timecode>(
    "timecode/start", .text(allowed: Timecode.allowed), standard: .zero, savedAs: ["timecode", "start"],
    "The timecode at the start of the metronome, and of songs whose document gives none.")
  package static let timecodeLevel = TypedParameter<Double>(
    "timecode/level", .number(0...1, parts: 100), standard: Double(TimecodeOutput().level),
    savedAs: ["timecode", "level"], "The level of the port `ltc`, as a part of full scale.")
  package static let timecodeOffset = TypedParameter<ClockOffset>(
    "timecode/offset", .offset, unit: "ms", standard: .none, savedAs: ["timecode", "offset"],
    "Delay of the timecode against the click; negative is earlier.")
  /// The MIDI note number of a role, 0…127.
  package static func note(_ role: ClickRole) -> TypedParameter<Int> { notes[role] }
  private static let notes = PerRole<ClickRole>(
    accent: .accent, beat: .beat, subdivision: .subdivision, cue: .cue
  ).map { role in
    TypedParameter<Int>(
      "notes/\(role.name)", .integer(Layer.notes), standard: Int(NoteOutput().numbers[role]),
      savedAs: ["notes", role.name], "The MIDI note of the role `\(role.name)`.")
  }
  package static let noteChannel = TypedParameter<Int>(
    "notes/channel", .integer(1...16), standard: Int(NoteOutput().channel), savedAs: ["notes", "channel"],
    "The MIDI channel of the notes.")
  package static let noteLength = TypedParameter<Int>(
    "notes/length", .integer(1...5_000), unit: "ms", standard: NoteOutput().length,
    savedAs: ["notes", "length"], "How long a note lasts.")

  // MARK: Displays

  package static let flash = TypedParameter<Flash>(
    "flash", Flash.kind, standard: .off,
    "Whether the panel's whole screen flashes: with each downbeat, with each beat, or never.")
  package static let silentLights = TypedParameter<Bool>(
    "lights/silent", .flag, standard: true, savedAs: ["silent-lights"],
    "0: the panel's lights stand still in silent bars, so that they do not show the time.")
  package static let stageView = TypedParameter<Bool>(
    "panel/stage", .flag, standard: false, savedAs: ["stage-view"],
    "1: the panel shows only what a player needs on stage, to be read from two metres.")
  package static let mouse = TypedParameter<Bool>(
    "mouse", .flag, standard: true,
    "1: the panel takes the mouse; 0 leaves it to the terminal, which then selects text without the shift key."
  )

  // MARK: Time check

  package static let hitWindow = TypedParameter<Double>(
    "listen/window", .number(1...100, parts: 10), unit: "ms", standard: TimeChecker.Policy().window,
    savedAs: ["listen", "window"],
    "The largest distance of a hit in the window from the click, or from the target.")
  package static let hitTarget = TypedParameter<Double>(
    "listen/target", .number(-100...100, parts: 10), unit: "ms", standard: TimeChecker.Policy().target,
    savedAs: ["listen", "target"],
    "Where you want to play: milliseconds after the click; negative is before it. Each hit belongs to the click whose target is nearest."
  )
  package static let hitGrid = TypedParameter<Int>(
    "listen/grid", .integer(0...8), standard: 0, savedAs: ["listen", "grid"],
    "Parts of a beat against which hits are judged, as 4 for sixteenths; 0: the clicks alone.")
  package static let usesBleed = TypedParameter<Bool>(
    "listen/bleed", .flag, standard: true, savedAs: ["listen", "bleed"],
    "1: the microphone hears the click as in the calibration, and strokes count there only if they are louder; 0: it does not, as with headphones."
  )

  package static let triggerThreshold = TypedParameter<Double>(
    "listen/threshold", .number(-60...0, parts: 10), unit: "dB", standard: TriggerControls().threshold,
    savedAs: ["listen", "threshold"], control: .init(range: -60...0, detent: 1), label: "threshold",
    "Triggers: the lowest level of a stroke. Lower values detect softer strokes, and more of the room.")
  package static let triggerScan = TypedParameter<Double>(
    "listen/scan", .number(0...10, parts: 10), unit: "ms", standard: TriggerControls().scan,
    savedAs: ["listen", "scan"], control: .init(range: 0...10, detent: 0.1), label: "scan",
    "Triggers: how long the peak of a stroke is searched; the peak gives its strength.")
  package static let triggerMask = TypedParameter<Double>(
    "listen/mask", .number(0...500, parts: 10), unit: "ms", standard: TriggerControls().mask,
    savedAs: ["listen", "mask"], control: .init(range: 0...500, detent: 1), label: "mask",
    "Triggers: time after a stroke in which no other stroke is detected.")
  package static let retriggerCancel = TypedParameter<Double>(
    "listen/retrigger", .number(0...1, parts: 100), standard: TriggerControls().retriggerCancel,
    savedAs: ["listen", "retrigger"], control: .level, label: "retrigger",
    "Triggers: after a stroke, sounds below this part of its peak are ignored as its echo; this level halves every 20 ms. Higher values ignore more echoes, and lose more strokes of a roll."
  )
  package static let drumNotes = TypedParameter<NoteMap>(
    "listen/notes", .text(allowed: NoteMap.allowed), standard: NoteMap(), savedAs: ["listen", "notes"],
    "Which note of an e-drum is which drum, where General MIDI says otherwise.")
  package static let records = TypedParameter<Bool>(
    "listen/record", .flag, standard: true, savedAs: [],
    "With `--record`: 1 records while the music plays; 0 ends the file.")

  package static let keepsLog = TypedParameter<Bool>(
    "listen/log", .flag, standard: true, savedAs: ["listen", "log"],
    "1: takes are kept in the practice log; 0: they are reported and not kept.")

  // MARK: A runner's pace

  package static let followPace = TypedParameter<Bool>(
    "pace/follow", .flag, standard: false, savedAs: ["follow-pace"],
    "1: the tempo follows the speed and changes at most once in 3 s. Setting the tempo by hand ends it.")
  /// A constant of the cadence model.
  package static func cadence(_ constant: CadenceConstant) -> TypedParameter<Double> {
    cadence[constant.index]
  }
  /// Whether it is a constant of the cadence model.
  static func isCadence(_ parameter: Parameter) -> Bool { cadence.contains { $0.parameter == parameter } }
  private static let cadence = CadenceConstant.allCases.map { constant in
    TypedParameter<Double>(
      "pace/\(constant.rawValue)", .number(constant.bounds, parts: CadenceConstant.parts),
      unit: constant.unit, standard: constant.standard, savedAs: ["pace", constant.rawValue],
      constant.summary)
  }

  /// All parameters in the order of the reference table. Several settings are applied in this order, too: a meter before the
  /// accents that must fit it, and a profile, which sets a tempo, before the tempo.
  package static let all: [Parameter] = {
    var all = [meter.parameter, beatUnit.parameter, profile.parameter, tempo.parameter]
    all += [wholeTempo.parameter]
    all += [groups.parameter, accents.parameter, swing.parameter, gap.parameter]
    // A polyrhythm changes layer 1, so settings of layer 1 come after it.
    all += [polyrhythm.parameter] + layers.map(\.parameter) + layerVolumes.map(\.parameter)
    all += subdivisions.map(\.parameter) + volumes.map(\.parameter)
    all += [sound.parameter, mute.parameter] + ClickRole.allCases.map { roleMutes[$0].parameter }
    all += [beatStrength.parameter]
    all += [voice.parameter, voiceRate.parameter, voiceLanguage.parameter, voiceVolume.parameter]
    all += [quantise.parameter, role.parameter]
    all += [compensatesLatency.parameter, clickOffset.parameter, publishedBeat.parameter]
    all += [preRoll.parameter, preRollSeconds.parameter]
    all += [clockInLoss.parameter, clockInOffset.parameter]
    all += [clockRunsWhileStopped.parameter, clockOffset.parameter, clockSearch.parameter]
    all += [pulsesPerQuarter.parameter, pulseLength.parameter, pulseLevel.parameter, pulseOffset.parameter]
    all += [timecodeRate.parameter, timecodeStart.parameter]
    all += [timecodeLevel.parameter, timecodeOffset.parameter]
    all += ClickRole.allCases.map { notes[$0].parameter } + [noteChannel.parameter, noteLength.parameter]
    all += [flash.parameter, silentLights.parameter, stageView.parameter, mouse.parameter]
    all += [hitWindow.parameter, hitTarget.parameter, hitGrid.parameter, usesBleed.parameter]
    all += [triggerThreshold.parameter, triggerScan.parameter, triggerMask.parameter]
    all += [retriggerCancel.parameter, drumNotes.parameter, records.parameter, keepsLog.parameter]
    all += [followPace.parameter] + cadence.map(\.parameter)
    return all
  }()
}

extension ParameterKind {
  static let volume = ParameterKind.number(Volume.bounds, parts: Volume.parts)
  static let offset = ParameterKind.number(ClockOffset.bounds, parts: ClockOffset.parts)
}

extension Parameter.Control {
  /// A volume or a fraction.
  static let level = Parameter.Control(range: 0...1, detent: 0.01)
}

extension CaseIterable where Self: Equatable, AllCases.Index == Int {
  fileprivate var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The parameters of a protocol, by name.
package struct ParameterTable: Sendable {
  /// All of Tactus's parameters.
  package static let standard = ParameterTable(Parameters.all)

  package let parameters: [Parameter]
  /// The parameters that sections of documents set in text form.
  package let ofSections: [Parameter]
  private let byName: [String: Parameter]

  /// - Precondition: all names differ, and all keys of sections.
  package init(_ parameters: [Parameter]) {
    self.parameters = parameters
    ofSections = parameters.filter { $0.sectionKey != nil }
    byName = Dictionary(
      uniqueKeysWithValues: parameters.flatMap { parameter in
        ([parameter.name] + parameter.otherNames).map { ($0, parameter) }
      })
  }

  /// The parameter with this name, or with this other spelling; nil if there is none.
  package subscript(name: String) -> Parameter? { byName[name] }
}

/// When a display flashes its whole area.
package enum Flash: String, CaseIterable, Sendable {
  case off, downbeat, beat
}
