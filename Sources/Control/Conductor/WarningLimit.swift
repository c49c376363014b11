import MusicTime
import Realtime

/// Limits warnings of one kind: the first ones are reported at once, later ones once per second with a count.
///
/// Two warnings are of one kind if they differ only in digits and in quoted text. Warnings that are held back are counted;
/// `takeHeld` returns the last of each kind with the count.
struct WarningLimit {
  /// Number of warnings of a kind that are reported at once.
  static let burst = 3
  /// Number of kinds that are distinguished; all others count as one kind.
  static let capacity = 16
  /// The time between two later warnings of a kind.
  static let interval = Duration.seconds(1)

  private struct Kind {
    let name: String
    var reported = 0
    var held = 0
    var last: Report

    /// The last warning, with the number of warnings that it represents.
    var report: Report { held == 1 ? last : last.counted(held) }
  }

  private var kinds: [Kind] = []
  /// When `takeHeld` is due; `never` if there has been no warning for a while.
  private(set) var deadline = Instant.never

  /// Whether to report a warning now. Otherwise it is counted.
  mutating func admits(_ warning: Report, _ text: String, at now: Instant) -> Bool {
    if deadline == .never { deadline = now + WarningLimit.interval }
    let index = index(of: WarningLimit.kind(of: text), warning)
    kinds[index].last = warning
    guard kinds[index].reported < WarningLimit.burst else {
      kinds[index].held += 1
      return false
    }
    kinds[index].reported += 1
    return true
  }

  /// The warnings held back until the deadline, one for each kind. A kind without a warning since the last deadline may burst
  /// again.
  mutating func takeHeld(at now: Instant) -> [Report] {
    guard now >= deadline else { return [] }
    kinds.removeAll { $0.held == 0 }
    let held = kinds.map(\.report)
    for index in kinds.indices { (kinds[index].reported, kinds[index].held) = (WarningLimit.burst, 0) }
    deadline = kinds.isEmpty ? .never : now + WarningLimit.interval
    return held
  }

  /// The warnings that are held back at present, one for each kind.
  func allHeld() -> [Report] { kinds.filter { $0.held > 0 }.map(\.report) }

  private mutating func index(of name: String, _ warning: Report) -> Int {
    if let index = kinds.firstIndex(where: { $0.name == name }) { return index }
    guard name.isEmpty || kinds.count < WarningLimit.capacity else { return index(of: "", warning) }
    kinds.append(Kind(name: name, last: warning))
    return kinds.count - 1
  }

  private static func kind(of text: String) -> String {
    var (kind, isQuoted) = (String.UnicodeScalarView(), false)
    for scalar in text.unicodeScalars.prefix(200) {
      if scalar == "'" { isQuoted.toggle() }
      if !isQuoted, scalar.properties.numericType == nil { kind.append(scalar) }
    }
    return String(kind)
  }
}

extension Report {
  /// A warning that represents several of its kind.
  fileprivate func counted(_ count: Int) -> Report {
    let note = " (\(count) of the kind)"
    return switch self {
    case .warning(let text): .warning(text + note)
    case .guarded(let text, let outline): .guarded(text + note, outline: outline.map { $0 + note })
    default: self
    }
  }
}
