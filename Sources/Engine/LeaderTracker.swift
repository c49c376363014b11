/// Works out where a timebase leader really is from what it says once a period.
///
/// A leader's tick is rounded down, so that each reading bounds the position to a tick's width only (11.5 frames at 130
/// BPM and 1920 ticks). All readings are of one straight line, though, so that its bounds narrow with each of them.
struct LeaderTracker: BitwiseCopyable {
  /// The bar at the last reading, from 1.
  private(set) var bar = 1
  /// The leader's meter and tempo at the last reading.
  private(set) var leader = Event.Leader(count: 4, unit: 4, notesPerMinute: 0)
  /// Whether there is a reading to go on from.
  private(set) var isLocked = false

  /// Bounds of the position at the last reading, in notes since the bar's start.
  private var low = 0.0
  private var high = 0.0
  private var frame: Int64 = 0
  /// Notes a frame.
  private var rate = 0.0

  @_noLocks
  init() {}

  /// Notes since the bar's start at the last reading: the middle of what is possible.
  /// - Thread: audio
  var notes: Double { @_noLocks get { (low + high) / 2 } }

  /// Forgets the leader.
  /// - Thread: audio
  @_noLocks
  mutating func release() { isLocked = false }

  /// Takes a reading for a frame of the transport.
  /// - Parameter sampleRate: frames a second.
  /// - Returns: whether the leader got there by playing on from the last reading; nil where the reading makes no sense.
  /// - Thread: audio
  @_noLocks
  mutating func read(_ reading: Cycle.Leader, at frame: Int64, sampleRate: Double) -> Bool? {
    guard let heard = Event.Leader(reading), reading.ticksPerBeat >= 1, reading.tick >= 0,
      reading.tick <= 2 * reading.ticksPerBeat, reading.beat >= 1, reading.beat <= 1_000
    else { return nil }
    let newRate = heard.notesPerMinute / (60 * sampleRate)
    let tick = 1 / reading.ticksPerBeat
    var nowLow = Double(reading.beat - 1) + reading.tick * tick + Double(reading.offset) * newRate
    var nowHigh = nowLow + (reading.isTickExact ? 0 : tick)

    let elapsed = Double(frame - self.frame)
    let isContinuous = isLocked && elapsed >= 0 && elapsed < sampleRate
    if isContinuous {
      // A tempo that moves may have moved anywhere in between.
      let turned = Double(leader.count * (reading.bar - bar))
      let foreseenLow = low + elapsed * min(rate, newRate) - turned
      let foreseenHigh = high + elapsed * max(rate, newRate) - turned
      // Doubles carry a position to far less than this; a leader's arithmetic may not.
      let slack = 0.001 * newRate
      let gap = max(foreseenLow - nowHigh, nowLow - foreseenHigh)
      if gap <= slack {
        (nowLow, nowHigh) = (max(nowLow, foreseenLow), min(nowHigh, foreseenHigh))
        if nowLow > nowHigh { (nowLow, nowHigh) = (nowHigh, nowLow) }
      } else if gap > 2 * tick {
        accept(reading.bar, nowLow, nowHigh, frame, newRate, heard)
        return false
      }
    }
    accept(reading.bar, nowLow, nowHigh, frame, newRate, heard)
    return isContinuous
  }

  @_noLocks
  private mutating func accept(
    _ bar: Int, _ low: Double, _ high: Double, _ frame: Int64, _ rate: Double, _ leader: Event.Leader
  ) {
    self.bar = bar
    self.low = low
    self.high = high
    self.frame = frame
    self.rate = rate
    self.leader = leader
    isLocked = true
  }
}

extension Event.Leader {
  /// What a reading says of meter and tempo; nil where that can't be played.
  /// - Thread: audio
  @_noLocks
  init?(_ reading: Cycle.Leader) {
    guard reading.beatsPerBar >= 1, reading.beatsPerBar <= 99, reading.beatType >= 1, reading.beatType <= 99,
      reading.beatsPerMinute >= 1, reading.beatsPerMinute <= 10_000
    else { return nil }
    self.init(
      count: Int(reading.beatsPerBar), unit: Int(reading.beatType), notesPerMinute: reading.beatsPerMinute)
  }
}
