import Control
import MusicTime
import OSC
import Validation

/// All addresses below `/klick/`, as in klick 0.12.2.
enum KlickNamespace {
  static let root = "/klick/"

  static let endpoints: [KlickEndpoint] = conversation + config + metro + simple + map

  /// The endpoint that an address names in full, or the endpoints that a pattern reaches.
  /// - Throws: `OSCFault` if there is none, or the pattern is invalid.
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
        reason: "a pattern matches only values: \(first.address) must be named in full")
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
    .set("config/set_sound", "i", "ss", pushing: .sound) { state, arguments, _ in
      guard arguments.count == 1 else {
        return state.choose(.files(try arguments.text(0), try arguments.text(1)))
      }
      let number = try arguments.integer(0, in: -2...3, "0…3, or -1 for silence")
      return KlickSound.silence.contains(number) ? state.silence() : state.choose(.number(number))
    },
    .set("config/set_sound_volume", "ff", pushing: .soundVolume) { state, arguments, _ in
      state.setVolumes(accent: try Volume(arguments.number(0)), beat: try Volume(arguments.number(1)))
    },
    .set("config/set_sound_pitch", "ff", pushing: .soundPitch) { state, arguments, _ in
      let factors = try (0...1).map {
        Float(try arguments.number($0, "pitch", in: KlickSound.pitches, "0.25…4"))
      }
      return state.setPitch(accent: factors[0], beat: factors[1])
    },
    .set("config/set_volume", "f", pushing: .volume) { state, arguments, _ in
      state.setVolume(try Volume(arguments.number(0)))
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
        "port", quoted(missing.joined(separator: " ")), allowed: "an existing audio input")
    }
  }

  private static let metro: [KlickEndpoint] = [
    .set("metro/set_type", "s", pushing: .type) { state, arguments, _ in
      try state.change(to: arguments.choice())
    },
    .set("metro/start", "", pushing: .active) { state, _, now in try state.start(at: now) },
    .set("metro/stop", "", pushing: .active) { state, _, now in state.stop(at: now) },
    .query("metro/query") { _ in KlickValue.metro },
  ]

  private static let simple: [KlickEndpoint] = [
    .set("simple/set_tempo", "f", for: .simple, pushing: .tempo) { state, arguments, now in
      try state.setTempo(Float(arguments.number(0)), at: now)
    },
    .set("simple/set_tempo_increment", "f", for: .simple, pushing: .increment) { state, arguments, now in
      let quarters = try arguments.number(0, in: -999...999, "-999…999 beats a minute")
      return state.setIncrement(Float(quarters), at: now)
    },
    .set("simple/set_tempo_start", "f", for: .simple, pushing: .start) { state, arguments, now in
      try state.setTrainingStart(Float(arguments.number(0)), at: now)
    },
    .set("simple/set_tempo_limit", "f", for: .simple, pushing: .limit) { state, arguments, now in
      try state.setTrainingLimit(Float(arguments.number(0)), at: now)
    },
    .set("simple/set_meter", "ii", for: .simple, pushing: .meter) { state, arguments, now in
      try state.setMeter(arguments.integer(0), arguments.integer(1), at: now)
    },
    .set("simple/set_pattern", "s", for: .simple, pushing: .pattern) { state, arguments, _ in
      try state.setPattern(arguments.text(0))
    },
    .set("simple/tap", "", "d", for: .simple, pushing: .tempo, whenDone: true) { _, arguments, _ in
      [.update(.tap(seconds: arguments.count == 0 ? nil : try arguments.number(0)))]
    },
    .query("simple/query", for: .simple) { _ in KlickValue.simple },
  ]

  private static let map: [KlickEndpoint] = [
    .set("map/load_file", "s", for: .map, pushing: .filename) { state, arguments, _ in
      try state.load(arguments.text(0))
    },
    .set("map/set_preroll", "i", for: .map, pushing: .preroll) { state, arguments, _ in
      try state.setPreroll(arguments.integer(0, in: -1...99, "-1…99 bars; 0 for two beats, -1 for nothing"))
    },
    .set("map/set_tempo_multiplier", "f", for: .map, pushing: .multiplier) { state, arguments, _ in
      try state.setMultiplier(Float(arguments.number(0, in: 0.01...100, "0.01…100")))
    },
    .query("map/query", for: .map) { _ in KlickValue.map },
    .query("jack/query", for: .jack) { _ in [] },
  ]
}
