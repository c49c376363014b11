import Control
import Engine
import MusicTime

/// The whole namespace below `/tactus/`. The reference table is made from it.
enum AddressSpace {
  static let root = "/tactus/"

  static let endpoints: [Endpoint] =
    playing + music + sound + session + midi + clockIn + outputs + pace + conversation

  /// Addresses that are only ever pushed.
  static let pushed: Set = [root + "pong", root + "beat", root + "error"]

  private static let byAddress = Dictionary(uniqueKeysWithValues: endpoints.map { ($0.address, $0) })

  /// The endpoint that a message names in full, or those with a value that its pattern reaches.
  /// - Throws: `OSCFault` where there is none.
  static func endpoints(for message: OSCMessage) throws(OSCFault) -> [Endpoint] {
    if let endpoint = byAddress[message.address] { return [endpoint] }
    let pattern = try OSCPattern(message.address)
    let matching = endpoints.filter { pattern.matches($0.address) }
    let reached = matching.filter { $0.isReachedByPattern(arguments: message.arguments.count) }
    guard let command = matching.first else {
      throw OSCFault(reason: "no such address; /tactus/query answers all that have a value")
    }
    guard !reached.isEmpty else {
      throw OSCFault(
        reason: "a pattern reaches values alone: commands, as \(command.address), are named in full")
    }
    return reached
  }

  private static let playing = [
    Endpoint(
      "start", "— or i f T", "Starts at the first downbeat, or where `locate` went.", .trigger(.start)),
    Endpoint("stop", "— or i f T", "Stops. What sounds plays to its end.", .trigger(.stop)),
    Endpoint(
      "toggle", "— or i f T F", "0, 1",
      "Starts or stops; with a value, 1 starts and 0 stops. Pushed: whether it plays.",
      .call { $0.count == 0 ? .toggle : try $0.truth(0) ? .start : .stop },
      value: { [.int32($0.isPlaying ? 1 : 0)] }),
    Endpoint(
      "locate", "i, ii or iif", takes: 1...3, "bar from 1, beat from 1, fraction 0…<1", standard: "1 1 0",
      "Goes to a bar, beat and fraction of the beat.",
      .set {
        let bar = try $0.integer(0, "bar", in: Position.bars, "1…1000000")
        let beats = 1...BarLayout.maximumBeats
        let beat = $0.count < 2 ? 1 : try $0.integer(1, "beat", in: beats, "from 1 to the beats of a bar")
        let fraction = $0.count < 3 ? 0 : try $0.number(2, "fraction", in: 0..<1, "at least 0 and below 1")
        return .locate(Position(bar: bar, beat: beat, fraction: fraction))
      }),
    Endpoint(
      "role", "s", "free, follow, lead, lead-if-free, midi-clock, link", standard: "free",
      "Who says where the music is. `lead` takes over from another leader, `lead-if-free` does not; `link` is with Ableton Link rather than the transport.",
      .set { try $0.text(0) == "lead-if-free" ? .leadIfFree : .set(.role($0.choice(or: "lead-if-free"))) },
      value: { [.string($0.settings.role.rawValue)] }),
    Endpoint(
      "quantise", "s", "now, beat, bar", standard: "now",
      "When a change of tempo, meter or pattern takes effect. Volumes move at once.",
      .set { .set(.quantise(try $0.choice())) }, value: { [.string($0.settings.quantise.rawValue)] }),
    Endpoint(
      "link", "i", "0, 1", standard: "0", "Joins the Ableton Link session of the network, or leaves it.",
      .set { .link(try $0.truth(0)) }, value: { ints($0.settings.role == .link ? 1 : 0) }),
    Endpoint(
      "link/peers", "", "0 and up", "The others in the Ableton Link session.", .read,
      value: { ints($0.peers) }),
    Endpoint(
      "leader", "", "beats 1…99, note 1…99, notes a minute",
      "In `follow` and `midi-clock`: the meter and tempo of whoever leads; 0 0 0 where nobody does. A MIDI clock has no meter: 0 4, and quarters a minute.",
      .read,
      value: {
        let leader = $0.leader
        return ints(leader?.count ?? 0, leader?.unit ?? 0) + [.float(Float(leader?.notesPerMinute ?? 0))]
      }),
  ]

