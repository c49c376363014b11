import MusicTime

/// Compares the meter and tempo that a timebase leader declares with how its bar, beat and tick move, and trusts the
/// movement.
///
/// Some leaders contradict themselves. After a change to 7/8 Ardour still declares 4/4 at 120, but counts eighths with half
/// the declared ticks each. Hydrogen counts a whole bar as one beat.
struct LeaderCheck: BitwiseCopyable {
  /// The shortest window in which beats are counted: in seconds, readings, counted beats, and ticks.
  private static var seconds: Double { @_noLocks get { 0.1 } }
  private static var readings: Int { @_noLocks get { 4 } }
  private static var beats: Double { @_noLocks get { 0.1 } }
  private static var ticks: Double { @_noLocks get { 60 } }
  /// Declared beats over which the tempo is measured.
  private static var memory: Double { @_noLocks get { 16.0 } }
  /// The largest relative difference between two windows that agree, and between a window and the declared tempo.
  private static var spread: Double { @_noLocks get { 0.03 } }
  private static var tolerance: Double { @_noLocks get { 0.05 } }
  /// The largest relative difference between the measured and the declared tempo, before a beat has passed and after.
  private static var shortTolerance: Double { @_noLocks get { 0.005 } }
  private static var longTolerance: Double { @_noLocks get { 0.002 } }
  /// The largest error of readings, in ticks.
  private static var jitter: Double { @_noLocks get { 3.0 } }
  /// Declared beats without movement after which a leader counts as standing.
  private static var patience: Double { @_noLocks get { 2.0 } }
  /// The largest distance between two ticks, in declared beats, at which a leader does not count as standing still.
  private static var coarsest: Double { @_noLocks get { 1.0 / 16 } }
  /// Declared beats of uninterrupted movement: after `recovery` earlier stands are forgotten, after `fine` the ticks are not
  /// coarse.
  private static var recovery: Double { @_noLocks get { 0.25 } }
  private static var fine: Double { @_noLocks get { 1.0 } }
  /// The longest tick, in declared beats, with which the end of a beat can be measured.
  private static var coarsestEnd: Double { @_noLocks get { 0.05 } }
  /// The largest relative uncertainty of the pace with which one beat's end is trusted; otherwise two must agree.
  private static var vaguestPace: Double { @_noLocks get { 0.05 } }
  /// The shortest part of the declared ticks that a beat may have.
  private static var shortestBeat: Double { @_noLocks get { 0.01 } }
  /// The maximum number of beats that are reported for a bar.
  private static var mostBeats: Int { @_noLocks get { 99 } }

  private struct Place: BitwiseCopyable {
    let bar: Int
    let beat: Int
    /// Ticks since the beat's start, as a part of the ticks declared for a beat.
    let part: Double
    /// Of the transport.
    let frame: Double
  }

  /// The last reading; nil if the next one can't be compared with it.
  private var last: Place?
  private var declared = Event.Leader(count: 0, unit: 0, notesPerMinute: 0)
  /// In the window: counted beats, frames, readings, and declared beats.
  private var counted = 0.0
  private var frames = 0.0
  private var steps = 0
  private var expected = 0.0
  /// The part of the declared ticks at which a beat ends, 0.01 or more: in the last complete beat, and as assumed now.
  private var lastEnd = 1.0
  private var beatEnd = 1.0
  /// Whether a beat was seen to its end since the transport has jumped.
  private var hasSeenEnd = false
  /// How the position moves, in declared beats.
  private var pace = PaceBounds()
  /// Counted beats for each declared one, in the last window; nil before.
  private var measured: Double?
  /// Counted beats for each declared one, once two windows have agreed.
  private var ratio = 1.0
  /// Counted beats in the last bar that was counted to its end, and how many bars in turn had as many.
  private var barBeats = 0
  private var bars = 0
  /// Whether a bar was counted as declared, in the declared tempo: another tempo then does not mean another note.
  private var keepsBeats = false
  /// How the leader counted at bars that have played.
  private var history = LeaderCountingHistory()
  /// Countings are noted from this bar on; `Int.min` for every bar.
  private var habitBar = Int.min
  /// Declared beats without movement; declared beats of movement since; and the number of stands. Ardour stands for some cycles
  /// after a locate, and so does a leader that misses cycles. Coarse ticks stand repeatedly.
  private var still = 0.0
  private var moving = 0.0
  private var stands = 0
  /// Whether the ticks are too coarse to show how the leader counts.
  private var isCoarse = false

  @_noLocks
  init() {}

  /// Whether the leader has reported the same position for too long to be followed.
  /// - Thread: audio
  var hasStopped: Bool { @_noLocks get { still > LeaderCheck.patience } }

  /// Forgets the leader.
  /// - Thread: audio
  @_noLocks
  mutating func release() { self = LeaderCheck() }

