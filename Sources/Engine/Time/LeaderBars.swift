import MusicTime

/// Finds where a timebase leader's bars begin, in whole notes since its first bar, for the song position of a MIDI clock.
///
/// `bar_start_tick` is the number of ticks before a bar. Most leaders give each beat the same number of ticks, whatever its
/// note, so ticks do not give whole notes after a change of meter. Therefore the bars at which the meter changed are
/// remembered once they have played.
struct LeaderBars: BitwiseCopyable {
  /// The maximum number of bars that are remembered.
  private static var limit: Int { @_noLocks get { 64 } }
  /// Whole notes by which the length of a bar may differ from the leader's movement.
  private static var tolerance: Double { @_noLocks get { 1.0 / 32 } }

  /// The maximum number of whole notes before a bar, so that their pulses fit 64 bits.
  private static var mostWholes: Double { @_noLocks get { 1e9 } }

  private struct Bar: BitwiseCopyable {
    var number = 1
    /// Ticks, and whole notes, from the leader's start to the bar.
    var tick = 0.0
    var wholes = 0.0
    var count = 4.0
    var unit = 4.0
    var ticksPerBeat = 1_920.0

    var ticks: Double { @_noLocks get { count * ticksPerBeat } }
    var length: Double { @_noLocks get { count / unit } }
    var ticksPerWhole: Double { @_noLocks get { ticksPerBeat * unit } }

    @_noLocks
    init() {}

    @_noLocks
    init(_ reading: Cycle.Leader) {
      (number, tick) = (reading.bar, reading.barStartTick)
      (count, unit) = (reading.beatsPerBar, reading.beatType)
      ticksPerBeat = reading.ticksPerBeat
    }

    @_noLocks
    func hasMeter(of other: Bar) -> Bool {
      count == other.count && unit == other.unit && ticksPerBeat == other.ticksPerBeat
    }

    /// Whether `tick` can be the number of ticks before the bar.
    var isPlausible: Bool {
      @_noLocks get {
        guard number >= 1, tick >= 0, tick < 1e12, tick == Double(Int64(tick)) else { return false }
        if number == 1 { return tick == 0 }
        // Some leaders report the next bar's start.
        if tick == Double(number) * ticks { return false }
        let length = tick / ticksPerWhole / Double(number - 1)
        return length > 1.0 / 16 && length < 8
      }
    }
  }

  /// Whether the leader's ticks agree with its bars so far.
  private var isTrusted = true
  /// At the last reading: the bar (nil if the next reading can't be compared with it), the whole notes since its start, and
  /// the frame.
  private var last: Bar?
  private var lastPlace = 0.0
  private var lastFrame = TimelineFrame(0)
  /// Bars at which the meter changed, in order.
  private var changes = InlineArray<64, Bar>(repeating: Bar())
  private var count = 0

  @_noLocks
  init() {}

  /// Finds the start of a reading's bar. If the ticks do not give it, bars are counted until the leader jumps.
  /// - Parameters:
  ///   - motion: how the leader reached its position.
  ///   - wholes: whole notes since the bar's start at `frame`.
  ///   - pace: whole notes per frame.
  /// - Returns: whole notes since the leader's first bar; nil if that is not known.
  /// - Thread: audio
  @_noLocks
  mutating func start(
    _ reading: Cycle.Leader, _ motion: LeaderTracker.Motion, wholes: Double, at frame: TimelineFrame,
    pace: Double
  ) -> Double? {
    var bar = Bar(reading)
    if !bar.isPlausible { isTrusted = false }
    if motion != .continued, motion != .corrected { last = nil }
    let moved = lastPlace + Double(frame - lastFrame) * pace - wholes
    (lastPlace, lastFrame) = (wholes, frame)
    if let last, bar.number == last.number, bar.ticksPerWhole == last.ticksPerWhole {
      if bar.tick != last.tick { isTrusted = false }
      bar.wholes = last.wholes
    } else if let last, bar.number == last.number + 1, let length = length(of: last, before: bar, moved) {
      bar.wholes = last.wholes + length
      if isTrusted, !bar.hasMeter(of: last) { remember(bar) }
    } else if isTrusted {
      bar.wholes = place(bar)
      if bar.number == 1 { remember(bar) }
    } else {
      last = nil
      return nil
    }
    guard bar.wholes < LeaderBars.mostWholes else {
      last = nil
      return nil
    }
    last = bar
    return bar.wholes
  }

  /// The length of a bar that has ended, in whole notes, from its ticks or else its meter; nil if neither agrees with the
  /// leader's movement.
  @_noLocks
  private mutating func length(of last: Bar, before bar: Bar, _ moved: Double) -> Double? {
    let length = (bar.tick - last.tick) / last.ticksPerWhole
    if isTrusted, length > 0, LeaderBars.isNear(length, moved) { return length }
    isTrusted = false
    return LeaderBars.isNear(last.length, moved) ? last.length : nil
  }

  @_noLocks
  private static func isNear(_ length: Double, _ moved: Double) -> Bool {
    length - moved < tolerance && moved - length < tolerance
  }

  /// Whole notes to a bar that the leader has jumped to: from a remembered bar, or from 4/4 at the start, if the meter has
  /// changed at most once since then; otherwise all ticks count in the bar's own meter.
  @_noLocks
  private mutating func place(_ bar: Bar) -> Double {
    if bar.number == 1 { return 0 }
    var index = count - 1
    while index >= 0 {
      let known = changes[index]
      if known.number == bar.number {
        if known.tick == bar.tick, known.hasMeter(of: bar) { return known.wholes }
        // The leader's meters have changed since then.
        count = index
      } else if known.number < bar.number, let wholes = wholes(from: known, to: bar) {
        return wholes
      }
      index -= 1
    }
    let inTicks = bar.tick / bar.ticksPerWhole
    if count > 0, changes[0].number == 1 { return inTicks }
    // Most music begins in 4/4.
    var first = Bar()
    first.ticksPerBeat = bar.ticksPerBeat
    return wholes(from: first, to: bar) ?? inTicks
  }

  /// Whole notes to a bar, if the meter changed once from the meter of an earlier bar; nil if the ticks contradict this.
  @_noLocks
  private func wholes(from known: Bar, to bar: Bar) -> Double? {
    let (bars, ticks) = (Double(bar.number - known.number), bar.tick - known.tick)
    if known.ticks == bar.ticks {
      return known.unit == bar.unit && ticks == bars * bar.ticks ? known.wholes + bars * bar.length : nil
    }
    let old = (ticks - bars * bar.ticks) / (known.ticks - bar.ticks)
    guard old >= 0, old <= bars, old == Double(Int(old)) else { return nil }
    return known.wholes + old * known.length + (bars - old) * bar.length
  }

  @_noLocks
  private mutating func remember(_ bar: Bar) {
    var index = 0
    while index < count, changes[index].number < bar.number { index += 1 }
    if index < count, changes[index].number == bar.number {
      if changes[index].tick != bar.tick || !changes[index].hasMeter(of: bar) { count = index + 1 }
      changes[index] = bar
      return
    }
    guard count < LeaderBars.limit else { return }
    var place = count
    while place > index {
      changes[place] = changes[place - 1]
      place -= 1
    }
    changes[index] = bar
    count += 1
  }
}
