import Control
import Engine
import MusicTime
import Validation

extension Session {
  /// Expands the song: defaults, repeats, cycles, ladders and drop-outs become plain sections.
  /// - Throws: `InvalidValue` for impossible combinations, or if there are more than `SessionLimits.plans` sections.
  public func plan() throws(InvalidValue) -> SongPlan {
    var planner = SongPlanner()
    return try planner.plan(self)
  }
}

/// Expands a session into a song, section by section.
struct SongPlanner {
  private var plans: [SectionPlan] = []
  private var layouts = Layouts()
  private var source = 0
  private var loop: Int?
  private var seconds = 0.0
  private var tempos = 0

  mutating func plan(_ session: Session) throws(InvalidValue) -> SongPlan {
    let defaults = session.defaults
    if let countIn = session.countIn, let first = SongPlanner.first(session.parts, defaults) {
      let style = first.style
      let layout = try layouts.layout(style)
      plans = try countIn.plans(
        layout: layout, tempo: (style.tempo ?? .standard).first, style: style, &layouts)
    }
    let start = plans.count
    switch session.cycles {
    case .forever:
      try append(session.parts, defaults)
      guard loop == nil else { throw SongPlanner.endless }
      loop = start
    case .times(let count):
      for _ in 0..<count { try append(session.parts, defaults) }
    }
    return SongPlan(title: session.title, plans: plans, loopStart: loop, voice: session.voice)
  }

  private static let endless = InvalidValue(
    "tempo", "ladder without end", allowed: "of a length in bars, beats or time, or of the last section alone"
  )

  private mutating func append(_ parts: [SessionPart], _ defaults: SectionStyle) throws(InvalidValue) {
    for part in parts {
      switch part {
      case .section(let section): try append(section, defaults)
      case .group(let group):
        let style = group.defaults.over(defaults)
        for _ in 0..<group.repeats { try append(group.parts, style) }
      }
    }
  }

  private mutating func append(_ section: SessionSection, _ defaults: SectionStyle) throws(InvalidValue) {
    guard loop == nil else { throw SongPlanner.endless }
    let left = SessionLimits.plans - plans.count
    let steps = try SectionSteps(
      section, style: section.style.over(defaults), layouts: &layouts, limit: max(0, left))
    guard steps.plans.count <= left else {
      throw InvalidValue(
        "sections", "of more than \(SessionLimits.plans) with all repeats",
        allowed: "at most \(SessionLimits.plans)")
    }
    if let loop = steps.loop { self.loop = plans.count + loop }
    for var plan in steps.plans {
      try count(plan)
      plan.source = source
      plans.append(plan)
    }
    source += 1
  }

  /// Checks the limits of the song as a whole.
  private mutating func count(_ plan: SectionPlan) throws(InvalidValue) {
    if case .beats(let list) = plan.tempo { tempos += list.count }
    guard tempos <= SessionLimits.tempos else {
      throw InvalidValue(
        "sections", "with more than \(SessionLimits.tempos) tempos in lists, with all repeats",
        allowed: "at most \(SessionLimits.tempos)")
    }
    // An open section has no length of its own.
    seconds += BeatClock(plan)?.seconds ?? 0
    guard seconds <= Double(SessionLimits.years * 365 * 86_400) else {
      throw InvalidValue(
        "sections", "of more than \(SessionLimits.years) years with all repeats",
        allowed: "at most \(SessionLimits.years) years")
    }
  }

  /// The section that is played first, with its defaults applied.
  private static func first(_ parts: [SessionPart], _ defaults: SectionStyle) -> SessionSection? {
    switch parts.first {
    case nil: return nil
    case .group(let group): return first(group.parts, group.defaults.over(defaults))
    case .section(var section):
      section.style = section.style.over(defaults)
      return section
    }
  }
}