  /// Forgets the last reading, because the transport has jumped.
  /// - Thread: audio
  @_noLocks
  mutating func losePlace() {
    (last, still, moving, stands, hasSeenEnd) = (nil, 0, 0, 0, false)
    pace.begin()
    beginWindow()
  }

  /// Corrects a valid reading to agree with the leader's movement.
  /// - Parameters:
  ///   - frame: of the timeline; `reading.offset` includes the advance.
  ///   - sampleRate: frames per second.
  ///   - isRolling: whether the position moves.
  /// - Returns: whether the leader contradicts itself.
  /// - Thread: audio
  @_noLocks
  mutating func correct(
    _ reading: inout Cycle.Leader, at frame: TimelineFrame, sampleRate: Double, isRolling: Bool
  ) -> Bool {
    guard reading.isPlausible, let leader = Event.Leader(reading) else { return false }
    if !isSame(leader) {
      self = LeaderCheck()
      declared = leader
    }
    let place = Place(
      bar: reading.bar, beat: reading.beat, part: reading.tick / reading.ticksPerBeat,
      frame: Double(frame.number - Int64(reading.offset)))
    if last == nil, let counting = history.find(place.bar) { adopt(counting) }
    if isRolling {
      watch(
        place, beatsPerFrame: reading.beatsPerMinute / (60 * sampleRate), tick: 1 / reading.ticksPerBeat)
    } else {
      losePlace()
    }
    if isCoarse { return false }
    if frames >= LeaderCheck.seconds * sampleRate, steps >= LeaderCheck.readings,
      counted >= LeaderCheck.beats,
      counted * reading.ticksPerBeat >= LeaderCheck.ticks
    {
      endWindow(tick: 1 / reading.ticksPerBeat)
    }
    reading.ticksPerBeat = max(reading.ticksPerBeat * beatEnd, 1)
    return apply(to: &reading, beats(place))
  }

  /// Counted beats since the bar's start.
  @_noLocks
  private func beats(_ place: Place) -> Double { Double(place.beat - 1) + min(place.part / beatEnd, 1) }

  // MARK: Watching

  /// Whether meter and tempo are as declared before. The tempo may differ by 0.1 %, since a ramp changes it in every reading.
  @_noLocks
  private func isSame(_ leader: Event.Leader) -> Bool {
    let difference = leader.notesPerMinute - declared.notesPerMinute
    let margin = 1e-3 * leader.notesPerMinute
    return leader.count == declared.count && leader.unit == declared.unit && difference < margin
      && difference > -margin
  }

  @_noLocks
  private mutating func watch(_ place: Place, beatsPerFrame: Double, tick: Double) {
    defer {
      last = place
      if place.bar >= habitBar { noteHabit(from: place.bar) }
    }
    guard let last, place.frame > last.frame, place.frame - last.frame < 1e6 else {
      pace.begin()
      return beginWindow()
    }
    let elapsed = place.frame - last.frame
    watchTicks(from: last, to: place, beatsPerFrame: beatsPerFrame, tick: tick)
    watchPace(from: last, to: place, beatsPerFrame: beatsPerFrame, tick: tick)
    let moved = beats(place) - beats(last)
    if place.bar == last.bar, moved >= 0 {
      if moved > 0 { move(elapsed * beatsPerFrame) } else { stand(elapsed * beatsPerFrame) }
      counted += moved
      expected += elapsed * beatsPerFrame
      frames += elapsed
      steps += 1
    } else if place.bar == last.bar + 1 {
      move(elapsed * beatsPerFrame)
      endBar(beats(last) + elapsed * beatsPerFrame * ratio - beats(place))
      if last.bar >= habitBar { noteHabit(from: last.bar) }
      if let counting = history.change(at: place.bar) { adopt(counting) }
      // The last tick of a bar belongs to no window.
      beginWindow()
    } else {
      move(elapsed * beatsPerFrame)
      beginWindow()
    }
  }

  @_noLocks
  private mutating func noteHabit(from bar: Int) {
    history.note(LeaderCounting(ratio: ratio, beatEnd: beatEnd, barBeats: barBeats), from: bar)
  }

  /// Measures at which tick a beat ends.
  /// - Parameter tick: a tick as a part of the ticks declared for a beat.
  @_noLocks
  private mutating func watchTicks(from last: Place, to place: Place, beatsPerFrame: Double, tick: Double) {
    guard place.bar == last.bar else { return }
    if place.beat == last.beat, place.part > beatEnd * (1 + LeaderCheck.spread) {
      believe(1, beatsPerFrame)
    } else if place.beat == last.beat + 1, tick < LeaderCheck.coarsestEnd, let range = pace.range {
      let found = last.part + (place.frame - last.frame) * (range.low + range.high) / 2 - place.part
      guard found >= LeaderCheck.shortestBeat else { return }
      let end = LeaderCheck.snapped(found, LeaderCheck.spread)
      guard LeaderCheck.isRatio(end) else { return }
      if isKnown(range) || end == lastEnd { believe(end, beatsPerFrame) }
      (lastEnd, hasSeenEnd) = (end, true)
    }
  }

