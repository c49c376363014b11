import Glibc

/// Measures timekeeping in silent bars.
struct GapTiming {
  /// The hits of a gap (time and asynchrony), with the numbers of their onsets.
  typealias Run = (points: [(seconds: Double, milliseconds: Double)], numbers: [Int])

  /// The fewest hits for any result, the fewest gaps for a tempo, and the fewest intervals for the parts of the variance.
  private static let (fewest, fewestGaps, fewestIntervals) = (8, 3, 64)

  /// nil for too few hits.
  let gaps: TimingSummary.Gaps?

  /// - Parameter bars: the length of a bar in each gap, in seconds; nil if it is not known.
  init(_ runs: [Run], bars: [Double?] = []) {
    let long = runs.filter { $0.points.count >= 3 }
    let lengths = zip(runs, bars).filter { $0.0.points.count >= 3 }.compactMap(\.1)
    let count = long.reduce(0) { $0 + $1.points.count }
    // Each gap has a regression line of its own, because it begins with the player's asynchrony at the last click.
    let lines = long.compactMap { GapTiming.line($0.points) }
    let freedom = count - 2 * long.count
    guard count >= GapTiming.fewest, lines.count == long.count, freedom >= 3 else {
      gaps = nil
      return
    }
    let square = lines.reduce(0) { $0 + $1.square }
    let (clock, hands) = GapTiming.variances(long)
    gaps = TimingSummary.Gaps(
      count: count, spread: sqrt(square / Double(freedom)),
      // One millisecond per second is a tenth of a percent.
      slower: GapTiming.mean(lines.map { $0.slope / 10 }),
      lost: lengths.count == lines.count ? GapTiming.mean(zip(lines, lengths).map { $0.slope * $1 }) : nil,
      clock: clock, hands: hands)
  }

  /// The regression line through a gap's hits: its slope in milliseconds per second, and the sum of squared residuals; nil if
  /// all hits have the same time.
  private static func line(
    _ points: [(seconds: Double, milliseconds: Double)]
  ) -> (slope: Double, square: Double)? {
    let n = Double(points.count)
    let time = points.reduce(0) { $0 + $1.seconds } / n
    let mean = points.reduce(0) { $0 + $1.milliseconds } / n
    var (product, width, square) = (0.0, 0.0, 0.0)
    for point in points {
      product += (point.seconds - time) * (point.milliseconds - mean)
      width += (point.seconds - time) * (point.seconds - time)
      square += (point.milliseconds - mean) * (point.milliseconds - mean)
    }
    guard width > 0 else { return nil }
    return (product / width, max(square - product * product / width, 0))
  }

  /// The mean of the gaps' slopes. Without a click each hit depends on the one before, so the margin comes from the differences
  /// between gaps and not from the residuals within one. nil for too few gaps.
  private static func mean(_ slopes: [Double]) -> Estimate? {
    guard slopes.count >= fewestGaps else { return nil }
    let n = Double(slopes.count)
    let mean = slopes.reduce(0, +) / n
    let square = slopes.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (n - 1)
    let margin = Quantile.student(0.975, n - 1) * sqrt(square / n)
    return Estimate(mean, margin: margin)
  }

  /// The standard deviations of the two parts of the variance in the model of Wing and Kristofferson, in milliseconds: the
  /// inner clock, and the hands that execute its beats. nil for too few intervals, or if the model does not fit.
  private static func variances(_ runs: [Run]) -> (clock: Double?, hands: Double?) {
    let pieces = runs.flatMap { GapTiming.pieces($0) }.filter { $0.count >= 2 }
    let count = pieces.reduce(0) { $0 + $1.count }
    guard count >= fewestIntervals else { return (nil, nil) }
    // One mean for all pieces: the means of short pieces would absorb a part of the variance.
    let mean = pieces.reduce(0) { $0 + $1.reduce(0, +) } / Double(count)
    var (sum, lagged) = (0.0, 0.0)
    for piece in pieces {
      let rest = piece.map { $0 - mean }
      sum += rest.reduce(0) { $0 + $1 * $1 }
      lagged += zip(rest, rest.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 }
    }
    let variance = sum / Double(count - 1)
    let covariance = lagged / Double(count - pieces.count)
    let (hands, clock) = (-covariance, variance + 2 * covariance)
    // The model does not fit every player.
    guard hands >= 0, clock >= 0 else { return (nil, nil) }
    return (sqrt(clock), sqrt(hands))
  }

  /// The intervals between hits at neighbouring onsets, minus those of the click, in milliseconds. A missed onset begins a new
  /// piece.
  private static func pieces(_ run: Run) -> [[Double]] {
    var pieces: [[Double]] = [[]]
    for index in run.points.indices.dropFirst() {
      if run.numbers[index] - run.numbers[index - 1] == 1 {
        let interval = run.points[index].milliseconds - run.points[index - 1].milliseconds
        pieces[pieces.count - 1].append(interval)
      } else {
        pieces.append([])
      }
    }
    return pieces
  }
}
