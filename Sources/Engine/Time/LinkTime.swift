import MusicTime

/// Follows an Ableton Link session: its beats are a leader's, its timeline is the engine's own clock.
struct LinkTime: BitwiseCopyable {
  private var bars = LinkBars()
  /// Follows the session's beats like a timebase leader's.
  private var following = FollowTime(checks: false)
  /// The session's state at the last cycle's start, and that clock frame; nil without a session.
  private var latest: (reading: Cycle.Link, clock: ClockFrame)?

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
    latest = cycle.link.map { (reading: $0, clock: cycle.clock) }
    if let reading = cycle.link {
      transport.leader = leader(reading, playback)
      let beats = Double(cycle.frames) * LinkTime.beatsPerFrame(reading, playback)
      transport.isRolling = bars.hasBegun(by: reading.beat + beats)
    }
    // The reading belongs to the time at which the period is heard, so no advance is needed.
    following.open(transport, advance: 0, cycle, isNew: isNew, barStart: bars.start, &playback)
  }

  /// Finds the session's position in a score that has just taken over.
  /// - Thread: audio
  @_noLocks
  mutating func followAgain(at clock: ClockFrame, _ playback: inout Playback) {
    guard playback.timeline.isRolling, let latest else { return }
    var reading = latest.reading
    reading.beat += Double(clock - latest.clock) * LinkTime.beatsPerFrame(reading, playback)
    let leader = leader(reading, playback)
    following.followAgain(leader, at: playback.timeline.frame(at: clock), barStart: bars.start, &playback)
  }

  @_noLocks
  private static func beatsPerFrame(_ reading: Cycle.Link, _ playback: borrowing Playback) -> Double {
    reading.beatsPerMinute / (60 * Double(playback.score.pointee.sampleRate))
  }

  /// Converts the session's beats to bar, beat and tick of the current section.
  @_noLocks
  private mutating func leader(_ reading: Cycle.Link, _ playback: borrowing Playback) -> Cycle.Leader {
    let buffer = playback.playhead.buffer
    let grid = buffer.grid
    let ticksPerBeat = Double(BarBeatTick.ticksPerBeat)
    let beatsPerBar = Double(grid.stepsPerBar) / Double(grid.stepsPerBeat)
    let wholesPerBeat = Double(grid.stepsPerBeat) / Double(grid.stepsPerWhole)
    if bars.read(reading, beatsPerBar: beatsPerBar, wholesPerBeat: wholesPerBeat) { following.losePlace() }
    let notesPerBeat = wholesPerBeat * Double(buffer.meterUnit)
    let notes = bars.beat * notesPerBeat
    let note = floor(notes)
    return Cycle.Leader(
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
  /// Whole notes of a beat, and from the music's start to the session's beat 0.
  private var wholesPerBeat = 0.0
  private var wholesToZero = 0.0

  @_noLocks
  init() {}

  /// Whole notes from the music's start to the bar's, however long the bars before it were.
  /// - Thread: audio
  var start: Double { @_noLocks get { wholesToZero + Double(last) * beatsPerBar * wholesPerBeat } }

  /// - Parameter wholesPerBeat: whole notes of a beat.
  /// - Returns: whether the music begins, so that bar 1 has moved.
  /// - Thread: audio
  @_noLocks
  mutating func read(_ reading: Cycle.Link, beatsPerBar: Double, wholesPerBeat: Double) -> Bool {
    let bars = floor(reading.beat / beatsPerBar)
    let begins = reading.isPlaying && !isPlaying
    let wholes = start + beat * self.wholesPerBeat
    let isMoved = wholesPerBeat != self.wholesPerBeat || bars < last - 1 && beatsPerBar == self.beatsPerBar
    if begins {
      // Beats are multiples of 10⁻⁶, so a start on a bar line may lie slightly after it.
      first = -floor(1e-5 - reading.start / beatsPerBar)
    } else if beatsPerBar != self.beatsPerBar || bars < last - 1 {
      // After joining others, or in another meter, the session's bar numbers differ: continue the count. Clocks drift, so a bar
      // line may be crossed backwards.
      first = bars - (bar - 1)
    }
    if begins {
      wholesToZero = -Double(first) * beatsPerBar * wholesPerBeat
    } else if isMoved {
      // The count of whole notes goes on, with the new beats on its beats.
      let beats = wholes / wholesPerBeat - reading.beat
      wholesToZero = Double(floor(beats + 0.5)) * wholesPerBeat
    }
    (last, self.wholesPerBeat) = (bars, wholesPerBeat)
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
