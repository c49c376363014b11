import CJack
import Foundation
import TestBench

/// A program's size on disk, its start time, and its memory.
enum Footprint {
  /// Sizes in bytes, times in seconds from the command, and the figures while it plays.
  private struct Figures {
    let size: Double
    let package: Double?
    /// Seconds until its ports exist.
    let ports: Double
    /// Seconds until it reports that it is ready; nil if it never does.
    let ready: Double?
    /// Seconds until the first sample of its first click.
    let click: Double
    let memory: Program.Memory
    let threads: Double
  }

  static func measure(quick: Bool) async throws -> Report {
    let rounds = quick ? 3 : 21
    let measured = try await measureUndisturbed(period: 256) { server in
      let watch = CycleWatch(server)
      let tactus = try figures(
        ofSize: try installedSize(), package: tactusPackage, server, rounds, saying: "OSC listens"
      ) {
        try Program.tactus(server, ["--plain", "--connect", $1], name: $0)
      }
      let klick =
        Subprocess.isInstalled("klick")
        ? try figures(ofSize: try size(of: "/usr/bin/klick"), package: klickPackage, server, rounds) {
          try Program.klick(server, ["-p", $1, "120"], name: $0)
        } : nil
      return Measured(value: (tactus, klick), missedCycles: watch.missedCycles)
    }
    let (tactus, klick) = measured.value
    var report = Report(name: "footprint", title: "Footprint", columns: ["", "Tactus", "klick"])
    func add(
      _ what: String, below goal: Double? = nil, isTimed: Bool = false, _ figure: (Figures) -> Double?
    ) {
      let (ours, peers) = (figure(tactus), klick.flatMap(figure))
      let missedCycles = isTimed ? measured.missedCycles : nil
      report.rows.append(.init(name: what, values: [ours, peers], missedCycles: missedCycles))
      report.claims.append(
        .init(
          what: what, tactus: ours.map(shown) ?? "–", peers: peers.map { "klick \(shown($0))" } ?? "",
          goal: goal.map { "< \(shown($0))" } ?? "–", isMet: goal.flatMap { goal in ours.map { $0 < goal } },
          missedCycles: missedCycles))
    }
    add("The program without debugging symbols, with Swift's libraries in it, MB", below: 20) {
      $0.size / 1e6
    }
    add("The Debian package, MB") { $0.package.map { $0 / 1e6 } }
    add("From the command to its ports, ms", isTimed: true) { $0.ports * 1e3 }
    add("From the command to being ready to play, ms", below: 50, isTimed: true) {
      $0.ready.map { $0 * 1e3 }
    }
    add("From the command to its first click, ms", isTimed: true) { $0.click * 1e3 }
    add("Memory of its own while it plays, MB") { $0.memory.own / 1e6 }
    add("Memory that JACK shares among its clients, MB") { $0.memory.shared / 1e6 }
    add("Threads") { $0.threads }
    if let missing = missingPeers("klick") { report.notes.append(missing) }
    if tactus.package == nil { report.notes.append("no package of Tactus: make deb builds it") }
    return report
  }

  /// - Parameters:
  ///   - size: of the program, in bytes.
  ///   - words: a part of the line that reports that it is ready; nil if there is no such line.
  ///   - run: starts it under a client name, to play to a port.
  private static func figures(
    ofSize size: Double, package: Double?, _ server: JACKServer, _ rounds: Int, saying words: String? = nil,
    run: (_ name: String, _ port: String) throws -> Program
  ) throws -> Figures {
    let recorder = try RecorderClient(
      server: server, storage: .onsets(Exactness.onset, capacity: 100 * rounds))
    defer { recorder.close() }
    recorder.record()
    try recorder.pass(4_800)
    var (ports, ready, clicks): ([Double], [Double], [Double]) = ([], [], [])
    var (memory, threads): ([Program.Memory], [Double]) = ([], [])
    for round in 0..<rounds {
      let before = recorder.onsets().count
      let (begin, frame) = (monotonicSeconds(), jack_frame_time(recorder.client.handle))
      // A name of its own: the server keeps the ports of a client that has just ended.
      let program = try run("round-\(round)", recorder.ports[0])
      defer { program.stop() }
      try recorder.client.waitForPort(program.port)
      ports.append(monotonicSeconds() - begin)
      if let words {
        try program.process.waitForLine(containing: words)
        ready.append(monotonicSeconds() - begin)
      }
      let deadline = Deadline.within(.seconds(5))
      while recorder.onsets().count == before, !deadline.hasPassed { usleep(500) }
      guard recorder.onsets().count > before else { throw BenchError("\(program.port) was not heard") }
      let onset = UInt32(truncatingIfNeeded: recorder.onsets()[before])
      clicks.append(Double(Int32(bitPattern: onset &- frame)) / 48_000)
      memory.append(program.memory)
      threads.append(program.threadCount)
    }
    return Figures(
      size: size, package: package, ports: ports.median,
      ready: ready.isEmpty ? nil : ready.median, click: clicks.median,
      memory: .init(own: memory.map(\.own).median, shared: memory.map(\.shared).median),
      threads: threads.median)
  }

  /// The size in bytes of the program as it is installed: the package's, else of a copy of the one that is measured.
  private static func installedSize() throws -> Double {
    let folder = FileManager.default.temporaryDirectory.path + "/tactus-bench-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var program = folder + "/tactus"
    let process: Subprocess
    if let package = ProcessInfo.processInfo.environment["TACTUS_PACKAGE"], tactusPackage != nil {
      process = try Subprocess("dpkg-deb", ["-x", package, folder])
      program = folder + "/usr/bin/tactus"
    } else {
      process = try Subprocess(
        "strip", ["--strip-unneeded", "--remove-section=.comment", "-o", program, try Program.tactusPath])
    }
    guard try process.waitForExit() == .exited(0) else { throw BenchError(process.report) }
    return try size(of: program)
  }

  private static func size(of path: String) throws -> Double {
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    guard let size else { throw BenchError("\(path) has no size") }
    return Double(size)
  }

  /// The size in bytes of the package that `make deb` has built; nil if there is none.
  private static var tactusPackage: Double? {
    let path = ProcessInfo.processInfo.environment["TACTUS_PACKAGE"] ?? ""
    return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int).map(Double.init)
  }

  /// The size of klick's package in bytes, from the system's package lists; nil without lists.
  private static var klickPackage: Double? {
    let lists = try? Subprocess("apt-cache", ["show", "--no-all-versions", "klick"])
    _ = try? lists?.waitForExit()
    return lists?.lines.first { $0.hasPrefix("Size: ") }.flatMap { Double($0.dropFirst(6)) }
  }
}
