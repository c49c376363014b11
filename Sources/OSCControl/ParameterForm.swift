import Control
import Glibc
import OSC
import Validation

/// Another form of a parameter's value, at its own address below the parameter's. All of it is derived from the parameter's
/// declaration.
enum ParameterForm: String, CaseIterable {
  /// A number from 0 to 1, for a fader over the range of the parameter's control.
  case norm
  /// The range of that fader.
  case range = "norm/range"
  /// A volume in decibels.
  case decibels = "db"
  /// A text for a label. A message may also set the parameter with such a text.
  case text

  /// Whether a parameter has this form. A fader whose range is 0 to 1 needs no `norm`.
  func fits(_ parameter: Parameter) -> Bool {
    switch self {
    case .norm, .range: parameter.control.map { $0.range != 0...1 } ?? false
    case .decibels: parameter.isVolume
    case .text:
      if case .pair = parameter.kind { true } else { parameter.control != nil && !parameter.unit.isEmpty }
    }
  }

  /// The level that means silence, in decibels.
  private static let silence = -100.0

  /// The volume, 0…1, at a level in decibels.
  private static func gain(_ decibels: Double) -> Double {
    decibels <= silence ? 0 : min(pow(10, decibels / 20), 1)
  }

  /// The level of a volume in decibels, rounded to a thousandth if that is the same volume.
  private static func decibels(_ gain: Double, of parameter: Parameter) -> Double {
    guard gain > 0 else { return silence }
    let exact = max(20 * log10(gain), silence)
    let rounded = (exact * 1_000).rounded() / 1_000
    return parameter.nearest(ParameterForm.gain(rounded)) == parameter.nearest(gain) ? rounded : exact
  }

  /// The endpoint of a parameter's value in this form.
  func endpoint(of parameter: Parameter) -> Endpoint {
    let name = "\(parameter.name)/\(rawValue)"
    let range = parameter.control?.range ?? parameter.bounds
    let number = { @Sendable (snapshot: Snapshot) -> Double in
      if case .number(let number) = snapshot.settings[parameter] { number } else { 0 }
    }
    let ends = "\(plain(range.lowerBound))…\(plain(range.upperBound)) \(parameter.unit)"
    switch self {
    case .norm:
      return Endpoint(
        name, "f", "0…1", shapes: [.fader(0.0...1.0)], family: parameter.name,
        "`\(parameter.name)` for a fader from 0 to 1, over \(ends).",
        .set {
          let place = try $0.number(0).clamped(to: 0...1)
          let number = range.lowerBound + place * (range.upperBound - range.lowerBound)
          return .set(try Setting(fader: parameter, parameter.nearest(number)))
        },
        value: {
          let place = (number($0) - range.lowerBound) / (range.upperBound - range.lowerBound)
          return [.float(Float(place.clamped(to: 0...1)))]
        })
    case .range:
      return Endpoint(
        name, "", ends, family: parameter.name, "What 0 and 1 of `\(parameter.name)/norm` are.", .read,
        value: { _ in [.float(Float(range.lowerBound)), .float(Float(range.upperBound))] })
    case .decibels:
      let silence = ParameterForm.silence
      return Endpoint(
        name, "f", "−100…0 dB", unit: "dB", shapes: [.fader(silence...0)], family: parameter.name,
        "`\(parameter.name)` in decibels; −100 is off.",
        .set { .set(try Setting(fader: parameter, ParameterForm.gain(try $0.number(0)))) },
        value: { [.float(Float(ParameterForm.decibels(number($0), of: parameter)))] })
    case .text:
      let standard = parameter.labelText(parameter.standard)
      return Endpoint(
        name, "s", standard.isEmpty ? "what \(parameter.name) takes" : "as \(standard)",
        family: parameter.name, isLabel: true,
        "`\(parameter.name)` as a text for a label.",
        .set { .set(try Setting(parameter, text: try $0.text(0))) },
        value: { [.string(parameter.labelText($0.settings[parameter]))] })
    }
  }
}
