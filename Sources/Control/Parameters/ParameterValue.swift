import MusicTime

/// A parameter's value in a form that all protocols can carry: OSC arguments, YAML, options, MIDI, JSON.
package enum ParameterValue: Hashable, Sendable {
  case number(Double)
  case integer(Int)
  case flag(Bool)
  case text(String)
  /// Two whole numbers: a meter, a note, a gap.
  case pair(Int, Int)
}

extension ParameterValue: CustomStringConvertible {
  package var description: String {
    switch self {
    case .number(let number): plain(number)
    case .integer(let integer): "\(integer)"
    case .flag(let flag): flag ? "1" : "0"
    case .text(let text): text
    case .pair(let first, let second): "\(first) \(second)"
    }
  }
}

/// The type and range of a parameter's values as data, from which protocols derive theirs.
package enum ParameterKind: Hashable, Sendable {
  /// A number within bounds. `parts` is the number of smallest steps in 1: 1000 for thousandths.
  case number(ClosedRange<Double>, parts: Double)
  case integer(ClosedRange<Int>)
  /// On or off; 1 or 0 in protocols without truth values.
  case flag
  /// One of these names.
  case choice([String])
  /// A text whose format `allowed` describes.
  case text(allowed: String)
  /// Two whole numbers within bounds, whose format `allowed` describes.
  case pair(ClosedRange<Int>, ClosedRange<Int>, allowed: String)
}
