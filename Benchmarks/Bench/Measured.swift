import TestBench

/// A measurement, and how many cycles the machine kept JACK clients from while it was made.
struct Measured<Value> {
  let value: Value
  let missedCycles: Int
}

/// Counts the cycles that the machine keeps JACK clients from.
struct CycleWatch {
  private let server: JACKServer
  private let before: Int

  init(_ server: JACKServer) {
    self.server = server
    before = server.reportedXruns
  }

  /// Since the watch began: what the server reported, or what a recorder noticed itself, whichever is more.
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

/// What a figure is marked with that the machine spoiled; nothing for others.
func mark(missedCycles count: Int?) -> String {
  guard let count, count > 0 else { return "" }
  return " (the machine missed \(count) cycle\(count == 1 ? "" : "s"))"
}
