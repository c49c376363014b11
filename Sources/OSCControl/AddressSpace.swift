import Control
import Engine
import MusicTime

/// The whole namespace below `/tactus/`. The reference table is made from it.
enum AddressSpace {
  static let root = "/tactus/"

  static let endpoints: [Endpoint] = playing + music + sound + conversation

  /// Addresses that are only ever pushed.
  static let pushed: Set = [root + "pong", root + "beat", root + "error"]

  private static let byAddress = Dictionary(uniqueKeysWithValues: endpoints.map { ($0.address, $0) })

  /// The endpoints that an address or pattern names.
  static func endpoints(matching address: String) throws(OSCFault) -> [Endpoint] {
    if let endpoint = byAddress[address] { return [endpoint] }
    let pattern = try OSCPattern(address)
    return endpoints.filter { pattern.matches($0.address) }
  }

  private static let playing = [
    Endpoint(
      "start", "— or i f T", "", "Starts at the first downbeat, or where `locate` went.", .trigger(.start)),
    Endpoint("stop", "— or i f T", "", "Stops. What sounds plays to its end.", .trigger(.stop)),
    Endpoint(
      "toggle", "— or i f T F", "0, 1",
      "Starts or stops; with a value, 1 starts and 0 stops. Pushed: whether it plays.",
      .call { arguments throws(InvalidValue) in
        guard arguments.count > 0 else { return .toggle }
        return try arguments.number(0, "toggle") != 0 ? .start : .stop
      }, value: { [.int32($0.isPlaying ? 1 : 0)] }),
    Endpoint(
      "locate", "i, ii or iif", "bar from 1, beat from 1, fraction 0…<1", standard: "1 1 0",
      "Goes to a bar, beat and fraction of the beat.",
      .set { arguments throws(InvalidValue) in
        try arguments.require(1...3, "locate", "iif: bar, beat, fraction")
        let bar = try arguments.integer(0, "bar")
        let beat = arguments.count > 1 ? try arguments.integer(1, "beat") : 1
        let fraction = arguments.count > 2 ? try arguments.number(2, "fraction") : 0
        guard 1...1_000_000_000 ~= bar else {
          throw InvalidValue("bar", "\(bar)", allowed: "1…1000000000")
        }
        guard 1...BarLayout.maximumBeats ~= beat else {
          throw InvalidValue("beat", "\(beat)", allowed: "from 1 to the beats of a bar")
        }
        guard (0..<1).contains(fraction) else {
          throw InvalidValue("fraction", "\(fraction)", allowed: "at least 0 and below 1")
        }
        return .locate(Position(bar: bar, beat: beat, fraction: fraction))
      }),
    Endpoint(
      "role", "s", "free, follow, lead, lead-if-free", standard: "free",
      "How Tactus stands to the JACK transport. `lead` takes over from another leader, `lead-if-free` does not.",
      .set { arguments throws(InvalidValue) in
        try arguments.require(1...1, "role", "s")
        if try arguments.text(0, "role") == "lead-if-free" { return .leadIfFree }
        guard let role = TransportRole(rawValue: try arguments.text(0, "role")) else {
          throw InvalidValue(
            "role", quoted(try arguments.text(0, "role")), allowed: "one of free, follow, lead, lead-if-free")
        }
        return .set(.role(role))
      }, value: { [.string($0.settings.role.rawValue)] }),
    Endpoint(
      "quantise", "s", "now, beat, bar", standard: "now",
      "When a change of tempo, meter or pattern takes effect. Volumes move at once.",
      .set { arguments throws(InvalidValue) in .set(.quantise(try arguments.choice("quantise"))) },
      value: { [.string($0.settings.quantise.rawValue)] }),
    Endpoint(
      "leader", "", "beats 1…99, note 1…99, notes a minute",
      "In `follow`: the meter and tempo of whoever leads; 0 0 0 where nobody does.", .read,
      value: { snapshot in
        guard let leader = snapshot.leader else { return [.int32(0), .int32(0), .float(0)] }
        return [
          .int32(Int32(leader.count)), .int32(Int32(leader.unit)), .float(Float(leader.notesPerMinute)),
        ]
      }),
  ]

