import Control
import Engine
import MusicTime

/// The panel's content, as plain values.
struct PanelModel: Equatable, Sendable {
  /// The current or last beat.
  struct Light: Equatable, Sendable {
    var bar: Int
    var beat: Int
    /// Whether the beat has just begun.
    var isFresh: Bool
    /// Whether its bar is silent, and for how long.
    var silence = BarSilence.none
    var isSilent: Bool { silence != .none }
  }

  enum View: CaseIterable, Sendable {
    /// Everything, to be read from near.
    case practice
    /// Only what a player needs on stage, to be read from two metres.
    case stage
    /// The songs and sections, or the presets and documents, with a cursor.
    case list
  }

  /// A question before an action that would end a session or replace a preset.
  enum Question: Equatable, Sendable {
    /// Whether to quit while a session plays.
    case quit
    /// Whether to open this document of the session folder while a session plays.
    case open(String)
    /// Whether to close the session while it plays.
    case close
    /// Whether to replace the preset of this name, which is not the current one.
    case replace(String)

    /// Whether it is about a playing session.
    var isOfSession: Bool { if case .replace = self { false } else { true } }
  }

  /// A message that disappears after a while.
  struct Note: Equatable, Sendable {
    var text: String
    var isWarning: Bool
    /// Whether it reports a loss. Such notes may come every second, and do not replace others.
    var isLoss = false

    /// Whether it is about a fader that must be picked up.
    var isPickUp = false
    /// Whether it is a coach's decision.
    var isAdvice = false
    /// The warnings of reports in it.
    var warnings: [String] = []
    /// The summary of a take in it.
    var summary: String?
    /// The page that is shown, from 0.
    var page = 0
    /// Whether it reports that the server is back.
    var isReturn = false

    static let savingNudge = Note(text: "saving the song's tempo in its document", isWarning: false)
    static let savedNudge = Note(text: "saved the song's tempo in its document", isWarning: false)
  }

  var snapshot: Snapshot {
    didSet {
      guard snapshot != oldValue else { return }
      // A pedal that changes the view shows it, also instead of the list.
      if snapshot.settings[Parameters.stageView] != oldValue.settings[Parameters.stageView] {
        list.isShown = false
      }
      // The document has been read again with its own tempo.
      if note == .savingNudge, oldValue.progress?.nudge != 0, progress?.nudge == 0 { note = .savedNudge }
      let isSame = snapshot.settings.session?.path == oldValue.settings.session?.path
      if !isSame || (progress == nil) != (oldValue.progress == nil) {
        (list.selected, list.showsDocuments) = (nil, false)
      } else if progress?.song != oldValue.progress?.song, case .section? = list.selected {
        list.selected = nil
      }
      adopt()
    }
  }
  var status = PanelStatus()
  /// Why there is no audio server; nil if there is one.
  var lostReason: String?
  /// nil if nothing plays.
  var light: Light?
  /// The parameter that the arrow keys change.
  var focus = Parameters.tempo.parameter
  var typing = Typing()
  var note: Note?
  /// The size of the screen.
  var window = (columns: 80, rows: 24)
  var view: View { list.isShown ? .list : snapshot.settings[Parameters.stageView] ? .stage : .practice }
  var list = ListState()
  /// The beat under the cursor while the accents have the focus, from 0.
  var cursor = 0
  /// The list of MIDI controllers; nil if it is closed.
  var controllers: ControllerList?
  /// How a phone becomes a remote; nil if that is not shown.
  var pairing: PairingCard?
  var showsHelp = false
  /// The first visible line of the list of keys, from 0.
  var helpRow = 0
  /// The question that the next key answers; nil if there is none.
  var question: Question?

  /// The beats of the current bar.
  private(set) var beats: [BeatKind] = []
  /// The tempo between the last two beats of a session, in beats per minute; nil if it is not known.
  private var heardTempo: Double?
  private var lastBeat: (frame: ClockFrame, beat: Int)?

  let table: ParameterTable
  /// The names of the sounds to choose from.
  let sounds: [String]

  /// - Parameters:
  ///   - table: all parameters.
  ///   - sounds: the names of the sounds to choose from.
  init(_ snapshot: Snapshot, _ table: ParameterTable = .standard, sounds: [String] = []) {
    self.snapshot = snapshot
    self.table = table
    self.sounds = sounds
    adopt()
  }

