import EngineBench
import Foundation
import TestBench

/// How costs grow: with the sections of a score, with the subscribers to beats, in a storm of messages.
enum Scale {
  static func measure(quick: Bool) async throws -> Report {
    var report = Report(name: "scale", title: "Scale", columns: ["", "value"])
    try await sections(quick, into: &report)
    try await subscribers(quick, into: &report)
    try await storm(quick, into: &report)
    return report
  }

  // MARK: Sections

  private static func sections(_ quick: Bool, into report: inout Report) async throws {
    let counts = [10, 100, 1_000, 10_000, 100_000]
    var (build, locate): ([[Double]], [[Double]]) = ([], [])
    for count in counts {
      let costs = try SectionCosts.measure(sections: count, locates: quick ? 10_000 : 100_000)
      build.append([Double(count), costs.build])
      locate.append([Double(count), costs.locate])
      report.rows.append(.init(name: "build a score of \(count) sections, ms", values: [costs.build * 1e3]))
      report.rows.append(.init(name: "locate among \(count) sections, ns", values: [costs.locate * 1e9]))
    }
    let first = try await firstBeat(sections: counts.last!, rounds: quick ? 1 : 5)
    report.rows.append(
      .init(
        name: "from the command to the first beat of a document of 100000 sections, s",
        values: [first.value], missedCycles: first.missedCycles))
    report.claims += [
      .init(
        what: "Build a score of 10 / 1000 / 100 000 sections, ms",
        tactus: [0, 2, 4].map { shown(build[$0][1] * 1e3) }.joined(separator: " / "), peers: "", goal: "–",
        isMet: nil),
      .init(
        what: "Locate among 10 / 1000 / 100 000 sections, µs",
        tactus: [0, 2, 4].map { shown(locate[$0][1] * 1e6) }.joined(separator: " / "), peers: "", goal: "–",
        isMet: nil),
      .init(
        what: "From the command to the first beat of a document of 100 000 sections, s",
        tactus: shown(first.value),
        peers: "", goal: "< 0.25", isMet: first.value < 0.25, missedCycles: first.missedCycles),
    ]
    report.panels += [
      Panel(
        title: "Build a score", x: .init(label: "sections", scale: .logarithmic),
        y: .init(label: "ms", scale: .logarithmic),
        series: [.init(name: "build", points: build.map { [$0[0], $0[1] * 1e3] })]),
      Panel(
        title: "Locate", x: .init(label: "sections", scale: .logarithmic), y: .init(label: "ns"),
        series: [.init(name: "locate", points: locate.map { [$0[0], $0[1] * 1e9] })]),
    ]
  }

  /// Seconds from the command to the first beat of a document.
  private static func firstBeat(sections: Int, rounds: Int) async throws -> Measured<Double> {
    let path = NSTemporaryDirectory() + "/tactus-bench-\(getpid()).yaml"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let lines = (0..<sections).map {
      "  - {name: Part \($0), bars: \($0 % 7 + 1), tempo: \(60 + $0 % 100), meter: \($0 % 11 + 2)/8}\n"
    }
    try ("sections:\n" + lines.joined()).write(toFile: path, atomically: true, encoding: .utf8)
    return try await measureUndisturbed(period: 256) { server in
      let watch = CycleWatch(server)
      let time = try (0..<rounds).map { _ in
        let begin = monotonicSeconds()
        let program = try Program.tactus(server, [path, "--json"])
        defer { program.stop() }
        try program.process.waitForLine(containing: "\"event\":\"beat\"", within: .seconds(60))
        return monotonicSeconds() - begin
      }.median
      return Measured(value: time, missedCycles: watch.missedCycles)
    }
  }

  // MARK: Subscribers

  private static func subscribers(_ quick: Bool, into report: inout Report) async throws {
    let seconds = quick ? 2 : 20
    var costs: [[Double]] = []
    var worst = (lost: 0, spread: 0.0)
    var missedCycles = 0
    for count in [1, 8, 64] {
      let heard = try await measureUndisturbed(period: 256) { server in
        // 999 BPM with two subdivisions: 66 beat events a second.
        let program = try Program.tactus(
          server, ["--stopped", "--json", "--tempo", "999", "--subdivision", "2", "--subdivision", "4"])
        defer { program.stop() }
        try program.process.waitForLine(containing: "\"event\":\"connected\"")
        let audience = try Audience(port: program.oscPort, count: count)
        let watch = CycleWatch(server)
        let (used, begin) = (program.processorTime, monotonicSeconds())
        try OSCSocket(to: program.oscPort).send(OSCSocket.message("/tactus/start"))
        audience.listen(for: Double(seconds))
        let load = (program.processorTime - used) / (monotonicSeconds() - begin)
        // The last messages may still be on their way.
        try OSCSocket(to: program.oscPort).send(OSCSocket.message("/tactus/stop"))
        audience.listen(for: 0.5)
        return Measured(value: (audience, load), missedCycles: watch.missedCycles)
      }
      let (audience, load) = heard.value
      missedCycles += heard.missedCycles
      costs.append([Double(count), load * 100])
      worst = (max(worst.lost, audience.lost), max(worst.spread, audience.spread))
      report.rows += [
        ("processor, %", load * 100), ("events each", Double(audience.events)),
        ("lost", Double(audience.lost)), ("first to last, p99, ms", audience.spread * 1e3),
      ].map {
        .init(
          name: "beats to \(count) subscribers: \($0)", values: [$1], missedCycles: heard.missedCycles)
      }
    }
    report.claims.append(
      .init(
        what: "66 beats a second to 1 / 8 / 64 subscribers: processor, %",
        tactus: costs.map { shown($0[1]) }.joined(separator: " / ")
          + "; \(worst.lost) lost; p99 from the first to the last subscriber \(shown(worst.spread * 1e3)) ms",
        peers: "", goal: "–", isMet: nil, missedCycles: missedCycles))
    report.panels.append(
      Panel(
        title: "66 beats a second", x: .init(label: "subscribers", scale: .logarithmic),
        y: .init(label: "% of a processor"), series: [.init(name: "Tactus", points: costs)]))
  }

