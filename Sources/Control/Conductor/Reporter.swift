import MusicTime
import Realtime
import Validation

/// Decides which changes and warnings the observers receive.
///
/// All warnings pass through here: their text is made printable, and `WarningLimit` limits their number.
struct Reporter {
  private var reported: Snapshot
  private var warnings = WarningLimit()

  /// - Parameter snapshot: the state that the observers assume at first.
  init(_ snapshot: Snapshot) { reported = snapshot }

  /// When held-back warnings are due; `never` if there are none.
  var deadline: Instant { warnings.deadline }

  /// - Returns: the report in printable form; nil if it is held back.
  mutating func admit(_ report: Report, at now: Instant) -> Report? {
    let (warning, text): (Report, String)
    switch report {
    case .warning(let words):
      text = printable(words)
      warning = .warning(text)
    case .guarded(let words, let outline):
      text = words.split(separator: "\n").map { printable(String($0)) }.joined(separator: "\n")
      warning = .guarded(text, outline: outline.map { printable($0) })
    default: return report
    }
    return warnings.admits(warning, text, at: now) ? warning : nil
  }

  /// The held-back warnings that are due.
  mutating func takeHeld(at now: Instant) -> [Report] { warnings.takeHeld(at: now) }

  /// All held-back warnings; used at the end.
  func allHeld() -> [Report] { warnings.allHeld() }

  /// - Returns: the snapshots before and after a change since the last call; nil if nothing has changed.
  mutating func changes(to new: Snapshot) -> (from: Snapshot, to: Snapshot)? {
    guard new != reported else { return nil }
    defer { reported = new }
    return (reported, new)
  }
}
