import Control
import MusicTime

/// A target that a MIDI control can learn, with its description.
struct Learnable: Equatable, Sendable {
  let target: MIDITarget
  let help: String

  /// All targets in the order of the list, including those of the open session and the presets.
  static func all(_ snapshot: Snapshot, _ table: ParameterTable, sounds: [String]) -> [Learnable] {
    let plain = self.plain.compactMap { Learnable($0.0, $0.1, table) }
    return plain + ofSession(snapshot) + switches(table) + faders(table) + ofPresets(snapshot)
      + values(table, sounds)
  }

  init(_ target: MIDITarget, _ help: String) { (self.target, self.help) = (target, help) }

  /// Returns nil if the text is not a target.
  init?(_ text: String, _ help: String, _ table: ParameterTable) {
    guard let target = try? MIDITarget(text: text, among: table) else { return nil }
    self.init(target, help)
  }

  private static let plain = [
    ("go", "starts what waits, and nothing else"), ("toggle", "starts and stops; a session pauses"),
    ("pause/toggle", "pauses and continues, without going back"), ("start", "starts"), ("stop", "stops"),
    ("pause", "stops where it is"), ("resume", "continues"), ("restart", "plays from the beginning"),
    ("stop/bar", "stops at the bar's end"), ("fade", "fades out in 5 seconds and stops"),
    ("tap", "taps the tempo"), ("tempo", "tempo, by a fader or an encoder"),
    ("tempo/nudge 1", "tempo up by 1"), ("tempo/nudge -1", "tempo down by 1"),
    ("tempo/nudge 5", "tempo up by 5"), ("tempo/nudge -5", "tempo down by 5"),
    ("speed", "a session's speed, by a fader or an encoder"),
    ("speed 100", "a session's own speed"), ("next", "next section"), ("previous", "previous section"),
    ("song/next", "next song"), ("song/previous", "previous song"),
    ("hold", "repeats the section, on and off"),
    ("loop", "repeats bars: press in the first, in the last, to continue"),
    ("reload", "reads the edited document again"),
    ("song/save", "saves the tempo to which the song was nudged"),
    ("song", "chooses the song by a program change"),
    ("mute", "mutes the mix, on and off"), ("gap", "silences every other bar, on and off"),
  ]

  /// The most songs, and the most sections, that are listed. Users type the others.
  private static let most = 200

  private static func ofSession(_ snapshot: Snapshot) -> [Learnable] {
    guard let outline = snapshot.progress?.outline else { return [] }
    let songs = outline.songs.prefix(outline.songs.count > 1 ? most : 0).enumerated().map { index, title in
      Learnable(.song(index + 1), "the song \(title)")
    }
    let sections = outline.sections.prefix(most).enumerated().compactMap { index, section in
      section.isCountIn || section.name.isEmpty
        ? nil : Learnable(.goto("\(index + 1)"), "the section \(section.name)")
    }
    return sections + songs
  }

  private static func switches(_ table: ParameterTable) -> [Learnable] {
    table.parameters.filter { $0.isFlag && $0 != Parameters.mute.parameter }
      .map { Learnable(.flip($0), "on and off: \($0.summary)") }
  }

  private static func faders(_ table: ParameterTable) -> [Learnable] {
    table.parameters.filter { $0.control != nil && $0 != Parameters.tempo.parameter }
      .map { Learnable(.parameter($0), $0.summary) }
  }

  private static func ofPresets(_ snapshot: Snapshot) -> [Learnable] {
    let presets = snapshot.settings.presets.all
    return [
      Learnable(.preset(.next), "recalls the next preset"),
      Learnable(.preset(.previous), "recalls the previous preset"),
      Learnable(.preset(nil), "chooses the preset by a program change"),
    ] + presets.map { Learnable(.preset(.name($0.name)), "recalls \($0.tempo) in \($0.meter)") }
  }

  /// Common values that a press can set. Users type the others.
  private static func values(_ table: ParameterTable, _ sounds: [String]) -> [Learnable] {
    let meters = ["2/4", "3/4", "4/4", "5/4", "6/8", "7/8", "9/8", "12/8"].map { ("meter \($0)", "") }
    let units = ["1/2", "1/4", "3/8", "1/8"].map { ("beat-unit \($0)", "") }
    let choices = table.parameters.flatMap { parameter -> [(String, String)] in
      guard case .choice(let names) = parameter.kind else { return [] }
      return names.map { ("\(parameter.name) \($0)", "") }
    }
    return (meters + units + sounds.map { ("sound \($0)", "") } + choices).compactMap {
      Learnable($0.0, $0.1, table)
    }
  }
}
