import Engine
import MusicTime
import Synchronization

/// Makes scores from snapshots, hands them to the engine, and frees them when the engine has done with them.
final class ScorePublisher {
  /// A change of the settings on a clock frame.
  typealias Dated = (frame: Int64, change: (inout Settings) -> Void)

  let channels: UnsafePointer<Channels>
  /// Frames a second.
  var sampleRate: Int
  /// The sample rate for which the clips were made.
  private(set) var clipRate: Int
  /// The role in the newest score.
  private(set) var role = SyncMode.free
  /// The number of the newest change.
  private(set) var serial = 0

  private var clips: HeldClips
  private var compiler: SectionCompiler

  /// What the engine has last been asked to change to, and what it is known to have changed to.
  private var asked: Snapshot
  private var heard: Snapshot

  /// How fast the song goes, in percent.
  var percent = 100 { didSet { timing += 1 } }
  /// Grow with each song, and with each change of its timing.
  private var piece = 0
  private var timing = 0

  /// - Parameter bars: how many to play; nil for ever.
  init(
    channels: UnsafePointer<Channels>, bars: Int?, sampleRate: Int, clips: ClipSet, first: Snapshot,
    song: PreparedSong? = nil
  ) {
    self.channels = channels
    self.sampleRate = sampleRate
    clipRate = sampleRate
    self.clips = HeldClips(clips, song: song)
    compiler = SectionCompiler(bars: bars)
    (asked, heard) = (first, first)
    if song != nil { (piece, timing) = (1, 1) }
  }

  /// The song that plays; nil where the settings do.
  var song: PreparedSong? { clips.newest.song }

  /// The sections of the song's score.
  var map: SectionMap? { song == nil ? nil : compiler.map }

  /// Plays another song, or the same made anew for another sample rate.
  func use(_ song: PreparedSong?, isNew: Bool) {
    clips.add(clips.newest.set, song: song)
    if isNew { piece += 1 }
    timing += 1
  }

  /// Takes a new clip set for the scores to come.
  func use(_ set: ClipSet, sampleRate: Int) {
    clips.add(set, song: clips.newest.song)
    clipRate = sampleRate
  }

  /// The first update, for the engine to begin with.
  func makeFirst() -> UnsafePointer<ScoreUpdate> {
    role = asked.settings.role
    return ScoreUpdate.make(change: make(asked))
  }

  private func sections(_ snapshot: Snapshot) -> Score.Sections {
    let newest = clips.newest
    return
      if let song = newest.song
    {
      compiler.sections(song, percent: percent, generation: newest.generation)
    } else {
      compiler.sections(
        snapshot.playing, sampleRate: sampleRate, clips: newest.set, generation: newest.generation)
    }
  }

  private func make(_ snapshot: Snapshot) -> UnsafePointer<Score> { make(snapshot, sections(snapshot)) }

  private func make(_ snapshot: Snapshot, _ sections: Score.Sections) -> UnsafePointer<Score> {
    let settings = snapshot.settings
    let newest = clips.newest
    let isSong = newest.song != nil
    return Score.make(
      sections, generation: newest.generation, gains: settings.gains, notes: settings.notes,
      clock: settings.clock, role: settings.role, quantise: settings.quantise,
      clockIn: settings.clockPolicy(sampleRate: sampleRate),
      piece: isSong ? piece : 0, timing: isSong ? timing : 0)
  }

  /// Tells the engine all that is to come, in place of what it has been told before and has not done.
  /// - Parameters:
  ///   - snapshot: how things are to stand as soon as that is allowed.
  ///   - hasChanged: whether they stand otherwise than they did the last time.
  ///   - dated: what is to change later, soonest first; at most `ScoreUpdate.capacity`.
  /// - Returns: how many of the dated changes the engine has now; the others are too large to wait there together.
  func publish(_ snapshot: Snapshot, hasChanged: Bool, dated: [Dated]) -> Int {
    let made = channels.pointee.changes.load(ordering: .acquiring)
    if made == serial { heard = asked }
    if hasChanged {
      serial += 1
      asked = snapshot
    }
    let isWaiting = made != serial
    let change = isWaiting ? make(snapshot) : nil
    // What waits for its line must not come with a date that falls before it.
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
      let score = make(after, later)
      dates.append(
        ScoreUpdate.ScheduledChange(
          frame: date.frame, before: differ ? make(before, earlier) : score, after: score))
    }
    let update = ScoreUpdate.make(change: change, scheduled: dates, serial: serial, basis: made)
    let untaken = channels.pointee.scoreUpdates.put(update)
    role = snapshot.settings.role
    clips.didPublish(replacingUntaken: untaken != nil)
    if let untaken { ScoreUpdate.free(untaken) }
    return dates.count
  }

  /// A change that the engine had with a date has been made.
  func note(_ change: (inout Settings) -> Void) {
    change(&asked.settings)
    change(&heard.settings)
  }

  /// The transport frame of a position, where frame 0 is the start of bar 1.
  func transportFrame(of position: Position, _ snapshot: Snapshot) -> Int64 {
    let score = make(snapshot)
    defer { Score.free(score) }
    return score.pointee.frame(of: position)
  }

  /// Frees the updates that came back and the clips that nothing plays any more.
  func freeSpent() {
    while let spent = channels.pointee.spent.pop() { ScoreUpdate.free(spent) }
    clips.release(before: channels.pointee.oldestClips.load(ordering: .acquiring))
  }

  /// Clip sets that are kept alive.
  var heldClips: Int { clips.count }
}
