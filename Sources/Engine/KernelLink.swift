/// Playing with an Ableton Link session: its beats are a leader's, its clock is the engine's own.
extension Kernel {
  /// - Thread: audio
  @_noLocks
  mutating func runLinked(_ cycle: Cycle, hasChangedRole: Bool) {
    var cycle = cycle
    cycle.transport = Cycle.Transport()
    cycle.transport.frame = UInt32(truncatingIfNeeded: cycle.clock)
    cycle.transport.isRolling = isRolling
    if let reading = cycle.link {
      let buffer = playhead.section.buffer
      let grid = buffer.grid
      let ticksPerBeat = Double(BarBeatTick.ticksPerBeat)
      let beatsPerBar = Double(grid.stepsPerBar) / Double(grid.stepsPerBeat)
      if linkBars.read(reading, beatsPerBar: beatsPerBar) { tracker.losePlace() }
      let beats =
        reading.beatsPerMinute * Double(cycle.frames) / (60 * Double(playhead.score.pointee.sampleRate))
      cycle.transport.isRolling = linkBars.hasBegun(by: reading.beat + beats)
      let notesPerBeat = Double(grid.stepsPerBeat) / Double(grid.stepsPerWhole) * Double(buffer.meterUnit)
      let notes = linkBars.beat * notesPerBeat
      let note = floor(notes)
      cycle.transport.leader = Cycle.Leader(
        bar: linkBars.bar, beat: note + 1, tick: (notes - Double(note)) * ticksPerBeat, isTickExact: true,
        ticksPerBeat: ticksPerBeat, offset: 0,
        beatsPerMinute: reading.beatsPerMinute * notesPerBeat, beatsPerBar: Double(buffer.meterCount),
        beatType: Double(buffer.meterUnit))
    }
    runFollowing(cycle, hasChangedRole: hasChangedRole)
  }
}

/// The whole number at a beat's or below it. Link's beats are whole millionths in 64 bits, and finite.
/// - Thread: audio
@_noLocks
private func floor(_ beats: Double) -> Int {
  let whole = Int(beats)
  return Double(whole) > beats ? whole - 1 : whole
}

/// Bars laid over a session's beats: they begin on the multiples of a bar's length, and bar 1 where the music began.
struct LinkBars: BitwiseCopyable {
  /// The bar at the last reading, from 1; before the music begins 0, -1, …
  private(set) var bar = 1
  /// Beats since that bar's start.
  private(set) var beat = 0.0

  private var isPlaying = false
  private var beatsPerBar = 0.0
  /// The session's bar that is bar 1.
  private var first = 0
  /// The session's bar at the last reading.
  private var last = 0

  @_noLocks
  init() {}

  /// - Returns: whether bar 1 lies elsewhere than before.
  /// - Thread: audio
  @_noLocks
  mutating func read(_ reading: Cycle.Link, beatsPerBar: Double) -> Bool {
    let bars = floor(reading.beat / beatsPerBar)
    let begins = reading.isPlaying && !isPlaying
    if begins {
      // Beats are whole millionths; a start on a line may lie that little after it.
      first = -floor(1e-5 - reading.start / beatsPerBar)
    } else if beatsPerBar != self.beatsPerBar || bars < last - 1 {
      // Among others, or in another meter, the session counts otherwise: the music goes on where it is. A bar line may be
      // crossed backwards, as clocks drift.
      first = bars - (bar - 1)
    }
    last = bars
    (isPlaying, self.beatsPerBar) = (reading.isPlaying, beatsPerBar)
    beat = max(0, reading.beat - Double(bars) * beatsPerBar)
    bar = min(max(bars - first + 1, -999_999), 1_000_000)
    return begins
  }

  /// Whether the music plays by a beat of the session.
  /// - Thread: audio
  @_noLocks
  func hasBegun(by beat: Double) -> Bool { isPlaying && beat > Double(first) * beatsPerBar }
}
