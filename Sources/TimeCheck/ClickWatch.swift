import MusicTime

/// Finds out whether an input hears the click itself: no player hits at the same distance from it, to half a millisecond,
/// repeatedly.
package struct ClickWatch: Sendable {
  /// The number of hits at one distance that prove a click, and the fewest hits from which anything is concluded.
  private static let (certain, fewest) = (20, 4)
  /// How many of the last hits are compared.
  private static let most = 128
  /// Distances that differ by at most `width` count as one; a player's hits spread over `around`; in seconds.
  private static let (width, around) = (0.000_6, 0.009)
  /// A player's hits are spread evenly around a distance. Hits of the click are this many times denser at one distance.
  private static let factor = 6.0

  private let sampleRate: Double
  /// The largest distance from the click at which the input can hear it, in seconds.
  private let reach: Double
  /// The distances of the last hits from their nearest clicks, in frames.
  private var distances: [Int64] = []
  /// Whether the input certainly hears the click.
  package private(set) var isFound = false

  /// - Parameter isCalibrated: whether the input is calibrated, so that it would hear the click only at the click's time.
  package init(sampleRate: Int, isCalibrated: Bool = false) {
    self.sampleRate = Double(sampleRate)
    reach = isCalibrated ? 0.003 : .infinity
  }

  /// Notes a hit, by its clock frame.
  /// - Parameter clicks: the clock frames of the clicks near it.
  /// - Returns: whether the click is found now and was not before.
  package mutating func note(hit frame: ClockFrame, clicks: [ClockFrame]) -> Bool {
    guard let click = clicks.min(by: { abs($0 - frame) < abs($1 - frame) }) else { return false }
    distances.append(frame - click)
    if distances.count > ClickWatch.most { distances.removeFirst() }
    let (wasFound, (count, others, middle)) = (isFound, mode)
    let expected = Double(others) / (ClickWatch.around / ClickWatch.width - 1)
    let stands = Double(count) >= ClickWatch.factor * expected
    isFound =
      stands && isWithinReach(middle)
      && count >= (wasFound ? ClickWatch.certain / 2 : ClickWatch.certain)
    return isFound && !wasFound
  }

  /// Whether all hits may be the click.
  package var isSuspect: Bool { isFound || distances.count >= ClickWatch.fewest && isEven }

  /// Whether there are enough hits, and they are a player's.
  package var isPlayer: Bool { distances.count >= ClickWatch.fewest && !isSuspect }

  private var isEven: Bool {
    Double((distances.max() ?? 0) - (distances.min() ?? 0)) <= ClickWatch.width * sampleRate
      && distances.allSatisfy(isWithinReach)
  }

  private func isWithinReach(_ distance: Int64) -> Bool { Double(abs(distance)) <= reach * sampleRate }

  /// The number of hits at the most frequent distance, the number of other hits around it, and that distance.
  private var mode: (count: Int, others: Int, middle: Int64) {
    let sorted = distances.sorted()
    let (width, around) = (Int64(ClickWatch.width * sampleRate), Int64(ClickWatch.around * sampleRate))
    var (best, middle, start) = (0, Int64(0), 0)
    for end in sorted.indices {
      while sorted[end] - sorted[start] > width { start += 1 }
      if end - start + 1 > best { (best, middle) = (end - start + 1, (sorted[start] + sorted[end]) / 2) }
    }
    return (best, sorted.count { abs($0 - middle) <= around / 2 } - best, middle)
  }
}
