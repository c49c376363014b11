import Control
import MusicTime
import Realtime
import TimeCheck

/// One event as a line of JSON. The properties are its keys; a property that the event does not have is nil.
struct EventLine: Encodable {
  var event: String
  /// The time at which the beat leaves the speakers, in seconds since the Unix epoch.
  var time: Double?
  /// The clock frame of a beat or hit.
  var frame: Int64?
  var bar: Int?
  var beat: Int?
  /// Of a beat or hit: the role of its click. Of a state: the role on the transport.
  var role: String?
  /// The role to which Tactus returns when no other client leads; nil if it has that role.
  var wantedRole: String?
  var strength: Float?
  /// The number of a beat's or hit's layer, from 1; nil if it is not on a layer.
  var layer: Int?
  var client: String?
  var server: String?
  var sampleRate: Int?
  var osc: String?
  var port: UInt16?
  var socket: String?
  var playing: Bool?
  /// `idle`, `counting in`, `running`, `between songs`, `paused` or `finished`.
  var state: String?
  var tempo: Double?
  var meter: String?
  /// Which of `tempo`, `meter` and `pattern` may be set.
  var settable: [String]?
  /// The preset that was recalled or saved last, and its number from 1.
  var preset: String?
  var presetNumber: Int?
  var peers: Int?
  var song: Int?
  var songs: Int?
  var title: String?
  var section: String?
  var colour: String?
  /// 0 if the section is open or its length is a time.
  var bars: Int?
  /// The cycle through the document's sections, from 1, and the number of cycles; 0 if they repeat without end.
  var cycle: Int?
  var cycles: Int?
  /// Whole seconds; the song's are nil after an open section.
  var sectionElapsed: Int?
  var songElapsed: Int?
  /// Whole seconds; nil if the section is open.
  var sectionLength: Int?
  var songLength: Int?
  var sectionLeft: Int?
  var songLeft: Int?
  var next: String?
  /// Percent of the document's tempo.
  var speed: Int?
  var xruns: Int?
  var gaps: Int?
  var droppedClips: Int?
  var droppedEvents: Int?
  var droppedCommands: Int?
  var droppedMessages: Int?
  var droppedControls: Int?
  var droppedAnswers: Int?
  var text: String?
  /// The part of the beat on which a hit was, from 1; 0 is the beat itself.
  var part: Int?
  var drum: String?
  /// The number of an e-drum's note.
  var note: Int?
  /// The asynchrony of a hit; negative is early.
  var milliseconds: Double?
  /// A coach's decision: `up`, `down`, `again` or `done`.
  var move: String?
  /// Of a take, a coach's trial, or silent bars (beats that were hit in the window).
  var hits: Int?
  var missed: Int?
  var extra: Int?
  /// In milliseconds.
  var mean: Double?
  /// In milliseconds.
  var spread: Double?
  /// In milliseconds per 10 s.
  var drift: Double?
  /// The part of the hits in the window, 0…1.
  var inWindow: Double?
  /// The ratio of the off-beats: 1 is straight, 2 a triplet.
  var swing: Double?
  /// The number of beats in silent bars.
  var beats: Int?
  /// By how many percent the player was faster than the click in silent bars.
  var faster: Double?
  /// A summary in sentences.
  var lines: [String]?
  /// The port that was calibrated.
  var input: String?
  /// The peak with which that port hears the click.
  var bleed: Float?

  init(_ event: String, text: String? = nil) {
    self.event = event
    self.text = text
  }

  /// The lines for a report.
  /// - Parameter connection: the current JACK and OSC addresses.
  static func events(of report: Report, _ connection: () -> Connection) -> [EventLine] {
    switch report {
    case .beat(let beat, let time):
      var line = EventLine("beat")
      line.time = Double(time.onWallClock) / 1e9
      (line.frame, line.bar, line.beat) = (beat.frame.number, beat.bar, beat.beat)
      (line.role, line.strength) = (beat.roleName, beat.strength)
      if beat.layer > 0 { line.layer = Int(beat.layer) }
      return [line]
    case .changed(let old, let new):
      var lines: [EventLine] = []
      let isOther = old.role != new.role || old.leader != new.leader || old.peers != new.peers
      if old.settings != new.settings || old.isPlaying != new.isPlaying || old.state != new.state || isOther
        || old.soundingTempo != new.soundingTempo || old.soundingMeter != new.soundingMeter
        || old.settable != new.settable
      {
        lines.append(state(new))
      }
      if let progress = new.progress {
        if old.isElsewhere(than: new) {
          lines.append(section(progress))
        } else if new.isPlaying, old.progress?.sectionElapsed != progress.sectionElapsed {
          lines.append(time(progress))
        }
      }
      if old.health != new.health { lines.append(health(new.health)) }
      return lines
    case .predicted, .withdrawn: return []
    case .finished: return [EventLine("finished")]
    case .timing(let news): return [timing(news)]
    case .warning(let text), .losses(let text), .guarded(let text, _):
      return [EventLine("warning", text: text)]
    case .host(.connected(let sampleRate)): return [connected(connection(), sampleRate)]
    case .host(.lost(let reason)): return [EventLine("lost", text: reason)]
    }
  }

  private static func connected(_ connection: Connection, _ sampleRate: Int) -> EventLine {
    var line = EventLine("connected")
    (line.client, line.server, line.sampleRate) = (connection.client, connection.server, sampleRate)
    (line.osc, line.port, line.socket) = (connection.osc, connection.port, connection.socket)
    return line
  }