  /// Measures how fast the position moves.
  /// - Parameter tick: a tick as a part of the ticks declared for a beat.
  @_noLocks
  private mutating func watchPace(from last: Place, to place: Place, beatsPerFrame: Double, tick: Double) {
    let isNext =
      place.bar == last.bar ? place.beat == last.beat + 1 : place.bar == last.bar + 1 && place.beat == 1
    let isSame = place.bar == last.bar && place.beat == last.beat
    let moved = place.part - last.part + (isNext ? beatEnd : 0)
    let isShort = (place.frame - last.frame) * beatsPerFrame * ratio < 1
    guard isSame || isNext && isShort, moved >= 0, pace.frames * beatsPerFrame < LeaderCheck.memory else {
      return pace.begin()
    }
    pace.add(moved: moved, elapsed: place.frame - last.frame, tick: tick)
  }

  @_noLocks
  private func isKnown(_ pace: (low: Double, high: Double)) -> Bool {
    pace.high - pace.low < LeaderCheck.vaguestPace * pace.high
  }

  /// Assumes that a beat ends at another part of the declared ticks, and adapts the ratio.
  @_noLocks
  private mutating func believe(_ end: Double, _ beatsPerFrame: Double) {
    guard end != beatEnd else { return }
    var new = ratio * beatEnd / end
    if let range = pace.range, isKnown(range) { new = (range.low + range.high) / 2 / end / beatsPerFrame }
    ratio = isNear(new, 1, LeaderCheck.tolerance) ? 1 : LeaderCheck.snapped(new, LeaderCheck.spread)
    (measured, beatEnd, habitBar) = (new, end, .min)
    (barBeats, bars) = (0, 0)
    beginWindow()
  }

  /// Handles a reading whose position has moved.
  /// - Parameter beats: declared beats since the previous reading.
  @_noLocks
  private mutating func move(_ beats: Double) {
    if hasStopped { (isCoarse, stands) = (false, 0) }
    if still > LeaderCheck.coarsest { beginWindow() }
    moving = still > 0 ? 0 : moving + beats
    still = 0
    if moving > LeaderCheck.recovery { stands = 0 }
    if moving > LeaderCheck.fine { isCoarse = false }
  }

  @_noLocks
  private mutating func stand(_ beats: Double) {
    let before = still
    still += beats
    guard before <= LeaderCheck.coarsest, still > LeaderCheck.coarsest else { return }
    stands += 1
    if stands > 1 { isCoarse = true }
  }

  @_noLocks
  private mutating func endBar(_ beats: Double) {
    guard beats > 0.8, beats < 99.2 else { return }
    let whole = Int(beats + 0.5)
    guard beats - Double(whole) < 0.2, beats - Double(whole) > -0.2 else { return }
    bars = whole == barBeats ? bars + 1 : 1
    barBeats = whole
    if ratio == 1, whole == declared.count { keepsBeats = true }
  }

  @_noLocks
  private mutating func beginWindow() { (counted, frames, steps, expected) = (0, 0, 0, 0) }

  @_noLocks
  private mutating func endWindow(tick: Double) {
    let now = counted / expected
    if let measured, isNear(now, measured, LeaderCheck.spread) {
      learn(
        tempo(near: now, tick: tick)
          ?? (isNear(now, ratio, LeaderCheck.spread)
            ? ratio
            : isNear(now, 1, LeaderCheck.tolerance) ? 1 : LeaderCheck.snapped(now, LeaderCheck.spread)))
    }
    measured = now
    beginWindow()
  }

  /// Counted beats for each declared one, as precisely as they are known: 1 or another whole ratio if it is possible, then
  /// the ratio of a round tempo, then the present ratio if it is possible, then the middle of the range.
  /// - Parameter now: counted beats for each declared one in the last window.
  @_noLocks
  private func tempo(near now: Double, tick: Double) -> Double? {
    let beat = expected / frames * beatEnd
    guard let range = pace.range, pace.steps >= LeaderCheck.readings else { return nil }
    let (low, high) = (range.low / beat, range.high / beat)
    guard isNear((low + high) / 2, now, LeaderCheck.spread) else { return nil }
    let isLong = pace.frames * beat >= beatEnd
    let slack = LeaderCheck.jitter * tick / (pace.frames * beat)
    let tolerance = (isLong ? LeaderCheck.longTolerance : LeaderCheck.shortTolerance) + slack
    if low < 1 + tolerance, high > 1 - tolerance { return 1 }
    let whole = LeaderCheck.snapped(now, LeaderCheck.spread)
    if whole >= low, whole <= high, LeaderCheck.isRatio(whole) { return whole }
    let unit = declared.notesPerMinute * beatEnd
    let tempo = PaceBounds.likeliest(low * unit, high * unit)
    return tempo.isRound || ratio < low || ratio > high ? tempo.value / unit : ratio
  }

