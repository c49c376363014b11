import Engine
import MusicTime
import TimeCheck
import Validation

/// The values of all parameters, always valid as a whole, and what is saved with them.
package struct Settings: Equatable, Sendable {
  /// The values that differ from the standard.
  private var values: [Parameter: ParameterValue] = [:]
  /// With the role `lead`: whether the lead is not taken from another client.
  package private(set) var leadsIfFree = false
  /// What MIDI controls do: at most one target for each control and gesture.
  package internal(set) var bindings: [MIDIBinding] = []
  /// The metronome's settings that were saved under a name.
  package private(set) var presets = PresetList()
  /// The connections to restore: the full names of each port's peers. If `out` is missing, it is connected to the physical outputs;
  /// if it has no peers, to nothing.
  package var connections: [String: [String]] = [:]
  /// What is listened to, and how late that hears.
  package private(set) var listening = ListeningSetup.off
  package private(set) var calibrations: [Calibration] = []
  /// The most calibrations that are kept.
  private static let mostCalibrations = 64
  /// The OSC addresses that are told of everything.
  package private(set) var feedback = FeedbackList()
  /// The last session and the place in it.
  package var session: SessionPlace?
  /// Where other sessions were left, the oldest first.
  package private(set) var places: [SessionPlace] = []
  /// The most places that are kept.
  private static let mostPlaces = 64

  /// The standard value of each parameter: 120 in 4/4, a sine, everything at full volume.
  package init() {}

  // MARK: Reading

  package subscript(parameter: Parameter) -> ParameterValue { values[parameter] ?? parameter.standard }

  package subscript<Value>(parameter: TypedParameter<Value>) -> Value {
    // Values are checked before they are stored, and standard values are valid.
    try! Value(self[parameter.parameter], of: parameter.parameter)
  }

  /// The parameters that differ from their standard, with their values.
  package var changed: [Parameter: ParameterValue] { values }

  // MARK: Changing

  /// Changes one parameter, or nothing if the settings would not be valid as a whole.
  ///
  /// A meter or beat unit that changes the number of beats resets accents and groups that no longer fit.
  /// - Throws: `InvalidValue` with what is wrong.
  package mutating func set(_ setting: Setting) throws(InvalidValue) { try set([setting]) }

  /// Changes several parameters in order, or nothing if the settings would not be valid as a whole in the end.
  /// - Throws: `InvalidValue` with what is wrong.
  package mutating func set(_ settings: [Setting]) throws(InvalidValue) {
    var next = self
    for setting in settings { try next.take(setting) }
    try next.check()
    self = next
  }

  /// Brings back what was saved, in order, or nothing. Ableton Link may have had a tempo that the profile does not allow: it
  /// becomes the nearest that is allowed.
  /// - Throws: `InvalidValue` with what is wrong.
  package mutating func restore(_ settings: [Setting]) throws(InvalidValue) {
    var next = self
    for setting in settings {
      if let tempo = setting.value(of: Parameters.tempo) {
        try next.take(.tempo(next.profile.clamped(tempo)))
      } else {
        try next.take(setting)
      }
    }
    try next.check()
    self = next
  }

  private mutating func take(_ setting: Setting) throws(InvalidValue) {
    if let tempo = setting.value(of: Parameters.tempo), !profile.tempos.contains(tempo) {
      guard setting.isOfFader else { throw InvalidValue("tempo", "\(tempo)", allowed: profile.allowed) }
      store(.tempo(profile.clamped(tempo)))
    } else {
      store(setting)
    }
    switch setting.parameter {
    case Parameters.polyrhythm.parameter: take(setting.value(of: Parameters.polyrhythm) ?? nil)
    case Parameters.layer(1).parameter: storePolyrhythm()
    case Parameters.meter.parameter, Parameters.beatUnit.parameter: dropMisfits()
    case Parameters.tempo.parameter: store(.followPace(false))
    case Parameters.role.parameter: leadsIfFree = false
    case Parameters.profile.parameter:
      store(.tempo(profile.start?.tempo ?? profile.clamped(tempo)))
      if let volume = profile.start?.volume { store(.volume(.master, volume)) }
    default: break
    }
  }

  /// Has layer 1 sound a polyrhythm; its sound stays.
  private mutating func take(_ polyrhythm: Polyrhythm?) {
    guard let polyrhythm else { return store(.layer(1, nil)) }
    var layer = self[Parameters.layer(1)] ?? polyrhythm.layer
    if layer.rate != polyrhythm.rate { (layer.rate, layer.pattern) = (polyrhythm.rate, nil) }
    store(.layer(1, layer))
  }

  /// The short form always tells of layer 1.
  private mutating func storePolyrhythm() {
    store(.polyrhythm(self[Parameters.layer(1)]?.polyrhythm))
  }

  private mutating func store(_ setting: Setting) {
    let isStandard = setting.value == setting.parameter.standard
    values[setting.parameter] = isStandard ? nil : setting.value
  }

  /// Checks what involves several parameters.
  private func check() throws(InvalidValue) {
    // Compiling the bar for each message of a storm would take too long.
    try BarLayout.check(accents: accents, groups: groups, beats: beats)
    var model = CadenceModel()
    try model.set(changedCadence)
  }

  /// Takes the tempo of the pace or of an Ableton Link session. It ends no following, and no profile limits it.
  mutating func follow(_ tempo: Tempo) { store(.tempo(tempo)) }

  /// Leads if nobody else does, and follows whoever leads until then.
  package mutating func leadIfFree() {
    store(.role(.lead))
    leadsIfFree = true
  }

  private mutating func dropMisfits() {
    if let accents, accents.accents.count != beats { store(.accents(nil)) }
    if let groups, groups.beats != beats { store(.groups(nil)) }
  }

  /// Applies a preset, and makes it the current one. The sound is not applied, as it has to be read first.
  /// - Returns: the preset.
  /// - Throws: `InvalidValue` if there is no such preset.
  @discardableResult
  package mutating func recall(_ choice: PresetChoice) throws(InvalidValue) -> Preset {
    var next = self
    let preset = try next.presets.use(choice)
    try next.restore(preset.settings.filter { $0.parameter != Parameters.sound.parameter })
    self = next
    return preset
  }

  /// Saves, renames, moves or removes a preset, or recalls one.
  /// - Throws: `InvalidValue` for a name or number that is not allowed.
  package mutating func arrange(_ update: PresetUpdate) throws(InvalidValue) {
    switch update {
    case .save(let name): try presets.save(Preset(name, of: self))
    case .recall(let choice): try recall(choice)
    case .rename(let choice, let name): try presets.rename(choice, to: name)
    case .move(let choice, let number): try presets.move(choice, to: number)
    case .remove(let choice): try presets.remove(choice)
    }
  }

  /// Adds a preset of the state file.
  /// - Throws: `InvalidValue` if there are too many, or one of that name.
  package mutating func add(_ preset: Preset) throws(InvalidValue) { try presets.append(preset) }

  /// The preset that was the current one in the state file. One that is not there is none.
  package mutating func noteCurrentPreset(_ name: String) { _ = try? presets.use(.name(name)) }

  /// Takes over the presets of other settings.
  package mutating func keepPresets(of other: Settings) { presets = other.presets }

  /// Chooses what is listened to.
  package mutating func listen(to setup: ListeningSetup) { listening = setup }

  /// Keeps the place at which a session is left, in place of an older one; the start of a session is none.
  package mutating func keep(_ place: SessionPlace) {
    places.removeAll { $0.path == place.path }
    guard place.isPastStart else { return }
    places = Array((places + [place]).suffix(Settings.mostPlaces))
  }

  /// A session is open, from a place on: where it was left before is nothing any more.
  package mutating func open(_ place: SessionPlace) {
    places.removeAll { $0.path == place.path }
    session = place.sectionStart
  }

  /// Takes over where the sessions of other settings were left.
  package mutating func keepPlaces(of other: Settings) { places = other.places }

  /// Where a session was left; nil if it was not, or at its start.
  package func place(in path: String) -> SessionPlace? {
    if let session, session.path == path { return session.isPastStart ? session : nil }
    return places.last { $0.path == path }
  }

  /// Keeps a calibration in place of an older one that was measured under the same circumstances.
  package mutating func keep(_ calibration: Calibration) {
    calibrations.removeAll {
      $0.fits(
        port: calibration.port, device: calibration.device, mode: calibration.mode,
        period: calibration.period, sampleRate: calibration.sampleRate)
    }
    calibrations = Array((calibrations + [calibration]).suffix(Settings.mostCalibrations))
  }

  /// Adds or removes an address that is told of everything.
  /// - Throws: `InvalidValue`.
  package mutating func feed(_ update: FeedbackUpdate) throws(InvalidValue) {
    switch update {
    case .add(let url): try feedback.add(url)
    case .remove(let url): try feedback.remove(url)
    }
  }

  /// Takes over who is told of everything.
  package mutating func keepFeedback(of other: Settings) { feedback = other.feedback }

  /// Has nobody told of everything.
  package mutating func endFeedback() { feedback = FeedbackList() }

  /// Takes over what other settings listen to.
  package mutating func keepListening(of other: Settings) {
    (listening, calibrations) = (other.listening, other.calibrations)
  }

  /// Takes over what other settings have measured.
  package mutating func keepCalibrations(of other: Settings) { calibrations = other.calibrations }

  /// Whether something was changed since the current preset was recalled or saved.
  package var isPresetChanged: Bool { presets.current != nil && presets.currentPreset?.isAsSet(self) != true }

  /// The settings with only those values that the bar's layout depends on.
  var pattern: Settings {
    var pattern = Settings()
    pattern.values = values.filter { $0.key.isPattern }
    return pattern
  }
}

