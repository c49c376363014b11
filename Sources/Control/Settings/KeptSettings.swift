import MusicTime
import Realtime
import Validation

/// The settings, and when they are saved.
struct KeptSettings {
  /// The time from a change until the settings are saved.
  static let delay = Duration.seconds(1)

  private(set) var current: Settings
  /// When to save; `never` if nothing has changed.
  private(set) var deadline = Instant.never
  /// Whether the settings on disk are not these, and no user has said yet that these are to replace them.
  private(set) var leavesDiskAlone: Bool

  init(_ settings: Settings, leavesDiskAlone: Bool) {
    (current, self.leavesDiskAlone) = (settings, leavesDiskAlone)
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
    if deadline == .never, !leavesDiskAlone { deadline = now + KeptSettings.delay }
  }

  /// Returns the settings to save now.
  mutating func takeForSaving() -> Settings {
    (leavesDiskAlone, deadline) = (false, .never)
    return current
  }
}
