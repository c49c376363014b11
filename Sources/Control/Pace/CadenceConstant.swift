import MusicTime

/// A number of the cadence model; each is a setting.
public enum CadenceConstant: String, CaseIterable, Sendable {
  case height, offset
  /// The cadence at the reference speed, that speed, and what each metre a second more adds.
  case cadence
  case referenceSpeed = "reference-speed"
  case slope
  /// The leg's share of the height.
  case leg
  /// The strides that a runner is held within, in leg lengths, and the steps by which the cadence gives way.
  case shortestStride = "shortest-stride"
  case longestStride = "longest-stride"
  case nudge
  /// The cadences that are suggested at the least and at the most.
  case lowest, highest

  public var standard: Double {
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

  public var bounds: ClosedRange<Double> {
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

  public var unit: String {
    switch self {
    case .height: "m"
    case .offset, .cadence, .nudge, .lowest, .highest: "steps a minute"
    case .referenceSpeed: "m/s"
    case .slope: "steps a minute for each m/s"
    case .leg: "of the height"
    case .shortestStride, .longestStride: "leg lengths"
    }
  }

  public var summary: String {
    switch self {
    case .height: "The runner's height."
    case .offset: "A runner's own preference, added to what is suggested."
    case .cadence: "The cadence at the reference speed."
    case .referenceSpeed: "The speed at which `cadence` holds."
    case .slope: "What a metre a second more adds to the cadence."
    case .leg: "How long a leg is."
    case .shortestStride: "The shortest stride; for less the cadence is lowered."
    case .longestStride: "The longest stride; for more the cadence is raised."
    case .nudge: "The steps by which it is lowered or raised."
    case .lowest: "The lowest cadence that is suggested."
    case .highest: "The highest cadence that is suggested."
    }
  }

  /// `0.5…2.5 m`
  public var allowed: String { "\(plain(bounds.lowerBound))…\(plain(bounds.upperBound)) \(unit)" }
}

/// A number without a needless `.0`.
func plain(_ number: Double) -> String {
  let text = "\(number)"
  return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}