  static func == (a: PanelModel, b: PanelModel) -> Bool {
    a.snapshot == b.snapshot && a.status == b.status && a.lostReason == b.lostReason && a.light == b.light
      && a.focus == b.focus && a.typing == b.typing && a.note == b.note && a.showsHelp == b.showsHelp
      && a.helpRow == b.helpRow && a.question == b.question && a.list == b.list
      && a.heardTempo == b.heardTempo && a.cursor == b.cursor
      && a.controllers == b.controllers
      && a.pairing == b.pairing
  }

  var progress: SessionProgress? { snapshot.progress }

  /// The parameters that Tab visits. In a session the document defines the pattern, so its faders are omitted.
  var fields: [Parameter] {
    [Parameters.tempo.parameter] + (progress == nil ? patternFaders : layerFaders) + choices + volumeFaders
  }

  /// The faders of the pattern: subdivisions, swing, and every other musical parameter that a control can change.
  var patternFaders: [Parameter] {
    let faders = table.parameters.filter {
      $0.control != nil && $0.isMusic && $0 != Parameters.tempo.parameter
    }
    let swing = Parameters.swing.parameter
    return faders.filter { $0 != swing } + faders.filter { $0 == swing } + layerFaders
  }

  /// The volumes of the layers that are on.
  private var layerFaders: [Parameter] { layers.map { Parameters.layerVolume($0.number).parameter } }

  /// The layers that are on; in a session those of the section.
  private var layers: [LayerPlan] { progress?.layers ?? snapshot.settings.layers }

  /// The faders of a section's layers in a number of rows, around the focus.
  func layerFaders(rows: Int) -> [Parameter] {
    let all = layerFaders
    guard all.count > rows else { return all }
    let top = (all.firstIndex(of: focus) ?? 0) - rows / 2
    return Array(all[max(0, min(top, all.count - rows))...].prefix(rows))
  }

  /// The faders of the pattern in a number of rows. Faders at 0 are omitted first, then those far from the focus.
  func patternFaders(rows: Int) -> [Parameter] {
    var shown = patternFaders
    for fader in shown.reversed() where shown.count > rows && fader != focus {
      if snapshot.settings[fader] == .number(0), fader != Parameters.swing.parameter,
        Parameters.layer(ofVolume: fader) == nil
      {
        shown.removeAll { $0 == fader }
      }
    }
    guard shown.count > rows else { return shown }
    let top = (shown.firstIndex(of: focus) ?? 0) - rows / 2
    return Array(shown[max(0, min(top, shown.count - rows))...].prefix(rows))
  }

  /// The name of a fader.
  func label(of fader: Parameter) -> String {
    guard let number = Parameters.layer(ofVolume: fader),
      let layer = layers.first(where: { $0.number == number })?.layer
    else { return fader.label }
    let names = [layer.name, layer.polyrhythm?.description ?? "", layer.rate.description]
    return names.first { 1...10 ~= $0.count } ?? fader.label
  }

  /// The faders that also work in a session: the volumes, without those of layers.
  var volumeFaders: [Parameter] {
    table.parameters.filter {
      $0.control != nil && !$0.isMusic && Parameters.layer(ofVolume: $0) == nil
        && !PanelModel.faderless.contains($0)
    }
  }

  /// Parameters without a fader: users set them once, with `:` or a control.
  private static let faderless = [
    Parameters.voiceVolume.parameter,
    Parameters.triggerThreshold.parameter, Parameters.triggerScan.parameter,
    Parameters.triggerMask.parameter, Parameters.retriggerCancel.parameter,
  ]

  /// The layout of the current bar.
  private var layout: BarLayout? { progress.map(\.layout) ?? (try? snapshot.playing.layout) }

  var meter: Meter { layout?.meter ?? snapshot.settings.meter }
  /// The note that the tempo counts; nil for the meter's own note.
  var beatUnit: BeatUnit? { layout.flatMap { $0.beatUnit == $0.meter.note ? nil : $0.beatUnit } }

  /// Beats per minute as text. A leader's tempo takes precedence over the session's.
  var tempo: String {
    if let leader = snapshot.leader, let layout {
      return PanelModel.decimal(leader.tempo(in: layout.beatUnit))
    }
    if let progress {
      return progress.tempo?.description ?? heardTempo.map { PanelModel.decimal($0) } ?? "-"
    }
    return snapshot.settings.tempo.description
  }

  /// The position of a fader, 0…1.
  func share(of parameter: Parameter) -> Double {
    guard case .number(let value) = snapshot.settings[parameter] else { return 0 }
    let bounds = parameter.bounds
    return (value - bounds.lowerBound) / (bounds.upperBound - bounds.lowerBound)
  }

