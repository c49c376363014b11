/// Compares onsets with the exact places of a grid.
public struct Grid {
  /// Descriptions of the onsets that are off the grid, with their distances in frames.
  public private(set) var astray: [String] = []
  /// The number of places between the first and the last onset without an onset and without a gap that may hide one.
  public private(set) var missing = 0

  /// - Parameters:
  ///   - numerator, denominator: frames from one place to the next, as a fraction.
  ///   - isFirstExact: whether the first onset's place is a whole frame; otherwise it is rounded like all others.
  ///   - gaps: frames that were not recorded.
  public init(
    _ onsets: [Int64], numerator: Int64, denominator: Int64, isFirstExact: Bool = true, gaps: [Gap] = []
  ) throws {
    let onsets = onsets.filter { !gaps.cover($0) }
    guard let first = onsets.first else { throw BenchError("no onset") }
    var last: Int64 = 0
    for onset in onsets.dropFirst() {
      let index = ((onset - first) * denominator * 2 + numerator) / (2 * numerator)
      let off = (onset - first) * denominator - index * numerator
      if abs(off) * (isFirstExact ? 2 : 1) > denominator {
        astray.append("\(onset): \(Double(off) / Double(denominator))")
      }
      for place in stride(from: last + 1, to: index, by: 1) {
        let frame = first + (place * numerator * 2 + denominator) / (2 * denominator)
        if !gaps.mayHide(frame) { missing += 1 }
      }
      last = index
    }
  }
}
