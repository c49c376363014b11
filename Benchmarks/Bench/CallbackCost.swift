import Foundation
import TestBench

/// What a metronome costs while it plays, at periods of 64 frames.
enum CallbackCost {
  /// The peers print nothing while they play.
  private static let plain = ["--quiet", "--tempo", "120"]
  /// Accents, beats and all eight subdivisions.
  static let everything =
    ["--accents", "XxXx", "--sound", "cowbell"] + (2...9).flatMap { ["--subdivision", "\($0)"] }

  private struct Subject {
    var name: String
    var start: (JACKServer, _ probe: String) throws -> Program
    var ports: [String]
    var needs: String?
    /// Seconds of processor time a second, the mean of each round.
    var rounds: [Double] = []
    var histogram = Histogram()
    /// The number of parts that were measured again, because a cycle was missed.
    var repeated = 0
    /// Missed cycles in the parts that count.
    var missedCycles = 0
  }

  /// What a program used in a tenth of a second: a busy machine misses cycles in almost every second, but not in every tenth.
  private struct Part {
    /// Seconds of processor time a second.
    let time: Double
    let callbacks: Histogram
  }

  static func measure(quick: Bool) async throws -> Report {
    var subjects = [
      Subject(name: "empty client", start: { try .emptyClient($0, probe: $1) }, ports: ["empty:out"]),
      Subject(
        name: "Tactus, plain", start: { try .tactus($0, plain, probe: $1) },
        ports: ["tactus:out"]),
      Subject(
        name: "Tactus, everything on",
        start: { try .tactus($0, plain + everything, probe: $1) },
        ports: ["out", "accent", "beat", "subdivision", "cue"].map { "tactus:\($0)" }),
      Subject(
        name: "klick", start: { try .klick($0, ["120"], probe: $1) }, ports: ["klick:out"], needs: "klick"),
      Subject(
        name: "jack_metro", start: { try .jackMetro($0, tempo: 120, probe: $1) }, ports: ["metro:120_bpm"],
        needs: "jack_metro"),
      Subject(
        name: "jack_midi_clock", start: { try .midiClock($0, tempo: 120, probe: $1) }, ports: [],
        needs: "jack_midi_clock"),
    ]
    subjects.removeAll { $0.needs.map { !Subprocess.isInstalled($0) } ?? false }
    // Short turns, because a machine is slower or faster for minutes.
    let (rounds, seconds) = quick ? (1, 3) : (20, 3)
    for round in 0..<rounds {
      // The order rotates, so that no subject is always the first.
      for offset in subjects.indices {
        let index = (offset + round) % subjects.count
        let parts = try await play(subjects[index], seconds: seconds)
        for part in parts.values { subjects[index].histogram.add(part.callbacks) }
        // The mean, since the work of a beat is in few parts.
        subjects[index].rounds.append(parts.values.map(\.time).mean)
        subjects[index].repeated += parts.repeated
        subjects[index].missedCycles += parts.missedCycles
      }
    }
    return try report(subjects, seconds: Double(rounds * seconds))
  }

  /// Plays on a server of its own, and measures parts in which no cycle was missed.
  private static func play(_ subject: Subject, seconds: Int) async throws -> UndisturbedParts<Part> {
    let probe = NSTemporaryDirectory() + "/tactus-bench-\(getpid()).histogram"
    defer { try? FileManager.default.removeItem(atPath: probe) }
    return try await JACKServer.run(period: 64, realtime: true) { server in
      let program = try subject.start(server, probe)
      defer { program.stop() }
      let transport = try TransportControl(server: server)
      try transport.client.waitForPort(program.port)
      for port in subject.ports { try transport.client.connect(port, "system:playback_1") }
      try transport.start()
      // The bench's own client leaves; the transport rolls on.
      transport.client.close()
      sleep(seconds: 1)
      return try UndisturbedParts(10 * seconds, on: server) {
        let (before, used, begin) = (try Histogram(path: probe), program.processorTime, monotonicSeconds())
        sleep(seconds: 0.1)
        let time = (program.processorTime - used) / (monotonicSeconds() - begin)
        return Part(time: time, callbacks: Histogram(from: before, to: try Histogram(path: probe)))
      }
    }
  }

