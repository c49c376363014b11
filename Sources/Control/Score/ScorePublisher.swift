import Engine
import MusicTime
import Realtime

/// Makes updates with scores for the engine from snapshots, and keeps the clips of those that it may still read.
struct ScorePublisher: ~Copyable {
  /// The time between two updates, so that a storm of messages costs few of them.
  static let interval = Duration.milliseconds(20)

  /// A change of the settings at a clock frame.
  typealias Dated = (frame: ClockFrame, change: (inout Settings) -> Void)

  /// An update, and how much is in it.
  struct Made {
    let update: UnsafePointer<ScoreUpdate>
    /// The generation of the clips of its scores.
    let generation: Int
    /// How many of the dated changes it holds; the others are too large to wait in the engine together.
    let dated: Int
  }

  /// Frames per second.
  private(set) var sampleRate: Int
  /// The sample rate of the clips.
  private(set) var clipRate: Int
  /// The mode of the newest score.
  private(set) var mode = SyncMode.free
  /// The number of the newest change.
  private(set) var serial = 0
  /// Whether something has changed that the engine does not know.
  private(set) var isStale = false
  /// The earliest instant for the next update.
  private(set) var nextTime = Instant.distantPast

  private var clips: HeldClips
  private var compiler: SectionCompiler

  /// The newest state given to the engine, and the newest that it is known to have adopted.
  private var asked: Snapshot
  private var heard: Snapshot

  /// How much faster or slower the song is played.
  private(set) var rendition = Rendition()
  /// Seconds in which the mix fades out; nil if it does not.
  private var fadeTime: Double?
  /// Numbers of the song and of its timing. Both grow with each change.
  private var piece = 0
  private var timing = 0

  /// - Parameter bars: the number of bars to play; nil for ever.
  init(
    bars: Int?, sampleRate: Int, clips: ClipSet, layers: [String: ClipSet] = [:], first: Snapshot,
    song: PreparedSong? = nil
  ) {
    self.sampleRate = sampleRate
    clipRate = sampleRate
    self.clips = HeldClips(
      clips, song: song, layers: layers.mapValues { ($0, sampleRate) })
    compiler = SectionCompiler(bars: bars)
    (asked, heard) = (first, first)
    if song != nil { (piece, timing) = (1, 1) }
  }

  /// The song that plays; nil if the settings do.
  var song: PreparedSong? { clips.newest.song }

  /// The clips of the metronome's layers.
  var layers: LayerClips { clips.newest.layers }

  /// The sections of the song's score.
  var map: SectionMap? { song == nil ? nil : compiler.map }

  /// The engine is to have another score.
  mutating func noteChange() { isStale = true }

  /// Plays another song, or the same made anew for another sample rate.
  mutating func use(_ song: PreparedSong?, isNew: Bool) {
    clips.add(clips.newest.set, song: song, layers: layers)
    if isNew { piece += 1 }
    timing += 1
    isStale = true
  }

  /// Takes a new clip set for the scores to come.
  mutating func use(_ set: ClipSet, sampleRate: Int) {
    clips.add(set, song: clips.newest.song, layers: layers)
    clipRate = sampleRate
    isStale = true
  }

  /// Takes the clips of a layer's sound for the scores to come.
  /// - Parameter kept: the layers' sounds; others are let go.
  mutating func use(_ set: ClipSet, ofLayer sound: String, keeping kept: Set<String>) {
    var layers = layers.filter { kept.contains($0.key) }
    layers[sound] = (set, sampleRate)
    clips.add(clips.newest.set, song: clips.newest.song, layers: layers)
    isStale = true
  }

  /// Plays at another sample rate, with the clips at hand.
  mutating func changeRate(to sampleRate: Int) {
    self.sampleRate = sampleRate
    isStale = true
  }

  /// Plays the song faster or slower.
  mutating func change(_ rendition: Rendition) {
    self.rendition = rendition
    timing += 1
    isStale = true
  }

  /// Has the mix fade out in so many seconds, and stay silent; nil brings it back.
  mutating func fade(over seconds: Double?) {
    fadeTime = seconds
    isStale = true
  }

  /// The first update, for the engine to begin with.
  mutating func makeFirst() -> UnsafePointer<ScoreUpdate> {
    mode = asked.role
    return ScoreUpdate.make(change: make(asked))
  }

