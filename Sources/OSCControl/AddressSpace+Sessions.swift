import Control
import Engine
import MusicTime
import OSC
import Validation

/// The addresses of songs, setlists and practice sessions.
extension AddressSpace {
  static let session = [
    Endpoint(
      "session", "s", "the name or title of a document in the session folder, or empty",
      "Opens a song, a setlist or a practice session, stopped at its start; empty closes it. Pushed: its path.",
      .set { .open(path: try $0.text(0)) }, value: { [.string($0.settings.session?.path ?? "")] }),
    Endpoint(
      "reload", "— or i f T",
      "Reads the open document again. The music continues where it is; if its section was moved, the new document takes effect at the next stop or at the next section that was not moved. A document with faults is refused, and the old one continues.",
      .trigger(.reload)),
    Endpoint(
      "sessions", "— or i", takes: 0...1,
      "the number of the first; answered: number, how many, name, title, songs, seconds, beats a minute, \(meterForm)",
      "Answers with one message for each document of the session folder, \(rowLimit) at most, from the first or from a number; `/tactus/session` opens it by its name. 0 songs: it can't be played; −1 seconds: it has no end. `0 0`, empty texts and zeros if there is no document.",
      .documents { index, count, document in
        let content = document?.content
        return ints(index, count) + [.string(document?.name ?? ""), .string(content?.title ?? "")]
          + ints(
            content?.songs ?? 0, content.map { $0.seconds.map { Int(min($0, 1e9).rounded()) } ?? -1 } ?? 0)
          + [.float(Float(content?.tempo.beatsPerMinute ?? 0))]
          + ints(content?.meter.count ?? 0, content?.meter.unit ?? 0)
      }),
    Endpoint(
      "state", "", "idle, counting in, running, between songs, paused or finished",
      "What the music does. A transport is idle, counting in or running.", .read,
      value: { [.string($0.state.rawValue)] }),
    Endpoint("pause", "— or i f T", "Stops where it is.", .trigger(.pause)),
    Endpoint("resume", "— or i f T", "Continues from there, as `start` does.", .trigger(.start)),
    Endpoint(
      "pause/toggle", "— or i f T",
      "Pauses if it plays, otherwise continues. The metronome, too, continues where it was.",
      .trigger(.playPause)),
    Endpoint(
      "restart", "— or i f T", "Plays from the beginning of the song; the metronome from bar 1.",
      .trigger(.restart)),
    Endpoint(
      "next", "— or i f T", "Goes to the next section, at the time that `quantise` says.",
      .trigger(.go(.next))),
    Endpoint(
      "previous", "— or i f T",
      "Goes back to the section's start; within its first two seconds, to the previous section. At the start of a stopped song, goes to the previous song.",
      .trigger(.go(.previous))),
    Endpoint(
      "goto", "s or i", takes: 1...1, "a section's label or name, or its number from 1",
      shapes: [.integer(numbers)],
      "Goes to a section. `sections` lists the numbers, which include a count-in. A text that is neither label nor name can be a number.",
      .set {
        if $0.arguments[0].text != nil { return .go(.named(try $0.text(0))) }
        return .go(.section(try $0.integer(0, in: numbers, "a label, a name, or a number from 1")))
      }),
    Endpoint("song/next", "— or i f T", "Stops and prepares the next song.", .trigger(.go(.nextSong))),
    Endpoint(
      "song/previous", "— or i f T", "Stops and prepares the previous song.", .trigger(.go(.previousSong))),
    Endpoint(
      "hold", "i", "0, 1", standard: "0", shapes: [.flag],
      "1 repeats the current section, in a count-in the one after it, until 0 releases it or playback stops. In role `free` only.",
      .set { .hold(try $0.truth(0)) }, value: { ints($0.progress?.isHeld == true ? 1 : 0) }),
    Endpoint(
      "loop", "ii, iiii or i", takes: 1...4,
      "bars of the section; or section, bar, section, bar; 0 ends it; all from 1", standard: "0 0 0 0",
      shapes: Array(repeating: .integer(0...numbers.upperBound), count: 4),
      "Repeats bars, and goes there, until 0 releases them or playback stops. In role `free` only. Pushed: section, bar, section, bar; four times 0 if none repeat.",
      .set { .loop(.bars(try loop($0))) }, value: { loop($0.progress?.loop) }),
    Endpoint(
      "loop/mark", "— or i f T",
      "Repeats bars by ear: the first press marks the bar that plays as the first, the second marks the last, the third lets the music continue. In role `free` only.",
      .trigger(.loop(.mark))),
    Endpoint(
      "loop/from", "", "section, bar",
      "The first bar of a loop whose last is not marked yet; 0 0 if none is.",
      .read, value: { ints($0.progress?.loopMark?.section ?? 0, $0.progress?.loopMark?.bar ?? 0) }),
    Endpoint(
      "speed", "i", SessionSpeed.allowed, standard: "100", unit: "percent",
      shapes: [.fader(SessionSpeed.range)],
      "Plays the song slower or faster than its document says. Another song begins at 100.",
      .set {
        .speed(
          percent: Int(try $0.number(0).clamped(to: -1e6...1e6).rounded()).clamped(to: SessionSpeed.range))
      },
      value: { ints($0.progress?.speed ?? 100) }),
    Endpoint(
      "song/nudge", "", Rendition.allowedNudges,
      "By how much `tempo/nudge` has moved the tempos of the song that plays.", .read,
      value: { [.float(Float($0.progress?.nudge ?? 0) / 1_000)] }),
    Endpoint(
      "song/gap", "", "bars that sound, silent bars",
      "The bars of the song that `gap` has silenced; 0 0 if none are.", .read,
      value: { ints($0.progress?.gap.play ?? Gap.off.play, $0.progress?.gap.rest ?? Gap.off.rest) }),
    Endpoint(
      "song/save", "— or i f T",
      "Writes the tempo to which the song that plays was nudged into its document, as its `nudge`, and reads it again. Nothing else in the document changes.",
      .trigger(.keepNudge)),
    Endpoint(
      "song", "i", "number from 1", shapes: [.integer(numbers)],
      "Stops and prepares a song of the setlist. Pushed: its number, how many there are, its title; 0 0 if no session is open.",
      .order { .go(.song(try $0.integer(0, "song", in: numbers, "a number from 1"))) },
      value: { ints($0.progress?.song ?? 0, $0.progress?.songs ?? 0) + [.string($0.progress?.title ?? "")] }),
    Endpoint(
      "section", "", "name, colour, bar, bars",
      "The section, its current bar, and how many bars it has; 0 if it lasts until you move on.", .read,
      value: {
        [.string($0.progress?.section ?? ""), .string($0.progress?.colour ?? "")]
          + ints($0.progress?.bar ?? 0, $0.progress?.bars ?? 0)
      }),
    Endpoint(
      "section/layers", "", "numbers such as 1 2", family: "section",
      "The numbers of the layers that the section has; empty if it has none, or no session is open.", .read,
      value: { [.string($0.progress?.layers.map { "\($0.number)" }.joined(separator: " ") ?? "")] }),
    Endpoint(
      "left", "", "seconds, seconds",
      "Time left in the section and in the song; −1 if they last until you move on. Pushed each second.",
      .read,
      value: { ints($0.progress?.sectionLeft ?? -1, $0.progress?.songLeft ?? -1) }),
    Endpoint(
      "elapsed", "", "seconds, seconds",
      "Whole seconds since the section and the song began; −1 for the song after a section that lasts until you move on. Pushed each second.",
      .read,
      value: { ints($0.progress?.sectionElapsed ?? 0, $0.progress.map { $0.songElapsed ?? -1 } ?? 0) }),
    Endpoint(
      "length", "", "seconds, seconds",
      "The length of the section and of the song at the present speed; −1 if they last until you move on, or while the song is not ready.",
      .read,
      value: { ints($0.progress?.sectionLength ?? -1, $0.progress?.songLength ?? -1) }),
    Endpoint(
      "cycle", "", "number, how many",
      "The current cycle of the document's sections; 0 cycles if they repeat without end, 0 0 if no session is open.",
      .read,
      value: { ints($0.progress?.cycle ?? 0, $0.progress?.cycles ?? 0) }),
    Endpoint(
      "upcoming", "", "name", "What comes next: a section or a song.", .read,
      value: { [.string($0.progress?.next ?? "")] }),
  ]
}