  private static func report(_ subjects: [Subject], seconds: Double) throws -> Report {
    var report = Report(
      name: "callback", title: "Cost: \(shown(seconds)) s at 64 frames, 48 kHz, in turns",
      columns: [
        "", "processor, s in 60 s", "× empty client", "callback p50, µs", "p99, µs", "p99.99, µs", "max, µs",
        "callbacks", "tenths of a second measured again",
      ])
    if let note = missingPeers("klick", "jack_metro", "jack_midi_clock") { report.notes.append(note) }
    func ratio(_ name: String, to other: String) -> Double? {
      guard let one = subjects.first(where: { $0.name == name }),
        let two = subjects.first(where: { $0.name == other })
      else { return nil }
      return zip(one.rounds, two.rounds).map { $0 / $1 }.median
    }
    func time(_ name: String) -> String {
      subjects.first { $0.name == name }.map { shown($0.rounds.median * 60) + " s" } ?? "–"
    }
    func missedCycles(_ names: String...) -> Int {
      subjects.filter { names.contains($0.name) }.map(\.missedCycles).reduce(0, +)
    }
    for subject in subjects {
      let histogram = subject.histogram
      report.rows.append(
        .init(
          name: subject.name,
          values: [
            subject.rounds.median * 60, ratio(subject.name, to: "empty client"), histogram.quantile(0.5),
            histogram.quantile(0.99), histogram.quantile(0.9999), histogram.largest, Double(histogram.count),
            Double(subject.repeated),
          ], missedCycles: subject.missedCycles))
    }
    if let plain = ratio("Tactus, plain", to: "klick") {
      report.claims.append(
        .init(
          what: "Plain click, processor time in 60 s at 64 frames",
          tactus: "\(time("Tactus, plain")), \(shown(plain)) × klick",
          peers: "klick \(time("klick")), jack_metro \(time("jack_metro"))", goal: "≤ klick",
          isMet: plain <= 1, missedCycles: missedCycles("Tactus, plain", "klick")))
    }
    if let all = ratio("Tactus, everything on", to: "empty client") {
      report.claims.append(
        .init(
          what: "Accents, eight subdivisions, all ports, clock and notes: processor time in 60 s",
          tactus: "\(time("Tactus, everything on")), \(shown(all)) × an empty client",
          peers: "empty client \(time("empty client"))", goal: "≤ 1.2 × an empty client", isMet: all <= 1.2,
          missedCycles: missedCycles("Tactus, everything on", "empty client"))
      )
    }
    if let everything = subjects.first(where: { $0.name == "Tactus, everything on" })?.histogram {
      let klick = subjects.first { $0.name == "klick" }?.histogram
      let text = { (times: Histogram) in
        [0.5, 0.99, 0.9999].map { shown(times.quantile($0)) }.joined(separator: " / ")
          + " / \(shown(times.largest))"
      }
      report.claims.append(
        .init(
          what: "The same, a callback: p50 / p99 / p99.99 / longest, µs", tactus: text(everything),
          peers: klick.map { "klick, plain \(text($0))" } ?? "", goal: "–", isMet: nil,
          missedCycles: missedCycles("Tactus, everything on")))
    }
    try addInstructions(to: &report)
    report.panels = [
      Panel(
        title: "Callbacks that took longer",
        x: .init(label: "µs", scale: .logarithmic), y: .init(label: "part of all", scale: .logarithmic),
        series: subjects.map { .init(name: $0.name, points: $0.histogram.tail.filter { $0[1] > 0 }) })
    ]
    return report
  }

  /// Counts instructions too: they vary less from run to run than times do.
  private static func addInstructions(to report: inout Report) throws {
    guard Subprocess.isInstalled("valgrind") else {
      return report.notes.append("valgrind not installed: no instructions counted")
    }
    let (plain, everything) = (try instructions("plain"), try instructions("everything"))
    report.notes.append(
      "the engine's instructions a period of 64 frames: plain \(shown(plain)), everything on \(shown(everything))"
    )
    report.claims.append(
      .init(
        what: "The engine's instructions a period of 64 frames, plain / everything on",
        tactus: "\(shown(plain)) / \(shown(everything))", peers: "", goal: "–", isMet: nil))
  }

  /// The engine's instructions a period, from the difference of two runs: the costs of start and end cancel out.
  private static func instructions(_ music: String) throws -> Double {
    let (few, many) = (7_500, 37_500)
    return Double(try instructions(music, periods: many) - instructions(music, periods: few))
      / Double(many - few)
  }

  private static func instructions(_ music: String, periods: Int) throws -> Int {
    let process = try Subprocess(
      "valgrind",
      [
        "--tool=callgrind", "--callgrind-out-file=/dev/null", try Subprocess.built("bench"), "engine", music,
        "\(periods)",
      ])
    try process.waitForExit(within: .seconds(120))
    guard let line = process.errorLines.first(where: { $0.contains("Collected : ") }),
      let number = line.split(separator: " ").last.flatMap({ Int($0) })
    else { throw BenchError(process.report) }
    return number
  }
}
