import Engine
import MusicTime
import TimeCheck
import Validation

/// A section as it is played.
enum ExpandedSection {
  /// One plan, as for most sections.
  case whole(SectionPlan)
  /// One plan for each step; `loop` is the plan at which an open section restarts after its last plan.
  case steps([SectionPlan], loop: Int?)
}

extension SessionSection {
  /// The section as it is played: one plan for each step of a ladder or a drop-out, otherwise a single one.
  /// - Parameters:
  ///   - style: the section's own style, with all defaults applied.
  ///   - limit: the maximum number of plans.
  /// - Returns: the plans in order, at least one.
  /// - Throws: `InvalidValue`, named after the key, for a combination that is not possible.
  func plans(
    in style: SectionStyle, layouts: inout Layouts, limit: Int
  ) throws(InvalidValue) -> ExpandedSection {
    let tempo = style.tempo ?? .standard
    try checkGoal(style)
    if let advance {
      return .steps(try steps(of: advance, tempo, style, layouts: &layouts, limit: limit), loop: nil)
    }
    let plan = try whole(style, tempo, layouts: &layouts)
    let ladder: (any SteppedTempo)? =
      switch tempo {
      case .ladder(let ladder): ladder
      case .random(let random): random
      case .constant, .ramp, .beats: nil
      }
    guard ladder != nil || dropOut != nil else { return .whole(plan) }
    let bars = try bars(plan, style, layouts: &layouts)
    let steps = SectionSteps(whole: plan, ladder: ladder, bars: bars, barsEvery: dropOut?.every ?? 1)
    let (plans, loop) = try steps.plans(limit: limit)
    return .steps(plans, loop: loop)
  }

  /// - Throws: `InvalidValue` if the goal needs silent bars and there are none.
  private func checkGoal(_ style: SectionStyle) throws(InvalidValue) {
    guard let goal = goal ?? advance?.goal, goal.needsSilence, style.silence ?? .never == .never else {
      return
    }
    throw InvalidValue(
      goal.silent != nil ? "silent" : "tempo", "as a goal without silent bars",
      allowed: "with a gap, as gap: {play: 2, rest: 2}, or random-silence")
  }

  /// The coach's plan for the section; nil if it has no coach.
  var coach: Coach.Plan? {
    advance.map { $0.coach(isOverAtTop: length == nil) } ?? goal.map { Coach.Plan(goal: $0) }
  }

  /// The steps of a section whose tempo a coach changes. Each lasts until the coach leaves it.
  private func steps(
    of advance: Advance, _ tempo: SectionTempo, _ style: SectionStyle, layouts: inout Layouts, limit: Int
  ) throws(InvalidValue) -> [SectionPlan] {
    guard goal == nil, length == nil || length == .open else {
      throw InvalidValue(
        "advance", "with a length",
        allowed:
          "without one: it ends when its last tempo is mastered; or with until: next, and then stays there")
    }
    guard case .ramp(let from, let to) = tempo else {
      throw InvalidValue("advance", "of this tempo", allowed: "with a tempo as {from: 80, to: 140}")
    }
    guard dropOut == nil else {
      throw InvalidValue("advance", "with a drop-out", allowed: "one of them")
    }
    let ladder = advance.ladder(from: from, to: to)
    guard ladder.steps <= limit else {
      throw InvalidValue(
        SectionSteps.excess, "of more than \(limit) steps", allowed: "at most \(limit) with all repeats")
    }
    var open = self
    open.length = .open
    let first = try open.whole(style, .constant(from), layouts: &layouts)
    return (0..<ladder.steps).map { step in
      var plan = first
      plan.tempo = .constant(ladder.tempo(step: step))
      if step > 0 { (plan.label, plan.cue) = (nil, nil) }
      return plan
    }
  }

  /// The section as one plan, at its first tempo if it has a ladder.
  private func whole(
    _ style: SectionStyle, _ tempo: SectionTempo, layouts: inout Layouts
  ) throws(InvalidValue) -> SectionPlan {
    let layout = try layouts.layout(style)
    let length = try length(tempo)
    let curve: TempoCurve =
      switch tempo {
      case .constant(let tempo): .constant(tempo)
      case .ramp(let from, let to): from == to ? .constant(from) : .ramp(from: from, to: to)
      case .ladder, .random: .constant(tempo.first)
      case .beats(let tempos): .beats(tempos)
      }
    if case .ramp = curve, length == .open {
      throw InvalidValue("until", "next", allowed: "bars, beats or time: a ramp needs its end")
    }
    return SectionPlan(
      name: name, colour: style.colour ?? "", label: label, length: length, layout: layout,
      tempo: curve, silence: style.silence ?? .never, gains: style.gains, sound: style.sound ?? "sine",
      cue: cue, layers: style.layerPlans)
  }

