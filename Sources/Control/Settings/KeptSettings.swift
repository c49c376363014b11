import MusicTime
import Realtime
import Validation

/// The settings, and when they are saved.
struct KeptSettings {
  /// The time from a change until the settings are saved.
  static let delay = Duration.seconds(1)
  /// The time from a new bar of a session until its place is saved: a file is not written in each bar.
  static let placeDelay = Duration.seconds(5)

  private(set) var current: Settings
  /// When to save what has changed; `never` if nothing has.
  private var changeDeadline = Instant.never
  private var retry = SaveRetry()
  /// Where the session stands; nil if none is open.
  private var place: SessionPlace?
  private var isMoving = false
  /// Whether the settings on disk are not these, and no user has said yet that these are to replace them.
  private(set) var leavesDiskAlone: Bool

  /// When to save; `never` if there is nothing to save.
  var deadline: Instant { min(changeDeadline, retry.time) }

  init(_ settings: Settings, leavesDiskAlone: Bool) {
    (current, self.leavesDiskAlone) = (settings, leavesDiskAlone)
    place = settings.session
  }

  /// Changes the settings, or nothing if that throws.
  mutating func change(_ change: (inout Settings) throws(InvalidValue) -> Void) throws(InvalidValue) {
    var next = current
    try change(&next)
    current = next
  }

  /// Changes something that is always valid.
  mutating func update(_ change: (inout Settings) -> Void) { change(&current) }

  /// A user may have changed something: from then on the settings are saved.
  /// - Parameter before: the settings before.
  mutating func noteChange(from before: Settings) {
    guard leavesDiskAlone else { return }
    var before = before
    // Nobody has set how far a session has come, nor what the ports are connected to.
    if before.session?.path == current.session?.path { before.session = current.session }
    before.connections = current.connections
    if before != current { leavesDiskAlone = false }
  }

  /// The settings are other than those that were reported: they are saved soon.
  mutating func noteReported(at now: Instant) {
    saveSoon(at: now + KeptSettings.delay)
  }

  /// Notes where the session stands, to the bar. It is saved soon when the music stops there, and every few seconds while it plays.
  /// - Parameter place: nil if no session is open.
  mutating func note(place: SessionPlace?, isMoving: Bool, at now: Instant) {
    guard place != self.place || isMoving != self.isMoving else { return }
    if place != nil { saveSoon(at: now + (isMoving ? KeptSettings.placeDelay : KeptSettings.delay)) }
    (self.place, self.isMoving) = (place, isMoving)
  }

  private mutating func saveSoon(at time: Instant) {
    if !leavesDiskAlone { changeDeadline = min(changeDeadline, time) }
  }

  /// The settings as they are saved: with the session's place to the bar.
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

  /// Notes how saving went.
  /// - Parameter failure: the reason why the settings could not be saved; nil if they could be saved again.
  /// - Returns: what is to be told.
  mutating func noteSaving(failure: String?, at now: Instant) -> String? {
    guard let failure else {
      defer { retry = SaveRetry() }
      return retry.isTold ? "the settings are saved again" : nil
    }
    return retry.noteFailure(at: now) ? "the settings could not be saved: \(failure)" : nil
  }

  /// Reports the next failure even if an earlier one was reported.
  mutating func reportNextFailure() { retry.reportNext() }
}

/// When settings that could not be saved are saved once more.
private struct SaveRetry {
  /// The time until the first retry. Each takes twice as long as the one before, up to a limit.
  private static let firstPause = Duration.seconds(2)
  private static let longestPause = Duration.seconds(60)

  /// `never` if nothing has failed, or an attempt is under way.
  private(set) var time = Instant.never
  private var pause = SaveRetry.firstPause
  /// Whether a failure has been told.
  private(set) var isTold = false
  private var reportsNext = true

  mutating func noteAttempt() { time = .never }

  /// - Returns: whether it is to be told.
  mutating func noteFailure(at now: Instant) -> Bool {
    defer { (isTold, reportsNext) = (true, false) }
    time = now + pause
    pause = min(pause * 2, SaveRetry.longestPause)
    return reportsNext
  }

  mutating func reportNext() { reportsNext = true }
}
