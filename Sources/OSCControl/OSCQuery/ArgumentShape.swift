import Control

/// The permitted values of one argument, for programs that build controls from it.
struct ArgumentShape: Sendable {
  /// The type tag.
  let tag: Character
  /// The lowest and the highest number; nil for any.
  var bounds: ClosedRange<Double>?
  /// The permitted texts; empty if `choices` do not limit it.
  var choices: [String] = []
  /// Whether numbers beyond the bounds are clamped to them.
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
      // Some parameters allow only few of all pairs within their bounds. Faders could not find these.
      [first.lowerBound, first.upperBound].allSatisfy { end in
        let other = end == first.lowerBound ? second.lowerBound : second.upperBound
        return (try? parameter.checked(.pair(end, other))) != nil
      } ? [.integer(first), .integer(second)] : [ArgumentShape(tag: "i"), ArgumentShape(tag: "i")]
    }
  }

  static func integer(_ bounds: ClosedRange<Int>) -> ArgumentShape {
    ArgumentShape(tag: "i", bounds: Double(bounds.lowerBound)...Double(bounds.upperBound))
  }

  /// A fader's value, which is clamped to the bounds.
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
