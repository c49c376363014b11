import Engine
import MusicTime
import Validation

/// Expands one section into plans: one for each step of a ladder or a drop-out, otherwise a single one.
struct SectionSteps {
  /// The name of the error that there are too many steps.
  static let excess = "sections"

  /// In order; at least one.
  private(set) var plans: [SectionPlan] = []
  /// The plan at which an open section restarts after its last plan.
  private(set) var loop: Int?

  private let plan: SectionPlan
  private let ladder: TempoLadder?
  private let silence: SilencePlan
  private let layouts: [BarLayout]
  private let dropEvery: Int

  /// - Parameters:
  ///   - style: with all defaults applied.
  ///   - limit: the maximum number of plans.
  /// - Throws: `InvalidValue`, named after the key, for a combination that is not possible.
  init(
    _ section: SessionSection, style: SectionStyle, layouts cache: inout Layouts,
    limit: Int = SessionLimits.plans
  ) throws(InvalidValue) {
    let tempo = style.tempo ?? .standard
    let layout = try cache.layout(style)
    let length = try SectionSteps.length(of: section, tempo)
    let curve: TempoCurve
    switch tempo {
    case .constant(let tempo): curve = .constant(tempo)
    case .ramp(let from, let to): curve = from == to ? .constant(from) : .ramp(from: from, to: to)
    case .ladder(let ladder): curve = .constant(ladder.from)
    case .beats(let tempos): curve = .beats(tempos)
    }
    if case .ramp = curve, length == .open {
      throw InvalidValue("until", "next", allowed: "bars, beats or time: a ramp needs its end")
    }
    silence = style.silence ?? .never
    plan = SectionPlan(
      name: section.name, colour: style.colour ?? "", label: section.label, length: length, layout: layout,
      tempo: curve, silence: silence, gains: style.gains, sound: style.sound ?? "sine", cue: section.cue)

    if case .ladder(let steps) = tempo { ladder = steps } else { ladder = nil }
    guard let dropOut = section.dropOut else {
      layouts = [layout]
      dropEvery = 1
      if let ladder { try step(ladder, limit: limit) } else { plans = [plan] }
      return
    }
    guard case .constant = curve else {
      throw InvalidValue("drop-out", "with a ramp or a list", allowed: "with a constant tempo or a ladder")
    }
    guard layout.accents.count <= 99 else {
      throw InvalidValue(
        "drop-out", "in a bar of \(layout.accents.count) beats", allowed: "in one of at most 99")
    }
    var bars: [BarLayout] = []
    for step in dropOut.steps(of: style, accents: layout.accents) { bars.append(try cache.layout(step)) }
    layouts = bars
    dropEvery = dropOut.every
    try step(ladder, limit: limit)
  }

  private static func length(
    of section: SessionSection, _ tempo: SectionTempo
  ) throws(InvalidValue) -> SectionLength {
    if let length = section.length { return length }
    if case .beats(let tempos) = tempo { return .beats(tempos.count) }
    throw InvalidValue("section", "without a length", allowed: "given bars, beats, time or until: next")
  }

  /// Divides the section wherever its tempo or its bar changes.
  private mutating func step(_ ladder: TempoLadder?, limit: Int) throws(InvalidValue) {
    let whole = plan
    try checkSilence()
    var rest = try Remainder(whole)
    // The bar at which an open section begins to repeat, and the number of bars after which it repeats.
    let round =
      whole.length == .open ? ladder.flatMap { ladder in ladder.period.map { $0 * ladder.every } } : nil
    let steady = dropEvery * (layouts.count - 1)
    let roundStart = round.map { (steady + $0 - 1) / $0 * $0 }
    var bar = 0
    while true {
      if let roundStart, let round {
        if bar == roundStart { loop = plans.count }
        if bar == roundStart + round { return }
      }
      var tempo = whole.firstTempo
      var ends: [Int] = []
      if let ladder {
        guard let rung = ladder.rung(bar: bar) else { return }
        tempo = rung.tempo
        if let end = rung.end { ends.append(end) }
      }
      let drop = min(bar / dropEvery, layouts.count - 1)
      if drop < layouts.count - 1 { ends.append((drop + 1) * dropEvery) }
      let end = ends.min()
      guard let length = rest.take(end.map { $0 - bar }, at: tempo) else { return }
      var next = whole
      next.length = length
      next.layout = layouts[drop]
      next.tempo = .constant(tempo)
      next.silence = silence(from: bar)
      if bar > 0 {
        next.label = nil
        next.cue = nil
      }
      plans.append(next)
      guard plans.count <= limit else {
        throw InvalidValue(
          SectionSteps.excess, "of more than \(limit) steps", allowed: "at most \(limit) with all repeats")
      }
      guard let end, !rest.isEmpty else { return }
      bar = end
    }
  }

  /// A gap counts bars from a plan's start. It continues over the steps only if each step has whole rounds of the gap.
  private func checkSilence() throws(InvalidValue) {
    guard case .gap(let play, let rest, let growth) = silence else { return }
    let everys = [ladder?.every, layouts.count > 1 ? dropEvery : nil].compactMap { $0 }
    guard everys.allSatisfy({ $0 % (play + rest) == 0 }), growth == 0 || everys.isEmpty else {
      throw InvalidValue(
        "gap", "\(play) + \(rest) bars within steps",
        allowed: "without grow, and every step a multiple of play + rest bars")
    }
  }

  /// The silence of a plan that begins in a later bar of the section.
  private func silence(from bar: Int) -> SilencePlan {
    guard case .random(let percent, let rise, let seed) = silence, bar > 0 else { return silence }
    let risen = min(100, percent + min(100, rise) * min(100, bar))
    return .random(percent: risen, rise: rise, seed: seed &+ UInt64(bar) &* 0x9E37_79B9_7F4A_7C15)
  }
}

extension SectionPlan {
  var firstTempo: Tempo {
    switch tempo {
    case .constant(let tempo), .ramp(let tempo, _): tempo
    case .beats(let tempos): tempos[0]
    }
  }
}