// MARK: - Values by their types

extension Settings {
  package var tempo: Tempo { self[Parameters.tempo] }
  package var meter: Meter { self[Parameters.meter] }
  /// nil for the note of the meter.
  package var beatUnit: BeatUnit? { self[Parameters.beatUnit] }
  /// nil for the accents of `groups`, or else an accent on the downbeat.
  package var accents: AccentPattern? { self[Parameters.accents] }
  package var groups: Groups? { self[Parameters.groups] }
  package var swing: Swing { self[Parameters.swing] }
  package var gap: Gap { self[Parameters.gap] }
  /// The name of a built-in sound set, or a folder.
  package var sound: String { self[Parameters.sound] }
  package var quantise: Quantise { self[Parameters.quantise] }
  /// The role that the user wishes for; `Snapshot.role` is the one that Tactus has.
  package var role: SyncMode { self[Parameters.role] }
  package var isMuted: Bool { self[Parameters.mute] }
  /// The range of tempos for controls.
  package var profile: TempoProfile { self[Parameters.profile] }
  /// Whether the tempo follows a runner's pace, until it is set by hand.
  package var followsPace: Bool { self[Parameters.followPace] }
  package var clockInLoss: MIDIClockLoss { self[Parameters.clockInLoss] }
  package var clockInOffset: ClockOffset { self[Parameters.clockInOffset] }

