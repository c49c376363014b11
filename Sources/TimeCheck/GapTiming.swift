import Glibc

/// The time kept in silent bars.
struct GapTiming {
  /// The hits of a gap, with the numbers of their onsets.
  typealias Run = (points: [(seconds: Double, milliseconds: Double)], numbers: [Int])

  /// The fewest hits, the fewest gaps whose tempo is told, and the fewest intervals for the parts of the variance.
  private static let (fewest, fewestGaps, fewestIntervals) = (8, 3, 64)

  let gaps: TimingSummary.Gaps?

  /// - Parameter bars: the length of a bar in each gap, in seconds; nil where it is not known.
  init(_ runs: [Run], bars: [Double?] = []) {
    let long = runs.filter { $0.points.count >= 3 }
    let lengths = zip(runs, bars).filter { $0.0.points.count >= 3 }.compactMap(\.1)
    let count = long.reduce(0) { $0 + $1.points.count }
    // Each gap has a line of its own: it begins where the last click left the player.
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
      // A millisecond a second is a tenth of a per cent.
      slower: GapTiming.mean(lines.map { $0.slope / 10 }),
      lost: lengths.count == lines.count ? GapTiming.mean(zip(lines, lengths).map { $0.slope * $1 }) : nil,
      clock: clock, hands: hands)
  }

  /// The line through a gap's hits, in milliseconds a second, and the sum of the squares around it; nil for hits at one time.
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

  /// Without a click each hit begins where the one before was, so hits of a gap don't say how sure its slope is: other gaps do.
  private static func mean(_ slopes: [Double]) -> Estimate? {
    guard slopes.count >= fewestGaps else { return nil }
    let n = Double(slopes.count)
    let mean = slopes.reduce(0, +) / n
    let square = slopes.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (n - 1)
    let margin = Quantile.student(0.975, n - 1) * sqrt(square / n)
    return Estimate(mean, margin: margin)
  }

  /// The parts of the variance after Wing and Kristofferson: an inner clock, and hands that carry its beats out.
  private static func variances(_ runs: [Run]) -> (clock: Double?, hands: Double?) {
    let pieces = runs.flatMap { GapTiming.pieces($0) }.filter { $0.count >= 2 }
    let count = pieces.reduce(0) { $0 + $1.count }
    guard count >= fewestIntervals else { return (nil, nil) }
    // One mean for all: that of a short piece would take a part of the variance with it.
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
    // The model does not fit everybody.
    guard hands >= 0, clock >= 0 else { return (nil, nil) }
    return (sqrt(clock), sqrt(hands))
  }

  /// The intervals between hits at neighbouring onsets, less those of the click. An onset that was missed begins another piece.
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
