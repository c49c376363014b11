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

  /// The clip sets that the engine may still read, by generation; the newest plays.
  private var clips: [(generation: Int, set: ClipSet)]

  init(channels: UnsafePointer<Channels>, bars: Int?, sampleRate: Int, clips: ClipSet) {
    self.channels = channels
    self.bars = bars
    self.sampleRate = sampleRate
    self.clips = [(1, clips)]
  }

  /// Takes a new clip set for the scores to come.
  func use(_ set: ClipSet) {
    clips.append((clips.last!.generation + 1, set))
  }

  /// The bar that plays: in `follow` it has the leader's meter.
  func layout(of snapshot: Snapshot) -> BarLayout {
    if let leader = snapshot.leader, let meter = try? Meter(leader.count, leader.unit),
      let layout = snapshot.settings.layout(in: meter)
    {
      return layout
    }
    // Settings are always valid as a whole.
    return (try? snapshot.settings.layout)!
  }

  func make(_ snapshot: Snapshot, effective: Int64? = nil) -> UnsafePointer<Score> {
    let newest = clips.last!
    return Score.make(
      [Score.Plan(layout: layout(of: snapshot), tempo: snapshot.settings.tempo, bars: bars)],
      sampleRate: sampleRate, clips: newest.set, generation: newest.generation,
      gains: snapshot.settings.gains,
      role: snapshot.settings.role, quantise: snapshot.settings.quantise, effective: effective)
  }

  func publish(_ snapshot: Snapshot, effective: Int64?) {
    if let untaken = channels.pointee.scores.put(make(snapshot, effective: effective)) { Score.free(untaken) }
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
    let oldest = channels.pointee.oldestClips.load(ordering: .acquiring)
    let newest = clips.last!.generation
    clips.removeAll { $0.generation < oldest && $0.generation != newest }
  }
}
