/// Judges whether beats follow each other, also while the tempo changes: the next one is the next of the bar, and it comes no
/// sooner and no later than the tempos of the moment allow.
struct BeatOrder {
  /// The beat that was told last; nil where the music may have moved since.
  private var last: (bar: Int, beat: Int, time: UInt64, frame: Int64)?
  /// Nanoseconds of a beat.
  private var length = Recently<UInt64>(500_000_000)
  private(set) var judged = 0

  /// The music may be anywhere from now on.
  mutating func forget() { last = nil }

  /// A beat has another length.
  mutating func change(to nanoseconds: UInt64, at time: UInt64) { length.change(to: nanoseconds, at: time) }

  /// - Parameters:
  ///   - beats: how many a bar has.
  ///   - gaps: over these nothing is known.
  ///   - delay: nanoseconds by which a change may take effect after it is told, or before.
  /// - Returns: what is wrong; nil if nothing is.
  mutating func judge(
    _ beat: Ear.Beat, frame: Int64, beats: Int, _ gaps: Gaps, delay: UInt64
  ) -> String? {
    defer { last = (beat.bar, beat.beat, beat.time, frame) }
    guard let last, !gaps.lie(between: last.frame, and: frame) else { return nil }
    // After a pre-roll the music begins anywhere.
    guard last.bar > 0 || beat.bar < 1 else { return nil }
    judged += 1
    let next = last.beat == beats ? (last.bar + 1, 1) : (last.bar, last.beat + 1)
    guard (beat.bar, beat.beat) == next else {
      return "beat \(beat.bar).\(beat.beat) follows \(last.bar).\(last.beat) in a bar of \(beats)"
    }
    // The last beat of a bar may be short.
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