  private mutating func sections(_ snapshot: Snapshot) -> Score.Sections {
    let newest = clips.newest
    return
      if let song = newest.song
    {
      compiler.sections(
        song, rendition, voice: snapshot.settings[Parameters.voiceVolume], generation: newest.generation)
    } else {
      compiler.sections(
        snapshot.playing, sampleRate: sampleRate, clips: newest.set,
        sounds: newest.layers.mapValues(\.clips), generation: newest.generation)
    }
  }

  private mutating func make(_ snapshot: Snapshot) -> UnsafePointer<Score> {
    let sections = sections(snapshot)
    return make(snapshot, sections, gains: snapshot.settings.gains)
  }

  private func make(
    _ snapshot: Snapshot, _ sections: Score.Sections, gains: Gains
  ) -> UnsafePointer<Score> {
    let settings = snapshot.settings
    let newest = clips.newest
    let isSong = newest.song != nil
    return Score.make(
      sections, generation: newest.generation, gains: gains, notes: settings.notes,
      clock: settings.clock, pulses: settings.pulses,
      timecode: settings.timecode(startingAt: newest.song?.plan.timecode), role: snapshot.role,
      quantise: settings.quantise,
      clockIn: settings.clockPolicy(sampleRate: sampleRate),
      latency: settings.latencyPolicy(sampleRate: sampleRate),
      preRoll: settings.preRoll,
      transportBeat: settings[Parameters.publishedBeat].transportBeat,
      piece: isSong ? piece : 0, timing: isSong ? timing : 0, fade: fadeTime)
  }

  /// Makes an update with all that is to come, in place of what the engine has been given before and has not done.
  /// - Parameters:
  ///   - snapshot: the state to adopt as soon as `quantise` allows.
  ///   - dated: later changes, soonest first; at most `ScoreUpdate.capacity`.
  ///   - made: the number of the last change that the engine has made.
  mutating func publish(_ snapshot: Snapshot, dated: [Dated], made: Int, at now: Instant) -> Made {
    if made == serial { heard = asked }
    if isStale {
      serial += 1
      asked = snapshot
    }
    isStale = false
    nextTime = now + ScorePublisher.interval
    let isWaiting = made != serial
    let change = isWaiting ? make(snapshot) : nil
    // A change that waits for its beat or bar line must not come along with an earlier dated one.
    let differ = isWaiting && snapshot.settings.quantise != .now
    var (before, after) = (heard, snapshot)
    var budget = SectionBudget()
    var dates: [ScoreUpdate.ScheduledChange] = []
    for date in dated {
      date.change(&after.settings)
      date.change(&before.settings)
      let later = sections(after)
      let earlier = differ ? sections(before) : later
      guard budget.take([earlier, later]) || dates.isEmpty else { break }
      // Volumes wait for no line: those of the change that waits are heard already.
      let gains = after.settings.gains
      let score = make(after, later, gains: gains)
      dates.append(
        ScoreUpdate.ScheduledChange(
          frame: date.frame, before: differ ? make(before, earlier, gains: gains) : score, after: score))
    }
    let update = ScoreUpdate.make(change: change, scheduled: dates, serial: serial, basis: made)
    mode = snapshot.role
    clips.notePublished()
    return Made(update: update, generation: clips.newest.generation, dated: dates.count)
  }

  /// An update came back untaken.
  mutating func noteUntaken(generation: Int) { clips.noteUntaken(generation: generation) }

  /// The engine has made a dated change.
  mutating func note(_ change: (inout Settings) -> Void) {
    change(&asked.settings)
    change(&heard.settings)
  }

  /// The transport frame of a position, where frame 0 is the start of bar 1.
  mutating func transportFrame(of position: Position, _ snapshot: Snapshot) -> Int64 {
    let score = make(snapshot)
    defer { Score.free(score) }
    return score.pointee.frame(of: position)
  }

  /// Releases the clips that nothing plays any more.
  /// - Parameter oldest: the oldest generation that the engine may still read.
  mutating func releaseClips(before oldest: Int) { clips.release(before: oldest) }
}

/// Limits the memory of the dated changes in one update. A bar commonly has some hundred bytes; the largest has megabytes, and the
/// engine may hold four updates at a time.
struct SectionBudget {
  /// Bytes.
  static let limit = 32_000_000

  private var bytes = 0
  private var known: Set<ObjectIdentifier> = []

  /// Adds sections. Each counts once.
  /// - Returns: whether all are within the limit.
  mutating func take(_ sections: [Score.Sections]) -> Bool {
    for sections in sections where known.insert(ObjectIdentifier(sections)).inserted {
      bytes += sections.bytes
    }
    return bytes <= SectionBudget.limit
  }
}
