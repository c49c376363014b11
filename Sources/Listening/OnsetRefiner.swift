/// Finds the first sample of a stroke whose approximate frame is known.
struct OnsetRefiner {
  /// In seconds: the search begins `lead` before the approximate frame; the level before the stroke is measured over `calm`
  /// before that; the approximate frame is `lateness` late on average.
  private static let (lead, calm, lateness) = (0.009, 0.016, 0.0045)
  /// The largest distance of the first sample from its expected frame, in seconds. Further away it belongs to another sound.
  private static let trust = 0.004
  /// A stroke begins where it reaches this part of its peak,
  private static let rise: Float = 0.05
  /// and exceeds the peak before it by this factor.
  private static let step: Float = 1.5
  /// In seconds: the longest time in which a stroke becomes louder than the click, and the time before that over which the
  /// click's level is measured.
  private static let (attack, remains) = (0.002, 0.0025)
  /// A stroke begins where it exceeds the remaining level of the click by this factor.
  private static let residue: Float = 1.2

  /// The peak with which the input hears the click; full scale is 1, 0 is no bleed.
  var bleed: Float = 0
  private let sampleRate: Double
  private var past: [Float]
  private var written = 0

  init(sampleRate: Int) {
    self.sampleRate = Double(sampleRate)
    var size = 2_048
    while size < sampleRate / 20 { size *= 2 }
    past = Array(repeating: 0, count: size)
  }

  mutating func reset() {
    written = 0
    for index in past.indices { past[index] = 0 }
  }

  /// Notes the next sample.
  mutating func take(_ sample: Float) {
    past[written & (past.count - 1)] = abs(sample)
    written += 1
  }

  private func level(_ frame: Int64) -> Float {
    frame < 0 || frame >= written || Int64(written) - frame > past.count
      ? 0 : past[Int(frame) & (past.count - 1)]
  }

  private func peak(_ frames: Range<Int64>) -> Float { frames.reduce(0) { max($0, level($1)) } }

  /// - Parameters:
  ///   - rough: the approximate frame of the stroke, counted from the last reset.
  ///   - received: the number of frames since the last reset.
  /// - Returns: the stroke's first frame, counted from the last reset, and its peak so far.
  func refine(_ rough: Int64, received: Int64) -> (frame: Int64, strength: Float) {
    let first = max(rough - frames(OnsetRefiner.lead), 0)
    guard first < received else { return (rough, 0) }
    let peak = peak(first..<received)
    let before = self.peak(max(first - frames(OnsetRefiner.calm), 0)..<first)
    let least = max(OnsetRefiner.rise * peak, OnsetRefiner.step * before)
    // The input may hear the click just before the stroke.
    let threshold = peak > 2 * bleed ? max(least, 1.3 * bleed) : least
    // In the decay of a louder stroke no sample exceeds the threshold, or a wrong one does.
    let likely = rough - frames(OnsetRefiner.lateness)
    guard threshold < 0.7 * peak, let found = (first..<received).first(where: { level($0) >= threshold }),
      abs(found - likely) <= frames(OnsetRefiner.trust)
        || found > likely && isClick(from: first, beside: peak, to: likely + frames(OnsetRefiner.trust))
    else { return (likely, peak) }
    return (threshold > least ? begin(of: found, from: first, atLeast: least) : found, peak)
  }

  /// The first sample of a stroke that is louder than the click at `found`: where it exceeds the remaining level of the click.
  private func begin(of found: Int64, from first: Int64, atLeast least: Float) -> Int64 {
    let earliest = max(found - frames(OnsetRefiner.attack), first)
    let before = peak(max(earliest - frames(OnsetRefiner.remains), 0)..<earliest)
    let threshold = max(least, OnsetRefiner.residue * before)
    return (earliest...found).first { level($0) >= threshold } ?? found
  }

  /// Whether the approximate frame is that of the click, and the louder stroke follows.
  private func isClick(from first: Int64, beside peak: Float, to end: Int64) -> Bool {
    guard bleed > 0, peak > 2 * bleed, first < end else { return false }
    let loudest = self.peak(first..<end)
    return loudest >= 0.5 * bleed && loudest <= 1.3 * bleed
  }

  private func frames(_ seconds: Double) -> Int64 { Int64(seconds * sampleRate) }
}
