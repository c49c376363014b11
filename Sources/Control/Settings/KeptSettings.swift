import MusicTime
import Realtime
import Validation

/// The settings, and the time at which they are saved.
struct KeptSettings {
  /// The time from a change until the settings are saved.
  static let delay = Duration.seconds(1)
  /// The time from a new bar of a session until its place is saved, so that the file is not written in each bar.
  static let placeDelay = Duration.seconds(5)

  private(set) var current: Settings
  /// When to save the changes; `never` if there are none.
  private var changeDeadline = Instant.never
  private var retry = SaveRetry()
  /// The session's place; nil if no session is open.
  private var place: SessionPlace?
  private var isMoving = false
  /// Whether the settings on disk differ from these on purpose, and the user has not changed or saved these yet.
  private(set) var leavesDiskAlone: Bool

  /// When to save; `never` if there is nothing to save.
  var deadline: Instant { min(changeDeadline, retry.time) }

  init(_ settings: Settings, leavesDiskAlone: Bool) {
    (current, self.leavesDiskAlone) = (settings, leavesDiskAlone)
    place = settings.session
  }

  /// Changes the settings, or leaves them unchanged if `change` throws.
  /// - Throws: the error of `change`.
  mutating func change(_ change: (inout Settings) throws(InvalidValue) -> Void) throws(InvalidValue) {
    var next = current
    try change(&next)
    current = next
  }

  /// Applies a change that is always valid.
  mutating func update(_ change: (inout Settings) -> Void) { change(&current) }

  /// Allows saving if the user has changed something.
  /// - Parameter before: the settings before the change.
  mutating func noteChange(from before: Settings) {
    guard leavesDiskAlone else { return }
    var before = before
    // The session's place and the ports' connections are not set by the user, and another view is no reason to replace a file.
    if before.session?.path == current.session?.path { before.session = current.session }
    before.connections = current.connections
    try? before.set(.stageView(current[Parameters.stageView]))
    if before != current { leavesDiskAlone = false }
  }

  /// Notes that changed settings were reported: they are saved soon.
  mutating func noteReported(at now: Instant) {
    saveSoon(at: now + KeptSettings.delay)
  }

  /// Notes the session's place, to the bar. It is saved soon when the music stops there, and every few seconds while it plays.
  ///
  /// A session that was begun again keeps the place where it was left earlier until it has left its first section, or has passed
  /// that place.
  /// - Parameters:
  ///   - place: nil if no session is open.
  ///   - isInFirstSection: whether the place is in the session's first section or in the count-in before it.
  mutating func note(place: SessionPlace?, isInFirstSection: Bool, isMoving: Bool, at now: Instant) {
    if let place, let left = current.places.first(where: { $0.path == place.path }),
      !isInFirstSection || !place.isBefore(left)
    {
      current.dropPlace(in: place.path)
    }
    guard place != self.place || isMoving != self.isMoving else { return }
    if place != nil { saveSoon(at: now + (isMoving ? KeptSettings.placeDelay : KeptSettings.delay)) }
    (self.place, self.isMoving) = (place, isMoving)
  }

  private mutating func saveSoon(at time: Instant) {
    if !leavesDiskAlone { changeDeadline = min(changeDeadline, time) }
  }

  /// The settings to save, with the session's place to the bar.
  var kept: Settings {
    var kept = current
    if let place, place.path == kept.session?.path { kept.session = place }
    return kept
  }

  /// Returns the settings to save now.
  mutating func takeForSaving() -> Settings {
    (leavesDiskAlone, changeDeadline) = (false, .never)
    retry.noteAttempt()
    return kept
  }

  /// Notes the result of saving.
  /// - Parameter failure: the reason why the settings could not be saved; nil: saving works again.
  /// - Returns: a message for the user; nil if there is none.
  mutating func noteSaving(failure: String?, at now: Instant) -> String? {
    guard let failure else {
      defer { retry = SaveRetry() }
      return retry.isReported ? "the settings are saved again" : nil
    }
    return retry.noteFailure(at: now) ? "the settings could not be saved: \(failure)" : nil
  }

  /// Reports the next failure even if an earlier one has been reported.
  mutating func reportNextFailure() { retry.reportNext() }
}

/// When to retry saving.
private struct SaveRetry {
  /// The time until the first retry. Each pause doubles, up to the limit.
  private static let firstPause = Duration.seconds(2)
  private static let longestPause = Duration.seconds(60)

  /// When to retry; `never` if nothing has failed, or an attempt is under way.
  private(set) var time = Instant.never
  private var pause = SaveRetry.firstPause
  /// Whether a failure has been reported.
  private(set) var isReported = false
  private var reportsNext = true

  mutating func noteAttempt() { time = .never }

  /// - Returns: whether to report the failure.
  mutating func noteFailure(at now: Instant) -> Bool {
    defer { (isReported, reportsNext) = (true, false) }
    time = now + pause
    pause = min(pause * 2, SaveRetry.longestPause)
    return reportsNext
  }

  mutating func reportNext() { reportsNext = true }
}
