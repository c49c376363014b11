import MusicTime

/// The engine's own clock: commands start, stop and move the music.
struct FreeTime: BitwiseCopyable {
  /// The position at which `start` begins.
  private var entry = Playhead.Entry(.start)
  /// The jump that waits for its beat or bar line.
  private var jump: Jump?
  /// Whether the music stops, or pauses, or the score ends, on the next bar line.
  private var barStop = BarStop.none

  private enum BarStop: BitwiseCopyable {
    case none, stops, pauses, ends
    /// The score has been ended on its line.
    case hasEnded

    var waits: Bool { @_noLocks get { self != .none && self != .hasEnded } }
  }

  private struct Jump: BitwiseCopyable {
    let bar: BarRange.Bar
    let quantise: Quantise
  }

  @_noLocks
  init() {}

  /// Begins a cycle.
  /// - Parameter isNew: whether another source was active before. The music then continues at its position.
  /// - Thread: audio
  @_noLocks
  mutating func open(_ cycle: Cycle, isNew: Bool, _ playback: inout Playback) {
    if isNew {
      let frame = playback.timeline.shift.frame(at: cycle.clock)
      playback.playhead.leave(frame, for: TimelineShift.none.frame(at: cycle.clock))
      playback.timeline.alignToClock()
    } else if playback.timeline.isRolling, playback.timeline.missedFrames(before: cycle.clock) != 0 {
      playback.skipGap(to: playback.timeline.frame(at: cycle.clock))
    }
  }

  /// Keeps the place of a pause when another score takes over.
  /// - Parameter playback: still with the previous score.
  /// - Thread: audio
  @_noLocks
  mutating func carryEntry(to next: UnsafePointer<Score>, _ playback: borrowing Playback) {
    entry = playback.playhead.entry(entry, in: next)
  }

  /// Another source takes over: cancels a waiting jump and a waiting stop.
  /// - Thread: audio
  @_noLocks
  mutating func leave() { (jump, barStop) = (nil, .none) }

  /// The clock frame at which it next wants to act; `never` if there is none.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  func nextFrame(_ playback: borrowing Playback) -> ClockFrame {
    guard playback.timeline.isRolling, jump != nil || barStop.waits else { return .never }
    let bar = barStop.waits ? playback.nextLine(.bar) : .never
    guard let jump else { return bar }
    return min(bar, playback.nextLine(jump.quantise))
  }

  /// Performs the waiting jump, and the waiting stop, when they are due.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func perform(at clock: ClockFrame, _ playback: inout Playback) {
    guard nextFrame(playback) <= clock else { return }
    performDue(at: clock, &playback)
  }

  // Not inline, so that periods in which nothing waits (almost all) do not set up its stack frame.
  @_noLocks
  @inline(never)
  private mutating func performDue(at clock: ClockFrame, _ playback: inout Playback) {
    if let jump, playback.nextLine(jump.quantise) <= clock {
      self.jump = nil
      // In a score that has become shorter the last line may be long past.
      let isOver = playback.playhead.isOver(at: playback.timeline.frame(at: clock))
      let time = isOver ? playback.time(at: clock) : playback.playhead.boundary(jump.quantise).time
      playback.playhead.jump(to: jump.bar, at: time)
    }
    // The score's end is reported as `finished` instead.
    guard barStop.waits, playback.nextLine(.bar) <= clock, !playback.playhead.isAtEnd else { return }
    if barStop == .ends {
      barStop = .hasEnded
      return playback.playhead.end(at: playback.playhead.boundary(.bar).time)
    }
    if barStop == .pauses { pause(at: clock, &playback) } else { stop(at: clock, &playback) }
    playback.report(.stoppedAtBar(clock))
  }

  /// - Returns: whether the music was moved while it played.
  /// - Thread: audio
  @_noLocks
  mutating func handle(_ action: Command.Action, at clock: ClockFrame, _ playback: inout Playback) -> Bool {
    let isRolling = playback.timeline.isRolling
    switch action {
    case .start where !isRolling, .countIn where !isRolling:
      playback.playhead.enter(at: entry, on: playback.timeline.frame(at: clock))
      playback.setRolling(true, at: clock)
    case .start, .countIn: barStop = .none
    case .stop: stop(at: clock, &playback)
    case .pause where isRolling: pause(at: clock, &playback)
    case .pause: break
    case .stopAtBar(let pauses): if isRolling { barStop = pauses ? .pauses : .stops }
    case .endAtBar: if isRolling { barStop = .ends }
    case .locate(let position) where isRolling:
      playback.playhead.anchor(position, at: playback.time(at: clock))
      return true
    case .locate(let position): entry = Playhead.Entry(position)
    case .jump(let bar, let quantise): return prepareJump(to: bar, quantise, at: clock, &playback)
    case .cancelJump: jump = nil
    case .placeMachines: break
    case .repeats(let repetition):
      playback.playhead.set(repetition, at: isRolling ? playback.timeline.frame(at: clock) : nil)
    }
    return false
  }

  /// Stops. The next `start` begins at the score's start.
  /// - Thread: audio
  @_noLocks
  mutating func stop(at clock: ClockFrame, _ playback: inout Playback) {
    entry = Playhead.Entry(.start)
    (jump, barStop) = (nil, .none)
    playback.setRolling(false, at: clock)
  }

  /// Whether another score may follow at the end of the one that plays: no stop waits for the bar line there.
  /// - Thread: audio
  var goesOn: Bool { @_noLocks get { barStop != .stops && barStop != .pauses } }

  /// Whether the score has been ended before its own end.
  /// - Thread: audio
  var hasCut: Bool { @_noLocks get { barStop == .hasEnded } }

  /// Stops. The next `start` continues from this position.
  @_noLocks
  private mutating func pause(at clock: ClockFrame, _ playback: inout Playback) {
    entry = playback.playhead.entry(at: playback.timeline.frame(at: clock))
    barStop = .none
    playback.setRolling(false, at: clock)
  }

  /// The position at which the next start begins.
  /// - Thread: audio
  var nextEntry: Playhead.Entry { @_noLocks get { entry } }

  @_noLocks
  private mutating func prepareJump(
    to bar: BarRange.Bar, _ quantise: Quantise, at clock: ClockFrame, _ playback: inout Playback
  ) -> Bool {
    let sections = playback.score.pointee.sections
    guard bar.section >= 0, bar.section < sections.count else { return false }
    jump = nil
    if !playback.timeline.isRolling {
      entry = Playhead.Entry(Position(bar: sections[bar.section].line(before: bar.bar).bar, beats: 0))
    } else if quantise == .now {
      playback.playhead.jump(to: bar, at: playback.time(at: clock))
      return true
    } else {
      jump = Jump(bar: bar, quantise: quantise)
    }
    return false
  }
}
