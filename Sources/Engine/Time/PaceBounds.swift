/// Bounds the slope of a line through rounded readings of a position that moves evenly.
///
/// Each reading limits the position to one tick, which cuts a convex polygon in the plane of the line's start and slope. The
/// polygon narrows far faster than the error of a difference between two readings. If nothing is left of it, the position
/// has not moved evenly, and the bounds start again. Positions and ticks have the caller's unit.
struct PaceBounds: BitwiseCopyable {
  /// The maximum number of corners. A reading that would add one more is ignored; the bounds are then wider than necessary.
  private static var limit: Int { @_noLocks get { 24 } }
  /// Added to each side of a reading's bounds, as a part of a tick: readings are rounded numbers.
  private static var margin: Double { @_noLocks get { 1e-3 } }
  /// The grids of common tempos, in beats a minute, from the coarsest.
  private static var grids: InlineArray<4, Double> { @_noLocks get { [1, 0.5, 0.1, 0.01] } }

  /// The position at the first reading (x), and how far it moves in a frame (y).
  private var corners = InlineArray<24, SIMD2<Double>>(repeating: .zero)
  private var count = 0
  /// The rounded position at the last reading, from the first, in the caller's unit.
  private var position = 0.0
  /// Frames from the first reading to the last.
  /// - Thread: audio
  private(set) var frames = 0.0
  /// Readings after the first.
  /// - Thread: audio
  private(set) var steps = 0

  @_noLocks
  init() {}

  /// Forgets all bounds. The next `add` counts from the caller's last reading.
  /// - Thread: audio
  @_noLocks
  mutating func begin() { (count, position, frames, steps) = (0, 0, 0, 0) }

  /// Handles a reading.
  /// - Parameters:
  ///   - moved: how far the rounded position has moved since the last one.
  ///   - elapsed: frames since then, more than 0.
  ///   - tick: the unit to which the position is rounded.
  /// - Thread: audio
  @_noLocks
  mutating func add(moved: Double, elapsed: Double, tick: Double) {
    let margin = tick * PaceBounds.margin
    if count == 0 {
      let fastest = (moved + 2 * tick) / elapsed
      count = 4
      corners[0] = SIMD2(-margin, 0)
      corners[1] = SIMD2(tick + margin, 0)
      corners[2] = SIMD2(tick + margin, fastest)
      corners[3] = SIMD2(-margin, fastest)
    }
    position += moved
    frames += elapsed
    steps += 1
    cut(1, of: position - margin)
    cut(-1, of: position + tick + margin)
    if count == 0 { begin() }
  }

  /// The least and the greatest pace, per frame; nil while they are unknown.
  /// - Thread: audio
  var range: (low: Double, high: Double)? {
    @_noLocks get {
      guard count > 0, steps > 0 else { return nil }
      var range = (low: corners[0].y, high: corners[0].y)
      for index in 1..<count {
        range = (min(range.low, corners[index].y), max(range.high, corners[index].y))
      }
      return range
    }
  }

  /// The likeliest tempo in a range, in beats per minute: a multiple of the coarsest grid that is more than four times as wide
  /// as the range; otherwise the middle.
  /// - Thread: audio
  @_noLocks
  static func likeliest(_ low: Double, _ high: Double) -> (value: Double, isRound: Bool) {
    for index in 0..<4 {
      let grid = grids[index]
      let tempo = grid * Double(Int64((low + high) / 2 / grid + 0.5))
      if high - low < grid / 4, tempo >= low, tempo <= high { return (tempo, true) }
    }
    return ((low + high) / 2, false)
  }

  /// Keeps the lines that are at the last reading on one side of a bound.
  /// - Parameter side: 1 to keep those above, -1 those below.
  @_noLocks
  private mutating func cut(_ side: Double, of bound: Double) {
    // How far the corners are inside. Most readings cut nothing off.
    var inside = InlineArray<24, Double>(repeating: 0)
    var least = 0.0
    for index in 0..<count {
      let corner = corners[index]
      inside[index] = side * (corner.x + corner.y * frames - bound)
      least = min(least, inside[index])
    }
    guard least < 0 else { return }
    var kept = InlineArray<24, SIMD2<Double>>(repeating: .zero)
    var number = 0
    for index in 0..<count {
      let following = index + 1 == count ? 0 : index + 1
      let (here, there) = (inside[index], inside[following])
      if here >= 0 {
        guard number < PaceBounds.limit else { return }
        kept[number] = corners[index]
        number += 1
      }
      if here >= 0 && there < 0 || here < 0 && there >= 0 {
        guard number < PaceBounds.limit else { return }
        kept[number] = corners[index] + (corners[following] - corners[index]) * (here / (here - there))
        number += 1
      }
    }
    (corners, count) = (kept, number)
  }
}
