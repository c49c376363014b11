import Engine
import MusicTime

/// How things stand.
public struct Snapshot: Equatable, Sendable {
  public var settings: Settings
  public var isPlaying = false
  /// In `follow` and `midiClock`: the meter and tempo of whoever leads; a MIDI clock has no meter.
  public var leader: Event.Leader?
  /// Frames a second; 0 while there is no audio server.
  public var sampleRate = 0

  /// The others in the Ableton Link session.
  public var peers = 0

  /// What has gone wrong since the start; brought up to date at most once a second.
  public var health = Health()

  /// Where the session is; nil where none is open.
  public var progress: SessionProgress?

  /// How the runner runs whose pace is followed.
  public var pace = Pace()

  /// What waits for a control to be moved.
  public var learning: MIDIAction?

  /// What waits for its time, soonest first; told to who asks alone.
  public internal(set) var scheduled: [Scheduled] = []

  public init(settings: Settings) { self.settings = settings }

  /// The settings as they play: with the leader's meter where somebody leads.
  public var playing: Settings {
    guard let leader, let meter = try? Meter(leader.count, leader.unit) else { return settings }
    var playing = settings
    // A meter always fits: accents and groups that don't fit it rest.
    try? playing.set(.meter(meter))
    return playing
  }

  /// Beats a minute as they are counted, and the meter: those of a leader where one is followed.
  public var tempo: Double {
    leader?.tempo(in: playing.effectiveBeatUnit) ?? settings.tempo.beatsPerMinute
  }

  public var meter: Meter { playing.meter }

  /// Beats in the bar that plays.
  var beats: Int { playing.beats }
}

extension Event.Leader {
  /// The leader's tempo in beats a minute.
  public func tempo(in unit: BeatUnit) -> Double {
    notesPerMinute / Double(self.unit) / unit.length.approximation
  }
}
