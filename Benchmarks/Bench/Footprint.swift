import Foundation
import TestBench

/// What a program takes on the disk, at the start and in memory.
enum Footprint {
  /// The size in bytes, the seconds from the command to its ports, and the resident bytes once it plays.
  private struct Figures {
    let size: Double
    let start: Double
    let memory: Double
  }

  static func measure(quick: Bool) async throws -> Report {
    let rounds = quick ? 3 : 21
    let (tactus, klick) = try await JACKServer.run(period: 256) { server in
      (
        try figures(of: try stripped(Program.tactusPath), server, rounds) {
          try Program.tactus(server, ["--plain"], name: $0)
        },
        Subprocess.isInstalled("klick")
          ? try figures(of: "/usr/bin/klick", server, rounds) { try Program.klick(server, ["120"], name: $0) }
          : nil
      )
    }
    var report = Report(name: "footprint", title: "Footprint", columns: ["", "Tactus", "klick"])
    report.rows = [
      .init(
        name: "program without debugging symbols, MB",
        values: [tactus.size / 1e6, klick.map { $0.size / 1e6 }]),
      .init(
        name: "from the command to its ports, ms", values: [tactus.start * 1e3, klick.map { $0.start * 1e3 }]),
      .init(name: "resident memory, MB", values: [tactus.memory / 1e6, klick.map { $0.memory / 1e6 }]),
    ]
    func peer(_ figure: (Figures) -> Double) -> String { klick.map { "klick \(shown(figure($0)))" } ?? "" }
    report.claims = [
      .init(
        what: "The program without debugging symbols, with Swift's libraries in it, MB",
        tactus: shown(tactus.size / 1e6), peers: peer { $0.size / 1e6 }, goal: "< 20",
        isMet: tactus.size < 20e6),
      .init(
        what: "From the command to its ports, ms", tactus: shown(tactus.start * 1e3),
        peers: peer { $0.start * 1e3 }, goal: "< 50", isMet: tactus.start < 0.05),
      .init(
        what: "Resident memory once its ports are there, MB, with what JACK shares among clients",
        tactus: shown(tactus.memory / 1e6),
        peers: peer { $0.memory / 1e6 }, goal: "–", isMet: nil),
    ]
    if let missing = missingPeers("klick") { report.notes.append(missing) }
    return report
  }

  /// - Parameter path: the file whose size counts.
  private static func figures(
    of path: String, _ server: JACKServer, _ rounds: Int, run: (_ name: String) throws -> Program
  ) throws -> Figures {
    let watcher = try BenchClient(server: server, name: "watcher")
    try watcher.activate()
    defer { watcher.close() }
    var (starts, memory): ([Double], [Double]) = ([], [])
    for round in 0..<rounds {
      let begin = monotonicSeconds()
      // A name of its own: the server keeps the ports of a client that has just ended.
      let program = try run("round-\(round)")
      defer { program.stop() }
      try watcher.waitForPort(program.port)
      starts.append(monotonicSeconds() - begin)
      memory.append(program.residentBytes)
    }
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    return Figures(size: Double(size), start: starts.median, memory: memory.median)
  }

  /// A copy of a program as it is installed.
  private static func stripped(_ path: String) throws -> String {
    let copy = NSTemporaryDirectory() + "/tactus-bench-\(getpid())-stripped"
    let strip = try Subprocess("strip", ["--strip-unneeded", "--remove-section=.comment", "-o", copy, path])
    _ = try strip.waitForExit()
    return copy
  }
}
