/// The clock frames of recently missed cycles.
struct Gaps {
  private static let capacity = 16

  private var ranges: [Range<Int64>] = []

  var isEmpty: Bool { ranges.isEmpty }

  mutating func note(_ frames: Range<Int64>) {
    ranges.append(frames)
    if ranges.count > Gaps.capacity { ranges.removeFirst() }
  }

  func contain(_ frame: Int64) -> Bool { ranges.contains { $0.contains(frame) } }

  /// Whether cycles were missed between two frames.
  func lie(between first: Int64, and last: Int64) -> Bool {
    ranges.contains { first < $0.upperBound && $0.lowerBound <= last }
  }
}
