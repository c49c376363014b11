import Control
import Engine
import MusicTime

/// Settings as a document says them: every key may be left out and then has its default. Whether the mix is muted is not
/// among them: nobody should have to look for what silences a metronome that was started anew.
struct SettingsDocument: Codable {
  var tempo: PlainNumber?
  var meter: String?
  var beatUnit: String?
  var subdivisions: [Int: PlainNumber]?
  var accents: String?
  var groups: String?
  var swing: PlainNumber?
  var gap: String?
  var volumes: [String: PlainNumber]?
  var sound: String?
  var quantise: String?
  var role: String?
  var clockInLoss: String?
  var clockInOffset: PlainNumber?
  var clock: ClockDocument?
  var notes: NotesDocument?
  var session: String?
  var song: Int?
  var section: Int?
  var midi: [BindingDocument]?
  var profile: String?
  var followsPace: Bool?
  var pace: [String: PlainNumber]?

  enum CodingKeys: String, CodingKey {
    case tempo, meter
    case beatUnit = "beat-unit"
    case subdivisions, accents, groups, swing, gap, volumes, sound, quantise, role, session, song, section,
      midi,
      profile, pace, clock, notes
    case followsPace = "follow-pace"
    case clockInLoss = "clock-in-loss"
    case clockInOffset = "clock-in-offset"
  }

  init(_ settings: Settings) {
    tempo = PlainNumber(settings.tempo.beatsPerMinute)
    meter = "\(settings.meter)"
    beatUnit = settings.beatUnit?.description
    let on = settings.subdivisions.map { ($0.key.parts, PlainNumber($0.value.gain)) }
    subdivisions = on.isEmpty ? nil : Dictionary(uniqueKeysWithValues: on)
    accents = settings.accents?.description
    groups = settings.groups?.description
    swing = PlainNumber(settings.swing.amount)
    gap = settings.gap == .off ? nil : settings.gap.description
    volumes = Dictionary(
      uniqueKeysWithValues: Fader.allCases.map { ($0.rawValue, PlainNumber(settings.volume($0).gain)) })
    sound = settings.sound
    quantise = settings.quantise.rawValue
    role = settings.leadsIfFree ? SettingsDocument.leadIfFree : settings.role.rawValue
    clockInLoss = settings.clockInLoss.rawValue
    clockInOffset = PlainNumber(settings.clockInOffset.milliseconds)
    clock = ClockDocument(settings.clock)
    notes = NotesDocument(settings.notes)
    session = settings.session?.path
    song = settings.session?.song
    section = settings.session?.section
    profile = settings.profile == .full ? nil : settings.profile.rawValue
    followsPace = settings.followsPace ? true : nil
    let pace = settings.cadence.changed.map { ($0.key.rawValue, PlainNumber($0.value)) }
    self.pace = pace.isEmpty ? nil : Dictionary(uniqueKeysWithValues: pace)
    midi = settings.bindings.isEmpty ? nil : settings.bindings.map { BindingDocument($0) }
  }

  /// A role that depends on others.
  private static let leadIfFree = "lead-if-free"

  /// - Throws: `InvalidValue` with the first value that can't be.
  func settings() throws(InvalidValue) -> Settings {
    var settings = Settings()
    if let meter { try settings.set(.meter(Meter(text: meter))) }
    if let beatUnit { try settings.set(.beatUnit(BeatUnit(text: beatUnit))) }
    // Its own tempo and volume give way to those that were set later.
    if let profile { try settings.set(.profile(SettingsDocument.named(profile, "profile"))) }
    if let tempo { try settings.set(.tempo(Tempo(tempo.value))) }
    for (parts, volume) in subdivisions ?? [:] {
      try settings.set(.subdivision(Subdivision(parts), self.volume(volume, "subdivisions.\(parts)")))
    }
    if let groups { try settings.set(.groups(Groups(text: groups))) }
    if let accents { try settings.set(.accents(AccentPattern(text: accents))) }
    if let swing { try settings.set(.swing(Swing(swing.value))) }
    if let gap { try settings.set(.gap(Gap(text: gap))) }
    for (name, volume) in volumes ?? [:] {
      try settings.set(
        .volume(SettingsDocument.named(name, "volumes"), self.volume(volume, "volumes.\(name)")))
    }
    if let sound { try settings.set(.sound(sound)) }
    if let quantise { try settings.set(.quantise(SettingsDocument.named(quantise, "quantise"))) }
    if role == SettingsDocument.leadIfFree {
      settings.leadIfFree()
    } else if let role {
      try settings.set(.role(SettingsDocument.named(role, "role")))
    }
    if let clockInLoss {
      try settings.set(.clockInLoss(SettingsDocument.named(clockInLoss, "clock-in-loss")))
    }
    if let clockInOffset { try settings.set(.clockInOffset(ClockOffset(clockInOffset.value))) }
    try clock?.apply(to: &settings)
    try notes?.apply(to: &settings)
    if let session { settings.session = SessionPlace(path: session, song: song ?? 0, section: section ?? 0) }
    if followsPace == true { try settings.set(.followPace(true)) }
    var constants: [CadenceConstant: Double] = [:]
    for (name, value) in pace ?? [:] { constants[try SettingsDocument.named(name, "pace")] = value.value }
    try settings.set(.cadence(constants))
    for (index, document) in (midi ?? []).enumerated() {
      do {
        try settings.bind(document.binding())
      } catch {
        throw InvalidValue("midi.\(index).\(error.name)", error.value, allowed: error.allowed)
      }
    }
    return settings
  }

  private func volume(_ gain: PlainNumber, _ key: String) throws(InvalidValue) -> Volume {
    do { return try Volume(gain.value) } catch {
      throw InvalidValue(key, error.value, allowed: error.allowed)
    }
  }

  static func named<T: RawRepresentable<String> & CaseIterable>(
    _ text: String, _ key: String
  ) throws(InvalidValue) -> T {
    guard let value = T(rawValue: text) else {
      let names = T.allCases.map(\.rawValue).joined(separator: ", ")
      throw InvalidValue(key, "'\(text)'", allowed: "one of \(names)")
    }
    return value
  }
}
