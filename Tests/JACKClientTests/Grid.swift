import TestBench
import Testing

/// Onsets against the exact places on which they may lie.
struct Grid {
  /// Those that lie on no place, with how many frames they are off.
  private(set) var astray: [String] = []
  /// Places between the first and the last on which there is no onset.
  private(set) var missing = 0

  /// - Parameter frames: from one place to the next, as a fraction; the first onset's place is exact.
  init(_ onsets: [Int64], numerator: Int64, denominator: Int64) throws {
    let first = try #require(onsets.first)
    var last: Int64 = 0
    for onset in onsets.dropFirst() {
      let index = ((onset - first) * denominator * 2 + numerator) / (2 * numerator)
      let off = (onset - first) * denominator - index * numerator
      if abs(off) * 2 > denominator { astray.append("\(onset): \(Double(off) / Double(denominator))") }
      missing += Int(index - last - 1)
      last = index
    }
  }
}
