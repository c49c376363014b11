import Control
import Engine
import MusicTime

/// All that the panel shows, as plain values.
struct PanelModel: Equatable, Sendable {
  /// The beat that sounds, or sounded last.
  struct Light: Equatable, Sendable {
    var bar: Int
    var beat: Int
    /// Whether it has only just begun.
    var isFresh: Bool
  }

  /// Something to be told, for a while.
  struct Note: Equatable, Sendable {
    var text: String
    var isWarning: Bool
    /// Whether it tells of something that is counted too: on a bad day there is one each second.
    var isLoss = false
  }

  var snapshot: Snapshot { didSet { if snapshot != oldValue { adopt() } } }
  var status = PanelStatus()
  /// Why there is no audio server; nil where there is one.
  var lostReason: String?
  /// nil where nothing plays.
  var light: Light?
  /// What the arrows move.
  var focus = MIDIParameter.tempo
  /// The meter as far as it has been typed; nil while none is.
  var entry: String?
  var note: Note?
  var showsHelp = false

  /// The beats of the bar that plays.
  private(set) var beats: [BeatKind] = []
  /// Beats a minute as they sound, where a section's tempo moves.
  private var heardTempo: Double?
  private var lastBeat: (frame: Int64, beat: Int)?

  init(_ snapshot: Snapshot) {
    self.snapshot = snapshot
    adopt()
  }

  static func == (a: PanelModel, b: PanelModel) -> Bool {
    a.snapshot == b.snapshot && a.status == b.status && a.lostReason == b.lostReason && a.light == b.light
      && a.focus == b.focus && a.entry == b.entry && a.note == b.note && a.showsHelp == b.showsHelp
      && a.heardTempo == b.heardTempo
  }

  var progress: Progress? { snapshot.progress }

  /// What Tab goes through. A session's document says its own pattern.
  var fields: [MIDIParameter] {
    let pattern = Subdivision.all.map(MIDIParameter.subdivision) + [.swing]
    return [.tempo] + (progress == nil ? pattern : []) + Fader.allCases.map(MIDIParameter.volume)
  }

  /// The layout of the bar that plays.
  private var layout: BarLayout? { progress.map(\.layout) ?? (try? snapshot.playing.layout) }

  var meter: Meter { layout?.meter ?? snapshot.settings.meter }
  /// What the tempo counts; nil for the meter's own note.
  var beatUnit: BeatUnit? { layout.flatMap { $0.beatUnit == $0.meter.note ? nil : $0.beatUnit } }

  /// Beats a minute, in digits: a leader's where one is followed, who goes before a session's document.
  var tempo: String {
    if let leader = snapshot.leader, let layout {
      return PanelModel.decimal(leader.tempo(in: layout.beatUnit))
    }
    if let progress {
      return progress.tempo?.description ?? heardTempo.map { PanelModel.decimal($0) } ?? "-"
    }
    return snapshot.settings.tempo.description
  }

  /// Takes over what the settings say.
  private mutating func adopt() {
    if !fields.contains(focus) { focus = .tempo }
    beats =
      layout?.onsets.filter { $0.role != .subdivision }.map { onset in
        onset.strength == 0 ? .silent : onset.role == .accent ? .accent : onset.strength < 1 ? .soft : .beat
      } ?? []
  }

  /// Tells something, unless that is a loss and would hide what is being told.
  /// - Returns: whether it is told.
  mutating func show(_ note: Note) -> Bool {
    if note.isLoss, let shown = self.note, !shown.isLoss { return false }
    self.note = note
    return true
  }

  /// A beat sounds.
  mutating func sound(_ beat: Event.Beat) {
    if let last = lastBeat, progress != nil, beat.frame > last.frame, beat.beat == last.beat + 1 {
      heardTempo = Double(60 * snapshot.sampleRate) / Double(beat.frame - last.frame)
    }
    lastBeat = (beat.frame, beat.beat)
    light = Light(bar: beat.bar, beat: beat.beat, isFresh: true)
  }

  /// The flash of the beat is over.
  mutating func dim() {
    light?.isFresh = false
    if !snapshot.isPlaying { light = nil }
  }

  /// To a tenth.
  private static func decimal(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}

/// What the panel shows that the conductor does not tell.
public struct PanelStatus: Equatable, Sendable {
  /// The JACK client's name, and the server's.
  public var client = ""
  public var server = ""
  /// Percent of the time that the server has for a cycle; nil where there is no server.
  public var load: Float?
  /// The OSC port; nil where it doesn't listen.
  public var oscPort: UInt16?
  /// Who has subscribed over OSC.
  public var oscPeers = 0
  /// Whether MIDI has come in, and gone out, since the last look.
  public var receivesMIDI = false
  public var sendsMIDI = false

  public init() {}
}