  private static func state(_ snapshot: Snapshot) -> EventLine {
    var line = EventLine("state")
    (line.playing, line.state) = (snapshot.isPlaying, snapshot.state.rawValue)
    line.tempo = snapshot.soundingTempo.map { ($0 * 1_000).rounded() / 1_000 }
    line.meter = snapshot.soundingMeter.description
    line.settable = snapshot.settable.names
    line.role = snapshot.role.rawValue
    if snapshot.settings.role != snapshot.role { line.wantedRole = snapshot.settings.role.rawValue }
    line.preset = snapshot.settings.presets.current
    line.presetNumber = snapshot.settings.presets.currentNumber
    if snapshot.role == .link { line.peers = snapshot.peers }
    return line
  }

  private static func section(_ progress: SessionProgress) -> EventLine {
    var line = EventLine("section")
    (line.song, line.songs, line.title) = (progress.song, progress.songs, progress.title)
    (line.section, line.colour, line.bars) = (progress.section, progress.colour, progress.bars)
    line.addTimes(of: progress)
    line.next = progress.next
    if progress.cycles != 1 { (line.cycle, line.cycles) = (progress.cycle, progress.cycles) }
    line.speed = progress.speed
    return line
  }

  /// The progress in a session, sent each second.
  private static func time(_ progress: SessionProgress) -> EventLine {
    var line = EventLine("progress")
    (line.song, line.section, line.bar) = (progress.song, progress.section, progress.bar)
    line.addTimes(of: progress)
    return line
  }

  private mutating func addTimes(of progress: SessionProgress) {
    (sectionElapsed, songElapsed) = (progress.sectionElapsed, progress.songElapsed)
    (sectionLeft, songLeft) = (progress.sectionLeft, progress.songLeft)
    (sectionLength, songLength) = (progress.sectionLength, progress.songLength)
  }

  private static func timing(_ news: TimingNews) -> EventLine {
    switch news {
    case .hit(let judged):
      var line = EventLine("hit")
      (line.frame, line.bar, line.beat) = (judged.hit.frame.number, judged.onset.bar, judged.onset.place.beat)
      (line.part, line.drum) = (judged.onset.place.part, judged.hit.drum?.rawValue)
      line.note = judged.hit.note.map(Int.init)
      (line.milliseconds, line.strength) = (judged.milliseconds, judged.hit.strength)
      (line.role, line.tempo) = (
        judged.onset.role.rawValue, judged.playedTempo.map { ($0 * 1_000).rounded() / 1_000 }
      )
      if judged.onset.place.layer > 0 { line.layer = judged.onset.place.layer }
      return line
    case .take(let report):
      var line = EventLine("take")
      let (summary, scatter) = (report.summary, report.summary.scatter)
      line.section = report.section.isEmpty ? nil : report.section
      (line.hits, line.missed, line.extra) = (summary.hits, summary.missed, summary.extra)
      (line.mean, line.spread, line.drift) = (summary.mean, scatter?.spread.value, scatter?.drift.value)
      (line.inWindow, line.lines) = (summary.inWindow, report.lines)
      line.swing = summary.swing?.ratio.value
      return line
    case .coached(let report):
      var line = EventLine("coach", text: report.line)
      line.section = report.section.isEmpty ? nil : report.section
      (line.move, line.tempo) = (report.word, report.nextTempo)
      let trial = report.advice.trial
      (line.hits, line.mean, line.spread) = (trial.hits, trial.mean, trial.spread)
      return line
    case .quiet(let report):
      var line = EventLine("quiet", text: report.line)
      line.section = report.section.isEmpty ? nil : report.section
      (line.hits, line.beats, line.tempo) = (report.inWindow, report.beats, report.tempo)
      line.faster = report.faster?.value
      return line
    case .learned(let note, let drum):
      var line = EventLine("learned")
      (line.note, line.drum) = (Int(note), drum.rawValue)
      return line
    case .calibrating(let prompt): return EventLine("calibrating", text: prompt)
    case .calibrated(let calibration):
      var line = EventLine("calibrated")
      (line.input, line.bleed) = (calibration.port, calibration.bleed)
      (line.mean, line.spread, line.lines) = (calibration.offset, calibration.spread, calibration.lines)
      return line
    case .notCalibrated(let reason): return EventLine("warning", text: "calibration: \(reason)")
    }
  }

  private static func health(_ health: Health) -> EventLine {
    var line = EventLine("health")
    (line.xruns, line.gaps) = (health.xruns, health.gaps)
    (line.droppedClips, line.droppedEvents) = (health.droppedClips, health.droppedEvents)
    (line.droppedCommands, line.droppedMessages) = (health.droppedCommands, health.droppedMessages)
    (line.droppedControls, line.droppedAnswers) = (health.droppedControls, health.droppedAnswers)
    return line
  }

  /// One line of JSON.
  var line: String? { jsonLine(self) }
}

extension Snapshot {
  /// Whether the section, song, speed, cycle or kind of length differs.
  fileprivate func isElsewhere(than other: Snapshot) -> Bool {
    place != other.place || progress?.section != other.progress?.section || isTimed != other.isTimed
      || progress?.speed != other.progress?.speed || progress?.cycle != other.progress?.cycle
  }

  private var place: SessionPlace? { progress == nil ? nil : settings.session }
  private var isTimed: Bool { progress?.sectionLeft != nil }
}
