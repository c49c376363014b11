import Control
import Engine
import MusicTime
import Realtime
import TimeCheck
import Validation

/// Reads sections and nested groups. Plans the parts of a document's top list as soon as they are read.
struct SectionReader {
  /// The keys that give a length.
  private static let lengths: [StaticString] = ["bars", "beats", "time", "until"]

  let log: FaultLog
  let styles: StyleReader
  private var labels: Set<String> = []
  /// The start of each section that was read without a fault, in the order of the document.
  private var places: [Mark] = []
  /// The parts without faults of the top list, if they are kept.
  private(set) var parts: [SessionPart] = []
  /// Whether that list has any item.
  private(set) var hasItems = false
  /// Plans the parts.
  private var planner = SongPlanner()
  /// Whether the planner has the document's defaults.
  private(set) var knowsDefaults = false
  /// The expected number of parts.
  private let capacity: Int
  /// Whether the parts are kept in addition to their plans.
  private let keepsParts: Bool

  /// - Parameters:
  ///   - capacity: the expected number of sections.
  ///   - keepsParts: whether the parts are kept in addition to their plans.
  init(styles: StyleReader, capacity: Int, keepsParts: Bool) {
    log = styles.log
    self.styles = styles
    self.capacity = min(capacity, SessionLimits.plans)
    self.keepsParts = keepsParts
  }

  /// Prepares for the document's top list.
  /// - Parameter head: the keys before it.
  mutating func begin(_ head: Node.Mapping) {
    let defaults = head.index(of: "defaults").map { head.values[$0] }
    knowsDefaults = defaults != nil
    // Faults of the defaults are reported when the whole document is read.
    planner = SongPlanner(
      defaults: styles.reporting(to: FaultLog(file: log.file)).defaults(defaults), capacity: capacity)
    if keepsParts { parts = Array(inLargePages: capacity) }
  }

  /// Reads the next item of the document's top list.
  mutating func read(_ item: Node) {
    hasItems = true
    guard let part = part(item) else { return }
    planner.append(part)
    if keepsParts { parts.append(part) }
  }

  /// Plans the song.
  /// - Throws: the first of `faults`, or the fault of the song as a whole.
  mutating func plan(_ session: Session) throws(InvalidValue) -> SongPlan { try planner.song(session) }

  /// Faults of single sections in planning, with the sections' positions.
  var faults: [(place: Mark, error: InvalidValue)] {
    planner.faults.prefix(FaultLog.limit).map { (places[$0.section], $0.error) }
  }

  /// The parts of a group's list, without those that have a fault.
  private mutating func parts(_ node: Node) -> [SessionPart] {
    guard case .sequence(let list) = node, !list.items.isEmpty else {
      SectionReader.refuseList(node, log)
      return []
    }
    return list.items.compactMap { part($0) }
  }

  static func refuseList(_ node: Node, _ log: FaultLog) {
    log.report(node.mark, "sections \(node.shown)", allowed: "a list of at least one section")
  }

  private mutating func part(_ node: Node) -> SessionPart? {
    guard !log.isFull else { return nil }
    guard case .mapping(let mapping) = node,
      mapping.index(of: "repeat") != nil || mapping.index(of: "sections") != nil
    else { return section(node).map { .section($0) } }
    return group(node).map { .group($0) }
  }

  private mutating func group(_ node: Node) -> SectionGroup? {
    guard let fields = Fields(node, of: "group", known: DocumentKeys.group, log) else { return nil }
    let repeats = log.required("repeat", of: fields, allowed: "how often its sections are played") {
      node throws(InvalidValue) in try readInteger(node, "repeat", 1...SessionLimits.repeats, "times")
    }
    let own = styles.defaults(fields["defaults"])
    guard let list = fields["sections"] else {
      log.report(fields.mark, "missing key sections", allowed: "the sections that are repeated")
      return nil
    }
    let parts = parts(list)
    return SectionGroup(repeats: repeats ?? 1, defaults: own, parts: parts)
  }

  private mutating func section(_ node: Node) -> SessionSection? {
    guard let fields = Fields(node, of: "section", known: styles.sectionKeys, log) else { return nil }
    let before = log.faults.count
    let goals = GoalReader(log: log)
    var goal: TimingGoal?
    if let node = fields["until"], case .mapping = node { goal = goals.goal(node, "until") }
    let (name, label) = (name(fields["name"]) ?? "", label(fields["label"]))
    let (length, style) = (length(fields), styles.style(fields))
    let (dropOut, cue) = (dropOut(fields["drop-out"]), cue(fields["cue"]))
    let advance = fields["advance"].flatMap(goals.advance)
    // A section with a fault is not expanded: that would report the same value again.
    guard log.faults.count == before else { return nil }
    places.append(node.mark)
    return SessionSection(
      name: name, label: label, length: length, style: style, dropOut: dropOut, cue: cue, advance: advance,
      goal: goal)
  }

  private func name(_ node: Node?) -> String? {
    guard let node else { return nil }
    return log.read(at: node.mark) { () throws(InvalidValue) in try readText(node, "name") }
  }

  private func length(_ fields: Fields) -> SectionLength? {
    let given = fields.keys(among: SectionReader.lengths)
    for extra in given.dropFirst() {
      log.report(
        extra.mark, "\(extra.key) besides \(given[0].key)", allowed: "one of bars, beats, time, until")
    }
    guard let (key, _, node) = given.first else { return nil }
    return log.read(at: node.mark) { () throws(InvalidValue) in
      switch key {
      case "bars": return .bars(try readInteger(node, "bars", 1...SessionLimits.bars, "bars"))
      case "beats": return .beats(try readInteger(node, "beats", 1...SessionLimits.bars, "beats"))
      case "time": return .milliseconds(try readMilliseconds(node, "time"))
      default:
        // A goal is read with the section.
        if case .mapping = node { return .open }
        guard case .scalar(let scalar) = node, scalar.string == "next" else {
          throw InvalidValue("until", node.shown, allowed: "next, or a goal as {spread: 10 ms, bars: 16}")
        }
        return .open
      }
    }
  }

  private mutating func label(_ node: Node?) -> String? {
    guard let node,
      let label = log.read(at: node.mark, { () throws(InvalidValue) in try readText(node, "label") })
    else { return nil }
    if !labels.insert(label).inserted {
      log.report(node.mark, "label \(quoted(label)) twice", allowed: "different for every section")
    }
    return label
  }

  private func cue(_ node: Node?) -> CuePlan? {
    guard let node else { return nil }
    if case .mapping = node {
      guard let fields = Fields(node, of: "cue", known: DocumentKeys.cue, log) else { return nil }
      return log.required("say", of: fields, allowed: "the text that is spoken") {
        node throws(InvalidValue) in
        .speech(try readText(node, "say"))
      }
    }
    return log.read(at: node.mark) { () throws(InvalidValue) in
      let text = try readText(node, "cue")
      return text == "chime" ? .chime : .speech(text)
    }
  }

  private func dropOut(_ node: Node?) -> DropOut? {
    guard let node, let fields = Fields(node, of: "drop-out", known: DocumentKeys.dropOut, log) else {
      return nil
    }
    let what = log.required("what", of: fields, allowed: "accents or subdivisions") {
      node throws(InvalidValue) in
      try readWord(node, "what", DropOut.Part.self)
    }
    let every = log.required("every", of: fields, allowed: "the bars of each step") {
      node throws(InvalidValue) in
      try readInteger(node, "every", SessionLimits.stepBars, "bars")
    }
    guard let what, let every else { return nil }
    return DropOut(what: what, every: every)
  }
}
