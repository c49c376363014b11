import Foundation
import TestBench
import TestInTime
import Testing

@Suite(.serialized, .inTime) struct ServerLossTests {
  @Test func `After a server is killed and restarted at another rate Tactus plays on as before`() async throws
  {
    try await JACKServer.run(period: 1_024) { server in
      let player = try Player(
        server: server, ["--fresh", "--no-connect", "--tempo", "300", "--quantise", "bar"])
      var recorder = try RecorderClient(
        server: server, sources: ["tactus:out"], storage: .onsets(.anySound, capacity: 10_000))
      recorder.record()
      try recorder.pass(48_000)
      // Stopped for longer than JACK waits for a client, and going on.
      player.process.signal(SIGSTOP)
      pause(.milliseconds(1_500))
      player.process.signal(SIGCONT)
      // The pause is recorded too.
      try recorder.pass(144_000)
      recorder.stop()
      let before = try Grid(recorder.onsets(), numerator: 9_600, denominator: 1, gaps: recorder.gaps)
      #expect(recorder.onsets().count >= 10)

      server.kill()
      try recorder.client.waitForLoss()
      recorder.close()
      try player.process.waitForLine(containing: "\"event\":\"lost\"")
      let busy = try player.processorTime()
      pause(.milliseconds(1_500))
      #expect(try player.processorTime() - busy < 0.4)
      try player.set("tempo", .float(137))

      let seen = player.process.lines.count
      try server.restart(sampleRate: 44_100, period: 512)
      let back = ContinuousClock.now
      try player.process.waitForLine(containing: "\"event\":\"connected\"", from: seen)
      #expect(ContinuousClock.now - back < .milliseconds(500))

      // The recorder comes back later.
      recorder = try RecorderClient(server: server, storage: .onsets(.anySound, capacity: 10_000))
      try recorder.client.waitForConnection("tactus:out", "recorder:in_1")
      recorder.record()
      try recorder.pass(4 * 44_100)
      recorder.stop()
      let after = try Grid(
        recorder.onsets(), numerator: 60 * 44_100, denominator: 137, isFirstExact: false,
        gaps: recorder.gaps)
      let heard = recorder.onsets().count
      recorder.close()

      server.kill()
      try player.process.waitForLine(containing: "\"event\":\"lost\"", from: seen)
      #expect(try player.interrupt() == .exited(0))
      #expect(before.astray == [] && after.astray == [])
      // Cycles that the machine kept from it, as it says itself, may swallow clicks. The pause is one.
      #expect(heard >= 8 || player.missedTimes > 1)
    }
  }

  /// Leads a rolling transport whose server is killed.
  /// - Returns: the player, and how many lines it has printed until then.
  private func loseLead(_ server: JACKServer) throws -> (Player, Int) {
    let player = try Player(
      server: server, ["--fresh", "--no-connect", "--tempo", "300", "--role", "lead", "--start"])
    try player.waitForBeat()
    server.kill()
    try player.process.waitForLine(containing: "\"event\":\"lost\"")
    return (player, player.process.lines.count)
  }

