import MusicTime

/// What a fader or an encoder can move.
public enum MIDIParameter: Hashable, Sendable {
  case tempo
  case swing
  case volume(Fader)
  case subdivision(Subdivision)

  /// As it is called below `/tactus/`.
  init?(name: Substring) {
    switch name {
    case "tempo": self = .tempo
    case "swing": self = .swing
    case "volume": self = .volume(.master)
    default:
      let parts = name.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      switch parts[0] {
      case "volume":
        guard let fader = Fader(rawValue: String(parts[1])), fader != .master else { return nil }
        self = .volume(fader)
      case "subdivision":
        guard let number = Int(parts[1]), let subdivision = try? Subdivision(number) else { return nil }
        self = .subdivision(subdivision)
      default: return nil
      }
    }
  }

  var name: String {
    switch self {
    case .tempo: "tempo"
    case .swing: "swing"
    case .volume(.master): "volume"
    case .volume(let fader): "volume/\(fader.rawValue)"
    case .subdivision(let subdivision): "subdivision/\(subdivision.parts)"
    }
  }

  /// All that it can be.
  var bounds: ClosedRange<Double> { self == .tempo ? 1...999.999 : 0...1 }

  /// What a control covers: what is wanted, as far as the settings' profile allows it.
  func range(_ wanted: ClosedRange<Double>?, in settings: Settings) -> ClosedRange<Double> {
    guard self == .tempo else { return wanted ?? bounds }
    let tempos = settings.profile.tempos
    let reach = tempos.lowerBound.beatsPerMinute...tempos.upperBound.beatsPerMinute
    let range = (wanted ?? bounds).clamped(to: reach)
    return range.lowerBound < range.upperBound ? range : reach
  }

  /// A fader's way where nobody says otherwise.
  var standardRange: ClosedRange<Double> { self == .tempo ? 40...240 : 0...1 }

  /// What one detent of an encoder is.
  var step: Double { self == .tempo ? 1 : 0.01 }

  /// How it stands.
  public func value(in settings: Settings) -> Double {
    switch self {
    case .tempo: settings.tempo.beatsPerMinute
    case .swing: settings.swing.amount
    case .volume(let fader): Double(settings.volume(fader).gain)
    case .subdivision(let subdivision): Double(settings.volume(subdivision).gain)
    }
  }

  /// - Throws: `InvalidValue` for a value out of bounds.
  public func setting(_ value: Double) throws(InvalidValue) -> Setting {
    switch self {
    case .tempo: .tempo(try Tempo(value))
    case .swing: .swing(try Swing(value))
    case .volume(let fader): .volume(fader, try Volume(value))
    case .subdivision(let subdivision): .subdivision(subdivision, try Volume(value))
    }
  }
}
