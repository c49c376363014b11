import Control
import Engine
import MusicTime
import OSC
import Realtime
import Validation

/// All addresses below `/tactus/`, and `/ping`. The reference table and the OSCQuery tree are made from it.
enum AddressSpace {
  static let root = "/tactus/"

  /// The endpoints of the program's own parameters.
  static let endpoints = endpoints(of: .standard)

  /// All endpoints, with those of the parameters in a table.
  static func endpoints(of table: ParameterTable) -> [Endpoint] {
    playing + display
      + table.parameters.flatMap { $0 == Parameters.role.parameter ? [role, wantedRole] : endpoints(of: $0) }
      + timing + presets + session + lists + midi(table)
      + pace + conversation
  }

  /// The endpoints of a parameter: its own, those of its other forms, and those of its other names.
  private static func endpoints(of parameter: Parameter) -> [Endpoint] {
    [Endpoint(parameter)]
      + ParameterForm.allCases.filter { $0.fits(parameter) }.map { $0.endpoint(of: parameter) }
      + parameter.otherNames.map { Endpoint(parameter, named: $0) }
  }

  /// The range of a meter in the descriptions of messages with several arguments.
  static let meterForm = "beats \(Meter.range.shown), note \(Meter.range.shown)"

  /// The address of errors and warnings.
  static let error = root + "error"
  /// The address of beats.
  static let beat = root + "beat"
  /// The address of beats half a second ahead.
  static let ahead = root + "beat/ahead"
  /// The address that cancels beats ahead.
  static let revoked = root + "beat/revoked"
  /// The address of answers to `time`.
  static let now = root + "now"

  /// Addresses of messages that Tactus only sends. It ignores messages to them: two programs that answered them would never
  /// stop.
  static let pushed: Set = [
    "/pong", root + "pong", now, beat, ahead, revoked, lamp, hit, take, coach, quiet, learned, calibrating,
    calibrated, error,
  ]

  /// Addresses that answer with the received arguments.
  static let echoing: Set = ["/ping", root + "ping", root + "time"]

  /// Addresses whose messages overtake those of other peers.
  static let urgent = Set(
    [
      "start", "stop", "stop/bar", "fade", "go", "toggle", "pause", "pause/toggle", "resume", "restart",
      "ping", "time",
    ].map { root + $0 } + ["/ping"])

  /// How many rows a long list sends at most. For the limit of values in a datagram, each list counts as this many.
  static let rowLimit = Schedule.share

  private static let byAddress = Dictionary(uniqueKeysWithValues: endpoints.map { ($0.address, $0) })

  /// The endpoints whose messages need no special handling. Nearly all messages name one of them in full.
  static let ordinary = byAddress.filter { !pushed.contains($0.key) && !echoing.contains($0.key) }

  /// The endpoint of an address; nil if there is none.
  static func endpoint(_ address: String) -> Endpoint? { byAddress[address] }

  /// The endpoint that a message names in full, or the endpoints with a value that its pattern matches.
  /// - Parameters:
  ///   - exchange: counts the pattern.
  ///   - all: the endpoints that a pattern may match.
  /// - Throws: `OSCFault` if there is none, if the pattern is invalid, or if the datagram contains too many patterns.
  static func endpoints(
    for message: OSCMessage, _ exchange: OSCExchange, among all: [Endpoint] = AddressSpace.endpoints
  ) throws(OSCFault) -> [Endpoint] {
    if let endpoint = byAddress[message.address] { return [endpoint] }
    try exchange.countPattern()
    let pattern = try OSCPattern(message.address)
    let matching = all.filter { pattern.matches($0.address) }
    let reached = matching.filter {
      $0.isReachedByPattern(message.address, arguments: message.arguments.count)
    }
    guard let command = matching.first else {
      throw OSCFault(reason: "no such address; /tactus/query answers all that have a value")
    }
    guard !reached.isEmpty else {
      throw OSCFault(
        reason: "a pattern matches only addresses with a value: \(command.address) must be named in full")
    }
    return reached
  }

