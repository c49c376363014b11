/// All keys of documents, by the mapping that may contain them.
public enum DocumentKeys {
  /// At the top of a song.
  public static let song = ["title", "count-in", "cycles", "defaults", "sections", "voice"]
  /// At the top of a setlist.
  public static let setlist = ["title", "songs"]
  /// Of a setlist's entry.
  public static let entry = ["file", "then"]
  public static let countIn = ["bars", "beats", "time", "spoken"]
  public static let voice = ["volume", "speed", "language"]
  /// How a section sounds: in `defaults` and in a section.
  public static let style = [
    "tempo", "meter", "beat-unit", "groups", "subdivisions", "accents", "swing", "volumes", "sound", "colour",
    "silent", "gap", "random-silence",
  ]
  /// The length of a section, which has exactly one of these.
  public static let length = ["bars", "beats", "time", "until"]
  /// Of a section.
  public static let section = ["name", "label"] + length + style + ["drop-out", "cue"]
  /// Of a group of sections.
  public static let group = ["repeat", "defaults", "sections"]
  /// Of a tempo that is a ramp.
  public static let ramp = ["from", "to"]
  /// Of a tempo that is a ladder.
  public static let ladder = ramp + ["by", "every", "then"]
  public static let gap = ["play", "rest", "grow"]
  public static let randomSilence = ["percent", "rise", "seed"]
  public static let dropOut = ["what", "every"]
  public static let cue = ["say"]
  /// The keys of `volumes`.
  public static let volumes = ["master", "accent", "beat", "subdivision", "cue"]

  /// All keys, each once.
  public static var all: [String] {
    let lists = [
      song, setlist, entry, countIn, voice, section, group, ladder, gap, randomSilence, dropOut, cue, volumes,
    ]
    return Set(lists.joined()).sorted()
  }
}
