import TestBench

extension TransportControl {
  /// Waits for a condition, which is looked at in every cycle.
  func waitForCycles(_ what: String, _ condition: () -> Bool) throws {
    let met = client.changed.wait(until: .within(.seconds(5))) { condition() ? true : nil }
    if met == nil { throw BenchError("no \(what) within five seconds") }
  }
}
