import Engine
import Validation

/// The number of pulses per quarter note at the port `pulse`: a divisor of 48, so that all pulses lie on its grid.
package struct PulsesPerQuarter: ParameterRepresentable {
  package static let standard = PulsesPerQuarter(unchecked: PulseOutput().perQuarter)
  static let kind = ParameterKind.integer(1...PulseOutput.mostPerQuarter)

  package let count: Int

  private init(unchecked count: Int) { self.count = count }

  package init(_ value: ParameterValue, of parameter: Parameter) throws(InvalidValue) {
    guard case .integer(let count) = value, 1...PulseOutput.mostPerQuarter ~= count,
      PulseOutput.mostPerQuarter % count == 0
    else {
      throw InvalidValue(parameter.name, "\(value)", allowed: "1, 2, 3, 4, 6, 8, 12, 16, 24 or 48")
    }
    self.count = count
  }

  package init(text: String, of parameter: Parameter) throws(InvalidValue) {
    guard let count = Int(text) else { throw parameter.invalid(quoted(text)) }
    try self.init(.integer(count), of: parameter)
  }

  package var parameterValue: ParameterValue { .integer(count) }
}

extension Settings {
  /// The settings of the pulse ports.
  var pulses: PulseOutput {
    var pulses = PulseOutput()
    pulses.perQuarter = self[Parameters.pulsesPerQuarter].count
    pulses.length = self[Parameters.pulseLength]
    pulses.level = Float(self[Parameters.pulseLevel])
    pulses.offset = self[Parameters.pulseOffset].milliseconds
    return pulses
  }
}
