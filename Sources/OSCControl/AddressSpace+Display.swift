import Control
import OSC
import Validation

/// Single values, for apps whose controls take one argument each. Each is a part of the value of another address.
extension AddressSpace {
  static let lamp = root + "beat/lamp"
  static let bar = root + "bar"
  static let beatNumber = root + "beat/number"

  static let display = [
    Endpoint(
      "playing", "i", "0, 1", standard: "0", shapes: [.flag], family: "toggle",
      "Whether it plays. 1 plays and 0 stops, as `toggle` with a value. Without a value it only answers.",
      .set { .play(try $0.truth(0)) }, value: { ints($0.isPlaying ? 1 : 0) }),
    Endpoint(
      "beat/number", "", "from 1; 0", family: "beat", "The beat of the bar; 0 while nothing plays.", .read,
      value: { ints($0.place.beat) }),
    Endpoint(
      "bar", "", "from 1; those of a count-in 0, −1, …; 0", family: "bar",
      "The bar that plays, as `beat` reports it. 0 in the last bar of a count-in, and while nothing plays: then `beat/number` is 0, too.",
      .read,
      value: { ints($0.place.bar) }),
    Endpoint(
      "sounding/tempo", "", "beats a minute", unit: "beats a minute", family: "sounding",
      "The tempo that sounds: the metronome's, the session's or the leader's; 0 while it changes.", .read,
      value: { [.float(Float($0.soundingTempo ?? 0))] }),
    Endpoint(
      "sounding/text", "", "as 133.7 BPM", family: "sounding", isLabel: true,
      "The tempo that sounds, as a text for a label; empty while it changes.", .read,
      value: {
        let tempo = $0.soundingTempo.map { ($0 * 1_000).rounded() / 1_000 }
        return [.string(tempo.map { "\(plain($0)) BPM" } ?? "")]
      }),
    Endpoint(
      "swing/text", "", "as 62 % (0.48)", family: "swing", isLabel: true,
      "The swing as a text for a label: the first part in per cent of the pair, and the value of `swing`.",
      .read,
      value: {
        let swing = $0.settings.swing
        return [.string("\(plain((swing.percent * 10).rounded() / 10)) % (\(plain(swing.amount)))")]
      }),
    Endpoint(
      "song/number", "i", takes: 1...1, "number from 1; 0", shapes: [.integer(numbers)], family: "song",
      "The number of the song; 0 if no session is open. Set: as `song`.",
      .order { .go(.song(try $0.integer(0, "song", in: numbers, "a number from 1"))) },
      value: { ints($0.progress?.song ?? 0) }),
    Endpoint(
      "song/title", "", "text", family: "song", isLabel: true, "The title of the song.", .read,
      value: { [.string($0.progress?.title ?? "")] }),
    Endpoint(
      "section/number", "i", takes: 1...1, "number from 1; 0", shapes: [.integer(numbers)], family: "section",
      "The number of the section; 0 if no session is open. Set: as `goto`.",
      .order { .go(.section(try $0.integer(0, "section", in: numbers, "a number from 1"))) },
      value: { ints($0.progress?.sectionNumber ?? 0) }),
    Endpoint(
      "section/name", "", "text", family: "section", isLabel: true, "The name of the section.", .read,
      value: { [.string($0.progress?.section ?? "")] }),
    Endpoint(
      "left/section", "", "seconds; −1", unit: "seconds", family: "left",
      "Time left in the section; −1 if it lasts until you move on.", .read,
      value: { ints($0.progress?.sectionLeft ?? -1) }),
    Endpoint(
      "left/song", "", "seconds; −1", unit: "seconds", family: "left",
      "Time left in the song; −1 if it lasts until you move on.", .read,
      value: { ints($0.progress?.songLeft ?? -1) }),
    Endpoint(
      "left/text", "", "as 1:05", family: "left", isLabel: true,
      "Time left in the section, as a text for a label; empty if it lasts until you move on.", .read,
      value: { [.string($0.progress?.sectionLeft.map(clockText) ?? "")] }),
  ]

  static let lists = [
    Endpoint(
      "songs", "— or i", takes: 0...1, "the number of the first; answered: number, how many, title",
      "Answers with one message for each song of the session, \(rowLimit) at most, from the first or from a number; `0 0` and an empty text if no session is open.",
      .pages(
        count: { $0.progress?.outline?.songs.count ?? 0 },
        row: { snapshot, index in [.string(snapshot.progress?.outline?.songs[index] ?? "")] },
        none: [.string("")])),
    Endpoint(
      "sections", "— or i", takes: 0...1,
      "the number of the first; answered: number, how many, name, label, bars",
      "Answers with one message for each section of the song, \(rowLimit) at most, from the first or from a number; `goto` takes its number, label or name. 0 bars: its length is not in bars. `0 0`, empty texts and 0 if no session is open.",
      .pages(
        count: { $0.progress?.outline?.sections.count ?? 0 },
        row: { snapshot, index in
          let section = snapshot.progress?.outline?.sections[index]
          return [.string(section?.name ?? ""), .string(section?.label ?? "")] + ints(section?.bars ?? 0)
        },
        none: [.string(""), .string("")] + ints(0))),
    Endpoint(
      "sounds", "— or i", takes: 0...1, "the number of the first; answered: number, how many, name",
      "Answers with one message for each built-in sound set, which `sound` takes.",
      .pages(
        count: { _ in Parameters.builtInSounds.count },
        row: { _, index in [.string(Parameters.builtInSounds[index])] }, none: [.string("")])),
  ]

  /// The numbers of songs and sections that are accepted here. The conductor checks that they exist.
  static let numbers = 1...1_000_000

  private static func clockText(_ seconds: Int) -> String {
    let rest = seconds % 60
    return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
  }
}
