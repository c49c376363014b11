import Foundation
import TestBench

/// How far each click is from its exact time, recorded through JACK.
enum Exactness {
  /// A tempo in thousandths of a beat a minute, in a meter.
  struct Music {
    var name: String
    var tempo: Int
    var beats: Int
    var note: Int
    /// klick counts quarters, whatever the meter.
    var quarters: Double { Double(tempo) / 1_000 * 4 / Double(note) }
    /// Frames from one beat to the next.
    func spacing(_ sampleRate: Int) -> Double { 60_000 * Double(sampleRate) / Double(tempo) }
  }

  static let all = [
    Music(name: "127 BPM", tempo: 127_000, beats: 4, note: 4),
    Music(name: "130 BPM", tempo: 130_000, beats: 4, note: 4),
    Music(name: "133.7 BPM", tempo: 133_700, beats: 4, note: 4),
    Music(name: "7/8, 133.7 quarters", tempo: 267_400, beats: 7, note: 8),
  ]

  /// Detects any sample other than 0 after silence.
  static let onset = OnsetDetector(threshold: 0, floor: 0, quietFrames: 200)

  static func measure(quick: Bool) async throws -> Report {
    var report = Report(
      name: "exactness", title: "Exactness: clicks recorded through JACK, frames off their exact time",
      columns: ["", "worst, frames", "RMS, frames", "drift, ppm", "clicks", "lost"])
    let seconds = quick ? 5 : 60
    if let note = missingPeers("klick", "jack_metro") { report.notes.append(note) }
    var worst: [String: Double] = [:]
    var missedCycles = 0
    for music in quick ? Array(all.suffix(2)) : all {
      let recording = try await measureUndisturbed(period: 1_024) { server in
        try record(music, seconds: seconds, on: server)
      }
      missedCycles += recording.missedCycles
      report.rows += recording.value.rows.map {
        .init(name: $0.name, values: $0.values, missedCycles: recording.missedCycles)
      }
      report.panels.append(recording.value.panel)
    }
    for row in report.rows {
      let program = row.name.split(separator: ": ").last.map(String.init) ?? row.name
      worst[program] = max(worst[program] ?? 0, row.values[0] ?? 0)
    }
    for name in ["Tactus", "Tactus following", "Tactus, klick map"] {
      let peers = peers(of: name).compactMap { peer in worst[peer].map { "\(peer) \(shown($0))" } }
      let value = worst[name] ?? .infinity
      report.claims.append(
        .init(
          what: "\(name): worst distance of a click from its exact time in \(seconds) s, frames",
          tactus: shown(value), peers: peers.joined(separator: ", "), goal: "≤ 0.5", isMet: value <= 0.5,
          missedCycles: missedCycles))
    }
    report.notes.append(
      "48 kHz, \(seconds) s each; counted from the first click, for followers from the leader's first beat. jack_metro knows whole tempos only and no meter. The leader tells whole ticks, of 11 frames."
    )
    return report
  }

  private static func peers(of name: String) -> [String] {
    switch name {
    case "Tactus": ["klick simple", "jack_metro"]
    case "Tactus following": ["klick following"]
    default: ["klick map"]
    }
  }

  /// Records all programs at once.
  private static func record(
    _ music: Music, seconds: Int, on server: JACKServer
  ) throws -> Measured<(rows: [Report.Row], panel: Panel)> {
    let folder = NSTemporaryDirectory()
    let map = "\(folder)/bench-\(getpid()).klick"
    try "1000 \(music.beats)/\(music.note) \(music.quarters)\n".write(
      toFile: map, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: map) }

    var programs: [(name: String, program: Program)] = []
    // Leading samples of 0 in each follower's click: a sine begins with one, a square wave with none.
    let followers: [String: Int64] = ["Tactus following": 1, "klick following": 0]
    let options = ["--tempo", "\(Double(music.tempo) / 1_000)", "--meter", "\(music.beats)/\(music.note)"]
    let tactus = try Program.tactus(server, options + ["--stopped", "--json"])
    let mapped = try Program.tactus(server, [map, "--stopped", "--json"], name: "mapped")
    programs += [("Tactus", tactus), ("Tactus, klick map", mapped)]
    programs.append(
      ("Tactus following", try Program.tactus(server, ["--role", "follow", "--json"], name: "following")))
    if Subprocess.isInstalled("klick") {
      // Without a map klick is in simple mode, whose tempo counts beats.
      programs.append(("klick simple", try Program.klick(server, [], name: "simple", listens: true)))
      // With OSC klick would play the map's tempo in simple mode.
      programs.append(("klick map", try Program.klick(server, ["-d", "2", "-f", map], name: "map")))
      programs.append(("klick following", try Program.klick(server, ["-j"], name: "jack")))
    }
    if Subprocess.isInstalled("jack_metro"), music.tempo % 1_000 == 0 {
      programs.append(("jack_metro", try Program.jackMetro(server, tempo: music.tempo / 1_000)))
    }
    defer { for (_, program) in programs { program.stop() } }

