import Control

/// Judges whether the state file contains the reported settings: at the end the last ones, after a crash recent ones.
enum SettingsJudge {
  /// - Parameters:
  ///   - died: when the program crashed; nil if it ended.
  ///   - grace: the maximum time in nanoseconds until a change is on disk.
  ///   - isDiskBusy: whether the disk is full, or slower than that.
  static func judge(
    _ disk: Disk, _ reported: SettingsHistory, diedAt died: UInt64?, grace: UInt64, isDiskBusy: Bool
  ) throws(Fault) {
    let saved: Settings
    switch disk.file.read() {
    case .damaged(let reason, _), .partial(_, let reason, _):
      throw Fault(promise: .stateFile, what: "the state file can't be read: \(reason)")
    case .none:
      guard !disk.hasSaved else {
        throw Fault(promise: .stateFile, what: "there is no state file, though settings have been saved")
      }
      // Without saved settings the program starts with the defaults.
      saved = Settings()
    case .settings(let settings, _): saved = settings
    }
    guard let fineSince = disk.fineSince else { return }
    if let died {
      // After a failure the program retries, at the latest a minute later.
      if disk.lastFailed, died < fineSince + 60_000_000_000 + grace { return }
      guard !isDiskBusy, !reported.hold(saved, since: died - min(died, grace)) else { return }
      throw Fault(
        promise: .settings,
        what:
          "settings that were reported before the crash are not saved: \(difference(saved, reported.last))")
    }
    guard saved.saved == reported.last.saved else {
      throw Fault(
        promise: .settings, what: "settings are not saved at the end: \(difference(saved, reported.last))")
    }
  }

  private static func difference(_ saved: Settings, _ reported: Settings) -> String {
    let parameters = Set(saved.changed.keys).union(reported.changed.keys)
    let names = parameters.filter { saved.saved[$0] != reported.saved[$0] }
      .map { "\($0.name) is \(saved[$0]), was reported as \(reported[$0])" }.sorted()
    return names.isEmpty ? "session, bindings or connections differ" : names.joined(separator: ", ")
  }
}
