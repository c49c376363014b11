import Engine
import MusicTime
import Synchronization

/// Makes scores from snapshots, hands them to the engine, and frees them when the engine has done with them.
final class ScorePublisher {
  let channels: UnsafePointer<Channels>
  /// Bars to play; nil for ever.
  let bars: Int?
  /// Frames a second.
  var sampleRate: Int
  /// The sample rate for which the clips were made.
  private(set) var clipRate: Int
  /// The role in the newest score.
  private(set) var role = TransportRole.free

  private var clips: HeldClips

  /// How fast the song goes, in percent.
  var percent = 100 { didSet { timing += 1 } }
  /// Grow with each song, and with each change of its timing.
  private var piece = 0
  private var timing = 0
  /// The sections of the song's score.
  private(set) var map: SectionMap?

  init(
    channels: UnsafePointer<Channels>, bars: Int?, sampleRate: Int, clips: ClipSet, song: PreparedSong? = nil
  ) {
    self.channels = channels
    self.bars = bars
    self.sampleRate = sampleRate
    clipRate = sampleRate
    self.clips = HeldClips(clips, song: song)
    if song != nil { (piece, timing) = (1, 1) }
  }

  /// The song that plays; nil where the settings do.
  var song: PreparedSong? { clips.newest.song }

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

  /// The first score, for the engine to begin with.
  func makeFirst(_ snapshot: Snapshot) -> UnsafePointer<Score> {
    role = snapshot.settings.role
    return make(snapshot)
  }

  private func make(_ snapshot: Snapshot, effective: Int64? = nil) -> UnsafePointer<Score> {
    let settings = snapshot.settings
    let newest = clips.newest
    let song = newest.song
    let score = Score.make(
      song?.plans(percent: percent) ?? [
        Score.Plan(layout: snapshot.layout, tempo: settings.tempo, bars: bars)
      ],
      sampleRate: sampleRate, clips: newest.set, generation: newest.generation, gains: settings.gains,
      role: settings.role, quantise: settings.quantise, effective: effective, loop: song?.plan.loopStart,
      piece: song == nil ? 0 : piece, timing: song == nil ? 0 : timing)
    map = song.map { _ in SectionMap(score) }
    return score
  }

  func publish(_ snapshot: Snapshot, effective: Int64?) {
    let untaken = channels.pointee.scores.put(make(snapshot, effective: effective))
    role = snapshot.settings.role
    clips.didPublish(replacingUntaken: untaken != nil)
    if let untaken { Score.free(untaken) }
  }

  /// The transport frame of a position, where frame 0 is the start of bar 1.
  func transportFrame(of position: Position, _ snapshot: Snapshot) -> Int64 {
    let score = make(snapshot)
    defer { Score.free(score) }
    return score.pointee.frame(of: position)
  }

  /// Frees the scores that came back and the clips that nothing plays any more.
  func freeSpent() {
    while let spent = channels.pointee.spent.pop() { Score.free(spent) }
    clips.release(before: channels.pointee.oldestClips.load(ordering: .acquiring))
  }

  /// Clip sets that are kept alive.
  var heldClips: Int { clips.count }
}
