import Glibc

/// The time kept in silent bars.
struct GapTiming {
  /// The fewest hits, and the fewest intervals for the parts of the variance.
  private static let (fewest, fewestIntervals) = (8, 64)

  let gaps: TimingSummary.Gaps?

  /// - Parameter runs: the hits of each gap, with the numbers of their onsets.
  init(_ runs: [(points: [(seconds: Double, milliseconds: Double)], numbers: [Int])]) {
    let long = runs.filter { $0.points.count >= 3 }
    let count = long.reduce(0) { $0 + $1.points.count }
    guard count >= GapTiming.fewest else {
      gaps = nil
      return
    }
    // One slope for all gaps: each begins where the last click left the player.
    var (product, width, square) = (0.0, 0.0, 0.0)
    for run in long {
      let n = Double(run.points.count)
      let time = run.points.reduce(0) { $0 + $1.seconds } / n
      let mean = run.points.reduce(0) { $0 + $1.milliseconds } / n
      for point in run.points {
        product += (point.seconds - time) * (point.milliseconds - mean)
        width += (point.seconds - time) * (point.seconds - time)
        square += (point.milliseconds - mean) * (point.milliseconds - mean)
      }
    }
    let freedom = Double(count - long.count - 1)
    guard width > 0, freedom >= 3 else {
      gaps = nil
      return
    }
    let slope = product / width
    let spread = sqrt(max(square - slope * product, 0) / freedom)
    let margin = Quantile.student(0.975, freedom) * spread / sqrt(width)
    let (clock, hands) = GapTiming.variances(long)
    // A millisecond a second is a tenth of a per cent.
    gaps = TimingSummary.Gaps(
      count: count, spread: spread, slower: Estimate(slope / 10, margin: margin / 10), clock: clock,
      hands: hands)
  }

  /// The parts of the variance after Wing and Kristofferson: an inner clock, and hands that carry its beats out.
  private static func variances(
    _ runs: [(points: [(seconds: Double, milliseconds: Double)], numbers: [Int])]
  ) -> (clock: Double?, hands: Double?) {
    var (sum, lagged, count, pairs) = (0.0, 0.0, 0, 0)
    for run in runs {
      // Intervals between hits at neighbouring onsets, their mean taken out.
      var pieces: [[Double]] = [[]]
      for index in run.points.indices.dropFirst() {
        if run.numbers[index] - run.numbers[index - 1] == 1 {
          pieces[pieces.count - 1].append(
            run.points[index].milliseconds - run.points[index - 1].milliseconds)
        } else {
          pieces.append([])
        }
      }
      for piece in pieces where piece.count >= 3 {
        let mean = piece.reduce(0, +) / Double(piece.count)
        let rest = piece.map { $0 - mean }
        sum += rest.reduce(0) { $0 + $1 * $1 }
        lagged += zip(rest, rest.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 }
        count += rest.count
        pairs += rest.count - 1
      }
    }
    guard count >= fewestIntervals, pairs > 0 else { return (nil, nil) }
    let (variance, covariance) = (sum / Double(count), lagged / Double(pairs))
    let (hands, clock) = (-covariance, variance + 2 * covariance)
    // The model does not fit everybody.
    guard hands >= 0, clock >= 0 else { return (nil, nil) }
    return (sqrt(clock), sqrt(hands))
  }
}
