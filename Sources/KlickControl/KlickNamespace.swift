import Control
import MusicTime
import OSC
import Validation

/// The whole namespace below `/klick/`, as klick 0.12.2 has it.
enum KlickNamespace {
  static let root = "/klick/"

  static let endpoints: [KlickEndpoint] = conversation + config + metro + simple + map

  /// The endpoint that an address names in full, or those that a pattern reaches.
  /// - Throws: `OSCFault` if there is none.
  static func endpoints(matching address: String) throws(OSCFault) -> [KlickEndpoint] {
    let pattern = try OSCPattern(address)
    let matching = endpoints.filter { pattern.matches($0.address) }
    guard let first = matching.first else {
      throw OSCFault(reason: "no such message; klick has none either")
    }
    if pattern.isLiteral { return matching }
    let reached = matching.filter(\.isReachedByPattern)
    guard !reached.isEmpty else {
      throw OSCFault(
        reason: "a pattern reaches values alone: commands, as \(first.address), are named in full")
    }
    return reached
  }

  private static let conversation = [
    KlickEndpoint("ping", ["", "s"], .reply("pong")), KlickEndpoint("check", ["", "s"], .reply("ready")),
    KlickEndpoint("register_client", ["", "s"], .register),
    KlickEndpoint("unregister_client", ["", "s"], .unregister),
    KlickEndpoint.query("query") { KlickValue.all($0.kind) },
    KlickEndpoint("quit", [""], .quit),
  ]

  private static let config: [KlickEndpoint] = [
    .set("config/set_sound", "i", "ss", pushing: .sound) { state, arguments in
      guard arguments.count == 1 else {
        return state.use(
          KlickSound(.files(try arguments.text(0), try arguments.text(1)), pitch: state.sound.pitch))
      }
      let number = try arguments.integer(0, in: -2...3, "0…3, or -1 for silence")
      if KlickSound.silence.contains(number) { return state.silence() }
      return state.use(KlickSound(.number(number), pitch: state.sound.pitch))
    },
    .set("config/set_sound_volume", "ff", pushing: .soundVolume) { state, arguments in
      let (accent, beat) = (try Volume(arguments.number(0)), try Volume(arguments.number(1)))
      (state.volumes.accent, state.volumes.beat) = (accent.gain, beat.gain)
      return [.set(.volume(.accent, accent)), .set(.volume(.beat, beat))]
    },
    .set("config/set_sound_pitch", "ff", pushing: .soundPitch) { state, arguments in
      let factors = try (0...1).map {
        Float(try arguments.number($0, "pitch", in: KlickSound.pitches, "0.25…4"))
      }
      return state.use(
        KlickSound((state.wantsSound ?? state.sound).source, pitch: (factors[0], factors[1])),
        keepingSilence: true)
    },
    .set("config/set_volume", "f", pushing: .volume) { state, arguments in
      let volume = try Volume(arguments.number(0))
      state.volumes.master = volume.gain
      return [.set(.volume(.master, volume))]
    },
    KlickEndpoint("config/connect", nil, .call { try connect($0, $1) }),
    KlickEndpoint("config/autoconnect", [""], .call { host, _ in host.autoconnect() }),
    KlickEndpoint("config/disconnect_all", [""], .call { host, _ in host.disconnectAll() }),
    KlickEndpoint("config/get_available_ports", ["", "s"], .ports),
    .query("config/query") { _ in KlickValue.config },
  ]

  private static func connect(_ host: KlickHost, _ arguments: OSCArguments) throws {
    let names = try (0..<arguments.count).map { try arguments.text($0) }
    let missing = names.filter { !host.connect($0) }
    guard missing.isEmpty else {
      throw InvalidValue(
        "port", quoted(missing.joined(separator: " ")), allowed: "an audio input that there is")
    }
  }

