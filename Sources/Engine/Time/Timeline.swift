import MusicTime

/// The distance between the timeline and the engine's clock. Only this type converts frames of one to frames of the other.
struct TimelineShift: BitwiseCopyable, Equatable {
  /// The timeline's frame minus the clock frame.
  let frames: Int64

  /// The clock is the timeline.
  static var none: TimelineShift { @_noLocks get { TimelineShift(frames: 0) } }

  /// - Thread: any, audio
  @_noLocks
  init(frames: Int64) { self.frames = frames }

  /// A timeline frame that is reached at a clock frame.
  /// - Thread: any, audio
  @_noLocks
  init(_ frame: TimelineFrame, at clock: ClockFrame) { frames = frame.number - clock.number }

  /// The timeline frame that is reached at a clock frame.
  /// - Thread: any, audio
  @_noLocks
  func frame(at clock: ClockFrame) -> TimelineFrame { TimelineFrame(clock.number + frames) }

  /// The clock frame at which a timeline frame is reached.
  /// - Thread: any, audio
  @_noLocks
  func clock(of frame: TimelineFrame) -> ClockFrame { ClockFrame(frame.number - frames) }

  /// The clock time at which a time of the timeline is reached.
  /// - Thread: any, audio
  @_noLocks
  func clock(of time: FrameTime) -> ClockTime {
    ClockTime(raw: (time - FrameDuration(wholeFrames: frames)).raw)
  }

  /// The shift with which the timeline reaches each frame this many frames later.
  /// - Thread: any, audio
  @_noLocks
  func delayed(by delay: Int64) -> TimelineShift { TimelineShift(frames: frames - delay) }
}

/// Relates the engine's clock to the timeline of the score, and stores whether the music rolls.
///
/// In `free`, `midiClock` and `link` the timeline is the clock; in `lead` and `follow` it is the transport plus `advance`.
struct Timeline: BitwiseCopyable {
  private(set) var isRolling = false
  private(set) var shift = TimelineShift.none
  /// Frames by which the timeline precedes the transport: it is heard this many frames later.
  private(set) var advance: Int64 = 0
  /// The timeline's frame after the last period.
  private(set) var nextFrame = TimelineFrame(0)
  /// Whether the timeline advances while the music is stopped, as the engine's own clock does.
  private(set) var runsAlways: Bool
  /// The clock frame after the last period; nil before the first.
  private var nextClock: ClockFrame?

  /// The transport's frame, compared with the expected one.
  enum Motion: BitwiseCopyable {
    case continued
    /// The transport has advanced through missed cycles.
    case missedCycles
    case jumped
  }

  @_noLocks
  init(runsAlways: Bool) { self.runsAlways = runsAlways }

  /// The frame of the timeline at a clock frame.
  /// - Thread: audio
  @_noLocks
  func frame(at clock: ClockFrame) -> TimelineFrame {
    runsAlways || isRolling ? shift.frame(at: clock) : nextFrame
  }

  /// The clock frame of a timeline frame. Valid only while the music rolls.
  /// - Thread: audio
  @_noLocks
  func clock(of frame: TimelineFrame) -> ClockFrame { shift.clock(of: frame) }

  /// The transport's frame after the last period; wraps at 2³².
  /// - Thread: audio
  var nextTransportFrame: UInt32 { @_noLocks get { UInt32(truncatingIfNeeded: nextFrame.number - advance) } }

  /// The number of frames missed before this cycle.
  /// - Thread: audio
  @_noLocks
  func missedFrames(before clock: ClockFrame) -> Int64 {
    guard let nextClock else { return 0 }
    return clock - nextClock
  }

  /// Begins a cycle.
  /// - Parameter runsAlways: whether the source's timeline advances while the music is stopped.
  /// - Thread: audio
  @_noLocks
  mutating func begin(runsAlways: Bool) { self.runsAlways = runsAlways }

  /// Makes the timeline equal to the clock.
  /// - Thread: audio
  @_noLocks
  mutating func alignToClock() { shift = .none }

  /// Places a timeline frame at a clock frame.
  /// - Thread: audio
  @_noLocks
  mutating func put(_ frame: TimelineFrame, at clock: ClockFrame) {
    (nextFrame, shift) = (frame, TimelineShift(frame, at: clock))
  }

  /// Makes the timeline equal to the clock, and places it at a clock frame.
  /// - Thread: audio
  @_noLocks
  mutating func put(at clock: ClockFrame) { put(TimelineShift.none.frame(at: clock), at: clock) }

  /// Moves to a frame between two periods. A change may be made there before the next period gives the position.
  /// - Thread: audio
  @_noLocks
  mutating func locate(_ frame: TimelineFrame) {
    nextFrame = frame
    if let nextClock { shift = TimelineShift(frame, at: nextClock) }
  }

  /// Handles the transport's frame at the start of a cycle.
  /// - Parameter frame: wraps at 2³²; a frame that equals the expected one modulo 2³² is not a jump.
  /// - Thread: audio
  @_noLocks
  mutating func take(transportFrame frame: UInt32, at clock: ClockFrame) -> Motion {
    let missed = isRolling ? missedFrames(before: clock) : 0
    let expected = nextTransportFrame
    var motion = Motion.continued
    if missed > 0, frame != expected, frame == expected &+ UInt32(truncatingIfNeeded: missed) {
      nextFrame += missed
      motion = .missedCycles
    } else if frame != expected {
      nextFrame = TimelineFrame(Int64(frame) + advance)
      motion = .jumped
    }
    shift = TimelineShift(nextFrame, at: clock)
    return motion
  }

  /// Sets by how many frames the timeline precedes the transport; negative if it follows.
  /// - Returns: whether that changed.
  /// - Thread: audio
  @_noLocks
  mutating func setAdvance(_ frames: Int64, at clock: ClockFrame) -> Bool {
    guard frames != advance else { return false }
    nextFrame += frames - advance
    advance = frames
    shift = TimelineShift(nextFrame, at: clock)
    return true
  }

  /// Resets the advance, for a source that begins.
  /// - Thread: audio
  @_noLocks
  mutating func forgetAdvance() { advance = 0 }

  /// Starts or stops the timeline.
  /// - Returns: whether the value has changed.
  /// - Thread: audio
  @_noLocks
  mutating func setRolling(_ rolling: Bool) -> Bool {
    guard rolling != isRolling else { return false }
    isRolling = rolling
    return true
  }

  /// Advances after a rendered period.
  /// - Thread: audio
  @_noLocks
  mutating func end(_ cycle: Cycle) {
    nextClock = cycle.clock + Int64(cycle.frames)
    if isRolling { nextFrame += Int64(cycle.frames) }
  }
}
