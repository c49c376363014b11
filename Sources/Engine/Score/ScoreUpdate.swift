import MusicTime

/// Everything the engine plays next: one change that it makes as soon as its quantisation allows, changes for later frames, and the
/// score that follows at the end.
///
/// An update replaces the previous one, including the changes that have not been made. It owns its scores. The engine sends
/// it back through `Channels.returnedUpdates` when it plays none of them and has taken another update.
///
/// Updates and scores are handed over by pointer and have no owning handle: the mailbox and the ring exchange single words, the
/// process callback must not free, and arrays of changes can't hold noncopyable values.
package struct ScoreUpdate: BitwiseCopyable {
  /// A change that takes effect on a clock frame; its score's quantisation does not apply.
  package struct ScheduledChange: BitwiseCopyable {
    /// The clock frame.
    package let frame: ClockFrame
    /// The score to play from then on, if the update's own change has not been made yet.
    package let before: UnsafePointer<Score>
    /// The score to play from then on, if the update's own change has been made. It may be the same as `before`.
    package let after: UnsafePointer<Score>

    /// - Thread: any
    package init(frame: ClockFrame, before: UnsafePointer<Score>, after: UnsafePointer<Score>) {
      self.frame = frame
      self.before = before
      self.after = after
    }
  }

  /// The largest number of scheduled changes.
  package static let capacity = 32

  /// The score to play as soon as its quantisation allows; nil if the one that plays stays.
  package let change: UnsafePointer<Score>?
  /// Soonest first.
  let scheduled: UnsafeBufferPointer<ScheduledChange>
  /// The number of `change`. The engine stores it in `Channels.changes` when it has made the change.
  let serial: Int
  /// The number of the change on which the `before` scores are based. If the engine has made another change since, it plays the
  /// `after` scores.
  let basis: Int
  /// The score that begins on the frame on which the music ends, if its mode is `free` and no stop waits there; nil if the music
  /// stops.
  let successor: UnsafePointer<Score>?
  /// The number of successors that the conductor knows to have begun. If another one has begun since, the update is of the music
  /// before it, and the engine does not take it.
  let successions: Int

  /// Makes an update. It traps if there are more than `capacity` scheduled changes.
  /// - Parameters:
  ///   - change: the update owns it from here on, and the scores of `scheduled` and `successor` too.
  ///   - scheduled: soonest first.
  ///   - serial: the number of `change`.
  ///   - basis: the number of the change on which the `before` scores are based.
  ///   - successor: begins when the music ends.
  ///   - successions: the number of successors that are known to have begun.
  /// - Returns: an update that the caller owns until it publishes it.
  /// - Thread: control
  package static func make(
    change: UnsafePointer<Score>?, scheduled: [ScheduledChange] = [], serial: Int = 0, basis: Int = 0,
    successor: UnsafePointer<Score>? = nil, successions: Int = 0
  ) -> UnsafePointer<ScoreUpdate> {
    precondition(scheduled.count <= capacity)
    let copy = UnsafeMutableBufferPointer<ScheduledChange>.allocate(capacity: scheduled.count)
    _ = copy.initialize(from: scheduled)
    let update = UnsafeMutablePointer<ScoreUpdate>.allocate(capacity: 1)
    update.initialize(
      to: ScoreUpdate(
        change: change, scheduled: UnsafeBufferPointer(copy), serial: serial, basis: basis,
        successor: successor, successions: successions))
    return UnsafePointer(update)
  }

  /// Frees an update that no engine uses any more, and its scores.
  /// - Thread: control
  package static func free(_ update: UnsafePointer<ScoreUpdate>) {
    if let change = update.pointee.change { Score.free(change) }
    for scheduled in update.pointee.scheduled {
      Score.free(scheduled.before)
      if scheduled.after != scheduled.before { Score.free(scheduled.after) }
    }
    if let successor = update.pointee.successor { Score.free(successor) }
    update.pointee.scheduled.deallocate()
    update.deallocate()
  }
}

/// When a change of tempo, meter or pattern takes effect.
package enum Quantise: String, BitwiseCopyable, CaseIterable, Sendable {
  case now, beat, bar
}
