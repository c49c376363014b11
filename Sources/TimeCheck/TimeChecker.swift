import Validation

/// Hears, judges and sums up: what the conductor's core keeps of a time check.
///
/// A value without a clock or a thread.
package struct TimeChecker: Sendable {
  /// How many hits a live display sums up, and how many it shows.
  private static let (recent, shown) = (32, 12)
  /// How long after the end of a section its last hits are judged, in seconds.
  private static let slack = 2.0
  /// Of how many bars the tempo that was played is kept.
  private static let bars = 32

  /// How hits are judged.
  package struct Policy: Equatable, Sendable {
    /// In milliseconds: how far from the target a hit is in the window, and the target.
    package var window = 20.0
    package var target = 0.0
    /// Parts of a beat against which hits are judged; 0 for those that click.
    package var grid = 0
    /// Whether inputs hear the click as in the calibration.
    package var heedsBleed = true
    /// Which note is which drum.
    package var notes = NoteMap()

    package init() {}
  }

  package let setup: ListeningSetup
  package private(set) var state = TimingState()
  private var policy = Policy()
  private var sampleRate: Int
  private var intake: HitIntake
  private var beats: BeatTracker
  private var judge: Judge
  private var take: Take
  private var section = ""
  private var music = Music()
  /// Hits of an onset before this frame belong to an earlier take.
  private var begin = Int64.min
  /// The section or song that has begun, while its first hit is not judged.
  private var next: (section: String, music: Music, begin: Int64)?
  /// The frame at which the music stopped; the take is over some time later, when the last hits are known.
  private var stop: Int64?
  /// The frame up to which onsets were known last.
  private var known: Int64 = 0
  /// What is told with the next `settle`.
  private var held: [TimingNews] = []
  private var run: Measurement?
  /// The coach of the section that plays, and what it was made for; nil for none.
  private var coach: (plan: Coach.Plan, coach: Coach)?
  private var quiet: QuietBars
  /// What was not told yet.
  private var warnings: [String] = []
  /// The bar of the last tempo that was kept; nil after the music has stopped.
  private var tempoBar: Int?

  package init(_ setup: ListeningSetup, sampleRate: Int) {
    self.setup = setup
    self.sampleRate = max(sampleRate, 1)
    intake = HitIntake(setup, sampleRate: self.sampleRate)
    beats = BeatTracker(sampleRate: self.sampleRate)
    judge = Judge(sampleRate: self.sampleRate)
    take = Take(sampleRate: self.sampleRate)
    quiet = QuietBars(sampleRate: self.sampleRate)
  }

  /// Whether hits or the end of a take wait for time to pass.
  package var isWaiting: Bool {
    judge.isWaiting || intake.isWaiting || !held.isEmpty || stop != nil || run?.isWaiting == true
      || coach?.coach.isWaiting == true || quiet.isWaiting || next != nil
  }

  // MARK: Circumstances

  package mutating func setPolicy(_ policy: Policy) {
    guard policy != self.policy else { return }
    self.policy = policy
    judge.isFilled = policy.grid > 0
    judge.target = policy.target
    (take.policy, state.policy) = (policy, policy)
    intake.setPolicy(policy)
    noteIntake()
  }

  /// Sets what the inputs are calibrated with. What was heard before does not compare with what comes: the take is over.
  package mutating func setCalibrations(_ calibrations: [HitSource: Calibration]) {
    if calibrations != intake.calibrations {
      var news: [TimingNews] = []
      closeTake(&news)
      held += news
      (state.hits, state.missed, state.strays, state.hidden) = (0, 0, 0, 0)
      (state.recent, state.lastHits) = (TimingSummary(), [])
      intake.setCalibrations(calibrations)
    }
    state.offsets = setup.inputs.indices.reduce(into: [:]) { $0[$1] = calibrations[.input($1)]?.offset }
    state.isCalibrated = setup.judged.allSatisfy { calibrations[.input($0)] != nil }
    noteIntake()
  }

  /// Sets what clicks: an input hears it as in its calibration, as much louder or softer as the volume is other than then.
  package mutating func setClick(_ click: Calibration.Click) {
    intake.setClick(click)
    noteIntake()
  }

  private mutating func noteIntake() {
    (state.bleeds, state.hearsClick) = (intake.bleeds, intake.hearsClick)
    (state.unconnected, state.learning) = (intake.unconnected, intake.learning)
  }

  /// Begins anew with another rate. The take is over then, and so is a calibration.
  /// - Returns: what there is to tell.
  package mutating func setSampleRate(_ rate: Int) -> [TimingNews] {
    guard rate > 0, rate != sampleRate else { return [] }
    var news = finish()
    if run != nil {
      news.append(.notCalibrated("the server's sample rate has changed, so nothing was measured: try again"))
    }
    let old = self
    self = TimeChecker(setup, sampleRate: rate)
    warnings = old.warnings
    setPolicy(old.policy)
    intake.take(circumstancesOf: old.intake)
    setCalibrations(old.intake.calibrations)
    return news
  }

  /// Sets which inputs are connected to nothing, by their ports.
  package mutating func setUnconnected(_ ports: [String]) {
    let new = ports.filter { !intake.unconnected.contains($0) }
    intake.setUnconnected(ports)
    noteIntake()
    guard !take.entries.isEmpty, stop == nil else { return }
    for port in new { warnings.append("\(port) is connected to nothing now: what you play is not heard") }
  }

  // MARK: Onsets

  /// Notes a beat or part of one.
  /// - Parameters:
  ///   - length: frames from a beat to the next; nil if that is not known.
  ///   - split: the first of two parts that swing, as a part of both; 0.5 is straight.
  ///   - isLoud: whether it clicks about as loud as the loudest beat.
  package mutating func note(
    _ onset: Onset, isBeat: Bool, length: Double?, split: Double = 0.5, isLoud: Bool = false
  ) {
    if isBeat, onset.sounds, run != nil {
      run?.note(click: onset.frame)
      state.clicksLeft = run?.clicksLeft
    }
    if isBeat, onset.sounds, isLoud, run == nil { intake.note(click: onset.frame) }
    // Before any onset of the new take is known to the judge.
    if onset.bar > 0, let stop, onset.frame > stop { closeTake(stoppedAt: stop, before: onset.frame) }
    let onset = beats.place(onset, isBeat: isBeat, length: length)
    guard onset.bar > 0 else { return }
    if isBeat, let bars = coach?.coach.bars {
      coach?.coach.note(onset)
      if coach?.coach.bars != bars { noteTrial() }
    }
    if isBeat { quiet.note(beat: onset) }
    if isBeat, next == nil, onset.section != section || !onset.music.isSameSong(as: music) {
      next = (onset.section, onset.music, onset.frame)
    }
    stop = nil
    judge.note(onset)
    guard isBeat, onset.place.layer == 0, let length else { return }
    for place in BeatTracker.filling(onset, parts: policy.grid, length: length, split: split) {
      judge.note(place)
    }
  }

  /// The music stops at a frame.
  package mutating func noteStop(at frame: Int64) {
    judge.drop(after: frame)
    coach?.coach.begin()
    quiet.noteStop()
    stop = frame
  }

  /// Ends the take of music that has begun again before the last hits were known. Later hits belong to the next take.
  private mutating func closeTake(stoppedAt stop: Int64, before start: Int64) {
    let middle = stop + (start - stop) / 2
    let later = judge.takeHits(after: middle)
    admit { $0.frame <= middle }
    var news = takeHeld()
    judgeAll(known: .max, &news)
    closeTake(&news)
    intake.forgetClicks()
    held = news
    for hit in later { judge.note(hit) }
  }

  /// Cycles were missed.
  package mutating func noteGaps(_ count: Int) { take.noteGaps(count) }

  // MARK: Hits

  package mutating func receive(_ hits: [Hit]) {
    for hit in hits {
      if run != nil {
        run?.note(hit)
        state.strokesLeft = run?.strokesLeft
        continue
      }
      guard let (note, drum) = intake.take(hit) else { continue }
      held.append(.learned(note: note, drum: drum))
      noteIntake()
    }
  }

  /// Lets those hits through near which all clicks are known.
  private mutating func admit(where isKnown: (Hit) -> Bool) {
    let outcomes: [HitIntake.Outcome]
    do {
      let judge = judge
      outcomes = intake.admit(where: isKnown) { judge.clicks(near: $0) }
    }
    for outcome in outcomes {
      switch outcome {
      case .played(let hit, let isCalibrated):
        judge.note(hit)
        quiet.note(stroke: hit.frame)
        // Notes come without a converter's delay that JACK does not know, but with their module's.
        guard !isCalibrated else { continue }
        if hit.source == .notes { take.hasModuleDelay = true } else { take.isCalibrated = false }
      case .hidden(let source):
        take.noteHidden(from: source)
        state.hidden = take.hidden
      case .suspected:
        coach?.coach.begin()
        noteTrial()
      }
    }
    state.hearsClick = intake.hearsClick
  }

  /// Whether a hit is a player's as far as is known.
  private func isPlayed(_ verdict: Judge.Verdict) -> Bool {
    guard case .hit(let judged) = verdict else { return true }
    return intake.isPlayer(judged.hit.source)
  }

  /// What is to be told as a warning, once.
  package mutating func takeWarnings() -> [String] {
    defer { warnings = [] }
    return warnings + intake.takeWarnings()
  }

  // MARK: Learning notes

  /// Has the next note be a drum; nil for none.
  package mutating func learn(_ drum: Drum?) {
    intake.learn(drum)
    noteIntake()
  }

  // MARK: News

  /// Does all that can be done by now.
  /// - Parameters:
  ///   - known: the frame up to which all onsets are known, as clicks leave the speakers.
  ///   - rendered: the clock frame that is rendered, as sound comes in; `known` if there is no latency.
  /// - Returns: what there is to tell.
  package mutating func settle(known: Int64, rendered: Int64? = nil) -> [TimingNews] {
    self.known = known
    intake.settle(rendered: rendered ?? known)
    state.bleeds = intake.bleeds
    var news = takeHeld()
    let last = stop.map { known > $0 + Int64(sampleRate) } ?? false
    let end = last ? .max : known
    // A click may seem to come back a little before it was sent.
    let lead = Int64(HitGate.lead * Double(sampleRate))
    admit { last || end > $0.frame + lead }
    judgeAll(known: end, &news)
    for report in quiet.settle(judged: judge.judged, policy: policy, isCalibrated: take.isCalibrated) {
      coach?.coach.note(report)
      news.append(.quiet(report))
    }
    if let next, end > next.begin + Int64(TimeChecker.slack * Double(sampleRate)) {
      // Nobody has played in it yet: the section before is over all the same.
      closeTake(&news)
      (section, music, begin) = (next.section, next.music, next.begin)
      self.next = nil
    }
    if last {
      (stop, tempoBar) = (nil, nil)
      closeTake(&news)
      // Headphones may be on, or the click turned down, when the music starts again.
      intake.forgetClicks()
      noteIntake()
    }
    return news
  }

  /// Judges what is left, at the end.
  package mutating func finish() -> [TimingNews] {
    var news = takeHeld()
    admit { _ in true }
    judgeAll(known: .max, &news)
    closeTake(&news)
    stop = nil
    return news
  }

  private mutating func takeHeld() -> [TimingNews] {
    defer { held = [] }
    return held
  }

  private mutating func judgeAll(known: Int64, _ news: inout [TimingNews]) {
    let verdicts = judge.settle(known: known)
    guard !verdicts.isEmpty else { return }
    for verdict in verdicts {
      if isPlayed(verdict) { coach?.coach.note(verdict) }
      quiet.note(verdict)
      note(verdict, &news)
    }
    noteTrial()
    state.recent = take.summary(last: TimeChecker.recent)
    (state.hits, state.missed) = (take.hits, take.missed)
    (state.strays, state.hidden) = (take.strays, take.hidden)
  }

  private mutating func note(_ verdict: Judge.Verdict, _ news: inout [TimingNews]) {
    if case .hit(let judged) = verdict {
      // A hit of the section before that comes after the first of this one is too late.
      guard judged.onset.frame >= begin else { return }
      if judged.onset.section != section || !judged.onset.music.isSameSong(as: music) {
        closeTake(&news)
        (section, begin, next) = (judged.onset.section, judged.onset.frame, nil)
      }
      music = judged.onset.music
      state.lastHits = Array((state.lastHits + [judged.milliseconds]).suffix(TimeChecker.shown))
      take.note(verdict)
      var told = judged
      told.playedTempo = take.playedTempo
      note(tempo: told.playedTempo, bar: judged.onset.bar)
      news.append(.hit(told))
    } else {
      take.note(verdict)
    }
  }

  private mutating func note(tempo: Double?, bar: Int) {
    state.playedTempo = tempo
    if tempoBar == nil { state.playedTempos = [] }
    if let tempo, bar != tempoBar {
      state.playedTempos = Array((state.playedTempos + [tempo]).suffix(TimeChecker.bars))
    }
    tempoBar = bar
  }

  /// Sums the take up and begins the next one.
  private mutating func closeTake(_ news: inout [TimingNews]) {
    defer {
      take = Take(sampleRate: sampleRate)
      take.policy = policy
    }
    warnOfUnjudged()
    // One or two are a knock on the microphone.
    guard take.entries.count >= Take.fewestHits else { return }
    state.playedTempo = nil
    take.hearsClick = take.entries.contains { intake.isSuspect($0.source) }
    let summary = take.summary()
    news.append(
      .take(
        TakeReport(
          section: section, summary: summary, take: take, age: take.age(at: known),
          lines: TimingWords(summary, target: policy.target).lines)))
  }

  /// Tells of strokes that count for nothing: who plays them would take the silence for a broken cable.
  private mutating func warnOfUnjudged() {
    if take.entries.isEmpty, take.strays >= Scatter.fewest {
      warnings.append(
        "\(take.strays) strokes were heard, none near a click: they are not judged. Play to the click, or set listen/grid to the parts of a beat that you play."
      )
    }
    guard let source = take.hiddenSource, take.hidesMany else { return }
    warnings.append(
      "\(setup.port(of: source)) hears the click so loud that \(take.hidden) strokes did not count. Turn the click down or play louder, calibrate again if the speakers were turned up, or set listen/bleed to 0 if the input does not hear the click."
    )
  }

  // MARK: Coaching

  /// Coaches the player from the next beat on.
  /// - Parameters:
  ///   - plan: nil where the music is not coached.
  ///   - place: where the music is.
  package mutating func coach(_ plan: Coach.Plan?, at place: Coach.Place) {
    guard let plan else {
      (coach, state.trial) = (nil, nil)
      return
    }
    if coach?.plan != plan { coach = (plan, Coach(plan, at: place, sampleRate: sampleRate)) }
    coach?.coach.go(to: place)
    if state.trial == nil { noteTrial() }
  }

  private mutating func noteTrial() { state.trial = coach?.coach.standing(policy) }

  /// What the coach advises now; nil for nothing new.
  package mutating func takeAdvice() -> Coach.Advice? {
    let advice = coach?.coach.settle(judged: judge.judged, policy: policy)
    if advice != nil { noteTrial() }
    return advice
  }

  // MARK: Calibration

  package var isCalibrating: Bool { run != nil }

  /// The source that is being measured.
  package var calibrated: HitSource? { run?.source }

  /// Whether the calibration under way hears strokes on a pad, and no clicks.
  package var comparesStrokes: Bool { run?.strokesLeft != nil }

  /// Begins to measure a source: notes by the strokes that an input beside the pad hears, all else by the click.
  package mutating func calibrate(_ source: HitSource) {
    let run: Measurement =
      source == .notes
      ? .strokes(StrokeRun(sampleRate: sampleRate, at: known))
      : .clicks(CalibrationRun(of: source, sampleRate: sampleRate))
    (self.run, state.isCalibrating) = (run, true)
    (state.strokesLeft, state.clicksLeft) = (run.strokesLeft, run.clicksLeft)
  }

  /// Ends the measurement, if all that it needs was heard.
  /// - Parameter now: the clock frame that leaves the speakers.
  /// - Returns: nil if it is not over.
  package mutating func takeCalibration(
    at now: Int64
  ) -> (
    source: HitSource, result: Result<(offset: Double, spread: Double, bleed: Float), CalibrationError>
  )? {
    guard let run, let end = run.end, now > end else { return nil }
    stopCalibrating()
    switch run {
    case .clicks(let clicks): return (run.source, clicks.result())
    case .strokes(let strokes): return (run.source, strokes.result().flatMap(notesOffset))
    }
  }

  /// How late an e-drum's notes are: later than their strokes' sound, by what that is late itself.
  private func notesOffset(
    _ measured: StrokeRun.Measured
  ) -> Result<(offset: Double, spread: Double, bleed: Float), CalibrationError> {
    let source = HitSource.input(measured.input)
    guard let calibration = intake.calibrations[source] else {
      return .failure(.uncalibrated(setup.port(of: source)))
    }
    return .success((measured.offset + calibration.offset, measured.spread, 0))
  }

  package mutating func stopCalibrating() {
    run = nil
    (state.isCalibrating, state.strokesLeft, state.clicksLeft) = (false, nil, nil)
    judge.reset()
    intake.reset()
    noteIntake()
    quiet = QuietBars(sampleRate: sampleRate)
  }
}
