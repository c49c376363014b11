import Foundation
import HearingBench
import OSC
import TestBench
import TestInTime
import Testing

/// Known strokes against Tactus's click, through a real server.
@Suite(.serialized, .inTime) struct TimeCheckLiveTests {
  /// 600 beats a minute: each stroke is within 50 ms of a click, wherever the first one falls.
  private static let interval = 4_800
  private static let music = ["--fresh", "--tempo", "600", "--no-connect"]

  /// A line of JSON about a hit.
  private struct HitLine: Decodable {
    let frame: Int64
    let milliseconds: Double
    let drum: String?
  }

  private func hits(_ player: Player) -> [HitLine] {
    player.process.lines.filter { $0.contains("\"event\":\"hit\"") }.compactMap {
      try? JSONDecoder().decode(HitLine.self, from: Data($0.utf8))
    }
  }

  /// How late the pulses are that fall on multiples of the interval, by what the recorder heard of the click.
  private func truth(_ recorder: RecorderClient) throws -> Double {
    let click = try #require(recorder.onsets().first)
    let interval = Int64(TimeCheckLiveTests.interval)
    let late = ((interval - click % interval) % interval + interval / 2) % interval - interval / 2
    return Double(late) / 48
  }

  private func record(_ server: JACKServer) throws -> RecorderClient {
    let recorder = try RecorderClient(
      server: server, sources: ["tactus:accent"], storage: .onsets(capacity: 10_000))
    recorder.record()
    return recorder
  }

  private func wait(_ player: Player, hits count: Int) throws {
    let deadline = Deadline.within(.seconds(20))
    while hits(player).count < count {
      guard !deadline.hasPassed else { throw BenchError("no \(count) hits\n\(player.process.report)") }
      player.process.waitForChange(within: .milliseconds(200))
    }
  }

  /// How far a hit is from the truth, in milliseconds. Both may be half an interval from two clicks.
  private func error(of hit: HitLine, _ truth: Double) -> Double {
    let error: Double = hit.milliseconds - truth
    if error > 50 { return error - 100 }
    return error < -50 ? error + 100 : error
  }

  private func check(
    _ option: [String], sound: [Float], port: String, within tolerance: Double
  ) async throws {
    try await JACKServer.run { server in
      let player = try Player(server: server, TimeCheckLiveTests.music + option + ["--stopped"])
      try player.waitForConnection()
      player.send("subscribe")
      let drummer = try PulseClient(server: server, interval: TimeCheckLiveTests.interval, sound: sound)
      try drummer.client.connect(drummer.port, port)
      let recorder = try record(server)
      // A cycle that is missed while clients connect may swallow the beginning of a stroke.
      try recorder.pass(24_000)
      player.send("start")
      try recorder.pass(48_000 * 6)
      let (truth, reports) = (try truth(recorder), hits(player))
      #expect(reports.count >= 40, "\(player.process.report)")
      let errors = reports.map { error(of: $0, truth) }
      #expect(
        errors.allSatisfy { abs($0) <= tolerance } || player.missedCycles,
        "late by \(truth): \(reports.map(\.milliseconds))")
      let spread = (errors.max() ?? 0) - (errors.min() ?? 0)
      #expect(spread <= 1.01 / 48 || player.missedCycles, "\(errors)")
      let message = try player.answer("hit")
      #expect(message.arguments.count == 8)
      #expect(try player.answer("timing").arguments.count == 8)
      player.send("stop")
      try player.process.waitForLine(containing: "\"event\":\"take\"")
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test func `A trigger's strokes are reported to the frame`() async throws {
    try await check(["--listen", "trigger"], sound: [1], port: "tactus:listen", within: 2.01 / 48)
  }

  @Test func `A microphone's strokes are reported within half a millisecond`() async throws {
    let rim = (0..<960).map { (index: Int) -> Float in
      let time = Double(index)
      return Float(sin(0.22 * time + 1.2) * exp(-time / 200))
    }
    try await check(["--listen", "mic"], sound: rim, port: "tactus:listen", within: 0.5)
  }

  @Test func `An e-drum's notes are reported to the frame`() async throws {
    try await JACKServer.run { server in
      let player = try Player(server: server, TimeCheckLiveTests.music + ["--hits", "--stopped"])
      try player.waitForConnection()
      let machine = try MIDIClient(server: server)
      try machine.connect(to: "tactus:hits")
      let recorder = try record(server)
      player.send("start")
      try recorder.pass(48_000)
      let click = try #require(recorder.onsets().first)
      // Each stroke has a lateness of its own, −20…20 ms.
      let first = click + (machine.soon - click) / 4_800 * 4_800 + 4_800
      let late = (0..<41).map { Int64($0 - 20) * 48 }
      machine.send(late.enumerated().map { (first + 4_800 * Int64($0) + $1, [0x99, 38, 100]) })
      try machine.waitUntilSent()
      try recorder.pass(48_000)
      let reports = hits(player)
      #expect(reports.allSatisfy { $0.drum == "snare" })
      let errors = zip(reports, late).map { $0.milliseconds - Double($1) / 48 }
      // The recorder hears the click with its second sample.
      #expect(
        reports.count == 41 && errors.allSatisfy { abs($0) <= 2.01 / 48 } || machine.late > 0
          || player.missedCycles, "\(reports.map(\.milliseconds))")
      #expect(try player.interrupt() == .exited(0))
    }
  }

