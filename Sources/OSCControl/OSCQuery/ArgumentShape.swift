import Control

/// What one argument may be, for programs that build controls from it.
struct ArgumentShape: Sendable {
  /// The type's letter.
  let tag: Character
  /// The lowest and the highest number; nil for any.
  var bounds: ClosedRange<Double>?
  /// All that it may be; empty for anything within the bounds.
  var choices: [String] = []
  /// Whether numbers beyond the bounds count as the bounds.
  var isClipped = false

  /// On or off.
  static let flag = ArgumentShape(tag: "i", bounds: 0...1, isClipped: true)

  /// The arguments of a parameter.
  static func shapes(of parameter: Parameter) -> [ArgumentShape] {
    switch parameter.kind {
    case .number(let bounds, _): [parameter.isClamped ? .fader(bounds) : .number(bounds)]
    case .integer(let bounds): [.integer(bounds)]
    case .flag: [.flag]
    case .choice(let names): [ArgumentShape(tag: "s", choices: names)]
    case .text: [ArgumentShape(tag: "s")]
    case .pair(let first, let second, _):
      // Of some pairs only few are allowed: a fader could not find them.
      [first.lowerBound, first.upperBound].allSatisfy { end in
        let other = end == first.lowerBound ? second.lowerBound : second.upperBound
        return (try? parameter.checked(.pair(end, other))) != nil
      } ? [.integer(first), .integer(second)] : [ArgumentShape(tag: "i"), ArgumentShape(tag: "i")]
    }
  }

  static func integer(_ bounds: ClosedRange<Int>) -> ArgumentShape {
    ArgumentShape(tag: "i", bounds: Double(bounds.lowerBound)...Double(bounds.upperBound))
  }

  /// A fader's value: one beyond its ends counts as the end.
  static func fader(_ bounds: ClosedRange<Double>) -> ArgumentShape {
    ArgumentShape(tag: "f", bounds: bounds, isClipped: true)
  }

  static func fader(_ bounds: ClosedRange<Int>) -> ArgumentShape {
    ArgumentShape(
      tag: "i", bounds: Double(bounds.lowerBound)...Double(bounds.upperBound), isClipped: true)
  }

  /// Whether a number is beyond the ends of a fader.
  func clips(_ number: Double) -> Bool { isClipped && bounds.map { !$0.contains(number) } ?? false }

  static func number(_ bounds: ClosedRange<Double>) -> ArgumentShape {
    ArgumentShape(tag: "f", bounds: bounds)
  }
}
