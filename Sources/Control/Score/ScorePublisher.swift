import Engine
import MusicTime
import Realtime

/// Makes updates with scores for the engine from snapshots, and keeps the clips alive that the engine may still read.
struct ScorePublisher {
  /// The minimum time between two updates, so that a flood of messages makes few of them.
  static let interval = Duration.milliseconds(20)

  /// A change of the settings at a clock frame.
  typealias Dated = (frame: ClockFrame, change: (inout Settings) -> Void)

  /// An update, and how much is in it.
  struct Made {
    let update: UnsafePointer<ScoreUpdate>
    /// The generation of the clips of its scores.
    let generation: Int
    /// Number of dated changes in the update; the others do not fit within `SectionBudget`.
    let dated: Int
  }

  /// Frames per second.
  private(set) var sampleRate: Int
  /// The clips' frames per second.
  private(set) var clipRate: Int
  /// The mode of the newest score.
  private(set) var mode = SyncMode.free
  /// The number of the newest change.
  private(set) var serial = 0
  /// Whether something has changed that has not been published.
  private(set) var isStale = false
  /// The earliest instant for the next update.
  private(set) var nextTime = Instant.distantPast

  private var clips: HeldClips
  private var compiler: SectionCompiler
  /// The compiler of the successor.
  private var successorCompiler: SectionCompiler

  /// The newest published state, and the newest that the engine is known to have adopted.
  private var asked: Snapshot
  private var playing: Snapshot

  /// How the song's playback differs from its document.
  private(set) var rendition = Rendition()
  /// The length of the fade-out in seconds; nil without one.
  private var fadeTime: Double?
  /// Whether the song has sections that last until the player goes on.
  private var hasOpenSections = false
  /// Numbers of the song and of its timing. Each change gives them the next number.
  private var piece = 0
  private var timing = 0
  private var lastPiece = 0
  private var lastTiming = 0
  /// The song that begins on the frame on which the current one ends; nil if none does.
  private var successor: Successor?
  /// All that were published while the current song plays, oldest first: the engine may begin one that has been replaced since.
  private var published: [Successor] = []
  private static let publishedCapacity = 8
  /// Whether the engine needs to be told of another successor.
  private var hasNewSuccessor = false
  /// The number of successors that the engine has begun.
  private(set) var successions = 0

  private struct Successor {
    let song: PreparedSong
    /// From `SessionPlayback.upcomingNumber`.
    let number: Int
    let piece: Int
    let timing: Int
  }

  /// - Parameter bars: the number of bars to play; nil: without end.
  init(
    bars: Int?, sampleRate: Int, clips: ClipSet, layers: [String: ClipSet] = [:], first: Snapshot,
    song: PreparedSong? = nil
  ) {
    self.sampleRate = sampleRate
    clipRate = sampleRate
    self.clips = HeldClips(
      clips, song: song, layers: layers.mapValues { ($0, sampleRate) })
    compiler = SectionCompiler(bars: bars)
    successorCompiler = SectionCompiler(bars: bars)
    (asked, playing) = (first, first)
    guard let song else { return }
    (lastPiece, lastTiming) = (1, 1)
    (piece, timing, hasOpenSections) = (1, 1, song.hasOpenSections)
  }

  /// The song that plays; nil if the metronome plays.
  var song: PreparedSong? { clips.newest.song }

  /// The clips of the metronome's layers.
  var layers: LayerClips { clips.newest.layers }

  /// The sections of the song's score.
  var map: SectionMap? { song == nil ? nil : compiler.map }

  /// Whether something is to be published.
  var hasNews: Bool { isStale || hasNewSuccessor }

  /// Notes that the engine needs a new score.
  mutating func noteChange() { isStale = true }

  /// Uses another song, or the same one prepared again. nil: the metronome.
  mutating func use(_ song: PreparedSong?, isNew: Bool) {
    if isNew {
      (successor, published) = (nil, [])
      successorCompiler = SectionCompiler(bars: compiler.bars)
      piece = nextPiece()
    }
    clips.add(clips.newest.set, song: song, layers: layers, successor: successor?.song)
    hasOpenSections = song?.hasOpenSections ?? false
    timing = nextTiming()
    isStale = true
  }

  private mutating func nextPiece() -> Int {
    lastPiece += 1
    return lastPiece
  }

  private mutating func nextTiming() -> Int {
    lastTiming += 1
    return lastTiming
  }

  // MARK: The successor

