/// Follows an Ableton Link session: its beats are a leader's, its timeline is the engine's own clock.
struct LinkTime: BitwiseCopyable {
  private var bars = LinkBars()
  /// Follows the session's beats like a timebase leader's.
  private var following = FollowTime(checks: false)

  @_noLocks
  init() {}

  /// The largest error of the session's position, in whole notes.
  /// - Thread: audio
  var uncertainty: Double { @_noLocks get { following.uncertainty } }

  /// Begins a cycle.
  /// - Parameter isNew: whether another source was active before.
  /// - Thread: audio
  @_noLocks
  mutating func open(_ cycle: Cycle, isNew: Bool, _ playback: inout Playback) {
    var transport = Cycle.Transport()
    // The clock stands for the transport, whose frames wrap at 2³²: after a jump the timeline is the clock modulo 2³².
    transport.frame = UInt32(truncatingIfNeeded: cycle.clock.number)
    transport.isRolling = playback.timeline.isRolling
    if let reading = cycle.link { read(reading, cycle.frames, into: &transport, playback) }
    // The reading belongs to the time at which the period is heard, so no advance is needed.
    following.open(transport, advance: 0, cycle, isNew: isNew, &playback)
  }

  /// Converts the session's beats to bar, beat and tick of the current section.
  @_noLocks
  private mutating func read(
    _ reading: Cycle.Link, _ frames: Int, into transport: inout Cycle.Transport,
    _ playback: borrowing Playback
  ) {
    let buffer = playback.playhead.buffer
    let grid = buffer.grid
    let ticksPerBeat = Double(BarBeatTick.ticksPerBeat)
    let beatsPerBar = Double(grid.stepsPerBar) / Double(grid.stepsPerBeat)
    if bars.read(reading, beatsPerBar: beatsPerBar) { following.losePlace() }
    let beats =
      reading.beatsPerMinute * Double(frames) / (60 * Double(playback.score.pointee.sampleRate))
    transport.isRolling = bars.hasBegun(by: reading.beat + beats)
    let notesPerBeat = Double(grid.stepsPerBeat) / Double(grid.stepsPerWhole) * Double(buffer.meterUnit)
    let notes = bars.beat * notesPerBeat
    let note = floor(notes)
    transport.leader = Cycle.Leader(
      bar: bars.bar, beat: note + 1, tick: (notes - Double(note)) * ticksPerBeat, isTickExact: true,
      ticksPerBeat: ticksPerBeat, offset: 0,
      beatsPerMinute: reading.beatsPerMinute * notesPerBeat, beatsPerBar: Double(buffer.meterCount),
      beatType: Double(buffer.meterUnit))
  }
}

/// The largest integer not above a beat. Link's beats are finite multiples of 10⁻⁶ in 64 bits.
/// - Thread: audio
@_noLocks
private func floor(_ beats: Double) -> Int {
  let whole = Int(beats)
  return Double(whole) > beats ? whole - 1 : whole
}

/// Bars on a session's beats: they begin at the multiples of a bar's length, and bar 1 where the music began.
struct LinkBars: BitwiseCopyable {
  /// The bar at the last reading, from 1; 0, -1, … before the music begins.
  private(set) var bar = 1
  /// Beats since that bar's start.
  private(set) var beat = 0.0

  private var isPlaying = false
  private var beatsPerBar = 0.0
  /// The number of the session's bar that is bar 1.
  private var first = 0
  /// The session's bar at the last reading.
  private var last = 0

  @_noLocks
  init() {}

  /// - Returns: whether the music begins, so that bar 1 has moved.
  /// - Thread: audio
  @_noLocks
  mutating func read(_ reading: Cycle.Link, beatsPerBar: Double) -> Bool {
    let bars = floor(reading.beat / beatsPerBar)
    let begins = reading.isPlaying && !isPlaying
    if begins {
      // Beats are multiples of 10⁻⁶, so a start on a bar line may lie slightly after it.
      first = -floor(1e-5 - reading.start / beatsPerBar)
    } else if beatsPerBar != self.beatsPerBar || bars < last - 1 {
      // After joining others, or in another meter, the session's bar numbers differ: continue the count. Clocks drift, so a bar
      // line may be crossed backwards.
      first = bars - (bar - 1)
    }
    last = bars
    (isPlaying, self.beatsPerBar) = (reading.isPlaying, beatsPerBar)
    beat = max(0, reading.beat - Double(bars) * beatsPerBar)
    bar = min(max(bars - first + 1, -999_999), 1_000_000)
    return begins
  }

  /// Whether the music plays at a beat of the session.
  /// - Thread: audio
  @_noLocks
  func hasBegun(by beat: Double) -> Bool { isPlaying && beat > Double(first) * beatsPerBar }
}