  private func length(_ tempo: SectionTempo) throws(InvalidValue) -> SectionLength {
    if let length { return length }
    switch tempo {
    case .beats(let tempos): return .beats(tempos.count)
    case .ladder(let ladder) where ladder.end == .stop:
      let bars = ladder.steps * ladder.every
      guard bars <= SessionLimits.bars else {
        throw InvalidValue("tempo", "ladder of \(bars) bars", allowed: "of at most \(SessionLimits.bars)")
      }
      return .bars(bars)
    default: break
    }
    if case .ladder = tempo {
      throw InvalidValue(
        "section", "without a length",
        allowed: "given bars, beats, time or until: next, or its tempo then: stop to last for all steps")
    }
    throw InvalidValue("section", "without a length", allowed: "given bars, beats, time or until: next")
  }

  /// The bar of each step of the drop-out; one bar if there is none.
  private func bars(
    _ plan: SectionPlan, _ style: SectionStyle, layouts: inout Layouts
  ) throws(InvalidValue) -> [BarLayout] {
    guard let dropOut else { return [plan.layout] }
    guard case .constant = plan.tempo else {
      throw InvalidValue("drop-out", "with a ramp or a list", allowed: "with a constant tempo or a ladder")
    }
    let accents = plan.layout.accents
    guard accents.count <= 99 else {
      throw InvalidValue("drop-out", "in a bar of \(accents.count) beats", allowed: "in one of at most 99")
    }
    var bars: [BarLayout] = []
    for step in dropOut.steps(of: style, accents: accents) { bars.append(try layouts.layout(step)) }
    return bars
  }
}

/// Divides a section at each change of its tempo or its bar.
struct SectionSteps {
  /// The name in the error for too many steps.
  static let excess = "sections"

  /// The whole section as one plan.
  let whole: SectionPlan
  let ladder: (any SteppedTempo)?
  /// The bar of each step of a drop-out, at least one. The last one stays.
  let bars: [BarLayout]
  /// The number of bars of each but the last step of a drop-out.
  let barsEvery: Int

  /// - Parameter limit: the maximum number of plans.
  /// - Throws: `InvalidValue` if there are more, or if the section's gap or length can't be divided.
  func plans(limit: Int) throws(InvalidValue) -> (plans: [SectionPlan], loop: Int?) {
    try checkSilence()
    var rest = try Remainder(whole)
    let round = round
    var plans: [SectionPlan] = []
    var loop: Int?
    var bar = 0
    while true {
      if bar == round?.lowerBound { loop = plans.count }
      if bar == round?.upperBound { return (plans, loop) }
      guard let (tempo, end) = step(at: bar), let length = rest.take(end.map { $0 - bar }, at: tempo) else {
        return (plans, loop)
      }
      plans.append(plan(from: bar, length, tempo))
      guard plans.count <= limit else {
        throw InvalidValue(
          SectionSteps.excess, "of more than \(limit) steps", allowed: "at most \(limit) with all repeats")
      }
      guard let end, !rest.isEmpty else { return (plans, loop) }
      bar = end
    }
  }

  /// The bars that an open section repeats without end; nil if it does not repeat. They begin after the drop-out.
  private var round: Range<Int>? {
    guard whole.length == .open, let ladder, let period = ladder.period else { return nil }
    let count = period * ladder.every
    let steady = barsEvery * (bars.count - 1)
    let start = (steady + count - 1) / count * count
    return start..<start + count
  }

  /// The tempo in a bar, and the bar of the next change, nil for never; nil if the ladder has stopped.
  private func step(at bar: Int) -> (tempo: Tempo, end: Int?)? {
    var (tempo, end) = (whole.tempo.first, Int?.none)
    if let ladder {
      guard let rung = ladder.rung(bar: bar) else { return nil }
      (tempo, end) = rung
    }
    let drop = bar / barsEvery
    if drop < bars.count - 1 { end = min(end ?? .max, (drop + 1) * barsEvery) }
    return (tempo, end)
  }

  private func plan(from bar: Int, _ length: SectionLength, _ tempo: Tempo) -> SectionPlan {
    var plan = whole
    plan.length = length
    plan.layout = bars[min(bar / barsEvery, bars.count - 1)]
    plan.tempo = .constant(tempo)
    plan.silence = silence(from: bar)
    if bar > 0 {
      plan.label = nil
      plan.cue = nil
    }
    return plan
  }

  /// A gap counts bars from a plan's start. It continues over the steps only if each step has a whole number of rounds of the
  /// gap.
  private func checkSilence() throws(InvalidValue) {
    guard case .gap(let play, let rest, let growth) = whole.silence else { return }
    let everys = [ladder?.every, bars.count > 1 ? barsEvery : nil].compactMap { $0 }
    guard everys.allSatisfy({ $0 % (play + rest) == 0 }), growth == 0 || everys.isEmpty else {
      throw InvalidValue(
        "gap", "\(play) + \(rest) bars within steps",
        allowed: "without grow, and every step a multiple of play + rest bars")
    }
  }

  /// The silence of a plan that begins in a later bar of the section.
  private func silence(from bar: Int) -> SilencePlan {
    guard case .random(let percent, let rise, let seed) = whole.silence, bar > 0 else { return whole.silence }
    let risen = min(100, percent + min(100, rise) * min(100, bar))
    return .random(percent: risen, rise: rise, seed: seed &+ UInt64(bar) &* 0x9E37_79B9_7F4A_7C15)
  }
}
