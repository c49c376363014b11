import MusicTime
import Validation

/// The action of a control, named by its OSC address below `/tactus/`, with an argument if it has one.
package enum MIDITarget: Hashable, Sendable {
  case start, stop, toggle, pause, resume, tap
  /// Pauses or continues, also the metronome.
  case playPause
  /// Plays from the beginning of the song.
  case restart
  /// Stops at the next bar line.
  case stopAtBar
  /// Fades out in this number of milliseconds; nil: the usual time.
  case fade(milliseconds: Int?)
  /// Reads the open document again.
  case reload
  /// Writes the song's nudged tempo into its document.
  case saveSong
  /// Starts what waits, and does nothing else (`Update.advance`).
  case go
  case next, previous, nextSong, previousSong
  /// Repeats the section, or stops repeating it.
  case hold
  /// Marks the first bar of a loop, then the last; then ends the loop.
  case loop
  /// Mutes or unmutes the mix.
  case mute
  /// Switches a parameter on or off.
  case flip(Parameter)
  /// Switches the gap on or off.
  case gap
  /// Goes to a song of the session, from 1; nil: the program change's number plus 1.
  case song(Int?)
  /// Recalls a preset; nil: the preset with the program change's number plus 1.
  case preset(PresetChoice?)
  /// Goes to a section of the session by its label, name or number.
  case goto(String)
  /// Opens a document.
  case session(String)
  /// Sets the session's speed to a percentage; nil: the control sets it.
  case speed(Int?)
  /// Moves the tempo by thousandths of a beat per minute at each press or detent.
  case nudge(thousandths: Int)
  /// The control sets a parameter.
  case parameter(Parameter)
  /// Sets a parameter to a value.
  case set(Setting)

  /// The targets without an argument.
  private static let plain: [(name: String, target: MIDITarget)] = [
    ("start", .start), ("stop", .stop), ("toggle", .toggle), ("pause", .pause), ("resume", .resume),
    ("pause/toggle", .playPause), ("restart", .restart), ("tap", .tap), ("go", .go), ("stop/bar", .stopAtBar),
    ("fade", .fade(milliseconds: nil)),
    ("next", .next), ("previous", .previous), ("song/next", .nextSong), ("song/previous", .previousSong),
    ("hold", .hold), ("loop", .loop), ("mute", .mute), ("gap", .gap),
    ("preset/next", .preset(.next)), ("preset/previous", .preset(.previous)), ("reload", .reload),
    ("song/save", .saveSong),
  ]

  /// The actions that take an argument, each with an example.
  private static let withArgument: [(name: String, example: String)] = [
    ("fade", "8"), ("tempo/nudge", "-1"), ("song", "2"), ("preset", "2"), ("goto", "chorus"),
    ("session", "gig.yaml"), ("speed", "80"),
  ]

  /// The actions that follow a fader or an encoder.
  private static let following: [MIDITarget] = [.speed(nil)]

  /// The actions whose number a program change gives.
  private static let ofPrograms: [MIDITarget] = [.song(nil), .preset(nil)]

  /// The texts of the actions of a press, except for switches and values of parameters.
  package static let presses: [String] =
    plain.map(\.name) + withArgument.map { "\($0.name) \($0.example)" }

  /// The texts of the actions of a program change.
  package static let programs: [String] = ofPrograms.map(\.description)

  /// The texts of the actions of a fader or an encoder. Parameters that differ only in a number share one text:
  /// `subdivision/2…9`.
  /// - Parameter table: the known parameters.
  package static func faders(_ table: ParameterTable) -> [String] {
    let names = table.parameters.filter { $0.control != nil }.map(\.name)
    return joiningNumbers(names) + following.map(\.description)
  }

  /// Joins names that end in consecutive numbers.
  private static func joiningNumbers(_ names: [String]) -> [String] {
    var joined: [(stem: String, numbers: ClosedRange<Int>?)] = []
    for name in names {
      let digits = name.reversed().prefix { "0"..."9" ~= $0 }.count
      let (stem, number) = (String(name.dropLast(digits)), Int(name.suffix(digits)))
      if let number, let last = joined.last, last.stem == stem, let numbers = last.numbers,
        numbers.upperBound + 1 == number
      {
        joined[joined.count - 1].numbers = numbers.lowerBound...number
      } else {
        joined.append((number == nil ? name : stem, number.map { $0...$0 }))
      }
    }
    return joined.map { stem, numbers -> String in
      guard let numbers else { return stem }
      return stem + (numbers.count > 1 ? numbers.shown : "\(numbers.lowerBound)")
    }
  }

  /// The name that a misspelled action or parameter stands for; nil if there is none.
  /// - Parameter others: more known names.
  package static func corrected(
    _ name: String, among table: ParameterTable, and others: [String] = []
  ) -> String? {
    let names = [plain.map(\.name), withArgument.map(\.name), table.parameters.map(\.name), others]
    return Spelling.corrected(name, among: names.joined())
  }

  /// Whether there is an action of this name that takes no argument.
  package static func isPlain(_ name: String) -> Bool { plain.contains { $0.name == name } }

  /// An example of the action of this name that takes an argument, as `goto chorus`; nil if there is no such action.
  package static func example(_ name: String) -> String? {
    withArgument.first { $0.name == name }.map { "\($0.name) \($0.example)" }
  }

  private static let allowed =
    "an action, as toggle, tap or goto chorus, or a parameter, as tempo, mute/beat or meter 7/8"

  /// Parses an address, with or without `/tactus/`, and its argument: `tempo`, `tempo 90`, `goto chorus`.
  /// - Parameter table: the known parameters.
  /// - Throws: `InvalidValue`.
  package init(text: String, among table: ParameterTable = .standard) throws(InvalidValue) {
    let address = text.hasPrefix("/tactus/") ? text.dropFirst("/tactus/".count) : text[...]
    let parts = address.split(separator: " ", maxSplits: 1)
    let argument = parts.count == 2 ? String(parts[1].drop { $0 == " " }) : nil
    func invalid() -> InvalidValue {
      let name = parts.first.map(String.init) ?? ""
      let meant = MIDITarget.corrected(name, among: table).map { "\($0), perhaps" }
      return InvalidValue("target", quoted(text), allowed: meant ?? MIDITarget.allowed)
    }
    guard let name = parts.first, argument?.isEmpty != true, text.utf8.count <= 200 else { throw invalid() }
    if argument == nil, let plain = MIDITarget.plain.first(where: { $0.name == name }) {
      self = plain.target
    } else if let parameter = table[String(name)], argument != nil || parameter.control != nil {
      self =
        try argument.map { value throws(InvalidValue) in .set(try Setting(parameter, text: value)) }
        ?? .parameter(parameter)
    } else if let parameter = table[String(name)], argument == nil, parameter.isFlag {
      self = .flip(parameter)
    } else {
      switch (name, argument) {
      case ("song", nil): self = .song(nil)
      case ("song", let argument?):
        guard let number = Int(argument), 1...10_000 ~= number else {
          throw InvalidValue("song", quoted(argument), allowed: "1…10000")
        }
        self = .song(number)
      case ("preset", nil): self = .preset(nil)
      case ("preset", let argument?): self = .preset(PresetChoice(text: argument))
      case ("goto", let argument?): self = .goto(argument)
      case ("session", let argument?): self = .session(argument)
      case ("speed", nil): self = .speed(nil)
      case ("speed", let argument?):
        var number = argument[...]
        if number.last == "%" { number.removeLast() }
        if number.last == " " { number.removeLast() }
        guard let percent = Int(number), SessionSpeed.range ~= percent else {
          throw InvalidValue("speed", quoted(argument), allowed: "whole, \(SessionSpeed.allowed)")
        }
        self = .speed(percent)
      case ("fade", let argument?):
        guard let seconds = Double(argument) else {
          throw InvalidValue("fade", quoted(argument), allowed: FadeTime.allowed)
        }
        self = .fade(milliseconds: try FadeTime.milliseconds(seconds))
      case ("tempo/nudge", nil): self = .nudge(thousandths: 1_000)
      case ("tempo/nudge", let argument?):
        guard let step = Double(argument), Tempo.nudges ~= step, (step * 1_000).rounded() != 0 else {
          throw InvalidValue("tempo/nudge", quoted(argument), allowed: "\(Tempo.allowedNudges), not 0")
        }
        self = .nudge(thousandths: Int((step * 1_000).rounded()))
      default: throw invalid()
      }
    }
  }

  /// Whether it follows positions or steps. Otherwise a press triggers it.
  var followsControl: Bool {
    if case .parameter = self { true } else { MIDITarget.following.contains(self) }
  }

  /// Whether its argument is a name, which may have any words.
  var takesName: Bool {
    switch self {
    case .goto, .session, .preset: true
    default: false
    }
  }

  /// Whether a program change's number selects the song or preset.
  var takesProgram: Bool { MIDITarget.ofPrograms.contains(self) }

  /// The update that a press makes; nil if there is none.
  /// - Parameter program: the number of the program change, from 0; nil for other messages.
  package func update(_ now: Snapshot, program: UInt8?) -> Update? {
    switch self {
    case .start: .start
    case .stop: .stop
    case .toggle: .toggle
    case .pause: .pause
    case .resume: .start
    case .playPause: .playPause
    case .reload: .reload
    case .saveSong: .keepNudge
    case .restart: .restart
    // The request carries the time.
    case .tap: .tap(seconds: nil)
    case .next: .go(.next)
    case .previous: .go(.previous)
    case .nextSong: .go(.nextSong)
    case .previousSong: .go(.previousSong)
    case .hold: .hold(now.progress?.isHeld != true)
    case .loop: .loop(.mark)
    case .mute: .set(.mute(!now.settings.isMuted))
    case .flip(let parameter):
      (try? Setting(parameter, .flag(now.settings[parameter] != .flag(true)))).map { .set($0) }
    case .gap: .set(.gap(now.gap.toggled))
    case .song(let number): (number ?? program.map { Int($0) + 1 }).map { .go(.song($0)) }
    case .preset(let choice):
      (choice ?? program.map { .number(Int($0) + 1) }).map { .preset(.recall($0)) }
    case .goto(let name): .go(.named(name))
    case .go: .advance
    case .stopAtBar: .stopAtBar
    case .fade(let milliseconds): .fade(milliseconds: milliseconds ?? FadeTime.standard)
    case .session(let path): .open(path: path)
    case .speed(let percent): percent.map { .speed(percent: $0) }
    case .nudge(let thousandths): .nudge(thousandths: thousandths)
    case .set(let setting): .set(setting)
    case .parameter: nil
    }
  }
}

extension MIDITarget: CustomStringConvertible {
  package var description: String {
    if let plain = MIDITarget.plain.first(where: { $0.target == self }) { return plain.name }
    return switch self {
    case .song(let number): number.map { "song \($0)" } ?? "song"
    case .preset(let choice): choice.map { "preset \($0.text)" } ?? "preset"
    case .goto(let name): "goto \(name)"
    case .session(let path): "session \(path)"
    case .speed(let percent): percent.map { "speed \($0)" } ?? "speed"
    case .fade(let milliseconds): milliseconds.map { "fade \(Double($0) / 1_000)" } ?? "fade"
    case .nudge(let thousandths): "tempo/nudge \(Double(thousandths) / 1_000)"
    case .parameter(let parameter), .flip(let parameter): parameter.name
    case .set(let setting): "\(setting.parameter.name) \(setting.parameter.text(setting.value))"
    default: ""
    }
  }
}
