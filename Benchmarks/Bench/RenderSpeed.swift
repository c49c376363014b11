import Foundation
import TestBench

/// How fast clicks are written to a file, against `klick -W` on the same map in the same format.
enum RenderSpeed {
  static func measure(quick: Bool) async throws -> Report {
    let bars = quick ? 300 : 1_800
    // In memory, so that the disk does not affect the result.
    let folder = "/dev/shm/tactus-bench-\(getpid())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let map = "\(folder)/song.klick"
    try "\(bars) 4/4 133.7\n".write(toFile: map, atomically: true, encoding: .utf8)
    let hours = Double(bars) * 4 * 60 / 133.7 / 3_600

    let output = "\(folder)/click.wav"
    let tactus = try Program.tactusPath
    var writers: [(name: String, write: () throws -> Cost)] = [
      ("Tactus", { try run(tactus, ["render", map, "-o", output, "--bit-depth", "16"]) })
    ]
    if Subprocess.isInstalled("klick") {
      writers.append(("klick", { try run("klick", ["-f", map, "-W", output]) }))
    }
    let bytes = [UInt8](repeating: 1, count: Int(hours * 3_600 * 48_000) * 2)
    writers.append(("the write alone, in memory", { try write(bytes, to: output) }))
    writers.append(("the write alone, on this disk", { try write(bytes, to: "bench-\(getpid()).tmp") }))

    var costs = [[Cost]](repeating: [], count: writers.count)
    for _ in 0..<(quick ? 3 : 7) {
      for (index, writer) in writers.enumerated() {
        costs[index].append(try writer.write())
        for path in [output, "bench-\(getpid()).tmp"] { try? FileManager.default.removeItem(atPath: path) }
      }
    }
    var report = Report(
      name: "render", title: "Render: \(shown(hours)) hours of click as 48 kHz, 16-bit WAV",
      columns: ["", "median, s", "best, s", "processor, s", "hours of click a second"])
    if let note = missingPeers("klick") { report.notes.append(note) }
    for (writer, costs) in zip(writers, costs) {
      let times = costs.map(\.elapsed)
      report.rows.append(
        .init(
          name: writer.name,
          values: [times.median, times.min(), costs.map(\.processor).median, hours / times.median]))
    }
    let names = writers.map(\.name)
    let speed = { (name: String) in names.firstIndex(of: name).map { hours / costs[$0].map(\.elapsed).median }
    }
    if let ours = speed("Tactus"), let klick = speed("klick"), let index = names.firstIndex(of: "klick") {
      let ratio = zip(costs[0], costs[index]).map { $1.elapsed / $0.elapsed }.median
      report.claims.append(
        .init(
          what: "Render to 16-bit WAV, hours of click a second",
          tactus: "\(shown(ours)), \(shown(ratio)) × klick",
          peers: "klick \(shown(klick)), the write alone \(shown(speed("the write alone, in memory")!))",
          goal: "≥ 2 × klick", isMet: ratio >= 2))
    }
    let rounds = Panel(
      title: "Each round", x: .init(label: "round"), y: .init(label: "seconds", scale: .logarithmic),
      series: zip(names, costs).map { name, costs in
        .init(name: name, points: costs.enumerated().map { [Double($0 + 1), $1.elapsed] })
      })
    report.panels = [rounds]
    report.notes.append("the programs in turn, into memory (tmpfs); the program's start is in the time")
    return report
  }

  struct Cost {
    var elapsed: Double
    var processor: Double
  }

  private static func run(_ program: String, _ arguments: [String]) throws -> Cost {
    let (begin, used) = (monotonicSeconds(), childrenTime())
    let process = try Subprocess(program, arguments)
    guard try process.waitForExit(within: .seconds(120)) == .exited(0) else {
      throw BenchError(process.report)
    }
    return Cost(elapsed: monotonicSeconds() - begin, processor: childrenTime() - used)
  }

  private static func write(_ bytes: [UInt8], to path: String) throws -> Cost {
    let begin = monotonicSeconds()
    let file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0o666)
    defer { close(file) }
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        Foundation.write(file, $0.baseAddress! + done, min(1 << 16, $0.count - done))
      }
      guard count > 0 else { throw BenchError("\(path): \(String(cString: strerror(errno)))") }
      done += count
    }
    let elapsed = monotonicSeconds() - begin
    return Cost(elapsed: elapsed, processor: elapsed)
  }

  /// Seconds of processor time of all children that have ended.
  private static func childrenTime() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
    return [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) * 1e-6 }.reduce(0, +)
  }
}
