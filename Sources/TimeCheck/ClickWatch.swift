/// Finds out whether an input hears the click itself: nobody plays at the same distance from it, to half a millisecond, time and again.
package struct ClickWatch: Sendable {
  /// The hits at one distance that tell a click for certain, and the fewest of which anything is told.
  private static let (certain, fewest) = (20, 4)
  /// How many of the last hits are looked at.
  private static let most = 128
  /// What is one distance, and around it the hits of a player, in seconds.
  private static let (width, around) = (0.000_6, 0.009)
  /// A player's hits lie around a distance as closely as at it: a click's stand out by this factor.
  private static let factor = 6.0

  private let sampleRate: Double
  /// How far from a calibrated input's click, in seconds, it is heard at most.
  private let reach: Double
  /// Of the last hits from the click next to each, in frames.
  private var distances: [Int64] = []
  /// Whether the input hears the click.
  package private(set) var isFound = false

  /// - Parameter isCalibrated: whether the input would hear the click where it sounds, and nowhere else.
  package init(sampleRate: Int, isCalibrated: Bool = false) {
    self.sampleRate = Double(sampleRate)
    reach = isCalibrated ? 0.003 : .infinity
  }

  /// Notes a hit before any gate.
  /// - Parameter clicks: those that sound near it.
  /// - Returns: whether the click is found with it.
  package mutating func note(hit frame: Int64, clicks: [Int64]) -> Bool {
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

  /// Whether all that was heard may be the click.
  package var isSuspect: Bool { isFound || distances.count >= ClickWatch.fewest && isEven }

  /// Whether somebody plays for certain, and no click is found.
  package var isPlayer: Bool { distances.count >= ClickWatch.fewest && !isSuspect }

  private var isEven: Bool {
    Double((distances.max() ?? 0) - (distances.min() ?? 0)) <= ClickWatch.width * sampleRate
      && distances.allSatisfy(isWithinReach)
  }

  private func isWithinReach(_ distance: Int64) -> Bool { Double(abs(distance)) <= reach * sampleRate }

  /// The hits at the most frequent distance, those around it, and the distance.
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