  private static let music = [
    Endpoint(
      "tempo", "f", "1…999.999 beats a minute", standard: "120", "The tempo, to a thousandth, in beat units.",
      .set { arguments throws(InvalidValue) in
        try arguments.require(1...1, "tempo", "f")
        return .set(.tempo(try Tempo(arguments.number(0, "tempo"))))
      }, value: { [.float(Float($0.settings.tempo.beatsPerMinute))] }),
    Endpoint(
      "tempo/nudge", "f", "−999…999 beats a minute", "Moves the tempo; it stops at its bounds.",
      .set { arguments throws(InvalidValue) in
        try arguments.require(1...1, "nudge", "f")
        let step = try arguments.number(0, "nudge")
        guard -999...999 ~= step else {
          throw InvalidValue("nudge", "\(step)", allowed: "-999…999 beats a minute")
        }
        return .nudge(thousandths: Int((step * 1_000).rounded()))
      }),
    Endpoint(
      "tap", "—, i f T, or d", "d: seconds by the sender's clock",
      "Taps the tempo: the line through the last taps, from the second on. A bundle's time tag counts, if it has one.",
      .call { arguments throws(InvalidValue) in
        guard let first = arguments.arguments.first else { return .tap(seconds: nil) }
        if case .double(let seconds) = first { return .tap(seconds: seconds) }
        return try arguments.number(0, "tap") != 0 ? .tap(seconds: nil) : nil
      }),
    Endpoint(
      "meter", "ii", "1…99, 1…99", standard: "4 4", "Notes in a bar, and which note.",
      .set { arguments throws(InvalidValue) in
        try arguments.require(2...2, "meter", "ii")
        return .set(.meter(try Meter(arguments.integer(0, "meter"), arguments.integer(1, "meter"))))
      }, value: { [.int32(Int32($0.settings.meter.count)), .int32(Int32($0.settings.meter.unit))] }),
    Endpoint(
      "beat-unit", "ii", "a note 1/1…1/99, dotted (3/8) or double-dotted (7/16); 0 0", standard: "0 0",
      "The note that counts as one beat; 0 0 is the meter's own.",
      .set { arguments throws(InvalidValue) in
        try arguments.require(2...2, "beat-unit", "ii")
        let (numerator, denominator) = (
          try arguments.integer(0, "beat unit"), try arguments.integer(1, "beat unit")
        )
        return .set(
          .beatUnit(numerator == 0 && denominator == 0 ? nil : try BeatUnit(numerator, denominator)))
      },
      value: {
        guard let length = $0.settings.beatUnit?.length else { return [.int32(0), .int32(0)] }
        return [.int32(Int32(length.numerator)), .int32(Int32(length.denominator))]
      }),
    Endpoint(
      "accents", "s", "X x o . for each beat; empty", standard: "empty",
      "Accent, beat, soft or silent for each beat of the bar; empty: as the groups say, or the downbeat alone.",
      .set { arguments throws(InvalidValue) in
        try arguments.require(1...1, "accents", "s")
        let text = try arguments.text(0, "accents")
        return .set(.accents(text.isEmpty ? nil : try AccentPattern(text: text)))
      }, value: { [.string($0.settings.accents?.description ?? "")] }),
    Endpoint(
      "groups", "s", "as 3+2+2, in sum the beats of the bar; empty", standard: "empty",
      "Groups of beats; each starts with an accent.",
      .set { arguments throws(InvalidValue) in
        try arguments.require(1...1, "groups", "s")
        let text = try arguments.text(0, "groups")
        return .set(.groups(text.isEmpty ? nil : try Groups(text: text)))
      }, value: { [.string($0.settings.groups?.description ?? "")] }),
    Endpoint(
      "swing", "f", "0…1", standard: "0",
      "Delay of every second part of the subdivisions 2, 4, 8: 0 straight, 0.667 triplet, 1 dotted.",
      .set { arguments throws(InvalidValue) in
        try arguments.require(1...1, "swing", "f")
        return .set(.swing(try Swing(arguments.number(0, "swing"))))
      }, value: { [.float(Float($0.settings.swing.amount))] }),
  ]

  private static let sound =
    Subdivision.all.map { subdivision in
      Endpoint(
        "subdivision/\(subdivision.parts)", "f", "0…1", standard: "0",
        "Volume of the beat's division into \(subdivision.parts); 0 is off.",
        .set { arguments throws(InvalidValue) in
          try arguments.require(1...1, "subdivision", "f")
          return .set(.subdivision(subdivision, try Volume(arguments.number(0, "volume"))))
        }, value: { [.float($0.settings.volume(subdivision).gain)] })
    }
    + Fader.allCases.map { fader in
      Endpoint(
        fader == .master ? "volume" : "volume/\(fader.rawValue)", "f", "0…1", standard: "1",
        fader == .master ? "Volume of the mix, the port `out`." : "Volume of the role `\(fader.rawValue)`.",
        .set { arguments throws(InvalidValue) in
          try arguments.require(1...1, "volume", "f")
          return .set(.volume(fader, try Volume(arguments.number(0, "volume"))))
        }, value: { [.float($0.settings.volume(fader).gain)] })
    } + [
      Endpoint(
        "sound", "s", "sine, square, woodblock, clave, tambourine, hi-hat, cowbell, beep, or a folder",
        standard: "sine", "The sound set: a built-in one, or a folder of sound files.",
        .set { arguments throws(InvalidValue) in
          try arguments.require(1...1, "sound", "s")
          return .set(.sound(try arguments.text(0, "sound")))
        }, value: { [.string($0.settings.sound)] })
    ]

  private static let conversation = [
    Endpoint(
      "save", "— or i f T", "", "Writes the settings to disk now rather than a second after a change.",
      .trigger(.save)),
    Endpoint("reset", "— or i f T", "", "All settings back to their defaults.", .trigger(.reset)),
    Endpoint("ping", "— or anything", "", "Answers `/tactus/pong` with the same arguments.", .ping),
    Endpoint("query", "—", "", "Answers every address that has a value with its value.", .query),
    Endpoint(
      "subscribe", "— or s", "URL (osc.udp://127.0.0.1:9000/) or port",
      "Pushes beats, changes and warnings to the sender or to the address given, for \(Subscribers.lifetime) s after the last subscribe; at most \(Subscribers.capacity) subscribers. Answers with all values.",
      .subscribe),
    Endpoint("unsubscribe", "— or s", "as for subscribe", "Ends that.", .unsubscribe),
  ]
}
