import Engine
import MusicTime
import Validation

/// The values of all parameters, always valid as a whole; and what is kept with them.
public struct Settings: Equatable, Sendable {
  /// Those that are not standard.
  private var values: [Parameter: ParameterValue] = [:]
  /// Whether the lead is wanted, but left to whoever has it.
  public private(set) var leadsIfFree = false
  /// What MIDI controllers do, at most one target for each control and gesture.
  public internal(set) var bindings: [MIDIBinding] = []
  /// What the ports are connected to whenever it is there: the full names of the peers of each. `out` goes to the physical
  /// outputs where it is missing here, and nowhere where it has no peers.
  public var connections: [String: [String]] = [:]
  /// The session that was played last, and where it stood.
  public var session: SessionPlace?

  /// The standard value of each parameter: 120 in 4/4, a sine, everything at full volume.
  public init() {}

  // MARK: Reading

  public subscript(parameter: Parameter) -> ParameterValue { values[parameter] ?? parameter.standard }

  public subscript<Value>(parameter: TypedParameter<Value>) -> Value {
    // A value is checked before it is stored, and a standard one is its type's own.
    try! Value(self[parameter.parameter], of: parameter.parameter)
  }

  /// The parameters that are not at their standard value, and those values.
  public var changed: [Parameter: ParameterValue] { values }

  // MARK: Changing

  /// Changes one parameter, or nothing where the whole would not be valid.
  ///
  /// A meter or beat unit that gives the bar another number of beats puts accents and groups that no longer fit back to
  /// their defaults.
  /// - Throws: `InvalidValue` with what is wrong.
  public mutating func set(_ setting: Setting) throws(InvalidValue) { try set([setting]) }

  /// Changes several parameters, one after the other, or nothing where the whole would not be valid in the end.
  /// - Throws: `InvalidValue` with what is wrong.
  public mutating func set(_ settings: [Setting]) throws(InvalidValue) {
    var next = self
    for setting in settings { try next.take(setting) }
    try next.check()
    self = next
  }

  private mutating func take(_ setting: Setting) throws(InvalidValue) {
    if let tempo = setting.value(of: Parameters.tempo), !profile.tempos.contains(tempo) {
      throw InvalidValue("tempo", "\(tempo)", allowed: profile.allowed)
    }
    store(setting)
    switch setting.parameter {
    case Parameters.meter.parameter, Parameters.beatUnit.parameter: dropMisfits()
    case Parameters.tempo.parameter: store(.followPace(false))
    case Parameters.role.parameter: leadsIfFree = false
    case Parameters.profile.parameter:
      store(.tempo(profile.start?.tempo ?? profile.clamped(tempo)))
      if let volume = profile.start?.volume { store(.volume(.master, volume)) }
    default: break
    }
  }

  private mutating func store(_ setting: Setting) {
    let isStandard = setting.value == setting.parameter.standard
    values[setting.parameter] = isStandard ? nil : setting.value
  }

  /// What no parameter can check by itself.
  private func check() throws(InvalidValue) {
    // To compile the bar for each message of a storm would take too long.
    try BarLayout.check(accents: accents, groups: groups, beats: beats)
    var model = CadenceModel()
    try model.set(changedCadence)
  }

  /// Takes a tempo that nobody set here: the pace's, or an Ableton Link session's.
  mutating func follow(_ tempo: Tempo) { store(.tempo(tempo)) }

  /// Takes the lead if nobody else has it, or follows who has.
  public mutating func leadIfFree(_ isFree: Bool = true) {
    store(.role(isFree ? .lead : .follow))
    leadsIfFree = true
  }

  private mutating func dropMisfits() {
    if let accents, accents.accents.count != beats { store(.accents(nil)) }
    if let groups, groups.beats != beats { store(.groups(nil)) }
  }

  /// What of the settings makes the bar's layout; the rest is standard.
  var pattern: Settings {
    var pattern = Settings()
    pattern.values = values.filter { $0.key.isPattern }
    return pattern
  }
}

// MARK: - Values by their types

extension Settings {
  public var tempo: Tempo { self[Parameters.tempo] }
  public var meter: Meter { self[Parameters.meter] }
  /// nil: the note that the meter counts.
  public var beatUnit: BeatUnit? { self[Parameters.beatUnit] }
  /// nil: as `groups` say, else an accent on the downbeat.
  public var accents: AccentPattern? { self[Parameters.accents] }
  public var groups: Groups? { self[Parameters.groups] }
  public var swing: Swing { self[Parameters.swing] }
  public var gap: Gap { self[Parameters.gap] }
  /// The name of a built-in sound set, or a folder.
  public var sound: String { self[Parameters.sound] }
  public var quantise: Quantise { self[Parameters.quantise] }
  public var role: SyncMode { self[Parameters.role] }
  public var isMuted: Bool { self[Parameters.mute] }
  /// The tempos that controls may reach.
  public var profile: TempoProfile { self[Parameters.profile] }
  /// Whether the tempo follows a runner's pace, until it is set by hand.
  public var followsPace: Bool { self[Parameters.followPace] }
  public var clockInLoss: ClockLoss { self[Parameters.clockInLoss] }
  public var clockInOffset: ClockOffset { self[Parameters.clockInOffset] }

  public func volume(_ fader: Fader) -> Volume { self[Parameters.volume(fader)] }
  public func volume(_ subdivision: Subdivision) -> Volume { self[Parameters.subdivision(subdivision)] }

  /// The subdivisions that are on, each with its volume.
  public var subdivisions: [Subdivision: Volume] {
    Subdivision.all.reduce(into: [:]) { on, subdivision in
      let volume = volume(subdivision)
      if volume != .off { on[subdivision] = volume }
    }
  }

  /// The beat unit that counts: the one that is set, or the meter's own note.
  public var effectiveBeatUnit: BeatUnit { beatUnit ?? meter.note }

  /// One bar of what is set.
  public var layout: BarLayout {
    get throws(InvalidValue) {
      try BarLayout(
        meter: meter, beatUnit: beatUnit, subdivisions: subdivisions.mapValues(\.gain), accents: accents,
        groups: groups, swing: swing)
    }
  }

  /// Beats in a bar.
  var beats: Int { BarLayout.beats(in: meter, unit: effectiveBeatUnit) }

  public var gains: Gains {
    var gains = Gains(volume)
    if isMuted { gains.master = 0 }
    return gains
  }

  /// How the MIDI clock is sent.
  public var clock: MIDIClockOutput {
    var clock = MIDIClockOutput()
    clock.runsWhileStopped = self[Parameters.clockRunsWhileStopped]
    clock.offset = self[Parameters.clockOffset].milliseconds
    return clock
  }

  /// Which notes the click is sent as.
  public var notes: NoteOutput {
    var notes = NoteOutput()
    for role in Role.allCases { notes.numbers[role] = UInt8(self[Parameters.note(role)]) }
    notes.channel = UInt8(self[Parameters.noteChannel])
    notes.length = self[Parameters.noteLength]
    return notes
  }

  public var cadence: CadenceModel {
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

  /// The nearest tempo so many thousandths faster that the profile allows.
  func nudged(by thousandths: Int) -> Tempo { profile.clamped(tempo.nudged(by: thousandths)) }
}
