import TimeCheck

/// The last hits on a scale of ±50 ms, with their mean and spread.
struct TimeLane: Equatable {
  /// The distance from the middle of the scale to its ends, in milliseconds.
  private static let reach = 50.0

  let timing: TimingState
  let glyphs: Glyphs

  /// A scale with a mark for each of the last hits; early is left. Hits beyond the scale are shown at its ends.
  func scale(width: Int) -> String {
    let width = max(width - (width + 1) % 2, 3)
    var marks = Array(repeating: glyphs.isUnicode ? "·" : "-", count: width)
    let policy = timing.policy
    for milliseconds in [policy.target - policy.window, policy.target + policy.window] {
      marks[column(milliseconds, width)] = glyphs.isUnicode ? "┊" : ":"
    }
    marks[width / 2] = glyphs.isUnicode ? "│" : "|"
    for milliseconds in timing.lastHits.dropLast() {
      marks[column(milliseconds, width)] = glyphs.isUnicode ? "○" : "o"
    }
    if let last = timing.lastHits.last { marks[column(last, width)] = glyphs.isUnicode ? "●" : "#" }
    return marks.joined()
  }

  private func column(_ milliseconds: Double, _ width: Int) -> Int {
    let part = min(max(milliseconds / TimeLane.reach, -1), 1)
    return width / 2 + Int((part * Double(width / 2)).rounded())
  }

  /// The mean and the spread of the last hits, or an instruction or problem that concerns the player more.
  var words: String {
    if let left = timing.strokesLeft, left > 0 { return "calibrating: hit one pad, \(left) more" }
    if timing.isCalibrating {
      let left = timing.clicksLeft.map { $0 > 0 ? ", \($0) more" : "" } ?? ""
      return "calibrating: keep silent\(left)"
    }
    if let drum = timing.learning { return "hit the \(drum.rawValue)" }
    if let port = timing.unconnected.first { return "nothing is connected to \(port)" }
    if timing.hearsClick { return "hears the click: C" }
    if timing.hidden >= Scatter.fewest, timing.hidden > timing.hits {
      return "the click hides \(timing.hidden) strokes: C"
    }
    if timing.hits == 0, timing.strays >= Scatter.fewest {
      return "\(timing.strays) strokes, none near a click"
    }
    guard timing.recent.hits > 0 else {
      return timing.isCalibrated ? "listening" : "listening, not calibrated: C"
    }
    let mean = TimingWords.lateness(timing.recent.mean)
    let spread = timing.recent.scatter.map { "spread \(TimingWords.number($0.spread.value)) ms" }
    return [timing.isCalibrated ? mean : "not calibrated: C", spread].compactMap { $0 }.joined(
      separator: glyphs.separator)
  }

  /// The counts of the take, in the longest form that fits.
  func counts(width: Int) -> String {
    guard timing.hits > 0 else { return "" }
    let hits = timing.hits == 1 ? "1 hit" : "\(timing.hits) hits"
    let last = timing.recent.hits < timing.hits ? "last \(timing.recent.hits): " : nil
    let part = "\(last ?? "")\(TimingWords.percent(timing.recent.inWindow))"
    let window = "\(part) within \(TimingWords.number(timing.policy.window)) ms"
    let missed = timing.missed > 0 ? "\(timing.missed) missed" : nil
    let tempo = timing.playedTempo.map { "at \(TimingWords.tempo(($0 * 10).rounded() / 10))" }
    let brief = last == nil ? hits : nil
    let forms = [
      [hits, window, missed, tempo], [brief, window, missed, tempo], [brief, part, missed, tempo],
      [brief, part, missed],
    ].map {
      $0.compactMap { $0 }.joined(separator: glyphs.separator)
    }
    return forms.first { $0.count <= width } ?? forms[forms.count - 1]
  }
}
