import MusicTime

/// Limits how often warnings of one kind are told: the first ones at once, and from then on one a second, with a count.
///
/// Two warnings are of one kind if they differ only in digits and in what stands in quotes. Whatever is held back is
/// counted, and `takeHeld` returns the count with the last of the kind.
struct WarningLimit {
  /// Warnings of a kind that are told at once.
  static let burst = 3
  /// Kinds that are told apart; all others count as one.
  static let capacity = 16
  /// Nanoseconds between two warnings of a kind after that.
  static let interval: UInt64 = 1_000_000_000

  private struct Kind {
    let name: String
    var told = 0
    var held = 0
    var last: Report

    /// The last one, with how many it stands for.
    var report: Report { held == 1 ? last : last.counted(held) }
  }

  private var kinds: [Kind] = []
  /// When `takeHeld` is due, by `Monotonic`; `.max` if nothing was told for a while.
  private(set) var deadline = UInt64.max

  /// Whether a warning is to be told now; if not, it is counted.
  mutating func admits(_ warning: Report, _ text: String, at now: UInt64) -> Bool {
    if deadline == .max { deadline = now + WarningLimit.interval }
    let index = index(of: WarningLimit.kind(of: text), warning)
    kinds[index].last = warning
    guard kinds[index].told < WarningLimit.burst else {
      kinds[index].held += 1
      return false
    }
    kinds[index].told += 1
    return true
  }

  /// What was held back until the deadline, one warning a kind. Kinds that were quiet have their burst again.
  mutating func takeHeld(at now: UInt64) -> [Report] {
    guard now >= deadline else { return [] }
    kinds.removeAll { $0.held == 0 }
    let held = kinds.map(\.report)
    for index in kinds.indices { (kinds[index].told, kinds[index].held) = (WarningLimit.burst, 0) }
    deadline = kinds.isEmpty ? .max : now + WarningLimit.interval
    return held
  }

  /// What is held back at the end, one warning a kind.
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
  /// A warning that stands for several of its kind.
  fileprivate func counted(_ count: Int) -> Report {
    let note = " (\(count) of the kind)"
    return switch self {
    case .warning(let text): .warning(text + note)
    case .guarded(let text, let outline): .guarded(text + note, outline: outline.map { $0 + note })
    default: self
    }
  }
}
