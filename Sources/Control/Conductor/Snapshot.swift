import Engine
import MusicTime
import TimeCheck

/// The settings and state at one moment.
package struct Snapshot: Equatable, Sendable {
  /// What the user has set. Its role is the one that the user wishes for.
  package var settings: Settings
  /// The role that Tactus has on the transport: `follow` if the user wishes for `lead` but another client leads.
  package var role: SyncMode
  package var isPlaying = false
  /// How often the music has started in this run: two snapshots may have a stop and a start between them.
  package internal(set) var starts = 0
  /// Whether the pre-roll is counted.
  package var isPreRoll = false
  /// Whether the music fades out, and whether it stops on the next bar line.
  package var isFading = false
  package var stopsAtBar = false
  /// In `follow` and `midiClock`: the meter and tempo of the leader; a MIDI clock has no meter.
  package var leader: Event.Leader?
  /// Frames per second; 0 without an audio server.
  package var sampleRate = 0

  /// The number of other peers in the Ableton Link session.
  package var peers = 0

  /// What has gone wrong since the start; updated at most once per second.
  package var health = Health()

  /// Where the session is; nil if none is open.
  package var progress: SessionProgress?

  /// What the music does, in one word.
  package var state: PlayState {
    if progress?.isPaused == true { return .paused }
    if progress?.startsIn != nil { return .betweenSongs }
    guard isPlaying else { return progress?.isFinished == true ? .finished : .idle }
    return isPreRoll || progress?.isCountIn == true ? .countingIn : .running
  }

  /// The runner's speed and cadence.
  package var pace = Pace()

  /// The action that the next moved control learns; nil if none waits.
  package var learning: MIDIAction?

  /// The control that was moved last, bound or not; nil before any was.
  package var moved: MovedControl?

  /// The fader that was moved last, if it has no effect until it is picked up.
  package var pickUp: PickUp?

  /// What is heard of the player; nil if Tactus does not listen.
  package var timing: TimingState?

  /// Where the last beat was; 0 0 while nothing plays. Only in answers to queries: a beat is no change.
  package internal(set) var place = BeatPlace()

  /// The requests that wait for their time, soonest first; only in answers to queries.
  package internal(set) var scheduled: [Scheduled] = []

  package init(settings: Settings) { (self.settings, role) = (settings, settings.role) }

  /// The settings as they play: with the leader's meter if there is a leader, and the beats alone during a calibration.
  package var playing: Settings {
    if timing?.isCalibrating == true { return settings.beatsAlone }
    guard let leader, let meter = try? Meter(leader.count, leader.unit) else { return settings }
    var playing = settings
    // A meter is always valid: accents and groups that do not fit it are dropped.
    try? playing.set(.meter(meter))
    return playing
  }

  /// The beats per minute that sound: the leader's, else those of the session's section, else the metronome's. nil in a section
  /// whose tempo changes.
  package var soundingTempo: Double? { soundingTempo(in: progress?.layout.beatUnit) }

  /// - Parameter unit: the beat of the session's section; nil for the metronome's.
  func soundingTempo(in unit: BeatUnit?) -> Double? {
    if let leader { return leader.tempo(in: unit ?? playing.effectiveBeatUnit) }
    guard let progress else { return playing.tempo.beatsPerMinute }
    return progress.tempo?.beatsPerMinute
  }

  /// The meter that sounds.
  package var soundingMeter: Meter { progress?.layout.meter ?? playing.meter }

  /// The bars that the player has silenced, of the song if there is one.
  package var gap: Gap { progress?.gap ?? settings.gap }

  /// Beats in the current bar.
  var beats: Int { playing.beats }
}

/// What the music does.
package enum PlayState: String, Sendable {
  case idle
  case countingIn = "counting in"
  case running
  /// In the pause before a song that starts by itself.
  case betweenSongs = "between songs"
  case paused
  /// The last song has come to its end, and nothing was started since.
  case finished
}

extension Event.Leader {
  /// The leader's tempo in beats per minute.
  package func tempo(in unit: BeatUnit) -> Double {
    notesPerMinute / Double(self.unit) / unit.length.approximation
  }
}

/// The bar and beat of the last beat as they are told: from 1, the bars of a count-in 0 and below; 0 0 before there is one.
package struct BeatPlace: Equatable, Sendable {
  package var bar = 0
  package var beat = 0

  package init() {}

  package init(bar: Int, beat: Int) { (self.bar, self.beat) = (bar, beat) }
}
