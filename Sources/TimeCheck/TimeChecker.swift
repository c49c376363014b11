import MusicTime
import Validation

/// The time check: receives onsets and hits, judges the hits, and summarises takes.
///
/// It has no clock and no thread. The conductor's core owns it.
package struct TimeChecker: Sendable {
  /// For live displays: how many of the last hits are summarised, and how many are shown.
  private static let (recent, shown) = (32, 12)
  /// How long after the start of a section the previous one's last hits may arrive, in seconds.
  private static let slack = 2.0
  /// For how many bars the played tempo is kept.
  private static let bars = 32

  /// How hits are judged.
  package struct Policy: Equatable, Sendable {
    /// The largest distance from the target, in milliseconds.
    package var window = 20.0
    /// The time at which the player wants to play, in milliseconds after the click; negative is before it.
    package var target = 0.0
    /// The number of parts of a beat against which hits are judged; 0 to judge them against the clicks.
    package var grid = 0
    /// Whether inputs may hear the click, so that hits like it are ignored (`listen/bleed`).
    package var usesBleed = true
    /// The drums of notes.
    package var notes = NoteMap()

    package init() {}
  }

  /// The inputs.
  package let setup: ListeningSetup
  /// The present state, for displays and detectors.
  package private(set) var state = TimingState()
  private var policy = Policy()
  private var sampleRate: Int
  private var intake: HitIntake
  private var beats: BeatTracker
  private var judge: Judge
  private var take: Take
  private var section = ""
  private var music = Music()
  /// Hits on onsets before this frame belong to an earlier take.
  private var begin = ClockFrame.earliest
  /// The section or song that has begun, until its first hit is judged; otherwise nil.
  private var next: (section: String, music: Music, begin: ClockFrame)?
  /// The frame at which the music stopped, until the last hits are judged and the take ends; otherwise nil.
  private var stop: ClockFrame?
  /// The frame up to which onsets were known at the last `settle`.
  private var known: ClockFrame = 0
  /// News that the next `settle` returns.
  private var held: [TimingNews] = []
  /// The calibration in progress; nil if there is none.
  private var run: Measurement?
  /// The coach of the current section and its plan; nil if the section has none.
  private var coach: (plan: Coach.Plan, coach: Coach)?
  private var silentBars: SilentBars
  /// Warnings that have not been taken yet.
  private var warnings: [String] = []
  /// The bar of the last tempo that was kept; nil after the music has stopped.
  private var tempoBar: Int?

  /// - Parameter sampleRate: in frames per second; less than 1 counts as 1, until the server is known.
  package init(_ setup: ListeningSetup, sampleRate: Int) {
    self.setup = setup
    self.sampleRate = max(sampleRate, 1)
    intake = HitIntake(setup, sampleRate: self.sampleRate)
    beats = BeatTracker(sampleRate: self.sampleRate)
    judge = Judge(sampleRate: self.sampleRate)
    take = Take(sampleRate: self.sampleRate)
    silentBars = SilentBars(sampleRate: self.sampleRate)
  }

  /// Whether hits or the end of a take wait for time to pass.
  package var isWaiting: Bool {
    judge.isWaiting || intake.isWaiting || !held.isEmpty || stop != nil || run?.isWaiting == true
      || coach?.coach.isWaiting == true || silentBars.isWaiting || next != nil
  }

  // MARK: Circumstances

  /// Sets how hits are judged, from now on.
  package mutating func setPolicy(_ policy: Policy) {
    guard policy != self.policy else { return }
    self.policy = policy
    judge.isFilled = policy.grid > 0
    judge.target = policy.target
    (take.policy, state.policy) = (policy, policy)
    intake.setPolicy(policy)
    noteIntake()
  }

  /// Sets the calibrations of the inputs that have one. If they change, the take ends: earlier and later hits are not
  /// comparable.
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

  /// Sets the present click. The bleed of calibrated inputs is scaled by its volume.
  package mutating func setClick(_ click: Calibration.Click) {
    intake.setClick(click)
    noteIntake()
  }

  private mutating func noteIntake() {
    (state.bleeds, state.hearsClick) = (intake.bleeds, intake.hearsClick)
    (state.unconnected, state.learning) = (intake.unconnected, intake.learning)
  }

  /// Sets the sample rate. If it changes, the take ends, and a calibration is cancelled.
  /// - Parameter rate: in frames per second.
  /// - Returns: the news.
  package mutating func setSampleRate(_ rate: Int) -> [TimingNews] {
    guard rate > 0, rate != sampleRate else { return [] }
    var news = finish()
    if run != nil {
      news.append(.notCalibrated("the server's sample rate changed during the calibration: try again"))
    }
    let old = self
    self = TimeChecker(setup, sampleRate: rate)
    warnings = old.warnings
    setPolicy(old.policy)
    intake.take(circumstancesOf: old.intake)
    setCalibrations(old.intake.calibrations)
    return news
  }

  /// Sets the ports of inputs without a connection. Warns of new ones while the player plays.
  package mutating func setUnconnected(_ ports: [String]) {
    let new = ports.filter { !intake.unconnected.contains($0) }
    intake.setUnconnected(ports)
    noteIntake()
    guard !take.entries.isEmpty, stop == nil else { return }
    for port in new { warnings.append("\(port) is no longer connected: your strokes are not detected") }
  }

  // MARK: Onsets

  /// Notes an onset that the engine has reported, in order of time.
  /// - Parameters:
  ///   - isBeat: whether it is a beat; false for a part of a beat and for a layer's pulse.
  ///   - length: frames from a beat to the next; nil if that is not known.
  ///   - split: where the second of two swung parts begins, as a fraction of both; 0.5 is straight.
  ///   - isLoud: whether its click is about as loud as the loudest beat.
  package mutating func note(
    _ onset: Onset, isBeat: Bool, length: Double?, split: Double = 0.5, isLoud: Bool = false
  ) {
    if isBeat, onset.sounds, run != nil {
      run?.note(click: onset.frame)
      state.clicksLeft = run?.clicksLeft
    }
    if isBeat, onset.sounds, isLoud, run == nil { intake.note(click: onset.frame) }
    // The last take must end before the judge receives an onset of the new one.
    if onset.bar > 0, let stop, onset.frame > stop { closeTake(stoppedAt: stop, before: onset.frame) }
    let onset = beats.place(onset, isBeat: isBeat, length: length)
    guard onset.bar > 0 else { return }
    if isBeat, let bars = coach?.coach.bars {
      coach?.coach.note(onset)
      if coach?.coach.bars != bars { noteTrial() }
    }
    if isBeat { silentBars.note(beat: onset) }
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

  /// Notes that the music stops at a clock frame, as clicks leave the speakers. The take ends when its last hits are judged.
  package mutating func noteStop(at frame: ClockFrame) {
    judge.drop(after: frame)
    coach?.coach.begin()
    silentBars.noteStop()
    stop = frame
  }

  /// Ends the last take if the music starts again before its last hits are judged. Hits after the middle of the pause belong to
  /// the next take.
  private mutating func closeTake(stoppedAt stop: ClockFrame, before start: ClockFrame) {
    let middle = stop + (start - stop) / 2
    let later = judge.takeHits(after: middle)
    admit { $0.frame <= middle }
    var news = takeHeld()
    judgeAll(known: .never, &news)
    closeTake(&news)
    intake.forgetClicks()
    held = news
    for hit in later { judge.note(hit) }
  }

  /// Counts interruptions with missed cycles.
  package mutating func noteGaps(_ count: Int) { take.noteGaps(count) }

  // MARK: Hits

  /// Receives detected hits. The hits of each source must come in order of time.
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

  /// Passes waiting hits to the judge if all clicks near them are known.
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
        silentBars.note(stroke: hit.frame)
        // Notes have no delay of a converter that JACK does not know, but the delay of their module.
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

  /// Whether a verdict is on a stroke of the player, as far as is known.
  private func isPlayed(_ verdict: Judge.Verdict) -> Bool {
    guard case .hit(let judged) = verdict else { return true }
    return intake.isPlayer(judged.hit.source)
  }

  /// Returns the new warnings for the user and forgets them.
  package mutating func takeWarnings() -> [String] {
    defer { warnings = [] }
    return warnings + intake.takeWarnings()
  }

  // MARK: Learning notes

  /// Assigns the next note to a drum; nil ends learning.
  package mutating func learn(_ drum: Drum?) {
    intake.learn(drum)
    noteIntake()
  }

  // MARK: News

  /// Judges the hits and ends the takes that are due. Call it regularly.
  /// - Parameters:
  ///   - known: the clock frame up to which all onsets are known, as clicks leave the speakers.
  ///   - rendered: the clock frame up to which the engine has rendered, for sounds that arrive; nil if it equals `known`.
  /// - Returns: the news.
  package mutating func settle(known: ClockFrame, rendered: ClockFrame? = nil) -> [TimingNews] {
    self.known = known
    intake.settle(rendered: rendered ?? known)
    state.bleeds = intake.bleeds
    var news = takeHeld()
    let last = stop.map { known > $0 + Int64(sampleRate) } ?? false
    let end = last ? .never : known
    // An input may hear a click slightly before the click's time.
    let lead = Int64(HitGate.lead * Double(sampleRate))
    admit { last || end > $0.frame + lead }
    judgeAll(known: end, &news)
    for report in silentBars.settle(judged: judge.judged, policy: policy, isCalibrated: take.isCalibrated) {
      coach?.coach.note(report)
      news.append(.quiet(report))
    }
    if let next, end > next.begin + Int64(TimeChecker.slack * Double(sampleRate)) {
      // The take of the previous section ends, even if the player rests in the new one.
      closeTake(&news)
      (section, music, begin) = (next.section, next.music, next.begin)
      self.next = nil
    }
    if last {
      (stop, tempoBar) = (nil, nil)
      closeTake(&news)
      // When the music starts again, the player may wear headphones or have turned the click down.
      intake.forgetClicks()
      noteIntake()
    }
    return news
  }

  /// Judges all remaining hits and ends the take.
  package mutating func finish() -> [TimingNews] {
    var news = takeHeld()
    admit { _ in true }
    judgeAll(known: .never, &news)
    closeTake(&news)
    stop = nil
    return news
  }

  private mutating func takeHeld() -> [TimingNews] {
    defer { held = [] }
    return held
  }

  private mutating func judgeAll(known: ClockFrame, _ news: inout [TimingNews]) {
    let verdicts = judge.settle(known: known)
    guard !verdicts.isEmpty else { return }
    for verdict in verdicts {
      if isPlayed(verdict) { coach?.coach.note(verdict) }
      silentBars.note(verdict)
      note(verdict, &news)
    }
    noteTrial()
    state.recent = take.summary(last: TimeChecker.recent)
    (state.hits, state.missed) = (take.hits, take.missed)
    (state.strays, state.hidden) = (take.strays, take.hidden)
  }

  private mutating func note(_ verdict: Judge.Verdict, _ news: inout [TimingNews]) {
    if case .hit(let judged) = verdict {
      // A hit of the previous section is dropped after the first hit of this one.
      guard judged.onset.frame >= begin else { return }
      if judged.onset.section != section || !judged.onset.music.isSameSong(as: music) {
        closeTake(&news)
        (section, begin, next) = (judged.onset.section, judged.onset.frame, nil)
      }
      music = judged.onset.music
      state.lastHits = Array((state.lastHits + [judged.milliseconds]).suffix(TimeChecker.shown))
      take.note(verdict)
      var reported = judged
      reported.playedTempo = take.playedTempo
      note(tempo: reported.playedTempo, bar: judged.onset.bar)
      news.append(.hit(reported))
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

  /// Reports the take and begins the next one.
  private mutating func closeTake(_ news: inout [TimingNews]) {
    defer {
      take = Take(sampleRate: sampleRate)
      take.policy = policy
    }
    warnOfUnjudged()
    // One or two hits may be a knock on the microphone.
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

  /// Warns of strokes that do not count: without a warning the player would suspect a broken cable.
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

  /// Sets the coach from the next beat on.
  /// - Parameters:
  ///   - plan: nil if the section has no coach.
  ///   - place: the present position of the music.
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

  /// Returns the coach's new advice; nil if there is none.
  package mutating func takeAdvice() -> Coach.Advice? {
    let advice = coach?.coach.settle(judged: judge.judged, policy: policy)
    if advice != nil { noteTrial() }
    return advice
  }

  // MARK: Calibration

  /// Whether a calibration is in progress. Hits are not judged during it.
  package var isCalibrating: Bool { run != nil }

  /// The source that is being calibrated; nil if there is none.
  package var calibrated: HitSource? { run?.source }

  /// Whether the calibration in progress measures strokes on a pad instead of clicks.
  package var comparesStrokes: Bool { run?.strokesLeft != nil }

  /// Begins to calibrate a source: notes by strokes that an audio input beside the pad hears, audio inputs by the click.
  package mutating func calibrate(_ source: HitSource) {
    let run: Measurement =
      source == .notes
      ? .strokes(NoteCalibration(sampleRate: sampleRate, at: known))
      : .clicks(ClickCalibration(of: source, sampleRate: sampleRate))
    (self.run, state.isCalibrating) = (run, true)
    (state.strokesLeft, state.clicksLeft) = (run.strokesLeft, run.clicksLeft)
  }

  /// Ends the calibration if it is over.
  /// - Parameter now: the clock frame whose sound leaves the speakers now.
  /// - Returns: the result, with offset and spread in milliseconds and the click's peak; nil if it is not over.
  package mutating func takeCalibration(
    at now: ClockFrame
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

  /// The offset of an e-drum's notes: their delay after the sound of their strokes, plus the offset of the input that heard the
  /// sound.
  private func notesOffset(
    _ measured: NoteCalibration.Measured
  ) -> Result<(offset: Double, spread: Double, bleed: Float), CalibrationError> {
    let source = HitSource.input(measured.input)
    guard let calibration = intake.calibrations[source] else {
      return .failure(.uncalibrated(setup.port(of: source)))
    }
    return .success((measured.offset + calibration.offset, measured.spread, 0))
  }

  /// Ends or cancels the calibration and forgets all hits and onsets.
  package mutating func stopCalibrating() {
    run = nil
    (state.isCalibrating, state.strokesLeft, state.clicksLeft) = (false, nil, nil)
    judge.reset()
    intake.reset()
    noteIntake()
    silentBars = SilentBars(sampleRate: sampleRate)
  }
}
