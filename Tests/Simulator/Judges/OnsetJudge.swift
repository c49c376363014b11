import MusicTime

/// Judges whether onsets lie on an exact grid: there must be one origin from which each of them is within half a frame of its
/// exact time, none missing and none twice.
///
/// The origin is not known, but each onset narrows it: half a frame around each. An error that accumulates leaves no origin.
struct OnsetJudge {
  /// The sums of a document's sections are rounded down, by less than a millionth of a frame.
  private static let tolerance: Int128 = 1 << 28

  private var grid: ExactGrid?
  /// Where the origin can be, in units of a frame.
  private var origin: ClosedRange<Int128>?
  /// The onset that comes next.
  private var bar = 1
  private var index = 0
  /// Until when nothing is judged, by the time at which frames are rendered.
  private var settledAt: UInt64 = 0
  private(set) var judged = 0
  /// Whether strengths are judged too: bars may be silent.
  private var judgesStrength = true

  /// Something has changed: until an instant nobody knows where the onsets are.
  mutating func unsettle(until time: UInt64) {
    settledAt = max(settledAt, time)
    (grid, origin) = (nil, nil)
  }

  /// Onsets are judged by another grid from now on.
  mutating func use(_ grid: ExactGrid?, judgesStrength: Bool) {
    guard grid != self.grid else { return }
    (self.grid, self.judgesStrength, origin) = (grid, judgesStrength, nil)
  }

  var needsGrid: Bool { grid == nil }

  /// The meter of a bar, where it is known.
  func meter(_ bar: Int) -> ExactBar? { grid?.meter(bar) }

  /// - Parameters:
  ///   - time: when the frame is rendered.
  ///   - gaps: onsets in them are passed over.
  /// - Returns: what is wrong; nil if nothing is.
  mutating func judge(_ beat: Ear.Beat, frame: Int64, rendered time: UInt64, _ gaps: Gaps) -> String? {
    guard let grid, time >= settledAt, beat.role != .cue else { return nil }
    guard let origin else {
      begin(beat, frame, grid)
      return nil
    }
    skip(gaps, grid, origin, before: frame)
    let onset = grid.onsets(bar)[index]
    let exact = grid.time(bar, onset)
    let what = "onset \(beat.bar).\(beat.beat) (\(beat.role.name)) at frame \(frame)"
    guard beat.bar == bar, beat.beat == onset.beat, (beat.role != .subdivision) == onset.isBeat else {
      return
        "\(what): the next one should be \(bar).\(onset.beat)\(onset.isBeat ? "" : " (a part)") at about "
        + "frame \((origin.lowerBound + exact) / ExactBar.unit)"
    }
    if onset.isBeat, judgesStrength || beat.strength > 0,
      (beat.role == .accent) != onset.isAccent || (judgesStrength && beat.strength != onset.strength)
    {
      return "\(what): told as \(beat.role.name) with strength \(beat.strength), should be "
        + "\(onset.isAccent ? "accent" : "beat") with \(onset.strength)"
    }
    let possible = OnsetJudge.origins(frame, exact)
    guard possible.overlaps(origin) else {
      let away =
        possible.lowerBound > origin.upperBound
        ? possible.lowerBound - origin.upperBound : origin.lowerBound - possible.upperBound
      return "\(what): off by more than half a frame, by \(Double(away) / Double(ExactBar.unit)) frames more"
    }
    self.origin = origin.clamped(to: possible)
    advance(grid)
    judged += 1
    return nil
  }

  private static func origins(_ frame: Int64, _ exact: Int128) -> ClosedRange<Int128> {
    let middle = Int128(frame) * ExactBar.unit - exact
    return middle - ExactBar.unit / 2 - tolerance...middle + ExactBar.unit / 2 + tolerance
  }

  private mutating func begin(_ beat: Ear.Beat, _ frame: Int64, _ grid: ExactGrid) {
    guard beat.role != .subdivision, beat.bar >= 1, beat.bar < grid.endBar ?? .max,
      let index = grid.onsets(beat.bar).firstIndex(where: { $0.isBeat && $0.beat == beat.beat })
    else { return }
    (bar, self.index) = (beat.bar, index)
    origin = OnsetJudge.origins(frame, grid.time(bar, grid.onsets(bar)[index]))
    advance(grid)
  }

  private mutating func advance(_ grid: ExactGrid) {
    index += 1
    if index == grid.onsets(bar).count { (bar, index) = (bar + 1, 0) }
  }

  /// Onsets that fell into missed cycles are passed over.
  private mutating func skip(
    _ gaps: Gaps, _ grid: ExactGrid, _ origin: ClosedRange<Int128>, before frame: Int64
  ) {
    while !gaps.isEmpty {
      let time = origin.lowerBound + grid.time(bar, grid.onsets(bar)[index])
      // The nearest frame, for the earliest and the latest origin.
      let earliest = Int64((time + ExactBar.unit / 2) / ExactBar.unit)
      let latest = Int64((time + origin.upperBound - origin.lowerBound + ExactBar.unit / 2) / ExactBar.unit)
      // One that may lie on the frame that was told is that one, also where a gap ends just before.
      guard latest < frame, gaps.contain(earliest) || gaps.contain(latest) else {
        return
      }
      advance(grid)
    }
  }
}