  @Test func `A leader of a rolling transport leads and rolls again on a new server`() async throws {
    try await JACKServer.run { server in
      let (player, seen) = try loseLead(server)
      try server.restart(sampleRate: 96_000)
      let recorder = try RecorderClient(server: server, storage: .onsets(capacity: 0), cycles: 1_000)
      recorder.record()
      try player.process.waitForLine(containing: "\"event\":\"beat\"", from: seen)
      try recorder.pass(9_600)
      let last = try #require(recorder.cycles.last)
      #expect(last.state == .rolling)
      #expect(last.bbt?.beatsPerMinute == 300)
      recorder.close()
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test(.enabled(if: ServerKind.current == .jackd, "PipeWire waits for active clients alone"))
  func `Clients that come while a led transport starts delay it only for a moment`() async throws {
    try await JACKServer.run { server in
      let (player, seen) = try loseLead(server)
      // Long cycles: starting takes two of them.
      try server.restart(period: 8_192)
      // Opened, and not active: jackd by itself would wait for them for ten seconds.
      let others = try (0..<8).map { try BenchClient(server: server, name: "other\($0)") }
      try player.process.waitForLine(containing: "\"event\":\"beat\"", from: seen, within: .seconds(8))
      for other in others { other.close() }
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test(
    .enabled(if: ServerKind.current == .jackd, "Where PipeWire is, no private server is started"),
    arguments: [SIGINT, SIGTERM, SIGKILL])
  func `A private server ends with Tactus`(signal: Int32) async throws {
    // Its turn is taken, since servers of one user share their metadata.
    try await JACKServer.run { _ in
      // A server that is named would be waited for.
      let player = try Player(server: nil, ["--fresh"])
      try player.waitForBeat()
      let server = try #require(player.children.first)
      #expect(processName(server) == "jackd")
      player.process.signal(signal)
      #expect(try player.process.waitForExit() == (signal == SIGKILL ? .signalled(SIGKILL) : .exited(0)))
      #expect(eventually { kill(server, 0) != 0 })
    }
  }

  @Test(.enabled(if: ServerKind.current == .jackd, "Where PipeWire is, no private server is started"))
  func `The doctor finds a private server, and says how other programs reach it`() async throws {
    try await JACKServer.run { _ in
      let player = try Player(server: nil, ["--fresh"])
      try player.waitForBeat()
      let doctor = try Subprocess(
        try Subprocess.built("tactus"), ["doctor", "--watch", "0", "--osc-port", "\(player.port)"],
        environment: ["HOME": player.folder.path, "XDG_STATE_HOME": player.folder.path])
      _ = try doctor.waitForExit()
      #expect(
        doctor.lines.contains {
          $0.contains("export JACK_DEFAULT_SERVER=tactus-\(player.process.processID) ")
        },
        "\(doctor.report)")
      // The Tactus that plays there uses the port.
      #expect(doctor.lines.allSatisfy { !$0.contains("another program uses UDP port") }, "\(doctor.report)")
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test(.enabled(if: ServerKind.current == .jackd, "Where PipeWire is, no private server is started"))
  func `The arrival of the default server is reported once, and the music goes on`() async throws {
    try await JACKServer.run { _ in
      let folder = Scratch()
      let player = try Player(
        server: nil, ["--fresh", "--tempo", "400"], environment: ["XDG_RUNTIME_DIR": folder.path])
      try player.waitForBeat()
      // A private server's name changes with each run.
      #expect(player.process.lines.contains { $0.contains("\(folder.path)/tactus.osc") })
      let server = try Subprocess("/usr/bin/jackd", ["-r", "-d", "dummy"], environment: [:])
      try player.process.waitForLine(containing: "a JACK server runs now")
      let seen = player.process.lines.count
      try player.process.waitForLine(containing: "\"event\":\"beat\"", from: seen)
      server.signal(SIGTERM)
      _ = try server.waitForExit()
      pause(.seconds(3))
      #expect(player.process.lines.count { $0.contains("a JACK server runs now") } == 1)
      #expect(player.process.lines.allSatisfy { !$0.contains("\"event\":\"lost\"") })
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test(.enabled(if: ServerKind.current == .jackd, "Where PipeWire is, no private server is started"))
  func `A private server that dies is started again`() async throws {
    try await JACKServer.run { _ in
      let player = try Player(server: nil, ["--fresh", "--tempo", "400"])
      try player.waitForBeat()
      let server = try #require(player.children.first)
      kill(server, SIGKILL)
      try player.process.waitForLine(containing: "\"event\":\"lost\"")
      let seen = player.process.lines.count
      try player.process.waitForLine(containing: "\"event\":\"connected\"", from: seen)
      try player.process.waitForLine(containing: "\"event\":\"beat\"", from: seen)
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test(.enabled(if: ServerKind.current == .jackd, "Where PipeWire is, no private server is started"))
  func `A private server that fails to start is tried less and less often, and reported once`()
    async throws
  {
    try await JACKServer.run { _ in
      let folder = Scratch()
      let log = "\(folder.path)/starts"
      let old = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
      let script =
        "#!/bin/sh\necho >>\(log)\n[ -e \(log).broken ] && exit 1\nPATH='\(old)'\nexec jackd \"$@\"\n"
      let program = "\(folder.path)/jackd"
      try script.write(toFile: program, atomically: true, encoding: .utf8)
      chmod(program, 0o755)
      let player = try Player(
        server: nil, ["--fresh"], environment: ["PATH": "\(folder.path):\(old)"])
      try player.waitForBeat()
      try "".write(toFile: log + ".broken", atomically: true, encoding: .utf8)
      kill(try #require(player.children.first), SIGKILL)
      try player.process.waitForLine(containing: "doesn't start: try `jackd")
      pause(.seconds(2))
      // Once at the start, at once, and after 0.1, 0.2, 0.4, 0.8 and 1.6 seconds.
      #expect(try 4...7 ~= String(contentsOfFile: log, encoding: .utf8).count)
      #expect(player.process.lines.count { $0.contains("doesn't start") } == 1)
      let seen = player.process.lines.count
      unlink(log + ".broken")
      try player.process.waitForLine(containing: "\"event\":\"connected\"", from: seen)
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test(.enabled(if: ServerKind.current == .pipewire))
  func `If PipeWire does not run, Tactus says so and starts no jackd`() async throws {
    let (status, process) = try tactus("play", "--fresh", "--osc-port", "0")
    #expect(status == .exited(69))
    #expect(process.errorLines.joined().contains("no PipeWire is running: start it with"))
  }

  @Test func `A server that hangs is named`() async throws {
    try await JACKServer.run { server in
      let id = try #require(server.processID)
      kill(id, SIGSTOP)
      let began = ContinuousClock.now
      let (status, process) = try tactus("play", "--server", server.name, "--osc-port", "0")
      kill(id, SIGCONT)
      #expect(status == .exited(69), "\(process.report)")
      #expect(process.errorLines.joined().contains("'\(server.name)' doesn't answer"))
      #expect(ContinuousClock.now - began < .seconds(6))
    }
  }

  @Test func `A second Tactus has another name, and is told whose the OSC port is`() async throws {
    try await JACKServer.run { server in
      let first = try Player(server: server, ["--fresh"])
      try first.waitForBeat()
      let recorder = try RecorderClient(server: server, storage: .onsets(capacity: 0))
      let second = try Player(server: server, ["--fresh", "--connect", recorder.ports[0]])
      try second.waitForBeat()
      let witness = try BenchClient(server: server, name: "witness")
      let outs = witness.ports(matching: "^tactus.*:out$")
      // PipeWire counts its objects on.
      #expect(
        outs.count == 2 && (outs == ["tactus:out", "tactus-01:out"] || ServerKind.current == .pipewire))
      #expect(witness.connections(of: outs[1]) == recorder.ports)
      #expect(!witness.connections(of: outs[0]).contains(recorder.ports[0]))
      let third = try Subprocess(
        try Subprocess.built("tactus"), ["play", "--server", server.name, "--osc-port", "\(first.port)"],
        environment: ["XDG_STATE_HOME": first.folder.path])
      #expect(try third.waitForExit() == .exited(69))
      #expect(try second.interrupt() == .exited(0))
      #expect(try first.interrupt() == .exited(0))
      #expect(third.errorLines.joined().contains("OSC port \(first.port) on 127.0.0.1 is taken"))
      #expect(third.errorLines.joined().contains("another --name"))
      // It does not also say that it saves nothing.
      #expect(third.errorLines.count == 1, "\(third.report)")
    }
  }
}

/// Polls a condition for which there is no event; false at the limit.
func eventually(within limit: Duration = .seconds(30), _ condition: () -> Bool) -> Bool {
  let deadline = Deadline.within(limit)
  let never = TestBench.Event()
  while !condition() {
    if deadline.hasPassed { return false }
    never.wait(until: .within(.milliseconds(10)))
  }
  return true
}

/// Lets real time pass, for tests of durations.
func pause(_ duration: Duration) { TestBench.Event().wait(until: .within(duration)) }

func processName(_ process: pid_t) -> String {
  ((try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)) ?? "").trimmingCharacters(
    in: .whitespacesAndNewlines)
}

extension Player {
  /// Seconds of processor that the program has used.
  func processorTime() throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(process.processID)/stat", encoding: .utf8)
    let fields = text.split(separator: ")").last!.split(separator: " ")
    return Double(Int(fields[11])! + Int(fields[12])!) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  var children: [pid_t] {
    let path = "/proc/\(process.processID)/task"
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return tasks.flatMap { task in
      ((try? String(contentsOfFile: "\(path)/\(task)/children", encoding: .utf8)) ?? "").split(
        separator: " "
      ).compactMap { pid_t($0) }
    }
  }
}
