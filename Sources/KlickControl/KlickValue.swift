import OSC

/// A value that klick sends in answers and reports. The raw value is its address below `/klick/`.
enum KlickValue: String, CaseIterable {
  case sound = "config/sound"
  case soundVolume = "config/sound_volume"
  case soundPitch = "config/sound_pitch"
  case volume = "config/volume"
  case type = "metro/type"
  case active = "metro/active"
  case tempo = "simple/tempo"
  case increment = "simple/tempo_increment"
  case start = "simple/tempo_start"
  case limit = "simple/tempo_limit"
  case currentTempo = "simple/current_tempo"
  case meter = "simple/meter"
  case pattern = "simple/pattern"
  case filename = "map/filename"
  case preroll = "map/preroll"
  case multiplier = "map/tempo_multiplier"

  // In klick's order.
  static let config: [KlickValue] = [.sound, .soundVolume, .soundPitch, .volume]
  static let metro: [KlickValue] = [.type, .active]
  static let simple: [KlickValue] = [.tempo, .increment, .start, .limit, .currentTempo, .meter, .pattern]
  static let map: [KlickValue] = [.filename, .preroll, .multiplier]

  /// All values of a kind of metronome.
  static func all(_ kind: KlickState.Kind) -> [KlickValue] {
    switch kind {
    case .simple: config + metro + simple
    case .map: config + metro + map
    case .jack: config + metro
    }
  }

  func message(_ state: KlickState) -> OSCMessage {
    OSCMessage(KlickNamespace.root + rawValue, arguments: arguments(state)).printable
  }

  func arguments(_ state: KlickState) -> [OSCArgument] {
    let simple = state.simple
    return switch self {
    case .sound: state.isSilent ? [.int32(Int32(KlickSound.silence[0]))] : state.sound.arguments
    case .soundVolume: [.float(state.volumes.accent), .float(state.volumes.beat)]
    case .soundPitch: [.float(state.sound.pitch.accent), .float(state.sound.pitch.beat)]
    case .volume: [.float(state.volumes.master)]
    case .type: [.string(state.kind.rawValue)]
    case .active: [.int32(state.isActive ? 1 : 0)]
    case .tempo: [.float(simple.tempo)]
    case .increment: [.float(simple.increment)]
    case .start: [.float(simple.start)]
    case .limit: [.float(simple.limit)]
    case .currentTempo: [.float(state.currentTempo)]
    case .meter: [.int32(Int32(clamping: simple.beats)), .int32(Int32(clamping: simple.denominator))]
    case .pattern: [.string(simple.pattern)]
    case .filename: [.string(state.map.filename)]
    case .preroll: [.int32(Int32(clamping: state.map.preroll))]
    case .multiplier: [.float(state.map.multiplier)]
    }
  }
}
