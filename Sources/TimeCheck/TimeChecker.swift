/// Hears, judges and sums up: what the conductor's core keeps of a time check.
///
/// A value without a clock or a thread.
package struct TimeChecker: Sendable {
  /// How many hits a live display sums up, and how many it shows.
  private static let (recent, shown) = (32, 12)

  /// How hits are judged.
  package struct Policy: Equatable, Sendable {
    /// In milliseconds: how far from the target a hit is in the window, and the target.
    package var window = 20.0
    package var target = 0.0
    /// Parts of a beat against which hits are judged; 0 for those that click.
    package var grid = 0
    /// Whether inputs hear the click as in the calibration.
    package var heedsBleed = true

    package init() {}
  }

  /// The beat of which places between clicks are counted.
  private struct Beat: Sendable {
    var onset: Onset
    var parts = 0
  }

  package let setup: ListeningSetup
  package private(set) var state = TimingState()
  private var policy = Policy()
  private var sampleRate: Int
  private var calibrations: [HitSource: Calibration] = [:]
  private var judge: Judge
  private var gate: HitGate
  private var take: Take
  private var section = ""
  /// Hits of an onset before this frame belong to an earlier take.
  private var begin = Int64.min
  private var beat: Beat?
  /// The frame at which the music stopped; the take is over some time later, when the last hits are known.
  private var stop: Int64?
  private var run: CalibrationRun?

  package init(_ setup: ListeningSetup, sampleRate: Int) {
    self.setup = setup
    self.sampleRate = max(sampleRate, 1)
    judge = Judge(sampleRate: self.sampleRate)
    gate = HitGate(sampleRate: self.sampleRate)
    take = Take(sampleRate: self.sampleRate)
  }

  /// Whether hits or the end of a take wait for time to pass.
  package var isWaiting: Bool { judge.isWaiting || stop != nil || run?.hasAllClicks == true }

  // MARK: Circumstances

  package mutating func setPolicy(_ policy: Policy) {
    guard policy != self.policy else { return }
    self.policy = policy
    judge.isFilled = policy.grid > 0
    (take.window, take.target) = (policy.window, policy.target)
    (state.window, state.target) = (policy.window, policy.target)
    noteBleeds()
  }

  /// Sets what the inputs are calibrated with.
  package mutating func setCalibrations(_ calibrations: [HitSource: Calibration]) {
    self.calibrations = calibrations
    state.isCalibrated = setup.inputs.indices.allSatisfy { calibrations[.input($0)] != nil }
    noteBleeds()
  }

  private mutating func noteBleeds() {
    for index in setup.inputs.indices {
      state.bleeds[index] = policy.heedsBleed ? calibrations[.input(index)]?.bleed ?? 0 : 0
    }
  }

  /// Begins anew with another rate.
  package mutating func setSampleRate(_ rate: Int) {
    guard rate > 0, rate != sampleRate else { return }
    let (policy, calibrations) = (policy, calibrations)
    self = TimeChecker(setup, sampleRate: rate)
    setPolicy(policy)
    setCalibrations(calibrations)
  }

  // MARK: Onsets

  /// Notes a beat or part of one.
  /// - Parameter length: frames from a beat to the next; nil if that is not known.
  package mutating func note(_ onset: Onset, isBeat: Bool, length: Double?) {
    if isBeat, !onset.isSilent { run?.note(click: onset.frame) }
    var onset = onset
    if onset.place.layer == 0 {
      if isBeat {
        beat = Beat(onset: onset)
        if let length, length > 0, policy.grid > 1, onset.bar > 0 { fill(onset, length) }
      } else {
        beat?.parts += 1
        onset.place.part = beat?.parts ?? 1
      }
    }
    guard onset.bar > 0 else { return }
    stop = nil
    judge.note(onset)
  }

  /// Adds the places between a beat and the next.
  private mutating func fill(_ beat: Onset, _ length: Double) {
    for part in 1..<policy.grid {
      var onset = beat
      onset.frame += Int64((length * Double(part) / Double(policy.grid)).rounded())
      onset.place.part = part
      onset.isExpected = false
      judge.note(onset)
    }
  }

  /// The music stops at a frame.
  package mutating func noteStop(at frame: Int64) {
    judge.drop(after: frame)
    stop = frame
  }

  // MARK: Hits

  package mutating func hear(_ hits: [Hit]) {
    for hit in hits {
      if run != nil {
        run?.note(hit)
        continue
      }
      var hit = hit
      let calibration = calibrations[hit.source]
      if let calibration {
        hit.frame -= Int64((calibration.offset / 1_000 * Double(sampleRate)).rounded())
      }
      let bleed = policy.heedsBleed ? calibration?.bleed ?? 0 : 0
      guard gate.admits(hit, clicks: bleed > 0 ? judge.onsets(near: hit.frame) : [], bleed: bleed) else {
        continue
      }
      judge.note(hit)
      // Notes come without a converter's delay that JACK does not know.
      if calibration == nil, hit.source != .notes { take.isCalibrated = false }
    }
  }

  // MARK: News

  /// Does all that can be done by now.
  /// - Parameters:
  ///   - known: the frame up to which all onsets are known, as clicks leave the speakers.
  /// - Returns: what there is to tell.
  package mutating func settle(known: Int64) -> [TimingNews] {
    var news: [TimingNews] = []
    let last = stop.map { known > $0 + Int64(sampleRate) } ?? false
    for verdict in judge.settle(known: last ? .max : known) { note(verdict, &news) }
    if last {
      stop = nil
      closeTake(&news)
    }
    return news
  }

  /// Judges what is left, at the end.
  package mutating func finish() -> [TimingNews] {
    var news: [TimingNews] = []
    for verdict in judge.settle(known: .max) { note(verdict, &news) }
    closeTake(&news)
    return news
  }

  private mutating func note(_ verdict: Judge.Verdict, _ news: inout [TimingNews]) {
    if case .hit(let judged) = verdict {
      // A hit of the section before that comes after the first of this one is too late.
      guard judged.onset.frame >= begin else { return }
      if judged.onset.section != section {
        closeTake(&news)
        (section, begin) = (judged.onset.section, judged.onset.frame)
      }
      news.append(.hit(judged))
      state.lastHits = Array((state.lastHits + [judged.milliseconds]).suffix(TimeChecker.shown))
    }
    take.note(verdict)
    state.recent = take.summary(last: TimeChecker.recent)
    (state.hits, state.missed) = (take.entries.count(where: \.isFirst), take.missed)
  }

  /// Sums the take up and begins the next one.
  private mutating func closeTake(_ news: inout [TimingNews]) {
    defer {
      take = Take(sampleRate: sampleRate)
      (take.window, take.target) = (policy.window, policy.target)
    }
    guard !take.entries.isEmpty else { return }
    let summary = take.summary()
    news.append(
      .take(
        TakeReport(
          section: section, summary: summary, take: take,
          lines: TimingWords(summary, target: policy.target).lines)))
  }

  // MARK: Calibration

  package var isCalibrating: Bool { run != nil }

  /// Begins to measure a source.
  package mutating func calibrate(_ source: HitSource) {
    run = CalibrationRun(of: source, sampleRate: sampleRate)
    state.isCalibrating = true
  }

  /// Ends the measurement, if all that it needs was heard.
  /// - Parameter now: the clock frame that leaves the speakers.
  /// - Returns: nil if it is not over.
  package mutating func takeCalibration(
    at now: Int64
  ) -> (
    source: HitSource, result: Result<(offset: Double, spread: Double, bleed: Float), CalibrationRun.Failure>
  )? {
    guard let run, let end = run.end, now > end else { return nil }
    stopCalibrating()
    return (run.source, run.result())
  }

  package mutating func stopCalibrating() {
    run = nil
    state.isCalibrating = false
    judge.reset()
    gate.reset()
  }
}
