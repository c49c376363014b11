import MusicTime

/// Estimates the exact position of a timebase leader from its readings, one per period.
///
/// A leader's tick is rounded down, so a reading only bounds the position to a tick's width (11.5 frames at 130 BPM and 1920
/// ticks). All readings lie on one line, so the bounds narrow as long as the periods fall on different parts of a
/// tick. Some leaders (Ardour) round to the nearest tick. This is detected if they count from the transport's frame 0.
struct LeaderTracker: BitwiseCopyable {
  /// How a leader reached its position.
  enum Motion: BitwiseCopyable {
    /// It continued from the last reading.
    case continued
    /// It continued, and its position is known more precisely: an onset that has begun too early does not begin again.
    case corrected
    /// The transport continued, but the leader's position did not.
    case strayed
    /// It jumped, or there is no previous reading.
    case jumped
  }

  /// The bar at the last reading, from 1.
  private(set) var bar = 1
  /// The leader's meter and tempo at the last reading.
  private(set) var leader = Event.Leader(count: 4, unit: 4, notesPerMinute: 0)
  /// Whether there is a leader.
  private(set) var isLocked = false

  /// Whether the next reading can be compared with the last.
  private var hasPlace = false
  /// The bounds of the position at the last reading, in whole notes since the bar's start.
  private var low = 0.0
  private var high = 0.0
  private var frame = TimelineFrame(0)
  /// Whole notes per frame, and per bar.
  private var rate = 0.0
  private var barLength = 1.0
  /// Whether the leader rounds its ticks to the nearest one.
  private var roundsToNearest = false
  /// Frames since the last reading, or since it began to wait for one.
  private var missed = 0

  @_noLocks
  init() {}

  /// Whole notes since the bar's start at the last reading. Most leaders count from the transport's frame 0 at a constant
  /// tempo and meter: the position computed from this, if it is within the bounds, otherwise the middle of the bounds.
  /// - Thread: audio
  var wholes: Double {
    @_noLocks get {
      isWithinBounds(counted, shift: 0) ? counted : (low + high) / 2
    }
  }

  /// The position of a leader that counts from the transport's frame 0 at a constant tempo and meter.
  private var counted: Double { @_noLocks get { rate * Double(frame.number) - Double(bar - 1) * barLength } }

  @_noLocks
  private func isWithinBounds(_ position: Double, shift: Double) -> Bool {
    // The bounds are sums of rounded numbers.
    let rounding = 1e-9
    return position > low + shift - rounding && position < high + shift + rounding
  }

  /// Detects from narrow bounds how the leader rounds, and shifts the bounds accordingly.
  @_noLocks
  private mutating func learnRounding(tick: Double) {
    guard high - low < tick / 4, !isWithinBounds(counted, shift: 0) else { return }
    let shift = roundsToNearest ? tick / 2 : -tick / 2
    guard isWithinBounds(counted, shift: shift) else { return }
    roundsToNearest.toggle()
    (low, high) = (low + shift, high + shift)
  }

  /// The largest error of `wholes`, in whole notes.
  /// - Thread: audio
  var uncertainty: Double { @_noLocks get { (high - low) / 2 } }

  /// Forgets the leader.
  /// - Thread: audio
  @_noLocks
  mutating func release() {
    (isLocked, missed, roundsToNearest) = (false, 0, false)
    losePlace()
  }

  /// Forgets the last reading, because the transport has jumped.
  /// - Thread: audio
  @_noLocks
  mutating func losePlace() { hasPlace = false }

  /// Handles a cycle without a reading. Returns whether the leader may still exist.
  /// - Parameter patience: the frames after which a silent leader is gone; at least one cycle is allowed.
  /// - Thread: audio
  @_noLocks
  mutating func miss(_ frames: Int, patience: Double) -> Bool {
    let isFirst = missed == 0
    missed += frames
    return isFirst || Double(missed) <= patience
  }

  /// Handles a reading at a frame of the timeline. `reading.offset` includes the advance.
  /// - Parameter sampleRate: frames per second.
  /// - Returns: how the leader reached its position; nil if the reading is invalid.
  /// - Thread: audio
  @_noLocks
  mutating func read(_ reading: Cycle.Leader, at frame: TimelineFrame, sampleRate: Double) -> Motion? {
    guard let published = Event.Leader(reading), reading.isPlausible else { return nil }
    let note = 1 / reading.beatType
    let newRate = reading.beatsPerMinute / (60 * sampleRate) * note
    let tick = note / reading.ticksPerBeat
    var nowLow =
      Double(reading.beat - 1) * note + reading.tick * tick + Double(reading.offset) * newRate
    if roundsToNearest, !reading.isTickExact { nowLow -= tick / 2 }
    var nowHigh = nowLow + (reading.isTickExact ? 0 : reading.mayTickBeLow ? 2 * tick : tick)

    let elapsed = Double(frame - self.frame)
    var motion = Motion.jumped
    if hasPlace, elapsed >= 0, elapsed < sampleRate {
      // A changing tempo may have changed anywhere in between, and some leaders report it in single precision.
      let turned = Double(reading.bar - bar) * barLength
      let drift = 1e-7 * elapsed * newRate
      let foreseenLow = low + elapsed * min(rate, newRate) - turned - drift
      let foreseenHigh = high + elapsed * max(rate, newRate) - turned + drift
      let width = nowHigh - nowLow
      motion = .continued
      if foreseenLow <= nowHigh, nowLow <= foreseenHigh {
        (nowLow, nowHigh) = (max(nowLow, foreseenLow), min(nowHigh, foreseenHigh))
      } else if foreseenLow > nowHigh, foreseenLow - nowHigh <= 2 * tick {
        nowLow = nowHigh - min(width, foreseenHigh - nowHigh)
      } else if nowLow > foreseenHigh, nowLow - foreseenHigh <= 2 * tick {
        nowHigh = nowLow + min(width, nowLow - foreseenLow)
      } else {
        motion = .strayed
      }
    }
    bar = reading.bar
    (low, high) = (nowLow, nowHigh)
    self.frame = frame
    rate = newRate
    barLength = reading.beatsPerBar * note
    leader = published
    missed = 0
    (isLocked, hasPlace) = (true, true)
    if !reading.isTickExact { learnRounding(tick: tick) }
    return motion
  }
}

extension Cycle.Leader {
  /// Whether the position is finite and small enough to compute with.
  /// - Thread: audio
  var isPlausible: Bool {
    @_noLocks get {
      bar >= -1_000_000 && bar <= 1_000_000 && beat >= 1 && beat <= 1_000 && offset >= -(1 << 32)
        && offset <= 1 << 32
        && ticksPerBeat >= 1 && ticksPerBeat <= 1_000_000 && tick >= 0 && tick <= 2 * ticksPerBeat
    }
  }
}

extension Event.Leader {
  /// The reading's meter and tempo; nil if they can't be played.
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
