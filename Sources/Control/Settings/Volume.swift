import Engine
import MusicTime
import Validation

/// A linear gain of 0…1, with a resolution of a millionth (−120 dB).
package struct Volume: Hashable, Sendable {
  package let gain: Float

  /// The allowed gains.
  package static let bounds = 0.0...1.0
  /// The allowed gains, for messages.
  package static let allowed = "\(plain(bounds.lowerBound))…\(plain(bounds.upperBound))"
  /// The allowed texts, for messages.
  private static let allowedText =
    "\(allowed), or \(plain(100 * bounds.lowerBound))%…\(plain(100 * bounds.upperBound))%"

  /// Steps of the resolution in 1.
  static let parts = 1_000_000.0

  package static let full = Volume(checked: 1)
  /// A layer's initial volume: together with an accent it stays below full scale.
  package static let layer = Volume(checked: 0.4)
  package static let off = Volume(checked: 0)

  private init(checked: Float) { gain = checked }

  /// - Throws: `InvalidValue` outside `bounds`.
  package init(_ gain: Double) throws(InvalidValue) {
    guard gain.isFinite, Volume.bounds ~= gain else {
      throw InvalidValue("volume", plain(gain), allowed: Volume.allowed)
    }
    self.gain = Float(gain.rounded(parts: Volume.parts))
  }

  /// Reads `0.5` or `50%`.
  /// - Throws: `InvalidValue` for another form, or outside `bounds`.
  package init(text: String) throws(InvalidValue) {
    let isPercent = text.last == "%"
    guard let number = Double(isPercent ? String(text.dropLast()) : text) else {
      throw InvalidValue("volume", quoted(text), allowed: Volume.allowedText)
    }
    if !isPercent, number > 1, number <= 100 {
      throw InvalidValue(
        "volume", plain(number), allowed: "\(Volume.allowedText): \(text) per cent is written \(text)%")
    }
    do throws(InvalidValue) { try self.init(isPercent ? number / 100 : number) } catch {
      throw InvalidValue("volume", quoted(text), allowed: Volume.allowedText)
    }
  }
}

/// The mix or the role to which a volume applies.
package enum Fader: String, CaseIterable, Sendable {
  case master, accent, beat, subdivision, cue
}

extension Gains {
  /// - Parameter volume: returns a fader's volume.
  package init(_ volume: (Fader) -> Volume) {
    self.init()
    let faders = PerRole<Fader>(accent: .accent, beat: .beat, subdivision: .subdivision, cue: .cue)
    buses = faders.map { volume($0).gain }
    master = volume(.master).gain
  }
}
