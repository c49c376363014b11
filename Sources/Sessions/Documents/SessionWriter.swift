import Control
import Engine
import MusicTime
import TimeCheck

extension Session {
  /// The session as a YAML document. Reading it gives an equal session.
  package var yaml: String {
    var writer = SessionWriter()
    writer.write(self)
    return writer.text
  }
}

/// Writes a session as YAML. Defaults are omitted; small mappings take one line.
struct SessionWriter {
  private(set) var text = ""

  mutating func write(_ session: Session) {
    if !session.title.isEmpty { line(0, "title", quote(session.title)) }
    if let timecode = session.timecode { line(0, "timecode", quote("\(timecode)")) }
    if let countIn = session.countIn {
      line(
        0, "count-in",
        flow([SessionWriter.length(countIn.length), countIn.isSpoken ? ("spoken", "true") : nil]))
    }
    switch session.cycles {
    case .times(1): break
    case .times(let count): line(0, "cycles", "\(count)")
    case .forever: line(0, "cycles", "forever")
    }
    if session.nudge != 0 { line(0, "nudge", SongNudge.text(session.nudge)) }
    let voice = session.voice
    if voice != VoiceSettings() {
      let keys = [
        ("volume", "\(voice.volume.gain)"), ("rate", "\(voice.speed)"), ("language", quote(voice.language)),
      ]
      line(0, "voice", flow(keys))
    }
    defaults(session.defaults, indent: 0)
    text += "sections:\n"
    parts(session.parts, indent: 2)
  }

  private mutating func parts(_ parts: [SessionPart], indent: Int) {
    for part in parts {
      switch part {
      case .section(let section): list(keys(of: section), indent)
      case .group(let group):
        list([("repeat", "\(group.repeats)")], indent)
        defaults(group.defaults, indent: indent + 2)
        text += String(repeating: " ", count: indent + 2) + "sections:\n"
        self.parts(group.parts, indent: indent + 4)
      }
    }
  }

  private func keys(of section: SessionSection) -> [(String, String)] {
    var keys: [(String, String)] = []
    if !section.name.isEmpty { keys.append(("name", quote(section.name))) }
    if let label = section.label { keys.append(("label", quote(label))) }
    if let goal = section.goal {
      keys.append(("until", self.goal(goal)))
    } else if let length = section.length {
      keys.append(SessionWriter.length(length))
    }
    keys += style(section.style)
    if let dropOut = section.dropOut {
      keys.append(("drop-out", flow([("what", dropOut.what.rawValue), ("every", "\(dropOut.every)")])))
    }
    if let advance = section.advance { keys.append(("advance", self.advance(advance))) }
    switch section.cue {
    case .chime: keys.append(("cue", "chime"))
    case .speech(let words): keys.append(("cue", flow([("say", quote(words))])))
    case nil: break
    }
    return keys
  }

  private func style(_ style: SectionStyle) -> [(String, String)] {
    var keys: [(String, String)] = []
    func add(_ key: String, _ value: String?) { if let value { keys.append((key, value)) } }
    add("tempo", style.tempo.map(tempo))
    add("meter", style.meter?.description)
    add("beat-unit", style.beatUnit?.description)
    add("groups", style.groups?.description)
    let divisions = style.subdivisions?.sorted { $0.key < $1.key }
    add("subdivisions", divisions.map { flow($0.map { ("\($0.key.parts)", "\($0.value.gain)") }) })
    add("accents", style.accents.map { quote($0.description) })
    for (key, parameter, value) in style.parameters { add(key, written(value, of: parameter)) }
    let volumes = style.volumes.map { volumes in
      Fader.allCases.compactMap { fader in volumes[fader].map { (fader.rawValue, "\($0.gain)") } }
    }
    add("volumes", volumes.map { flow($0) })
    add("sound", style.sound.map(quote))
    add("colour", style.colour.map(quote))
    add("layers", style.layers.map { "[" + $0.map(layer).joined(separator: ", ") + "]" })
    switch style.silence {
    // The gap that a player has set is not part of a document.
    case nil, .running: break
    case .never: add("silent", "false")
    case .always: add("silent", "true")
    case .gap(let play, let rest, let growth):
      let grow = growth == 0 ? nil : ("grow", "\(growth)")
      add("gap", flow([("play", "\(play)"), ("rest", "\(rest)"), grow]))
    case .random(let percent, let rise, let seed):
      let rise = rise == 0 ? nil : ("rise", "\(rise)")
      add("random-silence", flow([("percent", "\(percent)"), rise, ("seed", "\(seed)")]))
    }
    return keys
  }

