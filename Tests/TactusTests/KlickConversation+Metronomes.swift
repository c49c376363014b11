import OSC

/// What is said to each of klick's metronomes.
extension KlickConversation {
  mutating func simple() {
    for (given, answered) in [
      (OSCArgument.int32(100), Float(100)), (.double(133.7), 133.7), (.int64(61), 61),
    ] {
      say("simple/set_tempo", given, answered: m("simple/tempo", .float(answered)))
    }
    for given: Float in [0, -20, 6_000, 0.5] {
      say("simple/set_tempo", .float(given), answered: m("simple/tempo", .float(61)), alone: true)
    }
    say("simple/set_tempo", .string("fast"))
    say("simple/set_meter", .int32(3), .int32(4), answered: m("simple/meter", .int32(3), .int32(4)))
    say("simple/set_meter", .float(7), .float(8), answered: m("simple/meter", .int32(7), .int32(8)))
    say(
      "simple/set_meter", .int32(4), .int32(0), answered: m("simple/meter", .int32(7), .int32(8)), alone: true
    )
    say("simple/set_meter", .int32(7))
    say("simple/set_pattern", .string("Xx.x.x."), answered: m("simple/pattern", .string("Xx.x.x.")))
    say("simple/set_pattern", .string("Xx."))
    say("simple/set_pattern", .string("Xoxo-xx"), answered: m("simple/pattern", .string("X.x..xx")))
    say("simple/set_meter", .int32(7), .int32(4), answered: m("simple/meter", .int32(7), .int32(4)))
    ask(tempo: 61, meter: (7, 4), pattern: "X.x..xx")
    // A front end's «even» meter.
    say("simple/set_meter", .int32(0), .int32(4), answered: m("simple/meter", .int32(0), .int32(4)))
    say("simple/set_pattern", .string("x"), answered: m("simple/pattern", .string("x")))
    ask(tempo: 61, meter: (0, 4), pattern: "x")
    say("simple/set_pattern", .string(""), answered: m("simple/pattern", .string("")))
    say("simple/set_meter", .int32(4), .int32(4), answered: m("simple/meter", .int32(4), .int32(4)))
    say("map/query")
    say("jack/query")
    say("map/set_preroll", .int32(1))
    say(
      "metro/query", answered: m("metro/type", .string("simple")), m("metro/active", .int32(0)))
  }

  mutating func train() {
    func current(_ tempo: Float) -> OSCMessage { m("simple/current_tempo", .float(tempo)) }
    say("simple/set_tempo", .float(240), answered: m("simple/tempo", .float(240)))
    say("metro/start", answered: m("metro/active", .int32(1)), current(240))
    say("simple/set_tempo", .float(250), answered: m("simple/tempo", .float(250)), current(250))
    say("metro/stop", answered: m("metro/active", .int32(0)), current(0))
    say("metro/stop", answered: m("metro/active", .int32(0)))
    say("simple/set_tempo_increment", .int32(10), answered: m("simple/tempo_increment", .float(10)))
    say("simple/set_tempo_start", .float(200), answered: m("simple/tempo_start", .float(200)))
    say("simple/set_tempo_limit", .int32(210), answered: m("simple/tempo_limit", .float(210)))
    say(
      "metro/start", answered: m("metro/active", .int32(1)), current(200), current(202.5), current(205),
      current(207.5), current(210))
    say("metro/stop", answered: m("metro/active", .int32(0)), current(0))
    for name in ["increment", "start", "limit"] {
      say("simple/set_tempo_\(name)", .float(0), answered: m("simple/tempo_\(name)", .float(0)))
    }
  }

  mutating func tap() {
    say("simple/tap", .double(10), answered: m("simple/tempo", .float(250)))
    say("simple/tap", .double(10.5), answered: m("simple/tempo", .float(120)))
    say("simple/tap", .double(11), answered: m("simple/tempo", .float(120)))
    say("simple/tap", .double(9), answered: m("simple/tempo", .float(120)))
    say("simple/tap", .float(9.75), answered: m("simple/tempo", .float(80)))
    say("simple/tap", .double(9.75), answered: m("simple/tempo", .float(80)), alone: true)
    say("simple/tap", .string("now"))
    say("simple/tap", answered: m("simple/tempo", .float(80)))
  }

