import Engine
import MusicTime

/// Everything that a user sets, always valid as a whole.
public struct Settings: Equatable, Sendable {
  public private(set) var tempo: Tempo
  public private(set) var meter = Meter.common
  /// nil: the note that the meter counts.
  public private(set) var beatUnit: BeatUnit?
  /// Those that are on, each with its volume.
  public private(set) var subdivisions: [Subdivision: Volume] = [:]
  /// nil: as `groups` say, else an accent on the downbeat.
  public private(set) var accents: AccentPattern?
  public private(set) var groups: Groups?
  public private(set) var swing = Swing.straight
  public private(set) var gap = Gap.off
  /// Those that are not full.
  private var faders: [Fader: Volume] = [:]
  /// The name of a built-in sound set, or a folder.
  public private(set) var sound = "sine"
  public private(set) var quantise = Quantise.now
  public private(set) var role = TransportRole.free
  /// Whether the lead is wanted, but left to whoever has it.
  public private(set) var leadsIfFree = false
  public private(set) var isMuted = false
  /// The tempos that controls may reach.
  public private(set) var profile = TempoProfile.full
  /// Whether the tempo follows a runner's pace, until it is set by hand.
  public private(set) var followsPace = false
  public private(set) var cadence = CadenceModel()
  public private(set) var clockInLoss = ClockLoss.continue
  public private(set) var clockInOffset = ClockOffset.none
  /// What goes out of the MIDI ports.
  public private(set) var clock = ClockOutput()
  public private(set) var notes = NoteOutput()
  /// What MIDI controllers do, at most one target for each control and gesture.
  public internal(set) var bindings: [MIDIBinding] = []
  /// The session that was played last, and where it stood.
  public var session: SessionPlace?

  /// 120 in 4/4, a sine, everything at full volume.
  public init() {
    tempo = Tempo(clamping: 120_000)
  }

  public func volume(_ fader: Fader) -> Volume { faders[fader] ?? .full }

  public func volume(_ subdivision: Subdivision) -> Volume { subdivisions[subdivision] ?? .off }

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

  /// What of the settings makes the bar's layout; the rest is as at the beginning.
  var pattern: Settings {
    var pattern = Settings()
    (pattern.meter, pattern.beatUnit, pattern.subdivisions) = (meter, beatUnit, subdivisions)
    (pattern.accents, pattern.groups, pattern.swing) = (accents, groups, swing)
    return pattern
  }

  /// Beats in a bar.
  var beats: Int { BarLayout.beats(in: meter, unit: effectiveBeatUnit) }

  public var gains: Gains {
    var gains = Gains(volume)
    if isMuted { gains.master = 0 }
    return gains
  }

  /// Changes one setting, or nothing where the whole would not be valid.
  ///
  /// A meter or beat unit that gives the bar another number of beats puts accents and groups that no longer fit back to
  /// their defaults.
  /// - Throws: `InvalidValue` with what is wrong.
  public mutating func set(_ setting: Setting) throws(InvalidValue) {
    var next = self
    switch setting {
    case .tempo(let tempo):
      guard profile.tempos.contains(tempo) else {
        throw InvalidValue("tempo", "\(tempo)", allowed: profile.allowed)
      }
      (next.tempo, next.followsPace) = (tempo, false)
    case .meter(let meter):
      next.meter = meter
      next.dropMisfits()
    case .beatUnit(let unit):
      next.beatUnit = unit
      next.dropMisfits()
    case .subdivision(let subdivision, let volume):
      next.subdivisions[subdivision] = volume == .off ? nil : volume
    case .accents(let pattern): next.accents = pattern
    case .groups(let groups): next.groups = groups
    case .swing(let swing): next.swing = swing
    case .gap(let gap): next.gap = gap
    case .volume(let fader, let volume): next.faders[fader] = volume == .full ? nil : volume
    case .mute(let isMuted): next.isMuted = isMuted
    case .sound(let name): next.sound = name
    case .quantise(let quantise): next.quantise = quantise
    case .clockInLoss(let loss): next.clockInLoss = loss
    case .clockInOffset(let offset): next.clockInOffset = offset
    case .role(let role): (next.role, next.leadsIfFree) = (role, false)
    case .profile(let profile):
      next.profile = profile
      next.tempo = profile.start?.tempo ?? profile.clamped(next.tempo)
      if let volume = profile.start?.volume { next.faders[.master] = volume }
    case .followPace(let follows): next.followsPace = follows
    case .cadence(let constants): try next.cadence.set(constants)
    case .clockRunsWhileStopped(let runs): next.clock.runsWhileStopped = runs
    case .clockOffset(let offset): next.clock.offset = offset.milliseconds
    case .note(let role, let note): try next.notes.set(role, note)
    case .noteChannel(let channel): try next.notes.set(channel: channel)
    case .noteLength(let milliseconds): try next.notes.set(length: milliseconds)
    }
    // All else is valid by itself; to compile the bar for each message of a storm would take too long.
    try BarLayout.check(accents: next.accents, groups: next.groups, beats: next.beats)
    self = next
  }

  /// The tempo so many thousandths faster, or the bound of the profile that lies in between.
  func nudged(by thousandths: Int) -> Tempo { profile.clamped(tempo.nudged(by: thousandths)) }

  /// Takes a tempo that nobody set here: the pace's, or an Ableton Link session's.
  mutating func follow(_ tempo: Tempo) { self.tempo = tempo }

  /// Takes the lead if nobody else has it, or follows who has.
  public mutating func leadIfFree(_ isFree: Bool = true) {
    (role, leadsIfFree) = (isFree ? .lead : .follow, true)
  }

  private mutating func dropMisfits() {
    if let accents, accents.accents.count != beats { self.accents = nil }
    if let groups, groups.beats != beats { self.groups = nil }
  }
}
