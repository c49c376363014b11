/// Compares hits with the true strokes.
package struct Score {
  package var missed = 0
  package var extra = 0
  package var errors: [Double] = []

  /// - Parameter window: in frames.
  package init(_ hits: [Int64], _ truth: [Int], window: Int64 = 1_200) {
    let pairs = Score.pairs(hits, truth, window: window)
    errors = pairs.map { Double($0.heard - Int64(truth[$0.index])) / 48 }
    (missed, extra) = (truth.count - pairs.count, hits.count - pairs.count)
  }

  /// For each stroke that was heard its index in the truth, and the frame at which it was heard.
  static func pairs(_ hits: [Int64], _ truth: [Int], window: Int64) -> [(index: Int, heard: Int64)] {
    var left = hits.sorted()
    return truth.enumerated().compactMap { index, frame in
      let frame = Int64(frame)
      let nearest = left.indices.min { abs(left[$0] - frame) < abs(left[$1] - frame) }
      guard let nearest, abs(left[nearest] - frame) <= window else { return nil }
      return (index, left.remove(at: nearest))
    }
  }

  package var f: Double {
    let found = Double(errors.count)
    return found == 0 ? 0 : 2 * found / (2 * found + Double(missed + extra))
  }
  /// The mean error in milliseconds.
  package var bias: Double { errors.reduce(0, +) / Double(max(errors.count, 1)) }
  package var spread: Double {
    (errors.reduce(0) { $0 + ($1 - bias) * ($1 - bias) } / Double(max(errors.count - 1, 1))).squareRoot()
  }
}
