import Engine
import MusicTime
import TimeCheck

/// The settings and state at one moment.
package struct Snapshot: Equatable, Sendable {
  /// The user's settings. The role in them is the one that the user requests.
  package var settings: Settings
  /// The role that Tactus has on the transport: `follow` if the user requests `lead` and another client leads.
  package var role: SyncMode
  package var isPlaying = false
  /// Number of starts in this run. Two snapshots may have a stop and a start between them.
  package internal(set) var starts = 0
  /// Whether the pre-roll is playing.
  package var isPreRoll = false
  /// Whether the music fades out, and whether it stops at the next bar line.
  package var isFading = false
  package var stopsAtBar = false
  /// The leader's meter and tempo; nil without a leader. A MIDI clock has no meter.
  package var leader: Event.Leader?
  /// Frames per second; 0 without an audio server.
  package var sampleRate = 0

  /// Number of other peers in the Ableton Link session.
  package var peers = 0

  /// Counts of losses since the start; updated at most once per second.
  package var health = Health()

  /// The session's progress; nil if no session is open.
  package var progress: SessionProgress?

  /// The state of the music in one word.
  package var state: PlayState {
    if progress?.isPaused == true { return .paused }
    if progress?.startsIn != nil { return .betweenSongs }
    guard isPlaying else { return progress?.isFinished == true ? .finished : .idle }
    return isPreRoll || progress?.isCountIn == true ? .countingIn : .running
  }

  /// The runner's speed and cadence.
  package var pace = Pace()

  /// The action that the next moved control will be bound to; nil if none.
  package var learning: MIDIAction?

  /// The control that was moved last, bound or not; nil if none has moved yet.
  package var moved: MovedControl?

  /// The fader that was moved last, if it has no effect until it is picked up; nil otherwise.
  package var pickUp: PickUp?

  /// The state of the time check; nil if Tactus does not listen.
  package var timing: TimingState?

  /// The place of the last beat; 0 0 while nothing plays. Only in answers to queries, because a beat does not count as a
  /// change.
  package internal(set) var place = BeatPlace()

  /// Where a stopped transport stands in the metronome's bars; nil while music plays, without a transport, and if a session or
  /// a leader gives the bars.
  package var standing: BeatPlace?

  /// The requests that wait for their time, earliest first. Only in answers to queries.
  package internal(set) var scheduled: [Scheduled] = []

  package init(settings: Settings) { (self.settings, role) = (settings, settings.role) }

  /// The settings that sound: with the leader's meter if there is one; during a calibration, only the beats.
  package var playing: Settings {
    if timing?.isCalibrating == true { return settings.beatsAlone }
    guard let leader, let meter = try? Meter(leader.count, leader.unit) else { return settings }
    var playing = settings
    // A meter is always valid: accents and groups that do not fit it are dropped.
    try? playing.set(.meter(meter))
    return playing
  }

  /// The sounding tempo in beats per minute: the leader's, otherwise the session section's, otherwise the metronome's. nil in a
  /// section whose tempo changes.
  package var soundingTempo: Double? { soundingTempo(in: progress?.layout.beatUnit) }

  /// - Parameter unit: the beat unit of the session's section; nil: the metronome's.
  func soundingTempo(in unit: BeatUnit?) -> Double? {
    if let leader { return leader.tempo(in: unit ?? playing.effectiveBeatUnit) }
    guard let progress else { return playing.tempo.beatsPerMinute }
    return progress.tempo?.beatsPerMinute
  }

  /// The meter that sounds.
  package var soundingMeter: Meter { progress?.layout.meter ?? playing.meter }

  /// The bars that the player has silenced: the song's if a session is open, otherwise the metronome's.
  package var gap: Gap { progress?.gap ?? settings.gap }

  /// Beats in the current bar.
  var beats: Int { playing.beats }
}

/// The state of the music.
package enum PlayState: String, Sendable {
  case idle
  case countingIn = "counting in"
  case running
  /// In the pause before a song that starts by itself.
  case betweenSongs = "between songs"
  case paused
  /// The last song has ended, and nothing has been started since.
  case finished
}

extension Event.Leader {
  /// The leader's tempo in beats of `unit` per minute.
  package func tempo(in unit: BeatUnit) -> Double {
    notesPerMinute / Double(self.unit) / unit.length.approximation
  }
}

/// The bar and beat of the last beat as reported: from 1; the bars of a count-in are 0 and below; 0 0 before the first beat.
package struct BeatPlace: Equatable, Sendable {
  package var bar = 0
  package var beat = 0

  package init() {}

  package init(bar: Int, beat: Int) { (self.bar, self.beat) = (bar, beat) }
}
