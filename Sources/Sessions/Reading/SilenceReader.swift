import Engine
import Validation

/// Reads the three keys that silence bars; a section may have one of them.
struct SilenceReader {
  private static let keys: [StaticString] = ["silent", "gap", "random-silence"]

  let log: FaultLog

  func silence(_ fields: Fields) -> SilencePlan? {
    let given = fields.keys(among: SilenceReader.keys)
    for extra in given.dropFirst() {
      log.report(
        extra.mark, "\(extra.key) besides \(given[0].key)", allowed: "one of silent, gap, random-silence")
    }
    guard let (key, _, node) = given.first else { return nil }
    switch key {
    case "silent":
      return log.read(at: node.mark) { () throws(InvalidValue) in
        try readFlag(node, "silent") ? .always : .never
      }
    case "gap": return gap(node)
    default: return random(node)
    }
  }

  private func gap(_ node: Node) -> SilencePlan? {
    guard let fields = Fields(node, of: "gap", known: DocumentKeys.gap, log) else { return nil }
    let play = number("play", of: fields, SessionLimits.gapBars, "bars")
    let rest = number("rest", of: fields, SessionLimits.gapBars, "bars")
    let growth = fields["grow"] == nil ? 0 : number("grow", of: fields, SessionLimits.gapGrowth, "bars")
    guard let play, let rest, let growth else { return nil }
    return .gap(play: play, rest: rest, growth: growth)
  }

  private func random(_ node: Node) -> SilencePlan? {
    guard let fields = Fields(node, of: "random-silence", known: DocumentKeys.randomSilence, log) else {
      return nil
    }
    let chances = SessionLimits.percent
    let percent = number("percent", of: fields, chances, "in a hundred")
    let rise = fields["rise"] == nil ? 0 : number("rise", of: fields, chances, "in a hundred")
    let seed = fields["seed"] == nil ? 1 : number("seed", of: fields, SessionLimits.seeds, "")
    guard let percent, let rise, let seed else { return nil }
    return .random(percent: percent, rise: rise, seed: UInt64(seed))
  }

  private func number(_ key: StaticString, of fields: Fields, _ range: ClosedRange<Int>, _ unit: String)
    -> Int?
  {
    log.required(key, of: fields, allowed: "a whole number, \(range.shown)") {
      node throws(InvalidValue) in try readInteger(node, "\(key)", range, unit)
    }
  }
}

extension FaultLog {
  /// The value of a mandatory key; nil, and a fault, if it is missing or refused.
  func required<T>(
    _ key: StaticString, of fields: Fields, allowed: String, _ body: (Node) throws(InvalidValue) -> T
  ) -> T? {
    guard let node = fields[key] else {
      report(fields.mark, "missing key \(key)", allowed: allowed)
      return nil
    }
    return read(at: node.mark) { () throws(InvalidValue) in try body(node) }
  }
}
