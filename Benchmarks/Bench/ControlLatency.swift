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
    let measured = try await measureUndisturbed(period: 64) { try measure($0, trials: trials) }
    let (results, missedCycles) = (measured.value, measured.missedCycles)
    var curves: [Panel.Series] = []
    for (name, delays) in results {
      report.rows.append(
        .init(
          name: name,
          values: [
            delays.median, delays.quantile(0.99), delays.max(), Double(delays.count),
            Double(trials - delays.count),
          ], missedCycles: missedCycles))
      let sorted = delays.sorted()
      curves.append(
        .init(name: name, points: sorted.enumerated().map { [$1, Double($0 + 1) / Double(sorted.count)] }))
    }
    let (ours, limit) = (results[0].delays, 64 / 48.0 + 2)
    report.claims = [
      .init(
        what: "OSC message to first changed frame at 64 frames, p50 / p99, ms",
        tactus: "\(shown(ours.median)) / \(shown(ours.quantile(0.99)))",
        peers: results.dropFirst().map {
          "\($0.name) \(shown($0.delays.median)) / \(shown($0.delays.quantile(0.99)))"
        }
        .joined(),
        goal: "p99 < \(shown(limit)), a period and 2 ms",
        isMet: ours.count == trials && ours.quantile(0.99) < limit, missedCycles: missedCycles)
    ]
    report.panels = [
      Panel(
        title: "Messages that had taken effect", x: .init(label: "ms", scale: .logarithmic),
        y: .init(label: "part of all"), series: curves)
    ]
    return report
  }

  private static func measure(
    _ server: JACKServer, trials: Int
  ) throws -> Measured<[(name: String, delays: [Double])]> {
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

    var delays = [[Double]](repeating: [], count: subjects.count)
    try recorder.pass(48_000)
    let watch = CycleWatch(server)
    for _ in 0..<trials {
      for (index, subject) in subjects.enumerated() {
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
        if onsets.count > before {
          delays[index].append(
            Double(Int32(bitPattern: UInt32(truncatingIfNeeded: onsets[before]) &- sent)) / 48)
        }
        socket.send(OSCSocket.message(subject.address + "stop"))
        // The click ends before the next start.
        try recorder.pass(48 * 90)
      }
    }
    return Measured(
      value: zip(subjects, delays).map { ($0.name, $1) }, missedCycles: watch.missedCycles(recorder))
  }
}
