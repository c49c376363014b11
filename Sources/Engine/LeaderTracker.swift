/// Works out where a timebase leader really is from what it says once a period.
///
/// A leader's tick is rounded down, so that each reading bounds the position to a tick's width only (11.5 frames at 130
/// BPM and 1920 ticks). All readings are of one straight line, though, so that its bounds narrow with each of them, as far as the
/// periods fall on different parts of a tick.
struct LeaderTracker: BitwiseCopyable {
  /// How a leader got to where it is.
  enum Course: BitwiseCopyable {
    /// By playing on from the last reading.
    case playedOn
    /// By playing on, and by knowing better where that is: what has begun too soon is not to come again.
    case corrected
    /// The transport played on, the leader's count didn't.
    case strayed
    /// From elsewhere, or nobody knows.
    case jumped
  }

  /// The bar at the last reading, from 1.
  private(set) var bar = 1
  /// The leader's meter and tempo at the last reading.
  private(set) var leader = Event.Leader(count: 4, unit: 4, notesPerMinute: 0)
  /// Whether there is a leader.
  private(set) var isLocked = false

  /// Whether the last reading says anything about the next.
  private var hasPlace = false
  /// Bounds of the position at the last reading, in whole notes since the bar's start.
  private var low = 0.0
  private var high = 0.0
  private var frame: Int64 = 0
  /// Whole notes a frame, and in a bar.
  private var rate = 0.0
  private var barLength = 1.0
  /// Frames since the last reading in cycles without one.
  private var missed = 0

  @_noLocks
  init() {}

  /// Whole notes since the bar's start at the last reading: where counting from the transport's frame 0 at one tempo and in one
  /// meter leads, as most leaders do, if that is possible; else the middle of what is.
  /// - Thread: audio
  var wholes: Double {
    @_noLocks get {
      let counted = rate * Double(frame) - Double(bar - 1) * barLength
      // The bounds come from sums of numbers that are rounded.
      let rounding = 1e-9
      return counted > low - rounding && counted < high + rounding ? counted : (low + high) / 2
    }
  }

  /// By how much `wholes` may be off.
  /// - Thread: audio
  var uncertainty: Double { @_noLocks get { (high - low) / 2 } }

  /// Forgets the leader.
  /// - Thread: audio
  @_noLocks
  mutating func release() {
    isLocked = false
    losePlace()
  }

  /// The transport has been moved: the next reading stands for itself.
  /// - Thread: audio
  @_noLocks
  mutating func losePlace() { hasPlace = false }

  /// Lets a cycle without a reading pass; returns whether the leader may still be there.
  /// - Parameter patience: frames for which it may say nothing; one cycle in any case.
  /// - Thread: audio
  @_noLocks
  mutating func miss(_ frames: Int, patience: Double) -> Bool {
    let isFirst = missed == 0
    missed += frames
    return isFirst || Double(missed) <= patience
  }

  /// Takes a reading for a frame of the transport.
  /// - Parameter sampleRate: frames a second.
  /// - Returns: how the leader got there; nil where the reading makes no sense.
  /// - Thread: audio
  @_noLocks
  mutating func read(_ reading: Cycle.Leader, at frame: Int64, sampleRate: Double) -> Course? {
    guard let heard = Event.Leader(reading), reading.isPlausible else { return nil }
    let note = 1 / reading.beatType
    let newRate = reading.beatsPerMinute / (60 * sampleRate) * note
    let tick = note / reading.ticksPerBeat
    var nowLow =
      Double(reading.beat - 1) * note + reading.tick * tick + Double(reading.offset) * newRate
    var nowHigh = nowLow + (reading.isTickExact ? 0 : tick)

    let elapsed = Double(frame - self.frame)
    var course = Course.jumped
    if hasPlace, elapsed >= 0, elapsed < sampleRate {
      // A tempo that moves may have moved anywhere in between, and some leaders tell theirs in single precision.
      let turned = Double(reading.bar - bar) * barLength
      let drift = 1e-7 * elapsed * newRate
      let foreseenLow = low + elapsed * min(rate, newRate) - turned - drift
      let foreseenHigh = high + elapsed * max(rate, newRate) - turned + drift
      let width = nowHigh - nowLow
      course = .playedOn
      if foreseenLow <= nowHigh, nowLow <= foreseenHigh {
        (nowLow, nowHigh) = (max(nowLow, foreseenLow), min(nowHigh, foreseenHigh))
      } else if foreseenLow > nowHigh, foreseenLow - nowHigh <= 2 * tick {
        nowLow = nowHigh - min(width, foreseenHigh - nowHigh)
      } else if nowLow > foreseenHigh, nowLow - foreseenHigh <= 2 * tick {
        nowHigh = nowLow + min(width, nowLow - foreseenLow)
      } else {
        course = .strayed
      }
    }
    bar = reading.bar
    (low, high) = (nowLow, nowHigh)
    self.frame = frame
    rate = newRate
    barLength = reading.beatsPerBar * note
    leader = heard
    missed = 0
    (isLocked, hasPlace) = (true, true)
    return course
  }
}

extension Cycle.Leader {
  /// Whether the place can be one: finite, and near enough to count with.
  /// - Thread: audio
  fileprivate var isPlausible: Bool {
    @_noLocks get {
      bar >= -1_000_000 && bar <= 1_000_000 && beat >= 1 && beat <= 1_000 && offset >= 0 && offset <= 1 << 32
        && ticksPerBeat >= 1 && ticksPerBeat <= 1_000_000 && tick >= 0 && tick <= 2 * ticksPerBeat
    }
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
