import MusicTime

/// Follows silent bars, and reports after each run of them how the player kept time.
///
/// The tempo comes from the strokes themselves, not from their distances to the click: a player who has left the click's grid
/// still has a tempo. This type has no clock.
package struct SilentBars: Sendable {
  /// The fewest beats for a tempo, and the most strokes and beats that a run keeps.
  private static let (fewest, most) = (4, 4_096)
  /// A stroke further from a beat than this part of the interval is not on a beat, but on a subdivision.
  private static let reach = 0.2

  /// Consecutive silent bars.
  private struct Run: Sendable {
    let first: Onset
    /// Its beats, with their bars.
    var beats: [(frame: ClockFrame, bar: Int)]
    /// The first clock frame after it; nil while it lasts.
    var end: ClockFrame?
    /// The asynchronies of the hits on its beats, in milliseconds, by the onsets' frames.
    var hits: [ClockFrame: Double] = [:]
    /// The clock frames of all strokes in it.
    var strokes: [ClockFrame] = []
    /// The click's interval between beats, in frames.
    var interval: Double
  }

  private let sampleRate: Double
  private var runs: [Run] = []
  /// The clock frames of the last strokes, which may belong to the next run.
  private var strokes: [ClockFrame] = []
  /// The last beat that sounded.
  private var lastBeat: Onset?

  package init(sampleRate: Int) { self.sampleRate = Double(sampleRate) }

  /// Whether a run waits for its last strokes.
  package var isWaiting: Bool { runs.contains { $0.end != nil } }

  /// Notes a beat, in order of time.
  package mutating func note(beat onset: Onset) {
    guard onset.isSilent else {
      close(at: onset)
      lastBeat = onset
      return
    }
    if let last = runs.indices.last, runs[last].end == nil {
      guard runs[last].beats.count < SilentBars.most else { return }
      runs[last].beats.append((onset.frame, onset.bar))
    } else if let lastBeat, onset.frame > lastBeat.frame, onset.bar != lastBeat.bar,
      let tempo = lastBeat.tempo ?? onset.tempo
    {
      let interval = 60 * sampleRate / tempo
      let strokes = strokes.filter { Double($0.number) > Double(onset.frame.number) - interval / 2 }
      runs.append(
        Run(
          first: onset, beats: [(onset.frame, onset.bar)], strokes: strokes, interval: interval))
    }
  }

  /// Ends the run at a beat that sounds. Silent beats in the same bar do not belong to it.
  private mutating func close(at onset: Onset) {
    guard let last = runs.indices.last, runs[last].end == nil else { return }
    let end = runs[last].beats.first { $0.bar == onset.bar }?.frame ?? onset.frame
    runs[last].beats.removeAll { $0.frame >= end }
    if runs[last].beats.isEmpty { runs.removeLast() } else { runs[last].end = end }
  }

  /// Notes that the music stops. Silent bars that were not played to their end are discarded.
  package mutating func noteStop() {
    if runs.last?.end == nil, !runs.isEmpty { runs.removeLast() }
    (lastBeat, strokes) = (nil, [])
  }

  /// Notes a stroke of the player, by its clock frame.
  package mutating func note(stroke frame: ClockFrame) {
    strokes.append(frame)
    if strokes.count > 256 { strokes.removeFirst(128) }
    // The last stroke of a run may arrive after its end.
    for index in runs.indices {
      let end = runs[index].end.map { Double($0.number) - runs[index].interval / 2 } ?? .infinity
      let begin = Double(runs[index].first.frame.number) - runs[index].interval / 2
      if begin..<end ~= Double(frame.number), runs[index].strokes.count < SilentBars.most,
        !runs[index].strokes.contains(frame)
      {
        runs[index].strokes.append(frame)
      }
    }
  }

  /// Notes a verdict; only the first hits on silent beats matter.
  package mutating func note(_ verdict: Judge.Verdict) {
    guard case .hit(let judged) = verdict, judged.onset.isSilent, judged.isFirst,
      judged.onset.place.part == 0,
      judged.onset.place.layer == 0
    else { return }
    for index in runs.indices
    where runs[index].beats.contains(where: { $0.frame == judged.onset.frame }) {
      runs[index].hits[judged.onset.frame] = judged.milliseconds
    }
  }

  /// Reports the runs that are over and were not a rest.
  /// - Parameters:
  ///   - judged: the clock frame before which all clicks have their verdict.
  ///   - policy: the target and the width of the window.
  ///   - isCalibrated: whether asynchronies are known absolutely.
  package mutating func settle(
    judged: ClockFrame, policy: TimeChecker.Policy, isCalibrated: Bool
  ) -> [SilentBarsReport] {
    var reports: [SilentBarsReport] = []
    while let run = runs.first, let end = run.end, judged >= end {
      runs.removeFirst()
      // Without strokes the player rests.
      guard !run.strokes.isEmpty, let last = run.beats.last else { continue }
      var report = SilentBarsReport(
        section: run.first.section, bars: last.bar - run.first.bar + 1,
        beats: run.beats.count,
        begin: run.first.frame)
      if isCalibrated {
        report.inWindow = run.beats.count { beat in
          run.hits[beat.frame].map { abs($0 - policy.target) <= policy.window } ?? false
        }
        // The hit on the last beat, otherwise on the one before it.
        report.off = run.beats.suffix(2).reversed().lazy.compactMap { run.hits[$0.frame] }.first
      }
      if let interval = interval(run) {
        report.tempo = 60 * sampleRate / interval.value
        let ratio = run.interval / interval.value
        report.faster = Estimate(
          (ratio - 1) * 100, (run.interval / interval.high - 1) * 100,
          (run.interval / interval.low - 1) * 100)
      }
      reports.append(report)
    }
    return reports
  }

  /// The interval between the played beats in frames: the slope of a regression line; nil for too few beats.
  private func interval(_ run: Run) -> Estimate? {
    let strokes = run.strokes.sorted()
    guard let first = strokes.first else { return nil }
    var points: [(number: Double, frame: Double)] = [(0, 0)]
    var (last, number, interval) = (first, 0.0, run.interval)
    for stroke in strokes.dropFirst() {
      let passed = Double(stroke - last) / interval
      let beats = passed.rounded()
      guard beats >= 1, abs(passed - beats) <= SilentBars.reach else { continue }
      number += beats
      points.append((number, Double(stroke - first)))
      interval += (Double(stroke - last) / beats - interval) / 2
      last = stroke
    }
    guard points.count >= SilentBars.fewest else { return nil }
    let count = Double(points.count)
    let (meanNumber, meanFrame) = (
      points.reduce(0) { $0 + $1.number } / count, points.reduce(0) { $0 + $1.frame } / count
    )
    let square = points.reduce(0) { $0 + ($1.number - meanNumber) * ($1.number - meanNumber) }
    let slope = points.reduce(0) { $0 + ($1.number - meanNumber) * ($1.frame - meanFrame) } / square
    let rest = points.reduce(0) {
      let error = $1.frame - meanFrame - slope * ($1.number - meanNumber)
      return $0 + error * error
    }
    let margin = Quantile.student(0.975, count - 2) * (rest / (count - 2) / square).squareRoot()
    guard slope > margin else { return nil }
    return Estimate(slope, slope - margin, slope + margin)
  }
}

