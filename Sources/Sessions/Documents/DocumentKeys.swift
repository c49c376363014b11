import Control

/// All keys of documents, by the mapping that may contain them.
package enum DocumentKeys {
  /// At the top of a song.
  package static let song = [
    "title", "nudge", "count-in", "cycles", "defaults", "sections", "voice", "timecode",
  ]
  /// At the top of a setlist.
  package static let setlist = ["title", "songs"]
  /// In an entry of a setlist.
  package static let entry = ["file", "then"]
  /// In `count-in`.
  package static let countIn = ["bars", "beats", "time", "spoken"]
  /// In `voice`.
  package static let voice = ["volume", "rate", "speed", "language"]
  /// In `defaults` and in a section: how a section sounds.
  package static let style: [String] = styleKeys(.standard)
  /// The same: keys with their own form, and the keys of parameters.
  /// - Parameter table: the known parameters.
  static func styleKeys(_ table: ParameterTable) -> [String] {
    let forms = [
      "tempo", "meter", "beat-unit", "groups", "subdivisions", "accents", "volumes", "sound", "colour",
      "silent", "gap", "random-silence", "layers", "polyrhythm",
    ]
    return forms + table.ofSections.compactMap(\.sectionKey)
  }
  /// In an entry of `layers`.
  package static let layer = [
    "name", "pulses", "over", "every", "pattern", "reset", "sound", "volume", "note",
  ]
  /// In a section: its length. It has exactly one of them.
  package static let length = ["bars", "beats", "time", "until"]
  /// In a section.
  package static let section: [String] = sectionKeys(.standard)
  static func sectionKeys(_ table: ParameterTable) -> [String] {
    ["name", "label"] + length + styleKeys(table) + ["drop-out", "cue", "advance"]
  }
  /// In a group of sections.
  package static let group = ["repeat", "defaults", "sections"]
  /// In a tempo that is a ramp.
  package static let ramp = ["from", "to"]
  /// In a tempo that is a ladder.
  package static let ladder = ramp + ["by", "every", "then"]
  /// In a tempo that is drawn at random.
  package static let randomTempo = ramp + ["by", "every", "random", "seed"]
  /// In a tempo that changes in any way.
  static let tempo = ladder + ["random", "seed"]
  /// In `gap`.
  package static let gap = ["play", "rest", "grow"]
  /// In `random-silence`.
  package static let randomSilence = ["percent", "rise", "seed"]
  /// In `drop-out`.
  package static let dropOut = ["what", "every"]
  /// In `cue`.
  package static let cue = ["say"]
  /// In a goal: the value of `until` or `when`.
  package static let goal = ["bars", "spread", "mean", "missed", "silent", "tempo"]
  /// In `advance`.
  package static let advance = ["when", "by", "else"]
  /// In `else`.
  package static let fallback = ["after", "by"]
  /// In `volumes`.
  package static let volumes = ["master", "accent", "beat", "subdivision", "cue"]

  /// All keys, each once, sorted.
  package static var all: [String] {
    let lists = [
      song, setlist, entry, countIn, voice, section, group, tempo, gap, randomSilence, dropOut, cue, volumes,
      layer, goal, advance, fallback,
    ]
    return Set(lists.joined()).sorted()
  }
}
