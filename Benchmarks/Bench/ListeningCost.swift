import Foundation
import TestBench

/// What listening costs: in the process callback, and on the thread that listens.
enum ListeningCost {
  private static let inputs = ["kick:mic", "room:mic"]

  static func measure(quick: Bool) async throws -> Report {
    var report = Report(
      name: "listening", title: "Listening to two microphones at 64 frames, 48 kHz",
      columns: ["", "callback p50, µs", "mean, µs", "listening, % of a core an input", "callbacks"])
    let (rounds, seconds) = quick ? (1, 3) : (4, 10)
    let subjects: [(name: String, options: [String])] = [
      ("Tactus", []), ("Tactus, listening", ["--listen", inputs.joined(separator: ",")]),
      ("Tactus, recording", ["--listen", inputs.joined(separator: ","), "--record", NSTemporaryDirectory()]),
    ]
    var histograms = subjects.map { _ in Histogram() }
    var (shares, missed): ([Double], [Int]) = ([], subjects.map { _ in 0 })
    for round in 0..<rounds {
      for offset in subjects.indices {
        let index = (offset + round) % subjects.count
        let parts = try await play(subjects[index].options, seconds: seconds)
        for part in parts.values { histograms[index].add(part.callbacks) }
        missed[index] += parts.missedCycles
        if index == 1 { shares.append(parts.values.map(\.listener).mean / Double(inputs.count)) }
      }
    }
    let share = shares.median
    for (index, subject) in subjects.enumerated() {
      report.rows.append(
        .init(
          name: subject.name,
          values: [
            histograms[index].quantile(0.5), histograms[index].mean, index == 1 ? share * 100 : nil,
            Double(histograms[index].count),
          ], missedCycles: missed[index]))
    }
    let rise = histograms[1].quantile(0.5) - histograms[0].quantile(0.5)
    report.claims = [
      .init(
        what: "Two inputs listened to: what a callback of 64 frames takes longer, p50, µs",
        tactus:
          "\(shown(rise)); recorded too \(shown(histograms[2].quantile(0.5) - histograms[0].quantile(0.5)))",
        peers: "", goal: "< 1", isMet: rise < 1, missedCycles: missed[0] + missed[1]),
      .init(
        what: "A microphone that is listened to, % of a core", tactus: shown(share * 100), peers: "",
        goal: "< 3", isMet: share < 0.03),
    ]
    return report
  }

  /// What the program used in a tenth of a second.
  private struct Part {
    let callbacks: Histogram
    /// Processor time of the thread that listens, in seconds.
    let listener: Double
  }

  private static func play(_ options: [String], seconds: Int) async throws -> UndisturbedParts<Part> {
    let probe = NSTemporaryDirectory() + "/tactus-bench-\(getpid()).histogram"
    defer { try? FileManager.default.removeItem(atPath: probe) }
    return try await JACKServer.run(period: 64, realtime: true) { server in
      let program = try Program.tactus(server, ["--tempo", "120"] + options, probe: probe)
      defer { program.stop() }
      let transport = try TransportControl(server: server)
      try transport.client.waitForPort(program.port)
      if !options.isEmpty {
        for input in ["kick", "room"] { try transport.client.connect("tactus:out", "tactus:listen-\(input)") }
      }
      transport.client.close()
      sleep(seconds: 1)
      return try UndisturbedParts(10 * seconds, on: server) {
        let (before, used, begin) = (
          try Histogram(path: probe), program.processorTime(of: "listener"), monotonicSeconds()
        )
        sleep(seconds: 0.1)
        let listener = (program.processorTime(of: "listener") - used) / (monotonicSeconds() - begin)
        return Part(
          callbacks: Histogram(from: before, to: try Histogram(path: probe)), listener: listener)
      }
    }
  }
}