  private static let metro: [KlickEndpoint] = [
    .set("metro/set_type", "s", pushing: .type) { try $0.change(to: $1.choice()) },
    .set("metro/start", "", pushing: .active) { state, _ in try state.start() },
    .set("metro/stop", "", pushing: .active) { state, _ in state.stop() },
    .query("metro/query") { _ in KlickValue.metro },
  ]

  private static let simple: [KlickEndpoint] = [
    .set("simple/set_tempo", "f", for: .simple, pushing: .tempo) { state, arguments in
      let quarters = Float(try arguments.number(0))
      _ = try state.simple.tempo(quarters)
      return state.changeTempo(to: quarters)
    },
    .set("simple/set_tempo_increment", "f", for: .simple, pushing: .increment) { state, arguments in
      state.simple.increment = Float(try arguments.number(0, in: -999...999, "-999…999 beats a minute"))
      return state.train()
    },
    .set("simple/set_tempo_start", "f", for: .simple, pushing: .start) { state, arguments in
      state.simple.start = try bound(arguments, state)
      return state.train()
    },
    .set("simple/set_tempo_limit", "f", for: .simple, pushing: .limit) { state, arguments in
      state.simple.limit = try bound(arguments, state)
      return state.train()
    },
    .set("simple/set_meter", "ii", for: .simple, pushing: .meter) { state, arguments in
      let (beats, denominator) = (try arguments.integer(0), try arguments.integer(1))
      if beats != state.simple.beats { state.simple.pattern = "" }
      (state.simple.beats, state.simple.denominator) = (beats, denominator)
      let bar = try state.simple.bar()
      state.simple.beatLength = 4 / Double(denominator)
      // The quarters stay as long as they are, whatever the beats are now.
      let playing = state.isActive ? state.simple.current : state.simple.tempo
      _ = try state.simple.tempo(playing)
      return bar.map { .set($0) } + state.play(playing) + state.train()
    },
    .set("simple/set_pattern", "s", for: .simple, pushing: .pattern) { state, arguments in
      let text = try arguments.text(0)
      let beats = max(1, state.simple.beats)
      guard text.isEmpty || text.utf8.count == beats else {
        throw InvalidValue("pattern", quoted(text), allowed: "\(beats) letters long, or empty")
      }
      // To klick all that is no beat is silent.
      let letters = text.utf8.map { "Xx".utf8.contains($0) ? $0 : UInt8(ascii: ".") }
      state.simple.pattern = String(decoding: letters, as: UTF8.self)
      return [.set(.groups(nil)), .set(.accents(try state.simple.accents()))]
    },
    .set("simple/tap", "", "d", for: .simple, pushing: .tempo, whenDone: true) { _, arguments in
      [.update(.tap(seconds: arguments.count == 0 ? nil : try arguments.number(0)))]
    },
    .query("simple/query", for: .simple) { _ in KlickValue.simple },
  ]

  /// Where training begins or ends; 0 for nowhere.
  private static func bound(_ arguments: OSCArguments, _ state: KlickState) throws -> Float {
    let quarters = Float(try arguments.number(0))
    if quarters != 0 { _ = try state.simple.tempo(quarters) }
    return quarters
  }

  private static let map: [KlickEndpoint] = [
    .set("map/load_file", "s", for: .map, pushing: .filename) { state, arguments in
      state.filename = try arguments.text(0)
      return try state.reload()
    },
    .set("map/set_preroll", "i", for: .map, pushing: .preroll) { state, arguments in
      state.preroll = try arguments.integer(0, in: -1...99, "-1…99 bars; 0 for two beats, -1 for nothing")
      return try state.reload()
    },
    .set("map/set_tempo_multiplier", "f", for: .map, pushing: .multiplier) { state, arguments in
      state.multiplier = Float(try arguments.number(0, in: 0.01...100, "0.01…100"))
      return try state.reload()
    },
    .query("map/query", for: .map) { _ in KlickValue.map },
    .query("jack/query", for: .jack) { _ in [] },
  ]
}