  /// A take of the hearing bench on whose clicks Tactus clicks too, 250 ms apart, and whether the microphone hears these.
  private static let takes = [
    ("whole kit, recorded", true), ("ghost notes at −30 dB between strokes", false),
  ].compactMap { name, bleeds in
    HearingCase.all.first { $0.name == name && Hearing.isPossible($0) }.map { ($0, bleeds) }
  }

  /// Line of JSON about a calibration or a take.
  private struct FigureLine: Decodable {
    let mean: Double?
    let hits: Int?
    let lines: [String]?
  }

  private func figure(_ player: Player, _ event: String) throws -> FigureLine {
    let line = try player.process.waitForLine(containing: "\"event\":\"\(event)\"")
    return try JSONDecoder().decode(FigureLine.self, from: Data(line.utf8))
  }

  /// The strokes that were told, in milliseconds after their clicks, by the numbers of these.
  private func reported(_ player: Player) -> [Int: [Double]] {
    var reports: [Int: [Double]] = [:]
    for line in player.process.lines where line.contains("\"event\":\"hit\"") {
      guard let place = try? JSONDecoder().decode(PlaceLine.self, from: Data(line.utf8)) else { continue }
      reports[(place.bar - 1) * 4 + place.beat - 1, default: []].append(place.milliseconds)
    }
    return reports
  }

  private struct PlaceLine: Decodable {
    let bar: Int
    let beat: Int
    let milliseconds: Double
  }

  private func moments(_ values: [Double]) -> (mean: Double, spread: Double) {
    let mean = values.reduce(0, +) / Double(max(values.count, 1))
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (mean, (squares / Double(max(values.count - 1, 1))).squareRoot())
  }