  /// Updates the values derived from the settings.
  private mutating func adopt() {
    if !fields.contains(focus) { focus = Parameters.tempo.parameter }
    if !snapshot.isPlaying || progress == nil, question?.isOfSession == true { question = nil }
    beats =
      layout?.onsets.filter { $0.role != .subdivision }.map { onset in
        onset.strength == 0 ? .silent : onset.role == .accent ? .accent : onset.strength < 1 ? .soft : .beat
      } ?? []
    cursor = min(cursor, max(beats.count - 1, 0))
  }

  /// The number of characters up to which reported warnings are joined: most of a screen of 80 columns and 24 rows.
  private static let mostJoined = 1_500

  /// Shows a note, unless the note is a loss and would replace another note.
  /// - Returns: whether the note is shown.
  mutating func show(_ note: Note) -> Bool {
    if note.isLoss, let shown = self.note, !shown.isLoss { return false }
    var note = note
    // Several warnings may come at once, as at the start: each stays. A repeated one comes with the number of its kind.
    if !note.warnings.isEmpty, var warnings = self.note?.warnings {
      if let index = warnings.firstIndex(where: { note.text.hasPrefix($0) || $0.hasPrefix(note.text) }) {
        warnings[index] = note.text
      } else {
        warnings.append(note.text)
      }
      if warnings.reduce(0, { $0 + $1.count }) <= PanelModel.mostJoined {
        (note.warnings, note.text) = (warnings, warnings.joined(separator: " — "))
      }
    }
    // A take's summary stays beside a warning, because players read it only after putting down the sticks.
    if note.isWarning, let summary = self.note?.summary {
      (note.text, note.summary) = ("\(summary) \(note.text)", summary)
    }
    // A repeated note stays on its page.
    if let shown = self.note, shown.text == note.text { note.page = shown.page }
    self.note = note
    return true
  }

  /// The first row that a note may cover: on stage it leaves the header, and the row of tempo and beat, if two rows remain.
  func firstNoteRow(of rows: Int) -> Int { view == .stage ? min(2, max(rows - 2, 0)) : 0 }

  /// Shows how to pick up a fader; nil removes that note.
  /// - Returns: whether the note is shown.
  mutating func show(_ pickUp: PickUp?) -> Bool {
    if let pickUp { return show(Note(text: pickUp.text, isWarning: false, isPickUp: true)) }
    if note?.isPickUp == true { note = nil }
    return false
  }

  /// Shows a beat.
  mutating func sound(_ beat: Event.Beat) {
    if let last = lastBeat, progress != nil, beat.frame > last.frame, beat.beat == last.beat + 1 {
      heardTempo = Double(60 * snapshot.sampleRate) / Double(beat.frame - last.frame)
    }
    lastBeat = (beat.frame, beat.beat)
    // In a count-in a voice may replace the clicks: the bar is not shown as silent.
    let silence = progress?.isCountIn == true ? .none : beat.silence
    light = Light(bar: beat.bar, beat: beat.beat, isFresh: true, silence: silence)
  }

  /// Whether the screen flashes as a whole.
  var isFlashing: Bool {
    guard let light, light.isFresh, !light.isSilent else { return false }
    switch snapshot.settings[Parameters.flash] {
    case .off: return false
    case .downbeat: return light.beat == 1
    case .beat: return true
    }
  }

  /// The light that is shown; nil in a silent bar if `Parameters.silentLights` is off.
  var shownLight: Light? {
    light?.isSilent == true && !snapshot.settings[Parameters.silentLights] ? nil : currentLight
  }

  /// The current or last beat; nil in the pause before a song that starts by itself.
  var currentLight: Light? { progress?.startsIn == nil ? light : nil }

  /// Ends the beat's flash.
  mutating func dim() {
    light?.isFresh = false
    if !snapshot.isPlaying { light = nil }
  }

  /// A number with at most one decimal.
  static func decimal(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}

/// The state that the panel shows and the conductor does not report.
package struct PanelStatus: Equatable, Sendable {
  /// The name of the JACK client.
  package var client = ""
  /// The name of the JACK server.
  package var server = ""
  /// Whether there is a server.
  package var hasServer = true
  /// The server's DSP load in percent; nil if it is not known.
  package var load: Float?
  /// The UDP port for OSC; nil if Tactus receives no OSC.
  package var oscPort: UInt16?
  /// The number of OSC subscribers.
  package var oscPeers = 0
  /// The path of the session folder.
  package var sessionFolder = ""
  /// Whether MIDI was received since the last status.
  package var receivesMIDI = false
  /// Whether MIDI was sent since the last status.
  package var sendsMIDI = false

  package init() {}
}
