import Validation

/// Hears, judges and sums up: what the conductor's core keeps of a time check.
///
/// A value without a clock or a thread.
package struct TimeChecker: Sendable {
  /// How many hits a live display sums up, and how many it shows.
  private static let (recent, shown) = (32, 12)
  /// Of how many bars the tempo that was played is kept.
  private static let bars = 32
  /// The most hits that wait for the gate.
  private static let limit = 1_024

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

  /// The beat of which places between clicks are counted.
  private struct Beat: Sendable {
    var onset: Onset
    var parts = 0
    /// Beats a minute; nil if it is not known.
    var tempo: Double?
  }

  package let setup: ListeningSetup
  package private(set) var state = TimingState()
  private var policy = Policy()
  private var sampleRate: Int
  private var calibrations: [HitSource: Calibration] = [:]
  /// What clicks; nil until it is known.
  private var click: Calibration.Click?
  private var judge: Judge
  private var gate: HitGate
  /// Hits that were heard before all clicks near them were known.
  private var heard: [Hit] = []
  private var take: Take
  private var section = ""
  private var music = Music()
  /// Hits of an onset before this frame belong to an earlier take.
  private var begin = Int64.min
  private var beat: Beat?
  /// The frame at which the music stopped; the take is over some time later, when the last hits are known.
  private var stop: Int64?
  /// The frame up to which onsets were known last.
  private var known: Int64 = 0
  /// What is told with the next `settle`.
  private var held: [TimingNews] = []
  private var run: CalibrationRun?
  /// The coach of the section that plays, and what it was made for; nil for none.
  private var coach: (plan: Coach.Plan, coach: Coach)?
  private var quiet: QuietBars
  private var watches: ClickWatches
  /// The sounds, other than the calibrated ones, that inputs were warned of.
  private var foreign: [HitSource: String] = [:]
  /// What was not told yet.
  private var warnings: [String] = []
  /// The bar of the last tempo that was kept; nil after the music has stopped.
  private var tempoBar: Int?

  package init(_ setup: ListeningSetup, sampleRate: Int) {
    self.setup = setup
    self.sampleRate = max(sampleRate, 1)
    judge = Judge(sampleRate: self.sampleRate)
    gate = HitGate(sampleRate: self.sampleRate)
    take = Take(sampleRate: self.sampleRate)
    quiet = QuietBars(sampleRate: self.sampleRate)
    watches = ClickWatches(sampleRate: self.sampleRate)
  }

  /// Whether hits or the end of a take wait for time to pass.
  package var isWaiting: Bool {
    judge.isWaiting || !heard.isEmpty || !held.isEmpty || stop != nil || run?.hasAllClicks == true
      || coach?.coach.isWaiting == true || quiet.isWaiting
  }

  // MARK: Circumstances

  package mutating func setPolicy(_ policy: Policy) {
    guard policy != self.policy else { return }
    self.policy = policy
    judge.isFilled = policy.grid > 0
    judge.target = policy.target
    if !policy.heedsBleed { forgetWatches() }
    (take.policy, state.policy) = (policy, policy)
    noteBleeds()
  }

  /// Sets what the inputs are calibrated with. What was heard before does not compare with what comes: the take is over.
  package mutating func setCalibrations(_ calibrations: [HitSource: Calibration]) {
    if calibrations != self.calibrations {
      var news: [TimingNews] = []
      closeTake(&news)
      held += news
      (state.hits, state.missed, state.strays, state.hidden) = (0, 0, 0, 0)
      (state.recent, state.lastHits) = (TimingSummary(), [])
      let old = self.calibrations
      forgetWatches { calibrations[$0] != old[$0] }
    }
    self.calibrations = calibrations
    state.offsets = setup.inputs.indices.reduce(into: [:]) { $0[$1] = calibrations[.input($1)]?.offset }
    state.isCalibrated = setup.judged.allSatisfy { calibrations[.input($0)] != nil }
    noteBleeds()
  }

  /// Sets what clicks: an input hears it as in its calibration, as much louder or softer as the volume is other than then.
  package mutating func setClick(_ click: Calibration.Click) {
    guard click != self.click else { return }
    self.click = click
    noteBleeds()
  }

  private mutating func noteBleeds() {
    for index in setup.inputs.indices {
      let source = HitSource.input(index)
      state.bleeds[index] = bleed(of: source)
      guard let calibration = calibrations[source], let sound = calibration.click?.sound, let click,
        sound != click.sound, bleed(of: source) > 0.001, foreign[source] != click.sound
      else { continue }
      foreign[source] = click.sound
      warnings.append(
        "\(setup.port(of: source)) was calibrated with another sound (\(printable(sound))): how loud it hears this one is not known. "
          + "Calibrate again, or wear headphones and set listen/bleed to 0.")
    }
  }

  /// The peak with which an input hears the click.
  private func bleed(of source: HitSource) -> Float {
    policy.heedsBleed ? calibrations[source]?.bleed(of: click) ?? 0 : 0
  }

  /// Begins anew with another rate. The take is over then, and so is a calibration.
  /// - Returns: what there is to tell.
  package mutating func setSampleRate(_ rate: Int) -> [TimingNews] {
    guard rate > 0, rate != sampleRate else { return [] }
    var news = finish()
    if run != nil {
      news.append(.notCalibrated("the server's sample rate has changed, so nothing was measured: try again"))
    }
    let (policy, calibrations, click, unconnected) = (policy, calibrations, click, state.unconnected)
    self = TimeChecker(setup, sampleRate: rate)
    (self.click, state.unconnected) = (click, unconnected)
    setPolicy(policy)
    setCalibrations(calibrations)
    return news
  }

  /// Sets which inputs are connected to nothing, by their ports.
  package mutating func setUnconnected(_ ports: [String]) {
    guard ports != state.unconnected else { return }
    let new = ports.filter { !state.unconnected.contains($0) }
    state.unconnected = ports
    guard !take.entries.isEmpty, stop == nil else { return }
    for port in new { warnings.append("\(port) is connected to nothing now: what you play is not heard") }
  }

  // MARK: Onsets

  /// Notes a beat or part of one.
  /// - Parameters:
  ///   - length: frames from a beat to the next; nil if that is not known.
  ///   - split: the first of two parts that swing, as a part of both; 0.5 is straight.
  package mutating func note(_ onset: Onset, isBeat: Bool, length: Double?, split: Double = 0.5) {
    if isBeat, onset.sounds { run?.note(click: onset.frame) }
    // Before any onset of the new take is known to the judge.
    if onset.bar > 0, let stop, onset.frame > stop { closeTake(stoppedAt: stop, before: onset.frame) }
    var onset = onset
    if onset.place.layer == 0 {
      if isBeat {
        beat = Beat(onset: onset, tempo: tempo(at: onset, length: length))
      } else {
        beat?.parts += 1
        onset.place.part = beat?.parts ?? 1
      }
      onset.phase = phase(of: onset)
    }
    guard onset.bar > 0 else { return }
    if isBeat, let bars = coach?.coach.bars {
      coach?.coach.note(onset)
      if coach?.coach.bars != bars { noteTrial() }
    }
    onset.tempo = beat?.tempo
    if isBeat { quiet.note(beat: onset) }
    stop = nil
    judge.note(onset)
    if isBeat, onset.place.layer == 0, let length, length > 0, policy.grid > 1 { fill(onset, length, split) }
  }

  /// The tempo of a beat: from its length, or else from the beat before.
  private func tempo(at onset: Onset, length: Double?) -> Double? {
    if let length, length > 0 { return 60 * Double(sampleRate) / length }
    guard let beat, onset.frame > beat.onset.frame, onset.bar - beat.onset.bar <= 1,
      onset.section == beat.onset.section
    else { return nil }
    return 60 * Double(sampleRate) / Double(onset.frame - beat.onset.frame)
  }

  /// Where an onset is in the beat that lasts.
  private func phase(of onset: Onset) -> Double? {
    guard let beat else { return nil }
    if onset.frame == beat.onset.frame { return 0 }
    guard let tempo = beat.tempo else { return nil }
    let phase = Double(onset.frame - beat.onset.frame) / (60 * Double(sampleRate) / tempo)
    return 0..<1 ~= phase ? phase : nil
  }

  /// Adds the places between a beat and the next, which swing as subdivisions do.
  private mutating func fill(_ beat: Onset, _ length: Double, _ split: Double) {
    for part in 1..<policy.grid {
      let swings = part % 2 == 1 && [2, 4, 8].contains(policy.grid)
      let parts = swings ? Double(part - 1) + 2 * split : Double(part)
      var onset = beat
      onset.frame += Int64((length * parts / Double(policy.grid)).rounded())
      onset.place.part = part
      onset.phase = parts / Double(policy.grid)
      (onset.role, onset.isExpected) = (.grid, false)
      judge.note(onset)
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
    held = news
    for hit in later { judge.note(hit) }
  }

  /// Cycles were missed.
  package mutating func noteGaps(_ count: Int) { take.noteGaps(count) }

  // MARK: Hits

  package mutating func hear(_ hits: [Hit]) {
    for hit in hits {
      if run != nil {
        run?.note(hit)
        continue
      }
      guard heard.count < TimeChecker.limit else { continue }
      var hit = hit
      if let note = hit.note {
        hit.drum = learned(note) ?? policy.notes.drum(of: note)
      }
      if let calibration = calibrations[hit.source] {
        hit.frame -= Int64((calibration.offset / 1_000 * Double(sampleRate)).rounded())
      }
      heard.append(hit)
    }
  }

  /// Lets those hits through the gate near which all clicks are known.
  private mutating func admit(where isKnown: (Hit) -> Bool) {
    let hits = heard.filter(isKnown)
    heard.removeAll(where: isKnown)
    for hit in hits {
      let calibration = calibrations[hit.source]
      if calibration == nil { watch(hit) }
      let bleed = bleed(of: hit.source)
      let clicks = bleed > 0 ? judge.clicks(near: hit.frame) : []
      guard
        gate.admits(
          hit, clicks: clicks, bleed: bleed, isTrigger: setup.mode(of: hit.source) == .trigger)
      else {
        if gate.hides(hit, behind: clicks, bleed: bleed) {
          take.noteHidden(from: hit.source)
          state.hidden = take.hidden
        }
        continue
      }
      if calibration != nil { watch(hit) }
      judge.note(hit)
      quiet.note(stroke: hit.frame)
      // Notes come without a converter's delay that JACK does not know.
      if calibration == nil, hit.source != .notes { take.isCalibrated = false }
    }
  }

  // MARK: The click itself

  /// Looks whether a microphone hears the click: one that is not calibrated, or louder than it did in the calibration.
  private mutating func watch(_ hit: Hit) {
    guard policy.heedsBleed, setup.mode(of: hit.source) == .mic else { return }
    let (isFound, isNews) = watches.note(
      hit, clicks: judge.clicks(near: hit.frame), isCalibrated: calibrations[hit.source] != nil)
    state.hearsClick = watches.haveFound
    guard isFound || watches.isSuspect(hit.source) else { return }
    coach?.coach.begin()
    noteTrial()
    if isNews {
      warnings.append("\(setup.port(of: hit.source)) hears the click itself. \(TimingWords.remedy)")
    }
  }

  /// Whether a hit is a player's as far as is known.
  private func isPlayed(_ verdict: Judge.Verdict) -> Bool {
    guard case .hit(let judged) = verdict else { return true }
    let source = judged.hit.source
    return calibrations[source] == nil ? watches.isPlayer(source) : !watches.isSuspect(source)
  }

  private mutating func forgetWatches(where isKnown: (HitSource) -> Bool = { _ in true }) {
    watches.forget(where: isKnown)
    state.hearsClick = watches.haveFound
  }

  /// What is to be told as a warning, once.
  package mutating func takeWarnings() -> [String] {
    defer { warnings = [] }
    return warnings
  }

  // MARK: Learning notes

  /// Has the next note be a drum; nil for none.
  package mutating func learn(_ drum: Drum?) { state.learning = drum }

  /// The drum as which a note is learned, which is told; nil if none is.
  private mutating func learned(_ note: UInt8) -> Drum? {
    guard let drum = state.learning else { return nil }
    state.learning = nil
    held.append(.learned(note: note, drum: drum))
    return drum
  }

  // MARK: News

  /// Does all that can be done by now.
  /// - Parameters:
  ///   - known: the frame up to which all onsets are known, as clicks leave the speakers.
  /// - Returns: what there is to tell.
  package mutating func settle(known: Int64) -> [TimingNews] {
    self.known = known
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
    if last {
      (stop, tempoBar) = (nil, nil)
      closeTake(&news)
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
        (section, begin) = (judged.onset.section, judged.onset.frame)
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
    take.hearsClick = take.entries.contains { watches.isSuspect($0.source) }
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
      "\(setup.port(of: source)) hears the click so loud that \(take.hidden) strokes did not count. Turn the click down or play louder, calibrate again if the speakers were turned up, or wear headphones and set listen/bleed to 0."
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
    quiet = QuietBars(sampleRate: sampleRate)
    forgetWatches()
    heard = []
  }
}
