import CJack
import Foundation
import TestBench

/// The time from sending `/tactus/start` over OSC to the first frame of the click.
enum ControlLatency {
  static func measure(quick: Bool) async throws -> Report {
    var report = Report(
      name: "control", title: "Control: from an OSC message to the first changed frame, at 64 frames",
      columns: ["", "p50, ms", "p99, ms", "max, ms", "messages", "lost"])
    if let note = missingPeers("klick") { report.notes.append(note) }
    let trials = quick ? 20 : 400
    let measured = try await JACKServer.run(period: 64, realtime: true) {
      try measure($0, trials: trials)
    }
    let (results, missedCycles) = (measured.value, measured.missedCycles)
    report.notes.append("messages sent again, because a cycle was missed: \(measured.repeated)")
    var curves: [Panel.Series] = []
    for (name, answers) in results {
      let delays = answers.compactMap(\.self)
      report.rows.append(
        .init(
          name: name,
          values: [
            delays.median, delays.quantile(0.99), delays.max(), Double(delays.count),
            Double(answers.count - delays.count),
          ], missedCycles: missedCycles))
      let sorted = delays.sorted()
      curves.append(
        .init(name: name, points: sorted.enumerated().map { [$1, Double($0 + 1) / Double(sorted.count)] }))
    }
    let (ours, limit) = (results[0].answers.compactMap(\.self), 64 / 48.0 + 2)
    report.claims = [
      .init(
        what: "OSC message to first changed frame at 64 frames, p50 / p99, ms",
        tactus: "\(shown(ours.median)) / \(shown(ours.quantile(0.99)))",
        peers: results.dropFirst().map {
          let delays = $0.answers.compactMap(\.self)
          return "\($0.name) \(shown(delays.median)) / \(shown(delays.quantile(0.99)))"
        }
        .joined(),
        goal: "p99 < \(shown(limit)), a period and 2 ms",
        isMet: ours.count == results[0].answers.count && ours.quantile(0.99) < limit,
        missedCycles: missedCycles)
    ]
    report.panels = [
      Panel(
        title: "Messages that had taken effect", x: .init(label: "ms", scale: .logarithmic),
        y: .init(label: "part of all"), series: curves)
    ]
    return report
  }

  /// Answers in milliseconds; nil if there was none.
  private typealias Answers = (name: String, answers: [Double?])

  private static func measure(
    _ server: JACKServer, trials: Int
  ) throws -> (value: [Answers], missedCycles: Int, repeated: Int) {
    let tactus = try Program.tactus(server, ["--stopped", "--json"])
    try tactus.process.waitForLine(containing: "\"event\":\"connected\"")
    var subjects = [(name: "Tactus", program: tactus, address: "/tactus/")]
    if Subprocess.isInstalled("klick") {
      subjects.append(("klick", try Program.klick(server, ["120"], listens: true), "/klick/metro/"))
    }
    defer { for subject in subjects { subject.program.stop() } }
    let recorder = try RecorderClient(
      server: server, sources: subjects.map(\.program.port),
      storage: .onsets(Exactness.onset, capacity: 100 * trials))
    recorder.record()

    try recorder.pass(48_000)
    let parts = try UndisturbedParts(trials, on: server, recorder) {
      try subjects.enumerated().map { index, subject -> Double? in
        // A random time within the period.
        sleep(seconds: .random(in: 0...0.004))
        let socket = try OSCSocket(to: subject.program.oscPort)
        let before = recorder.onsets(port: index).count
        let start = OSCSocket.message(subject.address + "start")
        let sent = jack_frame_time(recorder.client.handle)
        socket.send(start)
        let deadline = Deadline.within(.milliseconds(250))
        while recorder.onsets(port: index).count == before, !deadline.hasPassed { usleep(500) }
        let onsets = recorder.onsets(port: index)
        socket.send(OSCSocket.message(subject.address + "stop"))
        // The click ends before the next start.
        try recorder.pass(48 * 90)
        guard onsets.count > before else { return nil }
        return Double(Int32(bitPattern: UInt32(truncatingIfNeeded: onsets[before]) &- sent)) / 48
      }
    }
    let results = subjects.enumerated().map { index, subject in
      (name: subject.name, answers: parts.values.map { $0[index] })
    }
    return (results, parts.missedCycles, parts.repeated)
  }
}