    for (name, program) in programs where name.hasPrefix("Tactus") {
      try program.process.waitForLine(containing: "\"event\":\"connected\"")
    }
    let recorder = try RecorderClient(
      server: server, sources: programs.map(\.program.port), storage: .onsets(onset, capacity: 1_000),
      cycles: (seconds + 10) * 60)
    let transport = try TransportControl(server: server)
    try transport.lead(
      LeaderMap(tempo: music.tempo, beatsPerBar: music.beats, beatType: music.note, sampleRate: 48_000))
    let watch = CycleWatch(server, recorder)
    recorder.record()
    for (name, program) in programs where program.oscPort > 0 && !name.hasSuffix("following") {
      let socket = try OSCSocket(to: program.oscPort)
      if name.hasPrefix("Tactus") {
        socket.send(OSCSocket.message("/tactus/start"))
      } else {
        if name == "klick simple" {
          socket.send(OSCSocket.message("/klick/simple/set_tempo", Float(music.tempo) / 1_000))
        }
        socket.send(OSCSocket.message("/klick/metro/start"))
      }
    }
    try transport.start()
    try recorder.waitUntil(frames: (seconds + 4) * 48_000, within: .seconds(seconds + 30))
    recorder.stop()
    let missedCycles = watch.missedCycles

    let cycles = recorder.cycles.filter { $0.state == .rolling }
    var rows: [Report.Row] = []
    var panel = Panel(
      title: music.name, x: .init(label: "seconds"), y: .init(label: "frames off", scale: .signed), series: []
    )
    for (index, (name, _)) in programs.enumerated() {
      let onsets = recorder.onsets(port: index)
      guard let first = onsets.first else { throw BenchError("\(name) was not heard") }
      let clicks = onsets.filter { $0 < first + Int64(seconds * 48_000) }.compactMap { onset in
        guard let silence = followers[name] else { return (onset: onset, place: onset - first) }
        // A follower is compared with the leader's beats, which are at transport frames: the transport stands still
        // while the server misses cycles.
        return cycles.last { $0.frameTime <= onset }.map {
          (onset: onset, place: Int64($0.frame) + onset - $0.frameTime - silence)
        }
      }
      let place = deviations(clicks, spacing: music.spacing(48_000), gaps: recorder.gaps)
      let drift = slope(place.points) / 48_000 * 1e6
      let off = place.points.map { $0[1] }
      rows.append(
        .init(
          name: "\(music.name): \(name)",
          values: [off.map(abs).max(), off.rootMeanSquare, drift, Double(off.count), Double(place.missing)]))
      panel.series.append(.init(name: name, points: place.points))
    }
    return Measured(value: (rows, panel), missedCycles: missedCycles)
  }

  /// - Returns: for each onset its time in seconds and its deviation in frames; and the number of places between the first and
  ///   the last onset that have neither an onset nor a gap that may hide one.
  private static func deviations(
    _ clicks: [(onset: Int64, place: Int64)], spacing: Double, gaps: [Gap]
  ) -> (points: [[Double]], missing: Int) {
    var last: Double?
    var missing = 0
    var points: [[Double]] = []
    for (onset, place) in clicks {
      let distance = Double(place)
      let index = (distance / spacing).rounded()
      for lost in stride(from: (last ?? index) + 1, to: index, by: 1)
      where !gaps.mayHide(onset - Int64(((index - lost) * spacing).rounded())) {
        missing += 1
      }
      last = index
      points.append([distance / 48_000, distance - index * spacing])
    }
    return (points, missing)
  }

  /// The drift of the onsets in frames a second, by least squares.
  private static func slope(_ points: [[Double]]) -> Double {
    let count = Double(points.count)
    let (x, y) = (points.map { $0[0] }.reduce(0, +) / count, points.map { $0[1] }.reduce(0, +) / count)
    let spread = points.map { ($0[0] - x) * ($0[0] - x) }.reduce(0, +)
    return spread > 0 ? points.map { ($0[0] - x) * ($0[1] - y) }.reduce(0, +) / spread : 0
  }
}
