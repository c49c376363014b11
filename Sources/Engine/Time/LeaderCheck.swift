import MusicTime

/// Compares the meter and tempo that a timebase leader declares with how its bar, beat and tick move, and believes what moves.
///
/// Some leaders contradict themselves. Ardour goes on declaring 4/4 at 120 after a change to 7/8, and counts eighths, of which each has
/// half the ticks that it declares. Hydrogen counts a whole bar as one beat.
struct LeaderCheck: BitwiseCopyable {
  /// How long a window is at least: in seconds, in readings, in counted beats, and in ticks, as these are rounded down.
  private static var seconds: Double { @_noLocks get { 0.1 } }
  private static var readings: Int { @_noLocks get { 4 } }
  private static var beats: Double { @_noLocks get { 0.1 } }
  private static var ticks: Double { @_noLocks get { 60 } }
  /// Over how many declared beats windows that agree are averaged.
  private static var memory: Double { @_noLocks get { 16 } }
  /// By which part the movement of two windows may differ, and that of a window from the declared tempo.
  private static var spread: Double { @_noLocks get { 0.03 } }
  private static var tolerance: Double { @_noLocks get { 0.05 } }
  /// Declared beats after which a position that does not move while the transport rolls is none.
  private static var patience: Double { @_noLocks get { 2.0 } }
  /// Declared beats that a leader may take from one tick to the next.
  private static var coarsest: Double { @_noLocks get { 1.0 / 16 } }
  /// Declared beats of movement in each reading after which a leader that stood has only stood once, and after which its ticks
  /// are not coarse.
  private static var recovery: Double { @_noLocks get { 0.25 } }
  private static var fine: Double { @_noLocks get { 1.0 } }
  /// Even steps in a row after which the beat's end and tempo are believed at once.
  private static var evenSteps: Int { @_noLocks get { 3 } }
  /// The shortest part of the declared ticks that a beat may have.
  private static var shortestBeat: Double { @_noLocks get { 0.01 } }
  /// The most beats that a bar is given for being counted so far.
  private static var mostBeats: Int { @_noLocks get { 99 } }

  private struct Place: BitwiseCopyable {
    let bar: Int
    let beat: Int
    /// Ticks since the beat's start, as a part of those that are declared for a beat.
    let part: Double
    /// Of the transport.
    let frame: Double
  }

  /// The last reading; nil if the next one can't be compared with it.
  private var last: Place?
  private var declared = Event.Leader(count: 0, unit: 0, notesPerMinute: 0)
  /// Counted beats in the window, the frames, the readings, and the beats that there should have been.
  private var counted = 0.0
  private var frames = 0.0
  private var steps = 0
  private var expected = 0.0
  /// The part of the declared ticks after which the next beat comes, in the last beat that was seen to its end, and as it is believed.
  private var lastEnd = 1.0
  private var beatEnd = 1.0
  /// Whether a beat was seen to its end since the transport has jumped.
  private var hasSeenEnd = false
  /// How `part` moves in a frame; 0 while it is unknown. From where on, and in how many steps in a row, it moved like that.
  private var partsPerFrame = 0.0
  private var evenStart: Place?
  private var evenSteps = 0
  /// Counted beats for each declared one, in the last window; nil before.
  private var measured: Double?
  /// Counted and declared beats in the windows in a row that agree.
  private var agreed = (counted: 0.0, expected: 0.0)
  /// Counted beats for each declared one, once two windows have agreed.
  private var ratio = 1.0
  /// Counted beats in the last bar that was counted to its end, and how many bars in turn had as many.
  private var barBeats = 0
  private var bars = 0
  /// Declared beats since the last tick, since a reading without a new tick, and how often it stood for long. Ardour stands for
  /// some cycles after each locate, and whoever misses cycles does; coarse ticks stand again and again.
  private var still = 0.0
  private var moving = 0.0
  private var stands = 0
  /// Whether the ticks are too coarse to say how it counts.
  private var isCoarse = false

  @_noLocks
  init() {}

  /// Whether the leader has told the same position for so long that it says nothing.
  /// - Thread: audio
  var hasStopped: Bool { @_noLocks get { still > LeaderCheck.patience } }

