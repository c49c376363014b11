/// Judges the order of beats, also while the tempo changes: each beat is the next of its bar, and its distance is within the
/// limits of the current tempos.
struct BeatOrder {
  /// The last reported beat; nil if the music may have moved since.
  private var last: (bar: Int, beat: Int, time: UInt64, frame: Int64)?
  /// The length of a beat in nanoseconds.
  private var length = Recently<UInt64>(500_000_000)
  private(set) var judged = 0

  /// Forgets the last beat, because the music may have moved.
  mutating func forget() { last = nil }

  /// Notes another length of a beat.
  mutating func change(to nanoseconds: UInt64, at time: UInt64) { length.change(to: nanoseconds, at: time) }

  /// - Parameters:
  ///   - beats: the beats of a bar.
  ///   - gaps: cycles that were missed; the order across them is not judged.
  ///   - delay: nanoseconds by which a change may take effect before or after its report.
  /// - Returns: the fault; nil if there is none.
  mutating func judge(
    _ beat: Subscriber.Beat, frame: Int64, beats: Int, _ gaps: Gaps, delay: UInt64
  ) -> String? {
    defer { last = (beat.bar, beat.beat, beat.time, frame) }
    guard let last, !gaps.lie(between: last.frame, and: frame) else { return nil }
    // After a pre-roll, the music may begin anywhere.
    guard last.bar > 0 || beat.bar < 1 else { return nil }
    judged += 1
    let next = last.beat == beats ? (last.bar + 1, 1) : (last.bar, last.beat + 1)
    guard (beat.bar, beat.beat) == next else {
      return "beat \(beat.bar).\(beat.beat) follows \(last.bar).\(last.beat) in a bar of \(beats)"
    }
    // The last beat of a bar may be shorter.
    guard last.beat < beats else { return nil }
    let lengths = length.range(since: last.time - min(last.time, delay))
    let passed = beat.time - min(beat.time, last.time)
    let margin: UInt64 = 100_000
    guard passed + margin >= lengths.lowerBound, passed <= lengths.upperBound + margin else {
      return
        "beat \(beat.bar).\(beat.beat) comes \(Double(passed) / 1e6) ms after the one before it, which takes "
        + "\(Double(lengths.lowerBound) / 1e6) to \(Double(lengths.upperBound) / 1e6) ms"
    }
    return nil
  }
}
