import TestBench

/// A measurement, and the number of cycles that were missed during it.
struct Measured<Value> {
  let value: Value
  let missedCycles: Int
}

/// Counts missed cycles.
struct CycleWatch {
  private let server: JACKServer
  private let before: Int

  init(_ server: JACKServer) {
    self.server = server
    before = server.reportedXruns
  }

  /// Cycles missed since the watch began: those that the server reported or those that the recorder noticed, whichever are more.
  func missedCycles(_ recorder: RecorderClient? = nil) -> Int {
    max(server.reportedXruns - before, recorder?.gaps.count ?? 0)
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

/// The mark of a figure during which cycles were missed; empty if there were none.
func mark(missedCycles count: Int?) -> String {
  guard let count, count > 0 else { return "" }
  return " (the machine missed \(count) cycle\(count == 1 ? "" : "s"))"
}
