import Validation

/// A drum or cymbal. Its raw value is its name for users and other programs.
package enum Drum: String, CaseIterable, Sendable {
  case kick, snare, rim, clap, tom
  case hiHat = "hi-hat"
  case openHiHat = "open hi-hat"
  case pedalHiHat = "pedal hi-hat"
  case crash, ride, cowbell, tambourine, percussion

  /// Reads a drum's name. Returns nil for an empty text.
  /// - Throws: `InvalidValue` if the name is unknown.
  package init?(text: String) throws(InvalidValue) {
    if text.isEmpty { return nil }
    guard let drum = Drum(rawValue: text) else {
      throw InvalidValue("drum", quoted(text), allowed: "one of \(Drum.names)")
    }
    self = drum
  }

  /// The drum of a note in General MIDI's drum map, with additions of e-drums. Returns nil for other notes.
  package init?(generalMIDI note: UInt8) {
    switch note {
    case 35, 36: self = .kick
    case 38, 40: self = .snare
    case 37: self = .rim
    case 39: self = .clap
    case 41, 43, 45, 47, 48, 50: self = .tom
    case 42: self = .hiHat
    case 44: self = .pedalHiHat
    case 46: self = .openHiHat
    case 49, 52, 55, 57: self = .crash
    case 51, 53, 59: self = .ride
    case 54: self = .tambourine
    case 56: self = .cowbell
    // Drum modules send the edge of the hi-hat as notes below the map's first note.
    case 22: self = .hiHat
    case 26: self = .openHiHat
    case 58, 60...81: self = .percussion
    default: return nil
    }
  }
}