  @_noLocks
  private mutating func learn(_ new: Double) {
    let old = ratio
    ratio = new
    if !isNear(ratio, old, LeaderCountingHistory.precision), let last, let range = pace.range {
      // The bar in which the new pace began. A change within a bar counts from that bar's start.
      let begin = beats(last) - pace.frames * (range.low + range.high) / 2 / beatEnd
      habitBar = begin > 0.5 ? last.bar + 1 : last.bar
    }
    guard !isNear(ratio, old, LeaderCheck.tolerance) else { return }
    // The bars are different too, and after a jump the beats.
    (barBeats, bars) = (0, 0)
    guard !hasSeenEnd, beatEnd != 1 else { return }
    (ratio, beatEnd) = (ratio * beatEnd, 1)
  }

  @_noLocks
  private func isNear(_ a: Double, _ b: Double, _ part: Double) -> Bool {
    a - b < part * b && b - a < part * b
  }

  /// The whole number, or the inverse of one, that differs from a ratio by less than this part; otherwise the ratio.
  @_noLocks
  private static func snapped(_ ratio: Double, _ part: Double) -> Double {
    let number = ratio < 1 ? 1 / ratio : ratio
    guard number < 100 else { return ratio }
    let whole = Double(Int(number + 0.5))
    guard number - whole < part * whole, whole - number < part * whole else { return ratio }
    return ratio < 1 ? 1 / whole : whole
  }

  /// Whether a ratio is a whole number, or the inverse of one.
  @_noLocks
  private static func isRatio(_ ratio: Double) -> Bool {
    let number = ratio < 1 ? 1 / ratio : ratio
    return number < 100 && number == Double(Int(number + 0.5))
  }

  // MARK: Believing

  /// Assumes that the leader counts as it did here before.
  @_noLocks
  private mutating func adopt(_ counting: LeaderCounting) {
    guard ratio != counting.ratio || beatEnd != counting.beatEnd || barBeats != counting.barBeats else {
      return
    }
    (ratio, beatEnd, barBeats, habitBar) = (counting.ratio, counting.beatEnd, counting.barBeats, .min)
    (bars, measured) = (barBeats > 0 ? 2 : 0, nil)
    pace.begin()
    beginWindow()
  }

  /// - Returns: whether the reading contradicts itself.
  @_noLocks
  private func apply(to reading: inout Cycle.Leader, _ beats: Double) -> Bool {
    let own = Double(declared.count)
    // A bar whose count goes beyond this is longer.
    let reached = min(reading.beat, LeaderCheck.mostBeats)
    let barBeats = self.barBeats > 0 ? max(self.barBeats, reached) : 0
    if beatEnd != 1 {
      let guess = Int(min(own * ratio + 0.5, Double(LeaderCheck.mostBeats)))
      reading.beatsPerBar = Double(max(barBeats > 0 ? barBeats : guess, reached))
      reading.beatsPerMinute *= ratio
      // This part of the declared ticks is a note of the meter. When such a bar plays for the first time, its notes count as
      // the declared ones in a faster tempo: the current pattern has no others, and the first of them would be lost.
      let unit = reading.beatType / beatEnd
      if barBeats > 0, unit >= 1, unit <= 99 { reading.beatType = unit }
      return true
    }
    guard ratio != 1 else {
      guard bars > 1 && barBeats != declared.count || reached > declared.count else { return false }
      reading.beatsPerBar = Double(max(barBeats, reached))
      return true
    }
    let perBar = barBeats > 0 ? Double(barBeats) : keepsBeats ? own : own * ratio
    if !keepsBeats, isNear(perBar / ratio, own, 0.01), LeaderCheck.isRatio(ratio) {
      // The bars are as long as declared; only the beats differ.
      let notes = beats / ratio
      let whole = Int(notes)
      reading.beat = whole + 1
      reading.ticksPerBeat = max(reading.ticksPerBeat * ratio, 1)
      reading.tick = (notes - Double(whole)) * reading.ticksPerBeat
      return true
    }
    reading.beatsPerBar = Double(max(Int(perBar + 0.5), reached))
    reading.beatsPerMinute *= ratio
    // Counted notes that are a whole part of the declared one are shorter notes of the meter, not a faster tempo.
    let unit = reading.beatType * ratio
    if !keepsBeats, ratio >= 2, ratio == Double(Int(ratio)), unit <= 99 { reading.beatType = unit }
    return true
  }
}
