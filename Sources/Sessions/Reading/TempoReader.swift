import MusicTime
import Validation

/// Reads a tempo: a number, a list with one for each beat, a ramp or a ladder.
struct TempoReader {
  let log: FaultLog

  static let allowed =
    "\(Tempo.allowed), a list of them, or {from, to}, {from, to, by, every, then} or {from, to, every, random}"

  func tempo(_ node: Node) -> SectionTempo? {
    switch node {
    case .scalar:
      return log.read(at: node.mark) { () throws(InvalidValue) in
        .constant(try readTempo(node, "tempo", allowed: TempoReader.allowed))
      }
    case .sequence(let list):
      guard !list.items.isEmpty else {
        log.report(node.mark, "empty list of tempos", allowed: "one tempo for each beat")
        return nil
      }
      let tempos = list.items.compactMap { tempo in
        log.read(at: tempo.mark) { () throws(InvalidValue) in try readTempo(tempo, "tempo") }
      }
      return tempos.count == list.items.count ? .beats(tempos) : nil
    case .mapping: return change(node)
    }
  }

  private func change(_ node: Node) -> SectionTempo? {
    guard let fields = Fields(node, of: "tempo", known: DocumentKeys.tempo, log) else { return nil }
    let from = bound("from", of: fields)
    let to = bound("to", of: fields)
    var isRandom: Bool? = false
    if let node = fields["random"] {
      isRandom = log.read(at: node.mark) { () throws(InvalidValue) in try readFlag(node, "random") }
    }
    guard isRandom == false else { return isRandom == nil ? nil : random(from, to, fields) }
    if let seed = fields["seed"] {
      log.report(seed.mark, "seed of a tempo that is not random", allowed: "left out, or with random: true")
    }
    let isLadder = !fields.keys(among: ["by", "every", "then"]).isEmpty
    guard isLadder else {
      guard let from, let to else { return nil }
      return .ramp(from: from, to: to)
    }
    let by = step(fields, allowed: "the step in beats a minute, for a ladder")
    let every = every(fields, allowed: "the bars of each step, for a ladder")
    var end: TempoLadder.End? = .stay
    if let node = fields["then"] {
      end = log.read(at: node.mark) { () throws(InvalidValue) in try readWord(node, "then") }
    }
    guard let from, let to, let by, let every, let end else { return nil }
    return .ladder(TempoLadder(from: from, to: to, by: by, every: every, end: end))
  }

  /// A random tempo between two bounds. Its tempos are whole beats a minute apart, from the lower bound on, unless `by` says
  /// otherwise.
  private func random(_ from: Tempo?, _ to: Tempo?, _ fields: Fields) -> SectionTempo? {
    if let end = fields["then"] {
      log.report(end.mark, "then of a random tempo", allowed: "left out: it lasts until the section's end")
    }
    let by = fields["by"] == nil ? 1_000 : step(fields, allowed: "")
    let every = every(fields, allowed: "the bars of each tempo")
    var seed: Int? = 1
    if let node = fields["seed"] {
      seed = log.read(at: node.mark) { () throws(InvalidValue) in
        try readInteger(node, "seed", SessionLimits.seeds, "")
      }
    }
    guard let from, let to, let by, let every, let seed else { return nil }
    return .random(RandomTempo(between: from, and: to, by: by, every: every, seed: UInt64(seed)))
  }

  /// A step from one bound to the other, in thousandths of a beat a minute.
  private func step(_ fields: Fields, allowed: String) -> Int? {
    log.required("by", of: fields, allowed: allowed) { node throws(InvalidValue) in
      try readTempoStep(node, "by", isSigned: false)
    }
  }

  private func every(_ fields: Fields, allowed: String) -> Int? {
    log.required("every", of: fields, allowed: allowed) {
      node throws(InvalidValue) in try readInteger(node, "every", SessionLimits.stepBars, "bars")
    }
  }

  private func bound(_ key: StaticString, of fields: Fields) -> Tempo? {
    log.required(key, of: fields, allowed: Tempo.allowed) { node throws(InvalidValue) in
      try readTempo(node, "\(key)")
    }
  }
}
