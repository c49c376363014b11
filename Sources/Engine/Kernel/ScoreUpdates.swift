import MusicTime
import Synchronization

/// The engine's updates, and which of their changes it has made.
///
/// It owns the updates: it sends each one back when it no longer uses it, and frees the remaining ones at the end.
struct ScoreUpdates: ~Copyable {
  private let channels: UnsafePointer<Channels>
  /// The update whose score plays.
  private var playing: UnsafePointer<ScoreUpdate>
  /// The newest update, whose changes are pending. The same as `playing` once the first of them has been made.
  private var newest: UnsafePointer<ScoreUpdate>
  /// The update that played before, while its score is still needed for positions.
  private var past: UnsafePointer<ScoreUpdate>?
  /// Whether the newest update's own change has been made, or it has none.
  private var isChanged = true
  /// How many of the newest update's scheduled changes have been made.
  private var scheduled = 0
  /// Whether to use the `before` scores of scheduled changes.
  private var isBefore = false
  /// The number of the last change that has been made.
  private var serial: Int
  /// Whether the newest update's successor has begun.
  private var hasSucceeded = false
  /// The number of successors that have begun.
  /// - Thread: audio
  private(set) var successions: Int
  /// Whether no change is pending. Stored, as each period asks several times.
  /// - Thread: audio
  private(set) var isIdle = true

  /// - Parameter first: must have a change, which plays already.
  @_noLocks
  init(_ first: UnsafePointer<ScoreUpdate>, _ channels: UnsafePointer<Channels>) {
    self.channels = channels
    playing = first
    newest = first
    serial = first.pointee.serial
    successions = first.pointee.successions
    noteIdle()
  }

  deinit {
    ScoreUpdate.free(playing)
    if newest != playing { ScoreUpdate.free(newest) }
    if let past { ScoreUpdate.free(past) }
  }

  /// Replaces the newest update by the one that the conductor has published, if any. An update of the music before the last successor is
  /// sent back.
  /// - Returns: the score of its own change; nil if there is no update or no change in it.
  /// - Thread: audio
  @_noLocks
  mutating func receive() -> UnsafePointer<Score>? {
    // Taking an update may send one back now and another when its first change is made.
    guard channels.pointee.returnedUpdates.hasRoom, let next = channels.pointee.scoreUpdates.take() else {
      return nil
    }
    guard next.pointee.successions == successions else {
      giveBack(next)
      return nil
    }
    if newest != playing { giveBack(newest) }
    newest = next
    isChanged = next.pointee.change == nil
    scheduled = 0
    hasSucceeded = false
    isBefore = !isChanged && next.pointee.basis == serial
    noteIdle()
    return change
  }

  /// The score of the update's own change; nil if it has been made.
  /// - Thread: audio
  var change: UnsafePointer<Score>? {
    @_noLocks get {
      guard !isChanged else { return nil }
      return scheduled > 0 ? newest.pointee.scheduled[scheduled - 1].after : newest.pointee.change
    }
  }

  /// The next scheduled change; nil if there is none.
  /// - Thread: audio
  var nextScheduled: (frame: ClockFrame, score: UnsafePointer<Score>)? {
    @_noLocks get {
      guard scheduled < newest.pointee.scheduled.count else { return nil }
      let next = newest.pointee.scheduled[scheduled]
      return (next.frame, isBefore ? next.before : next.after)
    }
  }

  /// The score that follows at the end of the one that plays; nil if there is none.
  /// - Thread: audio
  var successor: UnsafePointer<Score>? {
    @_noLocks get { hasSucceeded ? nil : newest.pointee.successor }
  }

  /// Whether a change may be made: the update that played until then can be sent back.
  /// - Thread: audio
  var hasRoom: Bool { @_noLocks get { newest == playing || channels.pointee.returnedUpdates.hasRoom } }

  /// Records that the update's own change has been made.
  /// - Parameter keepsPast: whether the previous score is still needed for positions.
  /// - Thread: audio
  @_noLocks
  mutating func finishChange(keepsPast: Bool) {
    playNewest(keepsPast)
    isChanged = true
    isBefore = false
    serial = newest.pointee.serial
    noteIdle()
    channels.pointee.changes.store(serial, ordering: .releasing)
  }

  /// Records that the next scheduled change has been made.
  /// - Parameter keepsPast: whether the previous score is still needed for positions.
  /// - Thread: audio
  @_noLocks
  mutating func finishScheduled(keepsPast: Bool) {
    playNewest(keepsPast)
    scheduled += 1
    noteIdle()
  }

  /// Records that the successor has begun. The update's other changes are of the music before it.
  /// - Thread: audio
  @_noLocks
  mutating func finishSuccession() {
    playNewest(false)
    (isChanged, isBefore, hasSucceeded) = (true, false, true)
    scheduled = newest.pointee.scheduled.count
    successions += 1
    channels.pointee.successions.store(successions, ordering: .releasing)
    noteIdle()
  }

  @_noLocks
  private mutating func noteIdle() { isIdle = isChanged && scheduled >= newest.pointee.scheduled.count }

  @_noLocks
  private mutating func playNewest(_ keepsPast: Bool) {
    guard newest != playing else { return }
    if keepsPast || past != nil {
      // Send back only one update here, as the ring may have room for only one.
      if let past { giveBack(past) }
      past = playing
    } else {
      giveBack(playing)
    }
    playing = newest
  }

  /// Sends an update back. The ring has room: updates are taken and changes made only if it has.
  @_noLocks
  private func giveBack(_ update: UnsafePointer<ScoreUpdate>) {
    _ = channels.pointee.returnedUpdates.push(update)
  }
}
