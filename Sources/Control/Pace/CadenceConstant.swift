import MusicTime

/// A constant of the cadence model, with a resolution of a thousandth. Each is a setting.
package enum CadenceConstant: String, CaseIterable, Sendable {
  case height, offset
  /// The cadence at the reference speed, the reference speed, and the increase per additional metre per second.
  case cadence
  case referenceSpeed = "reference-speed"
  case slope
  /// The leg's length as a fraction of the height.
  case leg
  /// The limits of the stride in leg lengths, and by how much the cadence changes beyond them.
  case shortestStride = "shortest-stride"
  case longestStride = "longest-stride"
  case nudge
  /// The lowest and highest suggested cadence.
  case lowest, highest

  /// Steps of the resolution in 1.
  static let parts = 1_000.0

  /// The default, in `unit`.
  package var standard: Double {
    switch self {
    case .height: 1.75
    case .offset: 0
    case .cadence: 170
    case .referenceSpeed: 3
    case .slope: 8
    case .leg: 0.53
    case .shortestStride: 0.7
    case .longestStride: 1.3
    case .nudge: 2
    case .lowest: 155
    case .highest: 195
    }
  }

  /// The allowed values, in `unit`.
  package var bounds: ClosedRange<Double> {
    switch self {
    case .height: 0.5...2.5
    case .offset: -10...10
    case .cadence, .lowest, .highest: 60...300
    case .referenceSpeed: 0...12
    case .slope: 0...30
    case .leg: 0.3...0.7
    case .shortestStride, .longestStride: 0.1...3
    case .nudge: 0.5...10
    }
  }

  package var unit: String {
    switch self {
    case .height: "m"
    case .offset, .cadence, .nudge, .lowest, .highest: "steps a minute"
    case .referenceSpeed: "m/s"
    case .slope: "steps a minute for each m/s"
    case .leg: "of the height"
    case .shortestStride, .longestStride: "leg lengths"
    }
  }

  /// One line of help.
  package var summary: String {
    switch self {
    case .height: "The runner's height."
    case .offset: "The runner's own preference, added to the suggested cadence."
    case .cadence: "The cadence at the reference speed."
    case .referenceSpeed: "The speed at which `cadence` holds."
    case .slope: "Increase of the cadence for each metre a second."
    case .leg: "The length of a leg."
    case .shortestStride: "The shortest stride; below it the cadence is lowered by `nudge`."
    case .longestStride: "The longest stride; above it the cadence is raised by `nudge`."
    case .nudge: "By how much the cadence is lowered or raised, once."
    case .lowest: "The lowest cadence that is suggested."
    case .highest: "The highest cadence that is suggested."
    }
  }

  /// The range as text: `0.5…2.5 m`.
  package var allowed: String { "\(plain(bounds.lowerBound))…\(plain(bounds.upperBound)) \(unit)" }
}

/// A number without a trailing `.0`.
package func plain(_ number: Double) -> String {
  let text = "\(number)"
  return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}