  private static let playing = [
    Endpoint(
      "start", "— or i f T", "Starts at the first downbeat, or where `locate` went.", .trigger(.start)),
    Endpoint(
      "stop", "— or i f T",
      "Stops. Clips that have begun play to their end. A session goes back to the start of its song.",
      .trigger(.stop)),
    Endpoint(
      "stop/bar", "— or i f T",
      "Stops on the next bar line, before its downbeat; a session pauses there. `start` cancels it. In role `free` only.",
      .trigger(.stopAtBar)),
    Endpoint(
      "fade", "— or f", FadeTime.allowed, standard: "\(FadeTime.standard / 1_000)",
      "Fades the mix out and then stops; `volume` stays as it is. A second one, or `start`, brings the volume back. 1 is a button's press, and takes 5 seconds; 0 is its release, and does nothing.",
      .call {
        if $0.count == 0 { return .fade(milliseconds: FadeTime.standard) }
        let seconds = try $0.number(0)
        if seconds == 1 { return .fade(milliseconds: FadeTime.standard) }
        return seconds == 0 ? nil : .fade(milliseconds: try FadeTime.milliseconds(seconds))
      }),
    Endpoint(
      "toggle", "— or i f T F", "0, 1", shapes: [.flag],
      "Starts or stops; a session pauses and continues. With a value, 1 plays and 0 stops. Pushed: whether it plays.",
      .call { $0.count == 0 ? .toggle : .play(try $0.truth(0)) },
      value: { [.int32($0.isPlaying ? 1 : 0)] }),
    Endpoint(
      "go", "— or i f T",
      "For a pedal on stage: starts what waits (this song, the next song, or the section after one that lasts until you go on). It never restarts anything and cuts nothing short; a second press within half a second is ignored.",
      .trigger(.advance)),
    Endpoint(
      "locate", "i, ii or iif", takes: 1...3, "bar from 1, beat from 1, fraction 0…<1", standard: "1 1 0",
      shapes: [
        .integer(Position.bars), .integer(1...BarLayout.maximumBeats),
        .number(0...Double((1 as Float).nextDown)),
      ],
      "Goes to a bar, beat and fraction of the beat.",
      .set {
        let bar = try $0.integer(0, "bar", in: Position.bars, "1…1000000")
        let beats = 1...BarLayout.maximumBeats
        let beat = $0.count < 2 ? 1 : try $0.integer(1, "beat", in: beats, "from 1 to the beats of a bar")
        let fraction = $0.count < 3 ? 0 : try $0.number(2, "fraction", in: 0..<1, "at least 0 and below 1")
        return .locate(Position(bar: bar, beat: beat, fraction: fraction))
      }),
    Endpoint(
      "tempo/nudge", "f", Tempo.allowedNudges, unit: Tempo.unit, shapes: [.number(Tempo.nudges)],
      "Moves the tempo; it stops at its bounds. In a session all tempos of the song that plays, by at most \(Rendition.mostNudged); the next song has its own.",
      .set {
        let step = try $0.number(0, "nudge", in: Tempo.nudges, Tempo.allowedNudges)
        return .nudge(thousandths: Int((step * 1_000).rounded()))
      }),
    Endpoint(
      "tap", "—, i f T, or d", "d: seconds by the sender's clock",
      "Taps the tempo, from the second tap on: a straight line is fitted through the last taps. A bundle's time tag is used if it has one. In a session taps set its speed.",
      .call {
        if case .double(let seconds) = $0.arguments.first { return .tap(seconds: seconds) }
        return try $0.count == 0 || $0.truth(0) ? .tap(seconds: nil) : nil
      }),
    Endpoint(
      "link", "i", "0, 1", standard: "0", shapes: [.flag],
      "Joins the Ableton Link session of the network, or leaves it.",
      .set { .link(try $0.truth(0)) }, value: { ints($0.role == .link ? 1 : 0) }),
    Endpoint(
      "link/peers", "", "0 and up", "How many other programs are in the Ableton Link session.", .read,
      value: { ints($0.peers) }),
    Endpoint(
      "sounding", "", "beats a minute, \(meterForm)",
      "The tempo and meter that sound with a session or a leader; 0 beats a minute while the tempo changes. 0 0 0 without: then `tempo` and `meter` sound.",
      .read,
      value: {
        guard $0.progress != nil || $0.leader != nil else { return [.float(0)] + ints(0, 0) }
        return [.float(Float($0.soundingTempo ?? 0))] + ints($0.soundingMeter.count, $0.soundingMeter.unit)
      }),
    Endpoint(
      "settable", "", "0, 1; 0, 1; 0, 1",
      "Whether the metronome's tempo, meter and pattern may be set now. A document sets all of them, a leader the tempo and the meter, a MIDI clock the tempo. With Ableton Link all peers share the tempo.",
      .read,
      value: { ints($0.settable.tempo ? 1 : 0, $0.settable.meter ? 1 : 0, $0.settable.pattern ? 1 : 0) }),
    Endpoint(
      "leader", "", "\(meterForm), notes a minute",
      "In `follow` and `midi-clock`: the leader's meter and tempo; 0 0 0 without a leader. A MIDI clock has no meter: it is 0 4, in quarters a minute.",
      .read,
      value: {
        let leader = $0.leader
        return ints(leader?.count ?? 0, leader?.unit ?? 0) + [.float(Float(leader?.notesPerMinute ?? 0))]
      }),
  ]