  /// Makes a song begin on the frame on which the current one ends, if the music is in `free` then; nil: the music stops there.
  /// - Parameter number: from `SessionPlayback.upcomingNumber`; identifies the song.
  mutating func follow(with song: PreparedSong?, number: Int) {
    guard song == nil ? successor != nil : successor?.number != number else { return }
    successor = song.map {
      Successor(song: $0, number: number, piece: nextPiece(), timing: nextTiming())
    }
    hasNewSuccessor = true
    guard let successor else { return }
    if published.count == ScorePublisher.publishedCapacity { published.removeFirst() }
    published.append(successor)
    clips.add(clips.newest.set, song: clips.newest.song, layers: layers, successor: song)
  }

  /// What it means that the engine has begun a successor.
  enum Succession {
    /// The song that was to follow plays.
    case expected
    /// The current song has ended, but nothing is to follow it any more.
    case withdrawn
    /// The session has gone to another song.
    case outdated
  }

  /// Notes that the engine has begun a successor. The updates that it has not taken are void.
  /// - Parameters:
  ///   - number: how many it has begun.
  ///   - begun: the successor's number; nil: the newest.
  ///   - wanted: the song that is to follow; nil if none is.
  mutating func noteSuccession(_ number: Int, piece begun: Int?, wanted: SongPlan?) -> Succession {
    successions = number
    isStale = true
    defer { (successor, published) = (nil, []) }
    guard let newest = published.last else { return .outdated }
    // The same song may have been prepared again since.
    let next = published.last { $0.piece == begun } ?? newest
    guard next.song.plan == wanted, next.song.sampleRate == sampleRate else { return .withdrawn }
    let song = newest.song.plan == wanted ? newest.song : next.song
    clips.add(clips.newest.set, song: song, layers: layers)
    (piece, timing, rendition) = (next.piece, next.timing, Rendition())
    hasOpenSections = song.hasOpenSections
    (compiler, successorCompiler) = (successorCompiler, SectionCompiler(bars: compiler.bars))
    return .expected
  }

  /// Uses a clip set for new scores.
  mutating func use(_ set: ClipSet, sampleRate: Int) {
    clips.add(set, song: clips.newest.song, layers: layers, successor: successor?.song)
    clipRate = sampleRate
    isStale = true
  }

  /// Uses the clips of a layer's sound for new scores.
  /// - Parameter kept: the names of the layers' sounds to keep; the others are released.
  mutating func use(_ set: ClipSet, ofLayer sound: String, keeping kept: Set<String>) {
    var layers = layers.filter { kept.contains($0.key) }
    layers[sound] = (set, sampleRate)
    clips.add(clips.newest.set, song: clips.newest.song, layers: layers, successor: successor?.song)
    isStale = true
  }

  /// Changes the sample rate and keeps the present clips.
  mutating func changeRate(to sampleRate: Int) {
    self.sampleRate = sampleRate
    isStale = true
  }

  /// Changes the song's rendition.
  mutating func change(_ rendition: Rendition) {
    self.rendition = rendition
    timing = nextTiming()
    isStale = true
  }

  /// Makes the mix fade out in this number of seconds and stay silent; nil restores the volume.
  mutating func fade(over seconds: Double?) {
    fadeTime = seconds
    isStale = true
  }

