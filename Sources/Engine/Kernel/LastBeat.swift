import MusicTime

/// The last beat that has begun, so that a transport that starts late or jumps begins no beat twice.
struct LastBeat: BitwiseCopyable {
  private var clock = ClockFrame(.min / 2)
  /// Its frame of the timeline; nil after a pre-roll, which counts all beats before the music.
  private var frame: TimelineFrame?

  @_noLocks
  init() {}

  /// Records that a beat of the music begins.
  /// - Thread: audio
  @_noLocks
  mutating func begin(_ frame: TimelineFrame, at clock: ClockFrame) {
    (self.clock, self.frame) = (clock, frame)
  }

  /// Records that a beat of a pre-roll begins, or that a pre-roll has ended.
  /// - Thread: audio
  @_noLocks
  mutating func count(at clock: ClockFrame) { (self.clock, frame) = (clock, nil) }

  /// Whether a beat has begun already: the last beat is the same one, or began when this one was due. Neither a transport that
  /// jumps by a few frames nor one that jumps by whole beats has two beats in place of one.
  /// - Parameters:
  ///   - other: the beat's frame of the timeline.
  ///   - clock: the clock frame at which it was due at the earliest.
  /// - Thread: audio
  @_noLocks
  func hasBegun(_ other: TimelineFrame, since clock: ClockFrame, _ playback: borrowing Playback) -> Bool {
    guard let frame else { return self.clock >= clock }
    // A leader's corrections move a beat by less than a hundredth of a second.
    let tolerance = Int64(playback.score.pointee.sampleRate / 100)
    if abs(self.clock - playback.timeline.clock(of: other)) <= tolerance { return true }
    return self.clock >= clock && abs(frame - other) <= tolerance
  }
}
