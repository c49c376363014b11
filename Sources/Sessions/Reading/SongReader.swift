import Control
import Engine
import MusicTime
import Timecode
import Validation

/// Reads a song's top-level keys.
struct SongReader {
  let log: FaultLog
  let styles: StyleReader
  /// The text of the document.
  let text: String

  /// - Parameters:
  ///   - fields: the top-level keys.
  ///   - sections: the reader that has read the sections, with its own log.
  /// - Returns: the session and its plan; nil if there are faults, which are in the log.
  func song(_ fields: Fields, _ sections: inout SectionReader) -> (session: Session, plan: SongPlan)? {
    var session = Session(defaults: styles.defaults(fields["defaults"]), parts: sections.parts)
    if let node = fields["title"] {
      session.title = log.read(at: node.mark) { () throws(InvalidValue) in try readText(node, "title") } ?? ""
    }
    session.countIn = fields["count-in"].flatMap(countIn)
    session.cycles = fields["cycles"].flatMap(cycles) ?? .times(1)
    session.voice = fields["voice"].map(voice) ?? VoiceSettings()
    session.timecode = fields["timecode"].flatMap { node in
      log.read(at: node.mark) { () throws(InvalidValue) in
        try Timecode(text: readPlain(node, "timecode", allowed: Timecode.allowed))
      }
    }
    session.nudge = fields["nudge"].flatMap(nudge) ?? 0
    guard let node = fields["sections"] else {
      log.report(fields.mark, "missing key sections", allowed: "a list of sections")
      return nil
    }
    if !sections.hasItems { SectionReader.refuseList(node, log) }
    log.add(sections.log)
    guard let plan = plan(session, of: fields, &sections), log.faults.isEmpty else { return nil }
    return (session, plan)
  }

  /// - Returns: nil if there are faults, which are in the log at their sections.
  private func plan(
    _ session: Session, of fields: Fields, _ reader: inout SectionReader
  ) -> SongPlan? {
    do throws(InvalidValue) { return try reader.plan(session) } catch {
      let faults = reader.faults
      let sections = mappings(at: Set(faults.map(\.place)))
      for (place, error) in faults {
        let value = sections[place].flatMap { $0.value(named: error.name) }
        log.report(value?.mark ?? place, error)
      }
      if log.faults.isEmpty { log.report(fields.mark(of: error.name) ?? fields.mark(of: "sections"), error) }
      return nil
    }
  }

  /// The mappings at some positions. The document is parsed again to find them: sections are not kept, because few documents
  /// have faults.
  private func mappings(at places: Set<Mark>) -> [Mark: Node.Mapping] {
    var found: [Mark: Node.Mapping] = [:]
    func search(_ node: Node) {
      switch node {
      case .scalar: break
      case .sequence(let list): list.items.forEach(search)
      case .mapping(let mapping):
        if places.contains(mapping.mark) { found[mapping.mark] = mapping }
        mapping.values.forEach(search)
      }
    }
    if let root = YAMLText.compose(text, FaultLog(file: log.file)) { search(root) }
    return found
  }

  private func countIn(_ node: Node) -> CountIn? {
    if case .scalar = node {
      return log.read(at: node.mark) { () throws(InvalidValue) in
        CountIn(length: .bars(try readInteger(node, "count-in", SessionLimits.countInBars, "bars")))
      }
    }
    guard let fields = Fields(node, of: "count-in", known: DocumentKeys.countIn, log) else { return nil }
    let given = fields.keys(among: ["bars", "beats", "time"])
    guard let (key, _, value) = given.first, given.count == 1 else {
      let extra = given.dropFirst().first
      log.report(
        extra?.mark ?? fields.mark,
        extra.map { "\($0.key) besides \(given[0].key)" } ?? "count-in without a length",
        allowed: "one of bars, beats, time")
      return nil
    }
    let length = log.read(at: value.mark) { () throws(InvalidValue) -> SectionLength in
      switch key {
      case "bars": .bars(try readInteger(value, "bars", SessionLimits.countInBars, "bars"))
      case "beats": .beats(try readInteger(value, "beats", SessionLimits.countInBeats, "beats"))
      default: .milliseconds(try readMilliseconds(value, "time", SessionLimits.countInTime))
      }
    }
    let isSpoken = fields["spoken"].map { node in
      log.read(at: node.mark) { () throws(InvalidValue) in try readFlag(node, "spoken") }
    }
    return length.map { CountIn(length: $0, isSpoken: (isSpoken ?? false) ?? false) }
  }

  private func nudge(_ node: Node) -> Int? {
    log.read(at: node.mark) { () throws(InvalidValue) in
      let number = try readNumber(node, "nudge", allowed: Rendition.allowedNudges)
      guard let nudge = Int(exactly: (number * 1_000).rounded()), Rendition.nudges ~= nudge else {
        throw InvalidValue("nudge", node.shown, allowed: Rendition.allowedNudges)
      }
      return nudge
    }
  }

  private func cycles(_ node: Node) -> Cycles? {
    if case .scalar(let scalar) = node, scalar.string == "forever" { return .forever }
    return log.read(at: node.mark) { () throws(InvalidValue) in
      do throws(InvalidValue) {
        return .times(try readInteger(node, "cycles", 1...SessionLimits.repeats))
      } catch {
        throw InvalidValue(error.name, error.value, allowed: error.allowed + ", or forever")
      }
    }
  }

  private func voice(_ node: Node) -> VoiceSettings {
    var voice = VoiceSettings()
    guard let fields = Fields(node, of: "voice", known: DocumentKeys.voice, log) else { return voice }
    if let node = fields["volume"] {
      voice.volume =
        log.read(at: node.mark) { () throws(InvalidValue) in try readVolume(node, "volume") } ?? .full
    }
    let rates = fields.keys(among: ["rate", "speed"])
    if let (key, _, node) = rates.first {
      let speed = log.read(at: node.mark) { () throws(InvalidValue) in
        try readInteger(node, key, VoiceSettings.speeds, "words a minute")
      }
      voice.speed = speed ?? voice.speed
    }
    for extra in rates.dropFirst() {
      log.report(extra.mark, "\(extra.key) besides \(rates[0].key)", allowed: "one of the two: rate")
    }
    if let node = fields["language"] {
      let changed = log.read(at: node.mark) { () throws(InvalidValue) in
        var changed = voice
        try changed.set(language: readText(node, "language"))
        guard styles.voices?(changed.language) != false else {
          throw InvalidValue(
            "language", quoted(changed.language),
            allowed: "a voice that espeak-ng has: espeak-ng --voices lists them")
        }
        return changed
      }
      voice = changed ?? voice
    }
    return voice
  }
}
