import Engine
import MusicTime
import TimeCheck
import Validation

/// The values of all parameters, always valid as a whole, and what is saved with them.
package struct Settings: Equatable, Sendable {
  /// The values that differ from the standard.
  private var values: [Parameter: ParameterValue] = [:]
  /// With the role `lead`: whether another leader keeps the lead.
  package private(set) var leadsIfFree = false
  /// The bindings of MIDI controls: at most one target for each control and gesture.
  package internal(set) var bindings: [MIDIBinding] = []
  /// The saved presets.
  package private(set) var presets = PresetList()
  /// The connections to restore: the full names of each port's peers. If `out` is missing, it is connected to the physical
  /// outputs; if it has no peers, to nothing.
  package var connections: [String: [String]] = [:]
  /// The setup of the time check, and the latencies that calibrations have measured.
  package private(set) var listening = ListeningSetup.off
  package private(set) var calibrations: [Calibration] = []
  /// The maximum number of calibrations.
  private static let mostCalibrations = 64
  /// The OSC addresses that receive all changes.
  package private(set) var feedback = FeedbackList()
  /// The last session and the place in it.
  package var session: SessionPlace?
  /// The places where other sessions were left, oldest first.
  package private(set) var places: [SessionPlace] = []
  /// The maximum number of places.
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

  /// Changes one parameter. If the settings would not be valid as a whole, changes nothing.
  ///
  /// A meter or beat unit that changes the number of beats resets accents and groups that no longer fit.
  /// - Throws: `InvalidValue` that names the value and what is allowed.
  package mutating func set(_ setting: Setting) throws(InvalidValue) { try set([setting]) }

  /// Changes several parameters in order. If the settings would not be valid as a whole in the end, changes nothing.
  /// - Throws: `InvalidValue` that names the value and what is allowed.
  package mutating func set(_ settings: [Setting]) throws(InvalidValue) {
    var next = self
    for setting in settings { try next.take(setting) }
    try next.check()
    self = next
  }

  /// Applies saved values in order, or changes nothing. In a session of Ableton Link the tempo may have been outside the
  /// profile: the nearest allowed tempo replaces it.
  /// - Throws: `InvalidValue` that names the value and what is allowed.
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

  /// Makes layer 1 play a polyrhythm; its sound does not change.
  private mutating func take(_ polyrhythm: Polyrhythm?) {
    guard let polyrhythm else { return store(.layer(1, nil)) }
    var layer = self[Parameters.layer(1)] ?? polyrhythm.layer
    if layer.rate != polyrhythm.rate { (layer.rate, layer.pattern) = (polyrhythm.rate, nil) }
    store(.layer(1, layer))
  }

  /// The short form always shows layer 1.
  private mutating func storePolyrhythm() {
    store(.polyrhythm(self[Parameters.layer(1)]?.polyrhythm))
  }

  private mutating func store(_ setting: Setting) {
    let isStandard = setting.value == setting.parameter.standard
    values[setting.parameter] = isStandard ? nil : setting.value
  }

  /// Checks rules that involve several parameters.
  private func check() throws(InvalidValue) {
    // Compiling the bar for each message of a flood would take too long.
    try BarLayout.check(accents: accents, groups: groups, beats: beats)
    var model = CadenceModel()
    try model.set(changedCadence)
  }

  /// Uses the tempo of the pace or of an Ableton Link session. Following continues, and no profile limits the tempo.
  mutating func follow(_ tempo: Tempo) { store(.tempo(tempo)) }

  /// Leads if no other client does, and follows while another client leads.
  package mutating func leadIfFree() {
    store(.role(.lead))
    leadsIfFree = true
  }

  private mutating func dropMisfits() {
    if let accents, accents.accents.count != beats { store(.accents(nil)) }
    if let groups, groups.beats != beats { store(.groups(nil)) }
  }

  /// Applies a preset and makes it the current one. Its sound is not applied, because it has to be read first.
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

  /// Adds a preset from the state file.
  /// - Throws: `InvalidValue` if there are too many, or one has the same name.
  package mutating func add(_ preset: Preset) throws(InvalidValue) { try presets.append(preset) }

  /// Sets the current preset from the state file. A name without a preset is ignored.
  package mutating func noteCurrentPreset(_ name: String) { _ = try? presets.use(.name(name)) }

  /// Copies the presets of other settings.
  package mutating func keepPresets(of other: Settings) { presets = other.presets }

  /// Sets the setup of the time check.
  package mutating func listen(to setup: ListeningSetup) { listening = setup }

  /// Keeps where a session was left, for `--resume`. A place that is kept already stays: the session was begun again, and has not
  /// gone on far enough since to drop that place (`dropPlace`).
  package mutating func keep(_ place: SessionPlace) {
    guard place.isPastStart, !places.contains(where: { $0.path == place.path }) else { return }
    places = Array((places + [place]).suffix(Settings.mostPlaces))
  }

  /// Drops the place where a session was left earlier.
  package mutating func dropPlace(in path: String) { places.removeAll { $0.path == path } }

  /// Sets the open session and its place.
  package mutating func open(_ place: SessionPlace) { session = place.sectionStart }

  /// Copies the places of other settings.
  package mutating func keepPlaces(of other: Settings) { places = other.places }

  /// Where a session was left; nil if it was not, or if it was at its start.
  package func place(in path: String) -> SessionPlace? {
    if let left = places.last(where: { $0.path == path }) { return left }
    guard let session, session.path == path, session.isPastStart else { return nil }
    return session
  }

  /// Keeps a calibration; it replaces an older one that was measured under the same circumstances.
  package mutating func keep(_ calibration: Calibration) {
    calibrations.removeAll {
      $0.fits(
        port: calibration.port, device: calibration.device, mode: calibration.mode,
        period: calibration.period, sampleRate: calibration.sampleRate)
    }
    calibrations = Array((calibrations + [calibration]).suffix(Settings.mostCalibrations))
  }

  /// Adds or removes an address that receives all changes.
  /// - Throws: `InvalidValue` if the list is full, the address is too long, or the address to remove is missing.
  package mutating func feed(_ update: FeedbackUpdate) throws(InvalidValue) {
    switch update {
    case .add(let url): try feedback.add(url)
    case .remove(let url): try feedback.remove(url)
    }
  }

  /// Copies the feedback addresses of other settings.
  package mutating func keepFeedback(of other: Settings) { feedback = other.feedback }

  /// Removes all feedback addresses.
  package mutating func endFeedback() { feedback = FeedbackList() }

  /// Copies the time check's setup and calibrations of other settings.
  package mutating func keepListening(of other: Settings) {
    (listening, calibrations) = (other.listening, other.calibrations)
  }

  /// Copies the calibrations of other settings.
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

// MARK: - Typed values

extension Settings {
  package var tempo: Tempo { self[Parameters.tempo] }
  package var meter: Meter { self[Parameters.meter] }
  /// nil: the note of the meter.
  package var beatUnit: BeatUnit? { self[Parameters.beatUnit] }
  /// nil: the accents of `groups`; without groups, an accent on the downbeat.
  package var accents: AccentPattern? { self[Parameters.accents] }
  package var groups: Groups? { self[Parameters.groups] }
  package var swing: Swing { self[Parameters.swing] }
  package var gap: Gap { self[Parameters.gap] }
  /// The name of a built-in sound set, or the path of a folder.
  package var sound: String { self[Parameters.sound] }
  package var quantise: Quantise { self[Parameters.quantise] }
  /// The role that the user requests; `Snapshot.role` is the one in effect.
  package var role: SyncMode { self[Parameters.role] }
  package var isMuted: Bool { self[Parameters.mute] }
  /// The range of tempos for controls.
  package var profile: TempoProfile { self[Parameters.profile] }
  /// Whether the tempo follows a runner's pace. Setting the tempo by hand ends this.
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

  /// The settings with equal beats in each bar, no subdivisions and no layers, and slow enough that a hit belongs to only one
  /// beat.
  var beatsAlone: Settings {
    var alone = self
    let subdivisions = Subdivision.all.map { Setting.subdivision($0, .off) }
    let layers = Layer.numbers.map { Setting.layer($0, nil) }
    // Can't fail: removing parts is always valid.
    try? alone.set(subdivisions + layers + [.gap(.off)])
    // Set directly, because the profile may not allow this tempo.
    if alone.tempo.beatsPerMinute > 150 { alone.store(.tempo(Tempo(clamping: 120_000))) }
    return alone
  }

  /// The beat unit, or the note of the meter if none is set.
  package var effectiveBeatUnit: BeatUnit { beatUnit ?? meter.note }

  /// The layout of the settings' bar.
  package var layout: BarLayout {
    get throws(InvalidValue) {
      try BarLayout(
        meter: meter, beatUnit: beatUnit, subdivisions: subdivisions.mapValues(\.gain), accents: accents,
        groups: groups, swing: swing)
    }
  }

  /// Number of beats in a bar.
  var beats: Int { BarLayout.beats(in: meter, unit: effectiveBeatUnit) }

  package var gains: Gains {
    var gains = Gains(volume)
    for number in Layer.numbers { gains.layers[number - 1] = self[Parameters.layerVolume(number)].gain }
    if isMuted { gains.master = 0 }
    for role in ClickRole.allCases where self[Parameters.mute(role)] { gains.buses[role] = 0 }
    return gains
  }

  /// The settings of the MIDI clock output.
  package var clock: MIDIClockOutput {
    var clock = MIDIClockOutput()
    clock.runsWhileStopped = self[Parameters.clockRunsWhileStopped]
    clock.offset = self[Parameters.clockOffset].milliseconds
    clock.search = self[Parameters.clockSearch]
    return clock
  }

  /// The settings of the note output.
  package var notes: NoteOutput {
    var notes = NoteOutput()
    for role in ClickRole.allCases { notes.numbers[role] = UInt8(self[Parameters.note(role)]) }
    notes.channel = UInt8(self[Parameters.noteChannel])
    notes.length = self[Parameters.noteLength]
    return notes
  }

  package var cadence: CadenceModel {
    var model = CadenceModel()
    // Can't fail: settings are always valid as a whole.
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