  @Test(
    .enabled(if: Hearing.hearsMicrophones, "libaubio5 is not installed"), arguments: takes)
  func `A whole take is reported as it was played, also with the click in the microphone`(
    _ take: HearingCase, bleeds: Bool
  ) async throws {
    let played = Hearing.play(take, count: 64)
    try await JACKServer.run { server in
      let player = try Player(
        server: server, ["--fresh", "--tempo", "240", "--no-connect", "--listen", "mic", "--stopped"])
      try player.waitForConnection()
      // The calibration is of the first that is connected, by name.
      let drummer = try PulseClient(server: server, name: "zz", interval: nil, sound: played.samples)
      let recorder = try RecorderClient(
        server: server, sources: ["tactus:out"], storage: .onsets(capacity: 10_000))
      recorder.record()
      var offset = 0.0
      if bleeds {
        // The click is heard some 12 dB softer than the take's loud strokes.
        try player.set("volume", .float(0.1))
        try drummer.client.connect("tactus:out", "tactus:listen")
        // A volume takes its time, and the loudest click counts.
        try recorder.pass(9_600)
        player.send("calibrate")
        offset = try #require(try figure(player, "calibrated").mean)
      }
      try drummer.client.connect(drummer.port, "tactus:listen")
      let begin = recorder.onsets().count
      player.send("start")
      try recorder.pass(60_000)
      // Strokes are meant for clicks as the input hears them. The take begins with a second of silence.
      let click = try #require(recorder.onsets().dropFirst(begin).first)
      let first = click + 12 * 12_000
      drummer.play(from: first + Int64((offset * 48).rounded()) - Int64(played.clicks[0]))
      try recorder.pass(12 * 12_000 + played.samples.count)
      player.send("stop")
      let summary = try figure(player, "take")
      let reports = reported(player)
      let expected = zip(played.strokes, played.clicks).map { Double($0 - $1) / 48 }
      let found = (0..<64).map { reports[12 + $0] ?? [] }
      let missed = found.count(where: \.isEmpty)
      let extra = reports.values.reduce(0) { $0 + $1.count } - (64 - missed)
      let f = 2 * Double(64 - missed) / Double(2 * 64 - missed + extra)
      let pairs = zip(found, expected).filter { !$0.0.isEmpty }
      let (heard, truth) = (moments(pairs.map { $0.0[0] }), moments(pairs.map(\.1)))
      #expect(
        f >= take.least && abs(heard.mean - truth.mean) <= 0.5 && abs(heard.spread - truth.spread) <= 0.3
          || player.missedCycles,
        "\(take.name): \(missed) missed, \(extra) extra, mean \(heard.mean) for \(truth.mean), spread \(heard.spread) for \(truth.spread), \(summary.lines ?? []), \(player.process.lines.filter { $0.contains("\"calibrated\"") || $0.contains("warning") })"
      )
      #expect(summary.hits ?? 0 >= 60 || player.missedCycles)
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test func `A pad's notes are calibrated by a microphone beside it`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      func calibrate(_ options: String...) throws -> Subprocess {
        try Subprocess(
          Subprocess.built("tactus"), ["calibrate", "--server", server.name] + options,
          environment: ["XDG_STATE_HOME": folder.path, "HOME": folder.path, "XDG_RUNTIME_DIR": ""])
      }
      /// The milliseconds that a line tells.
      func late(_ command: Subprocess, _ text: String) throws -> Double {
        let line = try command.waitForLine(containing: text)
        let words = line.split(separator: " ")
        let place = try #require(words.firstIndex(of: "ms"))
        return try #require(Double(words[place - 1]))
      }
      let click = try calibrate("--listen", "trigger", "--connect", "tactus:listen")
      let loop = try late(click, "the click comes back")
      #expect(try click.waitForExit() == .exited(0))

      let command = try calibrate("hits")
      try command.waitForLine(containing: "Hit one pad 10 times")
      let machine = try MIDIClient(server: server)
      try machine.connect(to: "tactus:hits")
      // The pad sounds each half second; its notes come 6 ms later. The device is the first that is connected, by name.
      let pad = try PulseClient(server: server, name: "zz", interval: 24_000)
      try pad.client.connect(pad.port, "tactus:listen")
      let first = (machine.soon / 24_000 + 2) * 24_000
      machine.send((0..<10).map { (first + 24_000 * Int64($0) + 288, [0x99, 38, 100]) })
      let notes = try late(command, "hits is calibrated: its notes come")
      #expect(try command.waitForExit() == .exited(0))
      #expect(abs(notes - loop - 6) < 0.11 || machine.late > 0, "\(notes), \(loop)")
      let state = try String(contentsOfFile: "\(folder.path)/tactus/tactus.yaml", encoding: .utf8)
      #expect(state.contains("port: hits") && state.contains("hits: true"))
    }
  }

  @Test func `A tempo that is coached goes up when the strokes are even`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let document = folder.path + "/climb.yaml"
      let text = """
        sections:
          - name: Climb
            tempo: {from: 600, to: 630}
            advance: {when: {spread: 5 ms, bars: 4}, by: 30}
        """
      try text.write(toFile: document, atomically: true, encoding: .utf8)
      let player = try Player(
        server: server, [document, "--no-connect", "--listen", "trigger", "--stopped"], folder: folder)
      try player.waitForConnection()
      player.send("subscribe")
      let drummer = try PulseClient(server: server, interval: TimeCheckLiveTests.interval)
      try drummer.client.connect(drummer.port, "tactus:listen")
      player.send("start")
      try player.process.waitForLine(containing: "\"event\":\"coach\"")
      let message = try player.answer("coach")
      #expect(message.arguments[0] == .string("Climb"))
      #expect(message.arguments[1] == .string("up") || player.missedCycles, "\(message)")
      try player.process.waitForLine(containing: "\"tempo\":630,")
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test func `After a calibration a loop reads 0, and the calibration is saved`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let options = ["--tempo", "140", "--listen", "trigger", "--stopped"]
      let first = try Player(server: server, options, folder: folder)
      try first.waitForConnection()
      let bench = try BenchClient(server: server, name: "bench")
      try bench.activate()
      try bench.connect("tactus:out", "tactus:listen")
      try first.set("listen/bleed", .int32(0))
      // The calibration is of what is connected when it ends, some seconds later.
      first.send("calibrate")
      try first.process.waitForLine(containing: "\"event\":\"calibrated\"")
      first.send("start")
      try wait(first, hits: 12)
      #expect(
        hits(first).allSatisfy { abs($0.milliseconds) <= 1.01 / 48 }, "\(hits(first).map(\.milliseconds))")
      #expect(try first.interrupt() == .exited(0))
      let state = try String(contentsOfFile: "\(folder.path)/tactus/tactus.yaml", encoding: .utf8)
      #expect(state.contains("calibrations:") && state.contains("port: listen"))
      // The next run listens as this one did.
      #expect(state.contains("inputs: trigger"))
    }
  }

  @Test func `Beside a Tactus that runs the command says what calibrates there`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let variables = ["XDG_RUNTIME_DIR": folder.path]
      let player = try Player(
        server: server, TimeCheckLiveTests.music + ["--listen", "mic", "--stopped"], folder: folder,
        environment: variables)
      try player.waitForConnection()
      let command = try Subprocess(
        Subprocess.built("tactus"), ["calibrate", "--server", server.name],
        environment: ["XDG_STATE_HOME": folder.path, "HOME": folder.path].merging(variables) { $1 })
      #expect(try command.waitForExit() == .exited(69))
      #expect(command.report.contains("press C on its panel, or send it /tactus/calibrate"))
      #expect(!command.report.contains("--name"))
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test func `The command calibrates whatever is saved, and leaves that as it was`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let saved = ["--tempo", "200", "--role", "follow", "--subdivision", "4", "--listen", "trigger"]
      let player = try Player(server: server, saved + ["--stopped"], folder: folder)
      try player.waitForConnection()
      #expect(try player.interrupt() == .exited(0))
      let file = "\(folder.path)/tactus/tactus.yaml"
      let before = try String(contentsOfFile: file, encoding: .utf8)
      func calibrate(_ options: String...) throws -> Subprocess {
        try Subprocess(
          Subprocess.built("tactus"), ["calibrate", "--server", server.name] + options,
          environment: ["XDG_STATE_HOME": folder.path, "HOME": folder.path, "XDG_RUNTIME_DIR": ""])
      }
      let refused = try calibrate("--role", "follow")
      #expect(try refused.waitForExit() == .exited(64))
      let deaf = try calibrate("nothing")
      #expect(try deaf.waitForExit() == .exited(69))
      #expect(try String(contentsOfFile: file, encoding: .utf8) == before)
      let command = try calibrate("--connect", "tactus:listen")
      try command.waitForLine(containing: "is calibrated")
      #expect(try command.waitForExit() == .exited(0))
      let after = try String(contentsOfFile: file, encoding: .utf8)
      #expect(after.contains("calibrations:") && after.contains("port: listen"))
      let lines = Set(after.split(separator: "\n"))
      for line in before.split(separator: "\n") where !line.contains("system:") {
        #expect(lines.contains(line))
      }
    }
  }
}