  private static let music = [
    Endpoint(
      "tempo", "f", "1…999.999 beats a minute", standard: "120", "The tempo, to a thousandth, in beat units.",
      .set { .set(.tempo(try Tempo($0.number(0)))) },
      value: { [.float(Float($0.settings.tempo.beatsPerMinute))] }),
    Endpoint(
      "tempo/nudge", "f", "−999…999 beats a minute", "Moves the tempo; it stops at its bounds.",
      .set {
        let step = try $0.number(0, "nudge", in: -999...999, "-999…999 beats a minute")
        return .nudge(thousandths: Int((step * 1_000).rounded()))
      }),
    Endpoint(
      "tap", "—, i f T, or d", "d: seconds by the sender's clock",
      "Taps the tempo: the line through the last taps, from the second on. A bundle's time tag counts, if it has one.",
      .call {
        if case .double(let seconds) = $0.arguments.first { return .tap(seconds: seconds) }
        return try $0.count == 0 || $0.truth(0) ? .tap(seconds: nil) : nil
      }),
    Endpoint(
      "meter", "ii", "1…99, 1…99", standard: "4 4", "Notes in a bar, and which note.",
      .set { .set(.meter(try Meter($0.integer(0), $0.integer(1)))) },
      value: { ints($0.settings.meter.count, $0.settings.meter.unit) }),
    Endpoint(
      "beat-unit", "ii", "a note 1/1…1/99, dotted (3/8) or double-dotted (7/16); 0 0", standard: "0 0",
      "The note that counts as one beat; 0 0 is the meter's own.",
      .set {
        let unit = (try $0.integer(0), try $0.integer(1))
        return .set(.beatUnit(unit == (0, 0) ? nil : try BeatUnit(unit.0, unit.1)))
      },
      value: {
        let length = $0.settings.beatUnit?.length
        return ints(length?.numerator ?? 0, length?.denominator ?? 0)
      }),
    Endpoint(
      "accents", "s", "X x o . for each beat; empty", standard: "empty",
      "Accent, beat, soft or silent for each beat of the bar; empty: as the groups say, or the downbeat alone.",
      .set { .set(.accents(try $0.text(0).isEmpty ? nil : AccentPattern(text: $0.text(0)))) },
      value: { [.string($0.settings.accents?.description ?? "")] }),
    Endpoint(
      "groups", "s", "as 3+2+2, in sum the beats of the bar; empty", standard: "empty",
      "Groups of beats; each starts with an accent.",
      .set { .set(.groups(try $0.text(0).isEmpty ? nil : Groups(text: $0.text(0)))) },
      value: { [.string($0.settings.groups?.description ?? "")] }),
    Endpoint(
      "swing", "f", "0…1", standard: "0",
      "Delay of every second part of the subdivisions 2, 4, 8: 0 straight, 0.667 triplet, 1 dotted.",
      .set { .set(.swing(try Swing($0.number(0)))) }, value: { [.float(Float($0.settings.swing.amount))] }),
    Endpoint(
      "gap", "ii", "bars 1…99, bars 0…99; 0 0", standard: "0 0",
      "So many bars sound and so many are silent, in turn from bar 1 on; 0 0: all sound.",
      .set { .set(.gap(try Gap(play: $0.integer(0), rest: $0.integer(1)))) },
      value: { ints($0.settings.gap.play, $0.settings.gap.rest) }),
  ]

  private static let sound =
    Subdivision.all.map { subdivision in
      Endpoint(
        "subdivision/\(subdivision.parts)", "f", "0…1", standard: "0",
        "Volume of the beat's division into \(subdivision.parts); 0 is off.",
        .set { .set(.subdivision(subdivision, try Volume($0.number(0)))) },
        value: { [.float($0.settings.volume(subdivision).gain)] })
    }
    + Fader.allCases.map { fader in
      Endpoint(
        fader == .master ? "volume" : "volume/\(fader.rawValue)", "f", "0…1", standard: "1",
        fader == .master ? "Volume of the mix, the port `out`." : "Volume of the role `\(fader.rawValue)`.",
        .set { .set(.volume(fader, try Volume($0.number(0)))) },
        value: { [.float($0.settings.volume(fader).gain)] })
    } + [
      Endpoint(
        "sound", "s", "sine, square, woodblock, clave, tambourine, hi-hat, cowbell, beep, or a folder",
        standard: "sine", "The sound set: a built-in one, or a folder of sound files.",
        .set { .set(.sound(try $0.text(0))) }, value: { [.string($0.settings.sound)] }),
      Endpoint(
        "mute", "i", "0, 1", standard: "0", "Silences the mix, and keeps its volume.",
        .set { .set(.mute(try $0.truth(0))) }, value: { ints($0.settings.isMuted ? 1 : 0) }),
    ]

  private static let conversation = [
    Endpoint(
      "save", "— or i f T", "Writes the settings to disk now rather than a second after a change.",
      .trigger(.save)),
    Endpoint(
      "reset", "— or i f T", "All settings back to their defaults, but for what MIDI controls have learned.",
      .trigger(.reset)),
    Endpoint("ping", "— or anything", "Answers `/tactus/pong` with the same arguments.", .ping),
    Endpoint(
      "health", "", "xruns, gaps, clips, events, commands, messages, MIDI messages",
      "What went wrong since the start: xruns of the server, cycles missed while playing, clicks not begun, and events, commands, messages and MIDI controllers' messages dropped. Pushed at most once a second.",
      .read,
      value: {
        let health = $0.health
        return ints(
          health.xruns, health.gaps, health.droppedClips, health.droppedEvents, health.droppedCommands,
          health.droppedMessages, health.droppedControls)
      }),
    Endpoint("query", "—", "Answers every address that has a value with its value.", .query),
    Endpoint(
      "subscribe", "— or s", "URL (osc.udp://127.0.0.1:9000/) or port",
      "Pushes beats, changes and warnings to the sender or to the address given, for \(Subscribers.lifetime) s after the last subscribe; at most \(Subscribers.capacity) subscribers. Answers with all values.",
      .subscribe),
    Endpoint("unsubscribe", "— or s", "as for subscribe", "Ends that.", .unsubscribe),
  ]

  static func ints(_ numbers: Int...) -> [OSCArgument] {
    numbers.map { .int32(Int32(clamping: $0)) }
  }
}