  // MARK: A storm

  private static func storm(_ quick: Bool, into report: inout Report) async throws {
    let seconds = quick ? 2.0 : 20.0
    let tactus = try await measureUndisturbed(period: 256) { server in
      let program = try Program.tactus(server, ["--stopped", "--json", "--tempo", "133.7"])
      try program.process.waitForLine(containing: "\"event\":\"connected\"")
      return try storm(on: program, "/tactus/volume", start: "/tactus/start", server, seconds)
    }
    var peers = ""
    if Subprocess.isInstalled("klick") {
      let klick = try await measureUndisturbed(period: 256) { server in
        let program = try Program.klick(server, ["133.7"], listens: true)
        return try storm(
          on: program, "/klick/config/set_volume", start: "/klick/metro/start", server, seconds)
      }
      peers =
        "klick \(shown(klick.value.load * 100)) %, \(shown(klick.value.off)) frames off"
        + mark(missedCycles: klick.missedCycles)
      add(klick, of: "klick", to: &report)
    }
    add(tactus, of: "Tactus", to: &report)
    report.claims.append(
      .init(
        what: "A fader storm, 10 000 messages a second: processor, and the clicks under it",
        tactus: "\(shown(tactus.value.load * 100)) %, at most \(shown(tactus.value.off)) frames off",
        peers: peers,
        goal: "clicks ≤ 0.5 frames off", isMet: tactus.value.off <= 0.5,
        missedCycles: tactus.missedCycles))
  }

  private struct Storm {
    var load = 0.0
    var rate = 0.0
    var off = 0.0
    var clicks = 0
  }

  private static func add(_ measured: Measured<Storm>, of name: String, to report: inout Report) {
    let storm = measured.value
    report.rows += [
      ("messages a second to \(name)", storm.rate), ("processor of \(name), %", storm.load * 100),
      ("clicks of \(name)", Double(storm.clicks)), ("worst click of \(name), frames off", storm.off),
    ].map { .init(name: "storm: \($0)", values: [$1], missedCycles: measured.missedCycles) }
  }

  private static func storm(
    on program: Program, _ address: String, start: String, _ server: JACKServer, _ seconds: Double
  ) throws -> Measured<Storm> {
    defer { program.stop() }
    let recorder = try RecorderClient(
      server: server, sources: [program.port], storage: .onsets(Exactness.onset, capacity: 10_000))
    let watch = CycleWatch(server, recorder)
    recorder.record()
    let socket = try OSCSocket(to: program.oscPort)
    // Its port may be there before it listens.
    for _ in 0..<5 where recorder.onsets().isEmpty {
      socket.send(OSCSocket.message(start))
      try recorder.pass(48_000)
    }
    try recorder.pass(48_000)
    let (used, begin) = (program.processorTime, monotonicSeconds())
    var sent = 0
    while monotonicSeconds() - begin < seconds {
      // All messages that are due: a sleep takes longer than requested.
      while Double(sent) < (monotonicSeconds() - begin) * 10_000 {
        socket.send(OSCSocket.message(address, 0.5 + Float(sent % 1_000) / 2_000))
        sent += 1
      }
      usleep(500)
    }
    let elapsed = monotonicSeconds() - begin
    let load = (program.processorTime - used) / elapsed
    let onsets = recorder.onsets()
    guard let first = onsets.first else { throw BenchError("no click of \(program.port) in the storm") }
    let spacing = 60 * 48_000 / 133.7
    let off = onsets.map { onset in
      let distance = Double(onset - first)
      return abs(distance - (distance / spacing).rounded() * spacing)
    }
    let storm = Storm(
      load: load, rate: Double(sent) / elapsed, off: off.max() ?? 0, clicks: onsets.count)
    return Measured(value: storm, missedCycles: watch.missedCycles)
  }
}
