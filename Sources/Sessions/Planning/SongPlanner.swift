import Control
import Engine
import MusicTime
import Realtime
import TimeCheck
import Validation

extension Session {
  /// The song as it is played: defaults, repeats, cycles, ladders and drop-outs become a list of plans.
  /// - Throws: `InvalidValue` for impossible combinations, or if there are more than `SessionLimits.plans` plans.
  package func plan() throws(InvalidValue) -> SongPlan {
    var planner = SongPlanner(defaults: defaults, capacity: parts.count)
    for part in parts { planner.append(part) }
    return try planner.song(self)
  }
}

/// Expands the parts of a session into a song. Each section of the document is expanded once. Repeats and cycles copy its
/// plans.
struct SongPlanner {
  /// The session's defaults; nil if it has none.
  private let defaults: SectionStyle?
  /// Faults of single sections, by their number in the document, from 0.
  private(set) var faults: [(section: Int, error: InvalidValue)] = []

  /// The fault of the song as a whole. If there is one, further sections are expanded to find their faults, but not kept.
  private var excess: InvalidValue?
  /// Whether the sections so far have used up all plans or all onsets.
  private var isExhausted = false
  private var plans: [SectionPlan] = []
  /// Maps the memory of the plans in advance.
  private var pages: PagesAhead?
  /// For how many plans memory is mapped.
  private var mapped = 0
  private var loop: Int?
  /// The section that repeats its own steps without end, and the fault to report if anything follows it.
  private var endless: (section: Int, error: InvalidValue)?
  /// The coaches' plans, by the number of the played section.
  private var coaches: [Int: Coach.Plan] = [:]
  private var layouts = Layouts()
  private var total = Total()
  /// The number of the document's next section, from 0.
  private var section = 0
  /// How many plans the document's sections have been expanded to, without repeats.
  private var expanded = 0

  /// Sums over all plans so far.
  private struct Total {
    /// Played sections, with repeats.
    var sources = 0
    /// Tempos in lists.
    var tempos = 0
    var seconds = 0.0
  }

  /// - Parameters:
  ///   - defaults: the session's defaults.
  ///   - capacity: the expected number of sections.
  init(defaults: SectionStyle = SectionStyle(), capacity: Int = 0) {
    self.defaults = defaults == SectionStyle() ? nil : defaults
    plans = Array(inLargePages: min(capacity, SessionLimits.plans))
  }

  /// Expands the session's next part.
  mutating func append(_ part: SessionPart) { append(part, defaults) }

  /// The complete song.
  /// - Parameter session: the session whose parts were appended.
  /// - Throws: the first of `faults`, or the fault of the song as a whole.
  mutating func song(_ session: Session) throws(InvalidValue) -> SongPlan {
    let cycles: Int
    switch session.cycles {
    case .times(let count):
      cycles = count
      repeatPlans(from: 0, Total(), count)
    case .forever:
      cycles = 0
      refuseEndless()
      loop = 0
    }
    if let error = faults.first?.error ?? excess { throw error }
    var song = SongPlan(
      title: session.title, plans: plans, loopStart: loop, cycles: cycles, voice: session.voice,
      timecode: session.timecode, coaches: coaches)
    if let count = session.countIn, let first = plans.first {
      guard plans.count + count.planCount(before: first) <= SessionLimits.plans else {
        throw SongPlanner.tooMany
      }
      let countIn = try count.plans(before: first, &layouts)
      song.plans = countIn + plans
      song.loopStart = loop.map { $0 + countIn.count }
    }
    song.nudge = session.nudge
    if session.nudge != 0 {
      let rendition = Rendition(nudge: session.nudge)
      for index in song.plans.indices {
        song.plans[index].tempo = song.plans[index].tempo.played(as: rendition)
      }
    }
    return song
  }

  private mutating func append(_ part: SessionPart, _ defaults: SectionStyle?) {
    guard !isExhausted else { return }
    switch part {
    case .section(let section): append(section, defaults)
    case .group(let group):
      let (start, before) = (plans.count, total)
      let own = defaults.map { group.defaults.over($0) } ?? group.defaults
      for part in group.parts { append(part, own) }
      repeatPlans(from: start, before, group.repeats)
    }
  }

  private mutating func append(_ section: SessionSection, _ defaults: SectionStyle?) {
    let left = SessionLimits.plans - expanded
    guard left > 0 else {
      isExhausted = true
      return refuse(SongPlanner.tooMany)
    }
    defer { self.section += 1 }
    do throws(InvalidValue) {
      if let defaults {
        try append(section, in: section.style.over(defaults), limit: left)
      } else {
        try append(section, in: section.style, limit: left)
      }
    } catch {
      faults.append((self.section, error))
      isExhausted = error.name == Layouts.excess || error.name == SectionSteps.excess
    }
  }