  /// The first update for the engine.
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
        song, rendition, voice: snapshot.settings[Parameters.voiceVolume],
        isOnTransport: hasOpenSections && snapshot.role.isOnTransport, generation: newest.generation)
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
    guard let song = clips.newest.song else {
      return make(snapshot, nil, sections, gains: gains, piece: 0, timing: 0)
    }
    return make(snapshot, song, sections, gains: gains, piece: piece, timing: timing(snapshot))
  }

  /// The successor's score as it is published now; nil if there is none.
  private mutating func makeSuccessor(_ snapshot: Snapshot) -> UnsafePointer<Score>? {
    guard let successor, snapshot.role == .free else { return nil }
    let sections = successorCompiler.sections(
      successor.song, Rendition(), voice: snapshot.settings[Parameters.voiceVolume],
      generation: clips.newest.generation)
    return make(
      snapshot, successor.song, sections, gains: snapshot.settings.gains, piece: successor.piece,
      timing: 2 * successor.timing)
  }

  /// - Parameters:
  ///   - song: the song of the sections; nil: the metronome.
  private func make(
    _ snapshot: Snapshot, _ song: PreparedSong?, _ sections: Score.Sections, gains: Gains, piece: Int,
    timing: Int
  ) -> UnsafePointer<Score> {
    let settings = snapshot.settings
    return Score.make(
      sections, generation: clips.newest.generation, gains: gains, notes: settings.notes,
      clock: settings.clock, pulses: settings.pulses,
      timecode: settings.timecode(startingAt: song?.plan.timecode), role: snapshot.role,
      quantise: settings.quantise,
      clockIn: settings.clockPolicy(sampleRate: sampleRate),
      latency: settings.latencyPolicy(sampleRate: sampleRate),
      preRoll: settings.preRoll,
      transportBeat: settings[Parameters.publishedBeat].transportBeat,
      piece: piece, timing: timing, fade: fadeTime)
  }

  /// The number of the song's timing. Open sections have another length on a transport.
  private func timing(_ snapshot: Snapshot) -> Int {
    2 * timing + (hasOpenSections && snapshot.role.isOnTransport ? 1 : 0)
  }

  /// Makes an update with the next state and all dated changes. It replaces everything that the engine has received and not
  /// applied.
  /// - Parameters:
  ///   - snapshot: the state to adopt as soon as `quantise` allows.
  ///   - dated: later changes, earliest first; at most `ScoreUpdate.capacity`.
  ///   - made: the number of the last change that the engine has applied.
  mutating func publish(_ snapshot: Snapshot, dated: [Dated], made: Int, at now: Instant) -> Made {
    if made == serial { playing = asked }
    if isStale {
      serial += 1
      asked = snapshot
    }
    (isStale, hasNewSuccessor) = (false, false)
    nextTime = now + ScorePublisher.interval
    let isWaiting = made != serial
    let change = isWaiting ? make(snapshot) : nil
    // A change that waits for its beat or bar line must not be applied together with an earlier dated change.
    let differ = isWaiting && snapshot.settings.quantise != .now
    var (before, after) = (playing, snapshot)
    var budget = SectionBudget()
    var dates: [ScoreUpdate.ScheduledChange] = []
    for date in dated {
      date.change(&after.settings)
      date.change(&before.settings)
      // The newest state comes last, because the compiler keeps the map of the last song.
      let waiting = differ ? sections(before) : nil
      let later = sections(after)
      let earlier = waiting ?? later
      guard budget.take([earlier, later]) || dates.isEmpty else { break }
      // Volumes do not wait for a line: the waiting change's volumes are already in effect.
      let gains = after.settings.gains
      let score = make(after, later, gains: gains)
      dates.append(
        ScoreUpdate.ScheduledChange(
          frame: date.frame, before: differ ? make(before, earlier, gains: gains) : score, after: score))
    }
    let update = ScoreUpdate.make(
      change: change, scheduled: dates, serial: serial, basis: made, successor: makeSuccessor(snapshot),
      successions: successions)
    mode = snapshot.role
    clips.notePublished()
    return Made(update: update, generation: clips.newest.generation, dated: dates.count)
  }

  /// Notes that the engine has not taken an update.
  mutating func noteUntaken(generation: Int) { clips.noteUntaken(generation: generation) }

  /// Notes a dated change that the engine has applied.
  mutating func note(_ change: (inout Settings) -> Void) {
    change(&asked.settings)
    change(&playing.settings)
    if successor != nil { hasNewSuccessor = true }
  }

  /// The transport frame of a position, where frame 0 is the start of bar 1.
  mutating func transportFrame(of position: Position, _ snapshot: Snapshot) -> Int64 {
    let score = make(snapshot)
    defer { Score.free(score) }
    return score.pointee.frame(of: position)
  }

  /// Releases the clips that the engine no longer reads.
  /// - Parameter oldest: the oldest generation that the engine may still read.
  mutating func releaseClips(before oldest: Int) { clips.release(before: oldest) }
}

/// Limits the memory of the dated changes in one update. Most bars have some hundred bytes; the largest have megabytes. The
/// engine may hold four updates at the same time.
struct SectionBudget {
  /// In bytes.
  static let limit = 32_000_000

  private var bytes = 0
  private var known: Set<ObjectIdentifier> = []

  /// Adds sections. Each distinct one counts once.
  /// - Returns: whether all are within the limit.
  mutating func take(_ sections: [Score.Sections]) -> Bool {
    for sections in sections where known.insert(ObjectIdentifier(sections)).inserted {
      bytes += sections.bytes
    }
    return bytes <= SectionBudget.limit
  }
}