  mutating func jack() {
    say("metro/set_type", .string("polka"))
    say("metro/set_type", .string("jack"), answered: m("metro/type", .string("jack")))
    say("jack/query")
    say("simple/set_tempo", .float(100))
    say("metro/query", answered: m("metro/type", .string("jack")), m("metro/active", .int32(0)))
    say("metro/start", answered: m("metro/active", .int32(1)))
    say("metro/stop", answered: m("metro/active", .int32(0)))
    say("metro/set_type", .string("simple"), answered: m("metro/type", .string("simple")))
    // What comes is new.
    say(
      "query", answered: m("config/sound", .int32(0)), m("config/sound_volume", .float(1), .float(1)),
      m("config/sound_pitch", .float(1), .float(1)), m("config/volume", .float(1)),
      m("metro/type", .string("simple")), m("metro/active", .int32(0)), m("simple/tempo", .float(120)),
      m("simple/tempo_increment", .float(0)), m("simple/tempo_start", .float(0)),
      m("simple/tempo_limit", .float(0)), m("simple/current_tempo", .float(0)),
      m("simple/meter", .int32(4), .int32(4)), m("simple/pattern", .string("")))
  }

  mutating func map(_ folder: String) {
    let (song, bad) = ("\(folder)/song.klick", "\(folder)/bad.klick")
    say("metro/set_type", .string("map"), answered: m("metro/type", .string("map")))
    askMap(file: "", preroll: -1, multiplier: 1)
    say("map/load_file", .string(song), answered: m("map/filename", .string(song)))
    say("map/set_preroll", .int32(0), answered: m("map/preroll", .int32(0)))
    say("map/set_preroll", .float(2), answered: m("map/preroll", .int32(2)))
    say("map/set_preroll", .int32(-5), answered: m("map/preroll", .int32(2)), alone: true)
    say("map/set_tempo_multiplier", .double(1.5), answered: m("map/tempo_multiplier", .float(1.5)))
    say("map/set_tempo_multiplier", .int32(0), answered: m("map/tempo_multiplier", .float(1.5)), alone: true)
    for file in [bad, "\(folder)/none.klick"] {
      say("map/load_file", .string(file))
      askMap(file: song, preroll: 2, multiplier: 1.5, klickFile: file)
    }
    say("map/load_file", .string("/etc/passwd"), alone: true)
    say("map/load_file", .string(song), answered: m("map/filename", .string(song)))
    say("metro/start", answered: m("metro/active", .int32(1)))
    say("metro/query", answered: m("metro/type", .string("map")), m("metro/active", .int32(1)))
    say("metro/stop", answered: m("metro/active", .int32(0)))
    say("jack/query")
    say("metro/set_type", .string("simple"), answered: m("metro/type", .string("simple")))
    // The map's beginning.
    ask(tempo: 200, meter: (6, 8), pattern: "Xxxxx.")
  }

  /// Asks for the values of the simple metronome, which stands still and doesn't train.
  private mutating func ask(tempo: Float, meter: (Int32, Int32), pattern: String) {
    say(
      "simple/query", answered: m("simple/tempo", .float(tempo)), m("simple/tempo_increment", .float(0)),
      m("simple/tempo_start", .float(0)), m("simple/tempo_limit", .float(0)),
      m("simple/current_tempo", .float(0)), m("simple/meter", .int32(meter.0), .int32(meter.1)),
      m("simple/pattern", .string(pattern)))
  }

  /// - Parameter klickFile: the name that klick answers with, where it is another.
  private mutating func askMap(file: String, preroll: Int32, multiplier: Float, klickFile: String? = nil) {
    let name = m("map/filename", .string(file))
    let rest = [m("map/preroll", .int32(preroll)), m("map/tempo_multiplier", .float(multiplier))]
    let klick = klickFile.map {
      ([m("map/filename", .string($0))] + rest, "what can't be read changes nothing")
    }
    say("map/query", answered: name, rest[0], rest[1], klick: klick)
  }
}
