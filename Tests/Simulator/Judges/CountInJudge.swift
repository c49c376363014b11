/// Judges whether a document's count-in is played to its end: a loop, a hold or another speed does not cut it.
struct CountInJudge {
  /// The last beat of a count-in; nil if the music may have moved since.
  private var last: (bar: Int, beat: Int, frame: Int64)?
  /// Until when the music may have moved, by the time at which frames are rendered.
  private var settledAt: UInt64 = 0
  private(set) var judged = 0

  /// Notes an event that may end a count-in.
  mutating func unsettle(until time: UInt64) { (last, settledAt) = (nil, max(settledAt, time)) }

  /// - Parameters:
  ///   - beats: the beats of a bar.
  ///   - time: when the frame is rendered.
  ///   - gaps: missed cycles; the order across them is not judged.
  /// - Returns: the fault; nil if there is none.
  mutating func judge(
    _ beat: Subscriber.Beat, frame: Int64, beats: Int, rendered time: UInt64, _ gaps: Gaps
  ) -> String? {
    guard time >= settledAt, beat.role != .subdivision, beat.role != .cue else { return nil }
    defer { last = beat.bar < 1 ? (beat.bar, beat.beat, frame) : nil }
    guard let last, !gaps.lie(between: last.frame, and: frame) else { return nil }
    judged += 1
    let next = last.beat == beats ? (last.bar + 1, 1) : (last.bar, last.beat + 1)
    // After its last beat the music may begin with any bar.
    guard next.0 < 1 ? (beat.bar, beat.beat) == next : !beat.isCounted && beat.beat == 1 else {
      return
        "beat \(beat.bar).\(beat.beat) follows \(last.bar).\(last.beat) of a count-in in bars of \(beats)"
    }
    return nil
  }
}
