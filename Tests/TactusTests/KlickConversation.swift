import OSC

/// All messages that klick understands, in one conversation, with the answers and pushed messages.
///
/// The front end has registered, so it receives all changes.
struct KlickConversation {
  struct Line {
    let message: OSCMessage
    let answers: [OSCMessage]
    /// klick's answer if Tactus's differs on purpose, with the reason.
    let klick: (answers: [OSCMessage], because: String)?
    /// Whether klick must not get the message, for example because it would crash.
    let isForTactusAlone: Bool
  }

  private(set) var lines: [Line] = []

  /// - Parameters:
  ///   - port: where the front end listens.
  ///   - folder: with the sounds `a.wav` and `b.wav`, and the maps `song.klick` and `bad.klick`.
  init(port: Int, folder: String) {
    greet(port)
    sounds(folder)
    simple()
    train()
    tap()
    jack()
    map(folder)
    say("quit")
  }

  mutating func say(
    _ address: String, _ arguments: OSCArgument..., answered answers: OSCMessage...,
    klick: (answers: [OSCMessage], because: String)? = nil, alone: Bool = false
  ) {
    lines.append(
      Line(
        message: OSCMessage("/klick/" + address, arguments: arguments), answers: answers, klick: klick,
        isForTactusAlone: alone))
  }

  func m(_ address: String, _ arguments: OSCArgument...) -> OSCMessage {
    OSCMessage("/klick/" + address, arguments: arguments)
  }

  private mutating func greet(_ port: Int) {
    let url = OSCArgument.string("osc.udp://127.0.0.1:\(port)/")
    let (pong, ready) = (m("pong"), m("ready"))
    say("ping", answered: pong)
    say("ping", .string("\(port)"), answered: pong)
    say("ping", url, answered: pong)
    say("ping", .string("osc.udp://localhost:\(port)/"), answered: pong)
    say("ping", .string("nowhere"))
    say("ping", .int32(Int32(port)))
    say("check", answered: ready)
    say("check", url, answered: ready)
    say("nonsense")
    say("register_client")
    say("register_client", url)
    say("unregister_client")
    say("simple/set_tempo", .float(90))
    say("register_client", url)
    say("simple/set_tempo", .float(120), answered: m("simple/tempo", .float(120)))
    say(
      "config/get_available_ports",
      answered: m("config/available_ports", .string("system:playback_1"), .string("system:playback_2")))
    say("config/connect", .string("system:playback_2"), .string("system:playback_1"))
    say("config/connect", .string("nowhere:in"))
    say("config/connect", .int32(1))
    say("config/disconnect_all")
    say("config/autoconnect")
  }

  private mutating func sounds(_ folder: String) {
    func sound(_ arguments: OSCArgument...) -> OSCMessage {
      OSCMessage("/klick/config/sound", arguments: arguments)
    }
    let (a, b) = (OSCArgument.string("\(folder)/a.wav"), OSCArgument.string("\(folder)/b.wav"))
    let none = OSCArgument.string("\(folder)/none.wav")
    for number: Int32 in [3, 2, 1] {
      say("config/set_sound", .int32(number), answered: sound(.int32(number)))
    }
    say("config/set_sound", .float(2.9), answered: sound(.int32(2)))
    say("config/set_sound", .int32(4), answered: sound(.int32(2)))
    say("config/set_sound", .string("1"))
    say("config/set_sound", .int32(-1), answered: sound(.int32(-1)))
    say("config/set_sound", .int32(0), answered: sound(.int32(0)))
    say(
      "config/set_sound", .int32(-2), answered: sound(.int32(-1)),
      klick: ([sound(.int32(0))], "older klicks called silence -2"))
    say("config/set_sound", .int32(1), answered: sound(.int32(1)))
    say("config/set_sound", a, b, answered: sound(a, b))
    let rest = [
      m("config/sound_volume", .float(1), .float(1)), m("config/sound_pitch", .float(1), .float(1)),
      m("config/volume", .float(1)),
    ]
    say(
      "config/query", answered: sound(a, b), rest[0], rest[1], rest[2],
      klick: ([sound(.int32(-2))] + rest, "klick mistakes files for a number"))
    let failed = m("config/sound_loading_failed", none)
    say(
      "config/set_sound", a, none, answered: sound(a, b), m("config/sound_loading_failed", a), failed,
      klick: (
        [sound(a, .string("")), failed],
        "what can't be read changes nothing, and nobody is told which of the files are there"
      ))
    say(
      "config/set_sound", none, none, answered: sound(a, b), failed, failed,
      klick: ([sound(.string(""), .string("")), failed, failed], "what can't be read changes nothing"))
    say("config/set_sound", .int32(0), answered: sound(.int32(0)))

    say(
      "config/set_sound_volume", .float(0.5), .int32(1),
      answered: m("config/sound_volume", .float(0.5), .float(1)))
    say(
      "config/set_sound_volume", .double(1), .float(1),
      answered: m("config/sound_volume", .float(1), .float(1)))
    say(
      "config/set_sound_volume", .float(1), .float(-1),
      answered: m("config/sound_volume", .float(1), .float(1)), alone: true)
    say("config/set_sound_volume", .float(1))
    say(
      "config/set_sound_pitch", .float(1.5), .float(0.75),
      answered: m("config/sound_pitch", .float(1.5), .float(0.75)))
    say(
      "config/set_sound_pitch", .int32(0), .float(1),
      answered: m("config/sound_pitch", .float(1.5), .float(0.75)), alone: true)
    say(
      "config/set_sound_pitch", .int32(1), .double(1), answered: m("config/sound_pitch", .float(1), .float(1))
    )
    say("config/set_volume", .float(0.7), answered: m("config/volume", .float(0.7)))
    say("config/set_volume", .float(3), answered: m("config/volume", .float(0.7)), alone: true)
    say("config/set_volume", .int32(1), answered: m("config/volume", .float(1)))
    say("config/set_volume", .true)
  }
}
