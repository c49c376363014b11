import Control
import TimeCheck
import Validation

/// Reads goals, and how the tempo changes when they are reached.
struct GoalReader {
  let log: FaultLog

  /// Reads a goal.
  /// - Parameter key: the key of the goal, for messages.
  /// - Returns: nil if it has a fault, which is in the log.
  func goal(_ node: Node, _ key: String) -> TimingGoal? {
    guard let fields = Fields(node, of: key, known: DocumentKeys.goal, log) else { return nil }
    let before = log.faults.count
    var goal = TimingGoal(bars: 8)
    if let node = fields["bars"] {
      let bars = log.read(at: node.mark) { () throws(InvalidValue) in
        try readInteger(node, "bars", TimingGoal.bars, "bars")
      }
      goal.bars = bars ?? 8
    }
    goal.spread = amount("spread", of: fields, TimingGoal.milliseconds, "ms")
    goal.mean = amount("mean", of: fields, TimingGoal.milliseconds, "ms")
    goal.missed = amount("missed", of: fields, TimingGoal.percent, "%")
    goal.silent = amount("silent", of: fields, TimingGoal.percent, "%")
    goal.tempo = amount("tempo", of: fields, TimingGoal.deviation, "%")
    let goals = DocumentKeys.goal.filter { $0 != "bars" }
    if fields.keys(among: ["spread", "mean", "missed", "silent", "tempo"]).isEmpty {
      log.report(
        fields.mark, "\(key) without a goal",
        allowed: "given at least one of \(goals.joined(separator: ", "))")
    }
    return log.faults.count == before ? goal : nil
  }

  func advance(_ node: Node) -> Advance? {
    guard let fields = Fields(node, of: "advance", known: DocumentKeys.advance, log) else { return nil }
    guard let when = fields["when"] else {
      log.report(
        fields.mark, "missing key when", allowed: "the goal, as {spread: 12 ms, bars: 8}")
      return nil
    }
    let before = log.faults.count
    let goal = goal(when, "when")
    let by = step(fields, allowed: "the step in beats a minute")
    let fallback = fields["else"].flatMap(fallback)
    guard log.faults.count == before, let goal, let by else { return nil }
    return Advance(goal: goal, by: by, fallback: fallback)
  }

  private func fallback(_ node: Node) -> Advance.Fallback? {
    guard let fields = Fields(node, of: "else", known: DocumentKeys.fallback, log) else { return nil }
    let failures = SessionLimits.failures
    let after = log.required("after", of: fields, allowed: "failures in a row, \(failures.shown)") {
      node throws(InvalidValue) in try readInteger(node, "after", failures, "failures")
    }
    let by = step(fields, allowed: "the step back in beats a minute, as -4")
    guard let after, let by else { return nil }
    return Advance.Fallback(after: after, by: by)
  }

  /// A step up or down, in thousandths of a beat a minute.
  private func step(_ fields: Fields, allowed: String) -> Int? {
    log.required("by", of: fields, allowed: allowed) { node throws(InvalidValue) in
      try readTempoStep(node, "by", isSigned: true)
    }
  }

  /// A number in tenths, with or without its unit.
  private func amount(
    _ key: StaticString, of fields: Fields, _ range: ClosedRange<Double>, _ unit: String
  ) -> Double? {
    guard let node = fields[key] else { return nil }
    let allowed = "\(plain(range.lowerBound))…\(plain(range.upperBound)) \(unit)"
    return log.read(at: node.mark) { () throws(InvalidValue) in
      let text = try readPlain(node, "\(key)", allowed: allowed)
      let digits = text.hasSuffix(unit) ? text.dropLast(unit.count).trimmed : text[...]
      guard let number = decimal(digits), range ~= number else {
        throw InvalidValue("\(key)", node.shown, allowed: allowed)
      }
      return (number * 10).rounded() / 10
    }
  }
}

extension Substring {
  /// Without spaces at its end.
  fileprivate var trimmed: Substring { hasSuffix(" ") ? dropLast().trimmed : self }
}
