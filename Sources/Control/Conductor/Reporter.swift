import MusicTime
import Realtime
import Validation

/// Decides what the observers are told of changes and warnings.
///
/// Every outlet gets warnings from here: they are printable text, and not more of them than `WarningLimit` admits.
struct Reporter {
  private var told: Snapshot
  private var warnings = WarningLimit()

  /// - Parameter snapshot: what the observers take for granted.
  init(_ snapshot: Snapshot) { told = snapshot }

  /// When warnings that were held back are due; `never` if none are.
  var deadline: Instant { warnings.deadline }

  /// - Returns: a report as it is to be told; nil if it is held back.
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

  /// The warnings that were held back and are due.
  mutating func takeHeld(at now: Instant) -> [Report] { warnings.takeHeld(at: now) }

  /// All warnings that are held back, at the end.
  func allHeld() -> [Report] { warnings.allHeld() }

  /// - Returns: what has changed since the last call; nil if nothing has.
  mutating func changes(to new: Snapshot) -> (from: Snapshot, to: Snapshot)? {
    guard new != told else { return nil }
    defer { told = new }
    return (told, new)
  }
}