  /// - Parameters:
  ///   - style: the section's own style, with all defaults applied.
  ///   - limit: the maximum number of plans.
  private mutating func append(
    _ section: SessionSection, in style: SectionStyle, limit: Int
  ) throws(InvalidValue) {
    let expansion = try section.plans(in: style, layouts: &layouts, limit: limit)
    if let coach = section.coach, coaches.count < SessionLimits.plans { coaches[total.sources] = coach }
    // Consumed, because copying a plan is slow.
    switch consume expansion {
    case .whole(var plan):
      guard begin(1, loop: nil) else { return }
      mapAhead()
      add(&plan)
      self.plans.append(consume plan)
      end()
    case .steps(let plans, let loop):
      if begin(plans.count, loop: loop) {
        for var plan in plans {
          add(&plan)
          self.plans.append(plan)
        }
        end()
      }
      if loop != nil { endless = (self.section, SongPlanner.endless(style.tempo)) }
    }
  }

  /// Prepares for the plans of one section.
  /// - Returns: whether they are to be kept.
  private mutating func begin(_ count: Int, loop: Int?) -> Bool {
    expanded += count
    refuseEndless()
    if plans.count + count > SessionLimits.plans { refuse(SongPlanner.tooMany) }
    guard excess == nil else { return false }
    self.loop = loop.map { plans.count + $0 }
    return true
  }

  /// Maps memory for the next plans. Not for all expected plans: a long document may have few sections.
  private mutating func mapAhead() {
    let step = 8_192
    guard plans.count + step > mapped, mapped < plans.capacity else { return }
    let end = min(mapped + 2 * step, plans.capacity)
    pages = plans.withUnsafeBufferPointer { plans in
      plans.baseAddress.map { first in
        PagesAhead(
          UnsafeRawBufferPointer(
            start: first + mapped, count: (end - mapped) * MemoryLayout<SectionPlan>.stride))
      }
    }
    mapped = end
  }

  /// Adds the next plan to the total.
  private mutating func add(_ plan: inout SectionPlan) {
    plan.source = total.sources
    if case .beats(let list) = plan.tempo { total.tempos += list.count }
    // An open section has no length.
    total.seconds += plan.clock?.seconds ?? 0
  }

  /// Handles that the plans of one section were appended.
  private mutating func end() {
    total.sources += 1
    checkTotal()
  }

  /// Repeats the plans since `start`, so that they are played `count` times.
  /// - Parameter before: the total at `start`.
  private mutating func repeatPlans(from start: Int, _ before: Total, _ count: Int) {
    guard count > 1, excess == nil else { return }
    refuseEndless()
    let round = plans[start...]
    let sources = total.sources - before.sources
    let coached = coaches.filter { $0.key >= before.sources }
    if start + round.count * count > SessionLimits.plans { refuse(SongPlanner.tooMany) }
    total.sources += sources * (count - 1)
    total.tempos += (total.tempos - before.tempos) * (count - 1)
    total.seconds += (total.seconds - before.seconds) * Double(count - 1)
    checkTotal()
    guard excess == nil else { return }
    plans.reserveCapacity(start + round.count * count)
    for lap in 1..<count {
      for (source, coach) in coached { coaches[source + lap * sources] = coach }
      for var plan in round {
        plan.source += lap * sources
        plans.append(plan)
      }
    }
  }

  // MARK: Limits

  private static func endless(_ tempo: SectionTempo?) -> InvalidValue {
    let isRandom = if case .random = tempo { true } else { false }
    return InvalidValue(
      "tempo", isRandom ? "drawn at random without end" : "ladder without end",
      allowed: "of a section with bars, beats or time, or of the last section alone")
  }

  /// Records a fault if a section that repeats without end is followed by anything.
  private mutating func refuseEndless() {
    guard let endless else { return }
    faults.append(endless)
    self.endless = nil
  }

  private static let tooMany = InvalidValue(
    "sections", "of more than \(SessionLimits.plans) with all repeats",
    allowed: "at most \(SessionLimits.plans)")

  /// Records a fault of the song as a whole. Only the first is reported.
  private mutating func refuse(_ error: InvalidValue) {
    if excess == nil { excess = error }
  }

  private mutating func checkTotal() {
    if total.tempos > SessionLimits.tempos {
      refuse(
        InvalidValue(
          "sections", "with more than \(SessionLimits.tempos) tempos in lists, with all repeats",
          allowed: "at most \(SessionLimits.tempos)"))
    }
    if total.seconds > Double(SessionLimits.years * 365 * 86_400) {
      refuse(
        InvalidValue(
          "sections", "of more than \(SessionLimits.years) years with all repeats",
          allowed: "at most \(SessionLimits.years) years"))
    }
  }
}
