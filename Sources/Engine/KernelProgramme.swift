import MusicTime
import Synchronization

/// Which programme the engine goes through, and how far it is.
struct ProgrammeState: BitwiseCopyable {
  /// The one whose score plays.
  var playing: UnsafePointer<Programme>
  /// The newest one, whose changes are made; the same when the first of them has been.
  var newest: UnsafePointer<Programme>
  /// Whether its own change has been made, or it has none.
  var isChanged = true
  /// How many of its dated changes have been made.
  var dated = 0
  /// Whether the dated ones fall on the scores that don't have the change.
  var isBefore = false
  /// The number of the last change that has been made.
  var serial: Int

  @_noLocks
  init(_ first: UnsafePointer<Programme>) {
    playing = first
    newest = first
    serial = first.pointee.serial
  }

  /// Takes another programme in place of the newest.
  @_noLocks
  mutating func take(_ next: UnsafePointer<Programme>) {
    newest = next
    isChanged = next.pointee.change == nil
    dated = 0
    isBefore = !isChanged && next.pointee.basis == serial
  }

  /// The score that the programme's own change brings; nil where that has been made.
  var change: UnsafePointer<Score>? {
    @_noLocks get {
      guard !isChanged else { return nil }
      return dated > 0 ? newest.pointee.dated[dated - 1].after : newest.pointee.change
    }
  }

  /// The next score that has a date; nil where there is none.
  var nextDated: (frame: Int64, score: UnsafePointer<Score>)? {
    @_noLocks get {
      guard dated < newest.pointee.dated.count else { return nil }
      let next = newest.pointee.dated[dated]
      return (next.frame, isBefore ? next.before : next.after)
    }
  }
}

/// Taking programmes, and making the changes that they are made of.
extension Kernel {
  /// - Thread: audio
  @_noLocks
  mutating func takeProgramme(at clock: Int64) {
    // One that is taken may send one back at once and another when its moment comes.
    guard channels.pointee.spent.hasRoom, let next = channels.pointee.programmes.take() else { return }
    if programme.newest != programme.playing { spend(programme.newest) }
    programme.take(next)
    if let change = programme.change { moveGains(to: change, at: clock) }
  }

  /// Whether a change waits for nothing.
  /// - Thread: audio
  var changesAtOnce: Bool {
    @_noLocks get {
      guard let next = programme.change else { return false }
      return next.pointee.quantise == .now || !isRolling
        || next.pointee.sampleRate != playhead.score.pointee.sampleRate
        || next.pointee.role != playhead.score.pointee.role
    }
  }

  /// The clock frame at which the next change is made; `Int64.max` where there is none.
  /// - Thread: audio
  var changeFrame: Int64 { @_noLocks get { min(lineFrame, programme.nextDated?.frame ?? .max) } }

  /// The clock frame at which the programme's own change is made.
  private var lineFrame: Int64 {
    @_noLocks get {
      guard let next = programme.change else { return .max }
      return changesAtOnce ? .min : playhead.boundary(next.pointee.quantise).frame - shift
    }
  }

  /// Makes all changes that are due at a clock frame or were before.
  /// - Thread: audio
  @_noLocks
  mutating func makeChanges(at clock: Int64) {
    while changeFrame <= clock, programme.newest == programme.playing || channels.pointee.spent.hasRoom {
      if let change = programme.change, lineFrame <= programme.nextDated?.frame ?? .max {
        let line = changesAtOnce ? nil : playhead.boundary(change.pointee.quantise)
        makeChange(to: change, at: clock, on: line)
        programme.isChanged = true
        programme.isBefore = false
        programme.serial = programme.newest.pointee.serial
        channels.pointee.changes.store(programme.serial, ordering: .releasing)
      } else if let next = programme.nextDated?.score {
        makeChange(to: next, at: clock, on: nil)
        programme.dated += 1
      }
    }
  }

  @_noLocks
  private mutating func makeChange(
    to next: UnsafePointer<Score>, at clock: Int64, on line: Playhead.Boundary?
  ) {
    let time = line?.time ?? playhead.instant(at: timelineFrame(at: clock))
    let (pulses, piece) = (playhead.pulses(at: time), playhead.score.pointee.piece)
    if let line {
      carryTicks(to: next, inBar: line.position.bar)
      playhead.adopt(next, at: line)
    } else {
      let frame = timelineFrame(at: clock)
      carryTicks(to: next, inBar: playhead.position(at: time).bar)
      playhead.adopt(next, at: frame)
    }
    if isRolling, next.pointee.piece == piece {
      clockSender.carry(from: pulses, to: playhead.pulses(at: time))
    }
    moveGains(to: next, at: clock)
    if programme.newest != programme.playing {
      spend(programme.playing)
      programme.playing = programme.newest
    }
  }

  /// Sends a programme back. There is room: one is taken and entered only where there is.
  @_noLocks
  private func spend(_ programme: UnsafePointer<Programme>) {
    _ = channels.pointee.spent.push(programme)
  }
}
