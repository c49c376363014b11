import MusicTime

/// The intervals in which a port was not at zero.
struct Voltage {
  struct Interval: Equatable {
    var start: ClockFrame
    /// nil where it is still high.
    var end: ClockFrame?
    var level: Float
  }

  private(set) var intervals: [Interval] = []

  var starts: [ClockFrame] { intervals.map(\.start) }
  var lengths: [Int64] { intervals.compactMap { interval in interval.end.map { $0 - interval.start } } }
  var isHigh: Bool { intervals.last.map { $0.end == nil } ?? false }

  mutating func read(_ samples: UnsafePointer<Float>, _ frames: Int, at clock: ClockFrame) {
    for frame in 0..<frames {
      let (level, last) = (samples[frame], isHigh ? intervals[intervals.count - 1].level : 0)
      guard level != last else { continue }
      if last != 0 { intervals[intervals.count - 1].end = clock + Int64(frame) }
      if level != 0 { intervals.append(Interval(start: clock + Int64(frame), level: level)) }
    }
  }
}