  /// Unlike other parameters, it also takes a conditional value: `lead-if-free` leads only if no other client does.
  private static let role = Endpoint(
    "role", "s", RequestedRole.names.joined(separator: ", "), standard: "free",
    shapes: [ArgumentShape(tag: "s", choices: RequestedRole.names)],
    "Where Tactus takes its time from. `lead` takes over from another leader, `lead-if-free` does not; `link` follows an Ableton Link session instead of the transport. Answered and pushed: the role that Tactus has, which is `follow` while another client leads.",
    .set { try RequestedRole(text: $0.text(0)).update },
    value: { [.string($0.role.rawValue)] })

  private static let wantedRole = Endpoint(
    "role/wanted", "", RequestedRole.names.joined(separator: ", "),
    "The requested role. If it is to lead while another client leads, Tactus follows, and leads when that client has gone.",
    .read, value: { [.string(RequestedRole(of: $0.settings).name)] })

  /// Messages that Tactus only sends, as OSCQuery describes them.
  static let announcements = [
    Endpoint(
      "beat", "iisf", "bar, beat, role, strength 0…1",
      "A beat, in a bundle dated with the time at which the click leaves the speakers.", .read),
    Endpoint(
      "beat/ahead", "iisf", "bar, beat, role, strength 0…1",
      "A beat as `beat` will report it, half a second earlier, dated in the same way: for lights and displays. A beat that arises later is sent at once. Only for connections (WebSocket, TCP).",
      .read),
    Endpoint(
      "beat/revoked", "", "",
      "Something has changed: the beats that `beat/ahead` reported for the date of this message and later are cancelled. Those that still come are sent again.",
      .read),
    Endpoint(
      "beat/lamp", "i", "0, 1",
      "1 when a beat sounds, and 0 a little later, for a lamp. Silent beats leave it dark.", .read),
    Endpoint(
      "error", "ss", "address, reason", "What was refused, and why; warnings without an address.", .read),
  ]