/// The bars that repeat.
extension AddressSpace {
  /// First section and bar, last section and bar; four zeros for nil.
  private static func loop(_ bars: SessionBars?) -> [OSCArgument] {
    guard let bars else { return ints(0, 0, 0, 0) }
    return ints(bars.first.section ?? 0, bars.first.bar, bars.last.section ?? 0, bars.last.bar)
  }

  private static func loop(_ message: OSCArguments) throws(InvalidValue) -> SessionBars? {
    var numbers: [Int] = []
    for index in message.arguments.indices {
      numbers.append(
        try message.integer(index, in: 0...AddressSpace.numbers.upperBound, "a number from 1, or 0"))
    }
    if numbers.allSatisfy({ $0 == 0 }) { return nil }
    guard numbers.allSatisfy({ $0 > 0 }), [2, 4].contains(numbers.count) else {
      throw InvalidValue(
        "loop", numbers.map(String.init).joined(separator: " "),
        allowed: "two bars; section, bar, section, bar; or 0")
    }
    let (first, last) = numbers.count == 2 ? (nil, nil) : (numbers[0], numbers[2])
    return SessionBars(
      SessionBars.Bar(section: first, bar: numbers[numbers.count / 2 - 1]),
      through: SessionBars.Bar(section: last, bar: numbers[numbers.count - 1]))
  }
}
