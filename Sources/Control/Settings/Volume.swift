import Engine
import MusicTime
import Validation

/// A linear volume from 0 to 1, with a resolution of a millionth (−120 dB).
package struct Volume: Hashable, Sendable {
  package let gain: Float

  /// Steps of the resolution in 1.
  static let parts = 1_000_000.0

  package static let full = Volume(checked: 1)
  /// A layer's at first: together with an accent it stays below full scale.
  package static let layer = Volume(checked: 0.4)
  package static let off = Volume(checked: 0)

  private init(checked: Float) { gain = checked }

  /// - Throws: `InvalidValue` outside 0…1.
  package init(_ gain: Double) throws(InvalidValue) {
    guard gain.isFinite, 0...1 ~= gain else { throw InvalidValue("volume", "\(gain)", allowed: "0…1") }
    self.gain = Float(gain.rounded(parts: Volume.parts))
  }

  /// Reads `0.5` or `50%`.
  /// - Throws: `InvalidValue` for another form, and outside 0…1 or 0…100 %.
  package init(text: String) throws(InvalidValue) {
    let isPercent = text.last == "%"
    guard let number = Double(isPercent ? String(text.dropLast()) : text) else {
      throw InvalidValue("volume", quoted(text), allowed: "0…1, or 0%…100%")
    }
    if !isPercent, number > 1, number <= 100 {
      throw InvalidValue(
        "volume", "\(number)", allowed: "0…1, or 0%…100%: \(text) per cent is written \(text)%")
    }
    try self.init(isPercent ? number / 100 : number)
  }
}

/// Where a volume applies: the mix or one role.
package enum Fader: String, CaseIterable, Sendable {
  case master, accent, beat, subdivision, cue
}

extension Gains {
  /// - Parameter volume: the volume of each fader.
  package init(_ volume: (Fader) -> Volume) {
    self.init()
    let faders = PerRole<Fader>(accent: .accent, beat: .beat, subdivision: .subdivision, cue: .cue)
    buses = faders.map { volume($0).gain }
    master = volume(.master).gain
  }
}