/// How the player kept time in a run of silent bars.
package struct SilentBarsReport: Equatable, Sendable {
  /// The section's name; empty for the metronome.
  package var section: String
  /// The number of silent bars.
  package var bars: Int
  /// The number of silent beats.
  package var beats: Int
  /// The clock frame of the first silent beat.
  package var begin: ClockFrame
  /// The number of beats that were hit in the window; nil if the inputs are not calibrated.
  package var inWindow: Int?
  /// How late the hit on the last beat or the one before it was, in milliseconds; nil without one, or if not calibrated.
  package var off: Double?
  /// The player's tempo in beats per minute; nil for too few strokes.
  package var tempo: Double?
  /// By how many percent the player was faster than the click; negative is slower. nil for too few strokes.
  package var faster: Estimate?

  /// The report as a sentence.
  package var line: String {
    var parts: [String] = []
    if let inWindow { parts.append("\(inWindow) of \(beats) beats in the window") }
    if let off { parts.append("\(TimingWords.lateness(off)) at the end") }
    if let tempo, let faster {
      let margin = "±\(TimingWords.number((faster.high - faster.low) / 2)) %"
      let away = TimingWords.number(abs(faster.value))
      let way =
        faster.isSignificant && away != "0"
        ? "\(away) % \(faster.value > 0 ? "faster" : "slower") than the click (\(margin))"
        : "the click's tempo (\(margin))"
      parts.append("\(TimingWords.number(tempo)) beats a minute, \(way)")
    } else {
      parts.append("too few strokes for a tempo")
    }
    return "Silent: \(parts.joined(separator: "; "))."
  }
}
