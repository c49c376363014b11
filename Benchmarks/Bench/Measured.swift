import TestBench

/// A measurement, and the number of cycles that were missed during it.
struct Measured<Value> {
  let value: Value
  let missedCycles: Int
}

/// Counts missed cycles.
struct CycleWatch {
  private let server: JACKServer
  private let recorder: RecorderClient?
  private let before: (reported: Int, noticed: Int)

  /// - Parameter recorder: a client that notices the cycles that it misses itself.
  init(_ server: JACKServer, _ recorder: RecorderClient? = nil) {
    (self.server, self.recorder) = (server, recorder)
    before = (server.reportedXruns, recorder?.gaps.count ?? 0)
  }

  /// Cycles missed since the watch began: those that the server reported or those that the recorder noticed, whichever are more.
  var missedCycles: Int {
    max(server.reportedXruns - before.reported, (recorder?.gaps.count ?? 0) - before.noticed)
  }
}

/// Measures on a server of its own, and again, three times in all, while the machine misses cycles.
/// - Returns: the first undisturbed measurement, or the one with the fewest missed cycles.
func measureUndisturbed<Value>(
  period: Int, _ measure: (JACKServer) async throws -> Measured<Value>
) async throws -> Measured<Value> {
  var best = try await JACKServer.run(period: period, realtime: true, measure)
  for _ in 1..<3 where best.missedCycles > 0 {
    let next = try await JACKServer.run(period: period, realtime: true, measure)
    if next.missedCycles < best.missedCycles { best = next }
  }
  return best
}

/// Parts of a measurement in which no cycle was missed.
struct UndisturbedParts<Value> {
  /// As many as wanted; if the machine did not let so many be, all parts that were measured.
  let values: [Value]
  /// The number of parts that were measured again.
  let repeated: Int
  /// The cycles that were missed in `values`.
  let missedCycles: Int

  /// Measures parts until `count` are undisturbed, but at most three times as many.
  /// - Parameter measure: measures one part, of at most some seconds; the shorter, the more are undisturbed.
  init(
    _ count: Int, on server: JACKServer, _ recorder: RecorderClient? = nil, _ measure: () throws -> Value
  ) rethrows {
    var (undisturbed, all): ([Value], [Value]) = ([], [])
    var missed = 0
    while undisturbed.count < count, all.count < 3 * count {
      let watch = CycleWatch(server, recorder)
      let value = try measure()
      // The server reports a missed cycle a moment later.
      sleep(seconds: 0.02)
      all.append(value)
      if watch.missedCycles == 0 { undisturbed.append(value) } else { missed += watch.missedCycles }
    }
    repeated = all.count - undisturbed.count
    let isEnough = undisturbed.count == count
    (values, missedCycles) = isEnough ? (undisturbed, 0) : (all, missed)
  }
}

/// The mark of a figure during which cycles were missed; empty if there were none.
func mark(missedCycles count: Int?) -> String {
  guard let count, count > 0 else { return "" }
  return " (the machine missed \(count) cycle\(count == 1 ? "" : "s"))"
}