  private static let conversation = [
    Endpoint(
      "save", "— or i f T", "Writes the settings to disk now instead of a second after a change.",
      .trigger(.save)),
    Endpoint(
      "reset", "— or i f T",
      "Resets all parameters to their defaults and the role to `free`, and clears what is scheduled. Presets, what MIDI controls and drum notes have learned, connections, inputs, calibrations, feedback and the open session stay. It can't be undone: save a preset first.",
      .trigger(.reset)),
    Endpoint(
      "scheduled", "", "seconds ahead, address, sender",
      "Answers with one message for each of the \(rowLimit) soonest scheduled messages. A sender may have \(Schedule.share) of at most \(Schedule.capacity), and the furthest ahead is dropped if there are more. `0` and empty texts if nothing is scheduled.",
      .list { snapshot, now in
        let rows: [[OSCArgument]] = snapshot.scheduled.prefix(rowLimit).map { entry in
          let ahead = max(0, (entry.time - now).inSeconds)
          return [
            .float(Float(ahead)), .string(entry.origin?.name ?? ""), .string(entry.origin?.owner ?? ""),
          ]
        }
        return rows.isEmpty ? [[.float(0), .string(""), .string("")]] : rows
      }),
    Endpoint(
      "scheduled/clear", "— or s", "all",
      "Cancels what the sender has scheduled, except what is due within a tenth of a second; `all`: what all senders have scheduled.",
      .call {
        if $0.count == 1, $0.arguments[0].text != nil {
          guard try $0.text(0) == "all" else {
            throw InvalidValue("scheduled/clear", quoted(try $0.text(0)), allowed: "all, or nothing")
          }
          return .clearSchedule(all: true)
        }
        return try $0.count == 0 || $0.truth(0) ? .clearSchedule(all: false) : nil
      }),
    Endpoint("ping", "— or anything", "Answers `/tactus/pong` with the same arguments.", .ping),
    Endpoint("/ping", "— or anything", "Answers `/pong` with the same arguments.", .ping),
    Endpoint(
      "time", "— or anything",
      "Answers `/tactus/now` with the same arguments and a time tag: the time of this machine's clock when it read the message. Beats are dated by that clock.",
      .time),
    Endpoint(
      "server", "", "0 or 1, hertz",
      "Whether a JACK server is there, and its sample rate; 0 0 while there is none. Tactus then waits for a server.",
      .read, value: { ints($0.sampleRate > 0 ? 1 : 0, $0.sampleRate) }),
    Endpoint(
      "health", "", "xruns, gaps, clips, events, commands, messages, MIDI messages, answers",
      "Counts since the start: the server's xruns; interruptions by missed cycles while playing; clicks that did not begin; dropped events, commands, messages, controllers' MIDI messages and OSC answers. Pushed at most once a second.",
      .read,
      value: {
        let health = $0.health
        return ints(
          health.xruns, health.gaps, health.droppedClips, health.droppedEvents, health.droppedCommands,
          health.droppedMessages, health.droppedControls, health.droppedAnswers)
      }),
    Endpoint(
      "query", "—, i or s", "port, or URL (osc.udp://127.0.0.1:9000/); any other text",
      "Answers the sender, or a port or address that it names, with the value of every address that has one: at most \(Int(OSCRateLimits.answerFactor)) bytes for each byte that came, and the rest of the values as more comes. A text of 600 characters as the argument is enough for all. Several queries before the answer receive one answer.",
      .query),
    Endpoint(
      "subscribe", "—, s, i, si or ii",
      "URL (osc.udp://127.0.0.1:9000/) or port; seconds 1…\(Subscribers.lifetime), of this machine 1…\(Subscribers.longest)",
      "Pushes beats, changes and warnings to the sender or to the given address, for \(Subscribers.lifetime) s, or the given time, after the last subscribe; at most \(Subscribers.capacity) subscribers, \(Subscribers.share) at an address of another machine. Answers with all values.",
      .subscribe),
    Endpoint("unsubscribe", "—, s or i", "as for subscribe", "Ends a subscription.", .unsubscribe),
    Endpoint(
      "feedback", "", "number, how many, URL, 0 or 1",
      "Answers with one message for each address that receives everything without subscribing, also after a restart (`--osc-feedback`). 0: no network of `--osc-allow` contains it now, so it receives nothing. `0 0`, an empty text and 0 if there is none. Only for programs on this machine.",
      .feedback(.list)),
    Endpoint(
      "feedback/add", "s or i", takes: 1...1, "URL or port of this machine",
      "Adds an address of this machine to the feedback addresses, \(FeedbackList.limit) at most. Only for programs on this machine.",
      .feedback(.add)),
    Endpoint(
      "feedback/remove", "s or i", takes: 1...1, "URL or port",
      "Removes a feedback address. Only for programs on this machine.", .feedback(.remove)),
  ]

  /// Numbers as 32-bit integers, clamped to their range.
  static func ints(_ numbers: Int...) -> [OSCArgument] {
    numbers.map { .int32(Int32(clamping: $0)) }
  }
}
