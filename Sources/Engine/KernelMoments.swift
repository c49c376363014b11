import MusicTime
import Synchronization

/// What happens when: commands, starts and stops, jumps.
extension Kernel {
  @_noLocks
  mutating func takeCommands(at clock: Int64) {
    // No more than a ring holds, so that a producer that never rests can't keep the cycle from its end.
    for _ in 0..<Agenda.capacityDue {
      guard let command = channels.pointee.commands.pop() else { return }
      if !agenda.insert(command, at: clock) {
        channels.pointee.droppedCommands.wrappingAdd(1, ordering: .relaxed)
      }
    }
  }

  /// The next clock frame at which something may happen; later than `clock`.
  @_noLocks
  func nextMoment(after clock: Int64) -> Int64 {
    let onset = isRolling && playhead.nextFrame != .max ? playhead.nextFrame - shift : .max
    return max(min(onset, nextChange), clock + 1)
  }

  /// The next clock frame at which something may have to be told; later than `clock`.
  @_noLocks
  func nextEvent(after clock: Int64) -> Int64 {
    guard isRolling, playhead.nextFrame != .max, !playhead.isAtEnd, playhead.onset.role == .subdivision,
      !tellsSubdivisions
    else { return nextMoment(after: clock) }
    return max(min(playhead.boundary(.beat).frame - shift, nextChange), clock + 1)
  }

  var tellsSubdivisions: Bool {
    @_noLocks get { channels.pointee.tellsSubdivisions.load(ordering: .relaxed) }
  }

  /// The next clock frame at which something else may happen than an onset.
  private var nextChange: Int64 {
    @_noLocks get {
      min(min(agenda.nextFrame, changeFrame), min(clockIn.nextFrame, jumpFrame ?? .max))
    }
  }

  /// Does what is due at a clock frame or was before.
  @_noLocks
  mutating func perform(at clock: Int64) {
    makeChanges(at: clock)
    if let frame = jumpFrame, frame <= clock { performJump() }
    hearClock(at: clock)
    while let action = agenda.take(dueAt: clock) {
      if timelineRole == .midiClock { heed(action, at: clock) }
      guard timelineRole == .free else { continue }
      switch action {
      case .start: start(at: clock)
      case .stop: stop(at: clock)
      case .pause: pause(at: clock)
      case .locate(let position): locate(position, at: clock)
      case .jump(let section, let quantise): jump(to: section, quantise, at: clock)
      case .hold(let holds): playhead.holdsSection = holds
      }
    }
  }

  @_noLocks
  private mutating func start(at clock: Int64) {
    guard !isRolling else { return }
    playhead.enter(at: entry, on: clock)
    setRolling(true, at: clock)
  }

  @_noLocks
  mutating func stop(at clock: Int64) {
    entry = Playhead.Entry(.start)
    pendingJump = nil
    setRolling(false, at: clock)
  }

  /// Stops where it is; `start` goes on from there.
  @_noLocks
  private mutating func pause(at clock: Int64) {
    guard isRolling else { return }
    entry = playhead.entry(at: timelineFrame(at: clock))
    setRolling(false, at: clock)
  }

  @_noLocks
  private mutating func jump(to section: Int, _ quantise: Quantise, at clock: Int64) {
    guard section >= 0, section < playhead.score.pointee.sections.count else { return }
    if !isRolling {
      entry = Playhead.Entry(Position(bar: playhead.score.pointee.sections[section].firstBar, beats: 0))
    } else if quantise == .now {
      playhead.jump(to: section, at: FrameTime(frame: clock))
      clockSender.move()
    } else {
      pendingJump = PendingJump(section: section, quantise: quantise)
    }
  }

  /// A jump that waits for a beat or bar line.
  struct PendingJump: BitwiseCopyable {
    let section: Int
    let quantise: Quantise
  }

  /// The clock frame of the line for which a jump waits.
  private var jumpFrame: Int64? {
    @_noLocks get {
      guard let pendingJump, isRolling else { return nil }
      return playhead.boundary(pendingJump.quantise).frame - shift
    }
  }

  @_noLocks
  private mutating func performJump() {
    guard let pendingJump else { return }
    self.pendingJump = nil
    playhead.jump(to: pendingJump.section, at: playhead.boundary(pendingJump.quantise).time)
  }

  @_noLocks
  private mutating func locate(_ position: Position, at clock: Int64) {
    if isRolling {
      playhead.anchor(position, at: FrameTime(frame: clock))
      clockSender.move()
    } else {
      entry = Playhead.Entry(position)
    }
  }
}