  /// Forgets the leader.
  /// - Thread: audio
  @_noLocks
  mutating func release() { self = LeaderCheck() }

  /// The transport has jumped: the next reading can't be compared with the last.
  /// - Thread: audio
  @_noLocks
  mutating func losePlace() {
    (last, still, moving, stands, hasSeenEnd) = (nil, 0, 0, 0, false)
    beginWindow()
  }

  /// Brings a valid reading into agreement with how the leader moves.
  /// - Parameters:
  ///   - frame: of the transport.
  ///   - sampleRate: frames per second.
  ///   - isRolling: whether the position moves.
  /// - Returns: whether the leader contradicts itself.
  /// - Thread: audio
  @_noLocks
  mutating func correct(
    _ reading: inout Cycle.Leader, at frame: TimelineFrame, sampleRate: Double, isRolling: Bool
  ) -> Bool {
    guard reading.isPlausible, let told = Event.Leader(reading) else { return false }
    if !isSame(told) {
      self = LeaderCheck()
      declared = told
    }
    let place = Place(
      bar: reading.bar, beat: reading.beat, part: reading.tick / reading.ticksPerBeat,
      frame: Double(frame.number - Int64(reading.offset)))
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
      endWindow(ticksPerBeat: reading.ticksPerBeat * beatEnd)
    }
    reading.ticksPerBeat = max(reading.ticksPerBeat * beatEnd, 1)
    return apply(to: &reading, beats(place)) || beatEnd != 1
  }

  /// Counted beats since the bar's start.
  @_noLocks
  private func beats(_ place: Place) -> Double { Double(place.beat - 1) + min(place.part / beatEnd, 1) }

  // MARK: Watching

  /// Tempos that glide differ from one reading to the next.
  @_noLocks
  private func isSame(_ told: Event.Leader) -> Bool {
    let difference = told.notesPerMinute - declared.notesPerMinute
    let margin = 1e-3 * told.notesPerMinute
    return told.count == declared.count && told.unit == declared.unit && difference < margin
      && difference > -margin
  }

  @_noLocks
  private mutating func watch(_ place: Place, beatsPerFrame: Double, tick: Double) {
    defer { last = place }
    guard let last, place.frame > last.frame, place.frame - last.frame < 1e6 else { return beginWindow() }
    let elapsed = place.frame - last.frame
    watchTicks(from: last, to: place, beatsPerFrame: beatsPerFrame, tick: tick)
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
      // A bar's last tick is in none of the steps.
      beginWindow()
    } else {
      move(elapsed * beatsPerFrame)
      beginWindow()
    }
  }

  /// Finds out at which tick a beat ends.
  /// - Parameter tick: a tick as a part of those that are declared for a beat.
  @_noLocks
  private mutating func watchTicks(from last: Place, to place: Place, beatsPerFrame: Double, tick: Double) {
    guard place.bar == last.bar else { return forgetSteps() }
    let elapsed = place.frame - last.frame
    if place.beat == last.beat, place.part > last.part {
      let off = last.part + elapsed * partsPerFrame - place.part
      let margin = 1.5 * tick + LeaderCheck.spread * elapsed * partsPerFrame
      let isEven = evenSteps > 0 && off < margin && -off < margin
      let start = isEven ? evenStart ?? last : last
      (evenStart, evenSteps) = (start, isEven ? evenSteps + 1 : 1)
      partsPerFrame = (place.part - start.part) / (place.frame - start.frame)
      if place.part > beatEnd * (1 + LeaderCheck.spread) { believe(1, beatsPerFrame) }
    } else if place.beat == last.beat + 1, partsPerFrame > 0 {
      defer { forgetSteps() }
      let found = last.part + elapsed * partsPerFrame - place.part
      guard found >= LeaderCheck.shortestBeat else { return }
      let end = LeaderCheck.snapped(found, LeaderCheck.spread)
      guard LeaderCheck.isRatio(end) else { return }
      if evenSteps >= LeaderCheck.evenSteps || end == lastEnd { believe(end, beatsPerFrame) }
      (lastEnd, hasSeenEnd) = (end, true)
    }
  }

  @_noLocks
  private mutating func forgetSteps() { (evenStart, evenSteps, partsPerFrame) = (nil, 0, 0) }

  /// Another part of the declared ticks is a beat: more or fewer of them are counted. Even steps have told the tempo, too.
  @_noLocks
  private mutating func believe(_ end: Double, _ beatsPerFrame: Double) {
    guard end != beatEnd else { return }
    var new = ratio * beatEnd / end
    if evenSteps >= LeaderCheck.evenSteps { new = partsPerFrame / end / beatsPerFrame }
    ratio = isNear(new, 1, LeaderCheck.tolerance) ? 1 : LeaderCheck.snapped(new, LeaderCheck.spread)
    (measured, agreed, beatEnd) = (new, (0, 0), end)
    (barBeats, bars) = (0, 0)
    beginWindow()
  }

  /// The leader's position moves in declared beats that pass from one reading to the next.
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
  }

  @_noLocks
  private mutating func beginWindow() { (counted, frames, steps, expected) = (0, 0, 0, 0) }

  /// - Parameter ticksPerBeat: of a counted beat.
  @_noLocks
  private mutating func endWindow(ticksPerBeat: Double) {
    let now = counted / expected
    if let measured, isNear(now, measured, LeaderCheck.spread) {
      agree(ticksPerBeat)
      let found = agreed.counted / agreed.expected
      let precision = min(LeaderCheck.precision(counted * ticksPerBeat), LeaderCheck.spread)
      learn(
        isNear(found, 1, LeaderCheck.tolerance) ? 1 : LeaderCheck.snapped(found, precision),
        resolution: 0.25 / (agreed.counted * ticksPerBeat))
    } else {
      agreed = (0, 0)
    }
    measured = now
    beginWindow()
  }

  /// - Parameter resolution: the smallest part by which the ratio is changed.
  @_noLocks
  private mutating func learn(_ new: Double, resolution: Double) {
    let old = ratio
    if new == 1 || !isNear(new, old, resolution) { ratio = new }
    guard !isNear(ratio, old, LeaderCheck.tolerance) else { return }
    // Its bars are others, too; and its beats, where it has jumped.
    (barBeats, bars) = (0, 0)
    guard !hasSeenEnd, beatEnd != 1 else { return }
    (ratio, beatEnd, agreed) = (ratio * beatEnd, 1, (0, 0))
  }

  /// Adds the window to those before, so that the tempo is known ever better; or begins anew, if the tempo is another.
  @_noLocks
  private mutating func agree(_ ticksPerBeat: Double) {
    let (now, known) = (counted / expected, agreed.counted / max(agreed.expected, 1e-9))
    if agreed.expected > 0, !isNear(now, known, LeaderCheck.precision(counted * ticksPerBeat)) {
      agreed = (0, 0)
    }
    if agreed.expected > LeaderCheck.memory {
      agreed = (agreed.counted / 2, agreed.expected / 2)
    }
    agreed = (agreed.counted + counted, agreed.expected + expected)
  }

  /// By which part the ratio of a window of so many ticks may be wrong: a tick at each end.
  @_noLocks
  private static func precision(_ ticks: Double) -> Double { 2 / ticks + 1e-3 }

  @_noLocks
  private func isNear(_ a: Double, _ b: Double, _ part: Double) -> Bool {
    a - b < part * b && b - a < part * b
  }

  /// The whole number, or the inverse of one, that a ratio is near to by a part of it; else the ratio.
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

  /// - Returns: whether the reading contradicts itself.
  @_noLocks
  private func apply(to reading: inout Cycle.Leader, _ beats: Double) -> Bool {
    let own = Double(declared.count)
    // A bar that is counted further is longer.
    let reached = min(reading.beat, LeaderCheck.mostBeats)
    let barBeats = self.barBeats > 0 ? max(self.barBeats, reached) : 0
    guard ratio != 1 else {
      guard bars > 1 && barBeats != declared.count || reached > declared.count else { return false }
      reading.beatsPerBar = Double(max(barBeats, reached))
      return true
    }
    let perBar = barBeats > 0 ? Double(barBeats) : own * ratio
    if isNear(perBar / ratio, own, 0.01), LeaderCheck.isRatio(ratio) {
      // The bars are as long as declared: only the beats are others.
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
    if ratio >= 2, ratio == Double(Int(ratio)), unit <= 99 { reading.beatType = unit }
    return true
  }
}
