import TestBench

extension RecorderClient {
  /// Waits until so many more frames are recorded.
  func pass(_ frames: Int) throws {
    try waitUntil(frames: recordedFrames + frames, within: .seconds(5 + frames / 20_000))
  }
}

extension TransportControl {
  /// Waits for a condition, which is looked at in every cycle.
  func waitForCycles(_ what: String, _ condition: () -> Bool) throws {
    let met = client.changed.wait(until: .within(.seconds(5))) { condition() ? true : nil }
    if met == nil { throw BenchError("no \(what) within five seconds") }
  }
}