  private func written(_ value: ParameterValue, of parameter: Parameter) -> String {
    switch value {
    case .number, .integer: parameter.text(value)
    case .flag(let flag): flag ? "true" : "false"
    case .text, .pair: quote(parameter.text(value))
    }
  }

  private func goal(_ goal: TimingGoal) -> String {
    flow([
      goal.spread.map { ("spread", "\($0) ms") }, goal.mean.map { ("mean", "\($0) ms") },
      goal.missed.map { ("missed", "\($0) %") }, goal.silent.map { ("silent", "\($0) %") },
      goal.tempo.map { ("tempo", "\($0) %") }, ("bars", "\(goal.bars)"),
    ])
  }

  private func advance(_ advance: Advance) -> String {
    func tempo(_ thousandths: Int) -> String { "\(Double(thousandths) / 1_000)" }
    return flow([
      ("when", goal(advance.goal)), ("by", tempo(advance.by)),
      advance.fallback.map { ("else", flow([("after", "\($0.after)"), ("by", "-" + tempo($0.by))])) },
    ])
  }

  private func layer(_ styled: StyledLayer) -> String {
    let layer = styled.layer
    var keys: [(String, String)?] = []
    if !layer.name.isEmpty { keys.append(("name", quote(layer.name))) }
    switch layer.rate {
    case .pulses(let pulses, let span): keys += [("pulses", "\(pulses)"), ("over", "\(span)")]
    case .every(let note): keys.append(("every", "\(note)"))
    }
    keys.append(layer.pattern.map { ("pattern", quote("\($0)")) })
    if layer.reset != .section { keys.append(("reset", layer.reset.rawValue)) }
    keys.append(layer.sound.map { ("sound", quote($0)) })
    if styled.volume != .full { keys.append(("volume", "\(styled.volume.gain)")) }
    keys.append(layer.note.map { ("note", "\($0)") })
    return flow(keys)
  }

  private func tempo(_ tempo: SectionTempo) -> String {
    switch tempo {
    case .constant(let tempo): tempo.description
    case .ramp(let from, let to): flow([("from", "\(from)"), ("to", "\(to)")])
    case .ladder(let ladder):
      flow([
        ("from", "\(ladder.from)"), ("to", "\(ladder.to)"), ("by", "\(Double(ladder.by) / 1_000)"),
        ("every", "\(ladder.every)"), ("then", ladder.end.rawValue),
      ])
    case .random(let random):
      flow([
        ("from", "\(random.low)"), ("to", "\(random.high)"), ("by", "\(Double(random.by) / 1_000)"),
        ("every", "\(random.every)"), ("random", "true"), ("seed", "\(random.seed)"),
      ])
    case .beats(let tempos): "[" + tempos.map(\.description).joined(separator: ", ") + "]"
    }
  }

  private static func length(_ length: SectionLength) -> (String, String) {
    switch length {
    case .bars(let count): ("bars", "\(count)")
    case .beats(let count): ("beats", "\(count)")
    case .milliseconds(let time):
      ("time", time % 1_000 == 0 ? "\(time / 1_000)" : "\(time) ms")
    case .open: ("until", "next")
    }
  }

  private mutating func defaults(_ style: SectionStyle, indent: Int) {
    let keys = self.style(style)
    guard !keys.isEmpty else { return }
    text += String(repeating: " ", count: indent) + "defaults:\n"
    for (key, value) in keys { line(indent + 2, key, value) }
  }

  private mutating func list(_ keys: [(String, String)], _ indent: Int) {
    for (index, (key, value)) in keys.enumerated() {
      text += String(repeating: " ", count: indent) + (index == 0 ? "- " : "  ") + "\(key): \(value)\n"
    }
  }

  private mutating func line(_ indent: Int, _ key: String, _ value: String) {
    text += String(repeating: " ", count: indent) + "\(key): \(value)\n"
  }

  private func flow(_ keys: [(String, String)?]) -> String {
    "{" + keys.compactMap { $0.map { "\($0.0): \($0.1)" } }.joined(separator: ", ") + "}"
  }

  /// The text without quotes if YAML reads it as the same text, otherwise in double quotes.
  private func quote(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: " "),
        UInt8(ascii: "_"):
        true
      default: false
      }
    }
    if isPlain, text.first != " ", text.last != " ", !text.isEmpty { return text }
    return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