  package func volume(_ fader: Fader) -> Volume { self[Parameters.volume(fader)] }
  package func volume(_ subdivision: Subdivision) -> Volume { self[Parameters.subdivision(subdivision)] }

  /// The subdivisions that are on, each with its volume.
  package var subdivisions: [Subdivision: Volume] {
    Subdivision.all.reduce(into: [:]) { on, subdivision in
      let volume = volume(subdivision)
      if volume != .off { on[subdivision] = volume }
    }
  }

  /// The layers that are on.
  package var layers: [LayerPlan] {
    Layer.numbers.compactMap { number in
      self[Parameters.layer(number)].map { LayerPlan(number, $0) }
    }
  }

  /// The same beats in each bar, and nothing beside them, slow enough that none is taken for another.
  var beatsAlone: Settings {
    var alone = self
    let subdivisions = Subdivision.all.map { Setting.subdivision($0, .off) }
    let layers = Layer.numbers.map { Setting.layer($0, nil) }
    // What is left out is always valid.
    try? alone.set(subdivisions + layers + [.gap(.off)])
    // Whatever the profile allows.
    if alone.tempo.beatsPerMinute > 150 { alone.store(.tempo(Tempo(clamping: 120_000))) }
    return alone
  }

  /// The beat unit, or the note of the meter if none is set.
  package var effectiveBeatUnit: BeatUnit { beatUnit ?? meter.note }

  /// One bar of the settings.
  package var layout: BarLayout {
    get throws(InvalidValue) {
      try BarLayout(
        meter: meter, beatUnit: beatUnit, subdivisions: subdivisions.mapValues(\.gain), accents: accents,
        groups: groups, swing: swing)
    }
  }

  /// Beats in a bar.
  var beats: Int { BarLayout.beats(in: meter, unit: effectiveBeatUnit) }

  package var gains: Gains {
    var gains = Gains(volume)
    for number in Layer.numbers { gains.layers[number - 1] = self[Parameters.layerVolume(number)].gain }
    if isMuted { gains.master = 0 }
    for role in ClickRole.allCases where self[Parameters.mute(role)] { gains.buses[role] = 0 }
    return gains
  }

  /// How the MIDI clock is sent.
  package var clock: MIDIClockOutput {
    var clock = MIDIClockOutput()
    clock.runsWhileStopped = self[Parameters.clockRunsWhileStopped]
    clock.offset = self[Parameters.clockOffset].milliseconds
    clock.search = self[Parameters.clockSearch]
    return clock
  }

  /// The MIDI notes of the clicks.
  package var notes: NoteOutput {
    var notes = NoteOutput()
    for role in ClickRole.allCases { notes.numbers[role] = UInt8(self[Parameters.note(role)]) }
    notes.channel = UInt8(self[Parameters.noteChannel])
    notes.length = self[Parameters.noteLength]
    return notes
  }

  package var cadence: CadenceModel {
    var model = CadenceModel()
    // The settings are valid as a whole.
    try? model.set(changedCadence)
    return model
  }

  private var changedCadence: [CadenceConstant: Double] {
    CadenceConstant.allCases.reduce(into: [:]) { changed, constant in
      let parameter = Parameters.cadence(constant)
      if values[parameter.parameter] != nil { changed[constant] = self[parameter] }
    }
  }

  /// The tempo moved by thousandths of a beat per minute, within the profile.
  func nudged(by thousandths: Int) -> Tempo { profile.clamped(tempo.nudged(by: thousandths)) }
}
