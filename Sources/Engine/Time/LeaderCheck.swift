import MusicTime

/// Compares the meter and tempo that a timebase leader declares with how its bar, beat and tick move, and believes what moves.
///
/// Some leaders contradict themselves. Ardour goes on declaring 4/4 at 120 after a change to 7/8, and counts eighths, of which each has
/// half the ticks that it declares. Hydrogen counts a whole bar as one beat.
struct LeaderCheck: BitwiseCopyable {
  /// How long a window is at least: in seconds, and in ticks, as these are rounded down.
  private static var seconds: Double { @_noLocks get { 0.25 } }
  private static var ticks: Double { @_noLocks get { 100 } }
  /// By which part the movement of two windows may differ, and that of a window from the declared tempo.
  private static var spread: Double { @_noLocks get { 0.03 } }
  private static var tolerance: Double { @_noLocks get { 0.05 } }
  /// Declared beats after which a position that does not move while the transport rolls is none.
  private static var patience: Double { @_noLocks get { 2.0 } }
  /// Beats that a leader may take from one tick to the next.
  private static var coarsest: Double { @_noLocks get { 1.0 / 16 } }
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
  /// Counted beats in the window, the frames, and the beats that there should have been.
  private var counted = 0.0
  private var frames = 0.0
  private var expected = 0.0
  /// The part of the declared ticks after which the next beat comes, in the last beat that was seen to its end, and once two have agreed.
  private var lastEnd = 1.0
  private var beatEnd = 1.0
  /// How `part` moves in a frame; 0 while it is unknown.
  private var partsPerFrame = 0.0
  /// Counted beats for each declared one, in the last window; nil before.
  private var measured: Double?
  /// The same, once two windows have agreed.
  private var ratio = 1.0
  /// Counted beats in the last bar that was counted to its end, and how many bars in turn had as many.
  private var barBeats = 0
  private var bars = 0
  /// Beats that should have been counted since the last tick, and whether the ticks are too coarse to say how it counts.
  private var still = 0.0
  private var isCoarse = false

  @_noLocks
  init() {}

  /// Whether the leader has told the same position for so long that it says nothing.
  /// - Thread: audio
  var stands: Bool { @_noLocks get { still > LeaderCheck.patience } }

  /// Forgets the leader.
  /// - Thread: audio
  @_noLocks
  mutating func release() { self = LeaderCheck() }

  /// The transport has jumped: the next reading can't be compared with the last.
  /// - Thread: audio
  @_noLocks
  mutating func losePlace() {
    (last, still) = (nil, 0)
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
      watch(place, beatsPerFrame: reading.beatsPerMinute / (60 * sampleRate))
    } else {
      losePlace()
    }
    if isCoarse { return false }
    if frames >= LeaderCheck.seconds * sampleRate, counted * reading.ticksPerBeat >= LeaderCheck.ticks {
      endWindow()
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
  private mutating func watch(_ place: Place, beatsPerFrame: Double) {
    defer { last = place }
    guard let last, place.frame > last.frame, place.frame - last.frame < 1e6 else { return beginWindow() }
    let elapsed = place.frame - last.frame
    watchTicks(from: last, to: place, elapsed)
    let moved = beats(place) - beats(last)
    if place.bar == last.bar, moved >= 0 {
      if moved > 0 { move() } else { still += elapsed * beatsPerFrame }
      if still > LeaderCheck.coarsest { isCoarse = true }
      counted += moved
      expected += elapsed * beatsPerFrame
      frames += elapsed
    } else if place.bar == last.bar + 1 {
      move()
      endBar(beats(last) + elapsed * beatsPerFrame * ratio - beats(place))
      // A bar's last tick is in none of the steps.
      beginWindow()
    } else {
      move()
      beginWindow()
    }
  }

  /// Finds out at which tick a beat ends.
  @_noLocks
  private mutating func watchTicks(from last: Place, to place: Place, _ elapsed: Double) {
    guard place.bar == last.bar else { return }
    if place.beat == last.beat, place.part > last.part {
      partsPerFrame = (place.part - last.part) / elapsed
    } else if place.beat == last.beat + 1, partsPerFrame > 0 {
      let found = last.part + elapsed * partsPerFrame - place.part
      // It is measured again when the next beat's ticks have been seen.
      partsPerFrame = 0
      guard found >= LeaderCheck.shortestBeat else { return }
      let end = LeaderCheck.snapped(found)
      guard LeaderCheck.isRatio(end) else { return }
      if end == lastEnd { beatEnd = end }
      lastEnd = end
    }
  }

  /// The leader's position moves. One that stood before is not told in coarse ticks for that.
  @_noLocks
  private mutating func move() {
    if stands { isCoarse = false }
    still = 0
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
  private mutating func beginWindow() { (counted, frames, expected) = (0, 0, 0) }

  @_noLocks
  private mutating func endWindow() {
    let now = counted / expected
    if let measured, isNear(now, measured, LeaderCheck.spread) {
      let old = ratio
      ratio = isNear(now, 1, LeaderCheck.tolerance) ? 1 : LeaderCheck.snapped(now)
      // Its bars are others, too.
      if !isNear(ratio, old, LeaderCheck.tolerance) { (barBeats, bars) = (0, 0) }
    }
    measured = now
    beginWindow()
  }

  @_noLocks
  private func isNear(_ a: Double, _ b: Double, _ part: Double) -> Bool {
    a - b < part * b && b - a < part * b
  }

  /// The whole number, or the inverse of one, that a ratio is near to; else the ratio.
  @_noLocks
  private static func snapped(_ ratio: Double) -> Double {
    let number = ratio < 1 ? 1 / ratio : ratio
    guard number < 100 else { return ratio }
    let whole = Double(Int(number + 0.5))
    guard number - whole < 0.03 * whole, whole - number < 0.03 * whole else { return ratio }
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
