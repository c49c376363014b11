import Foundation
import OSC
import TestBench
import TestInTime
import Testing

@Suite(.serialized, .inTime) struct FloodTests {
  /// Kilobytes by which the memory may grow under the flood, after a second of it.
  private static let growthLimit = 8_192

  @Test(arguments: [1, 64])
  func `Ten thousand messages a second move no click, fill no memory, and delay no stop`(senders: Int)
    async throws
  {
    try await JACKServer.run(period: 1_024) { server in
      let player = try Player(
        server: server,
        ["--fresh", "--no-connect", "--tempo", "400", "--osc-bind", "0.0.0.0", "--osc-allow", "127.0.0.0/8"])
      let recorder = try RecorderClient(
        server: server, sources: ["tactus:out"], storage: .onsets(.anySound, capacity: 10_000))
      try player.waitForBeat()
      let foreign = try Foreigner()
      let flood = Flood(
        port: player.port, senders: senders, rate: 10_000,
        datagrams: Flood.datagrams(subscribing: foreign.url))
      defer { flood.stop() }
      recorder.record()
      try recorder.pass(48_000)
      let (memory, sent) = (try player.memory(), flood.sent)
      try recorder.pass(4 * 48_000)
      #expect(flood.sent - sent > 35_000, "the flood was held up")
      let growth = try player.memory() - memory
      #expect(growth < FloodTests.growthLimit)
      let clicks = recorder.onsets()

      // Datagrams may be lost: the request is repeated.
      for (address, isPlaying) in [("stop", false), ("start", true)] {
        let seen = player.process.lines.count
        let wanted = "\"playing\":\(isPlaying)"
        #expect(
          eventually {
            player.send(address)
            return player.process.lines.dropFirst(seen).contains { $0.contains(wanted) }
          }, "\(address)")
      }
      let count = recorder.onsets().count
      try recorder.pass(48_000)
      let newClicks = Array(recorder.onsets().dropFirst(count + 1))
      recorder.stop()
      flood.stop()

      // The message was received, and a subscriber gets its errors, despite the errors of others.
      #expect(player.sets("volume/cue", to: 0.125))
      player.send("subscribe")
      try player.answer("tempo")
      // The errors of the flood share an allowance, which may still be spent: the request is repeated.
      #expect(
        eventually {
          player.send("subscribe", .string(foreign.url))
          return player.answers("error").contains { $0.arguments.first == .string("/tactus/subscribe") }
        })
      #expect(!foreign.hasHeard)
      #expect(try player.interrupt() == .exited(0))

      // Clicks may be missing in missed cycles, which the program reports.
      let excuses = player.missedTimes
      for clicks in [clicks, newClicks] {
        let grid = try Grid(clicks, numerator: 7_200, denominator: 1, gaps: recorder.gaps)
        #expect(grid.astray.count <= excuses, "\(grid.astray)")
        #expect(grid.missing == 0 || excuses > 0)
      }
      #expect(clicks.count >= 30 || excuses > 0)
    }
  }

  /// An address of this machine outside of the loopback: it stands for another machine.
  private static let remote = "192.0.2.8"
  /// Where the network isn't the test's own, the machine has no such address.
  private static let senders =
    ProcessInfo.processInfo.environment["TACTUS_NETWORK"] == "own" ? ["127.0.0.1", remote] : ["127.0.0.1"]

  @Test(arguments: senders, [20.0, 100, 1_000])
  func `Errors that multiply with 63 hostile subscribers lose no beat of a valid one and delay no stop`(
    sender: String, rate: Double
  ) async throws {
    if sender == FloodTests.remote {
      _ = try Subprocess("ip", ["address", "replace", sender + "/32", "dev", "lo"]).waitForExit()
    }
    try await JACKServer.run(period: 1_024) { server in
      let player = try Player(
        server: server,
        [
          "--fresh", "--no-connect", "--tempo", "400", "--klick-osc", "--osc-bind", "0.0.0.0",
          "--osc-allow", FloodTests.remote + "/32",
        ])
      let recorder = try RecorderClient(
        server: server, sources: ["tactus:out"], storage: .onsets(.anySound, capacity: 10_000))
      try player.waitForBeat()
      let hostile = (0..<63).map { _ in UDPSocket() }
      for socket in hostile { try player.subscribe(Int32(socket.port)) }
      player.send("subscribe")
      try player.answer("tempo")

      let flood = Flood(
        port: player.port, senders: 63, from: sender, rate: rate, datagrams: Flood.multiplying)
      defer { flood.stop() }
      recorder.record()
      try recorder.pass(48_000)
      let memory = try player.memory()
      let printed = player.process.lines.count
      try recorder.pass(4 * 48_000)
      #expect(try player.memory() - memory < FloodTests.growthLimit)
      let reported = player.process.lines.dropFirst(printed).compactMap(Beat.init).filter {
        $0.role != "subdivision"
      }
      let clicks = recorder.onsets()
      recorder.stop()

      // Each beat that was printed has come over OSC too, and pings are answered.
      player.send("ping", .string("all is told"))
      try player.answer("pong") { $0.arguments == [.string("all is told")] }
      // A pong overtakes. After an answer of the conductor's, which prints a beat first, the beats have come.
      #expect(player.sets("volume/cue", to: 0.375))
      let heard = Set(player.answers("beat").map { [$0.arguments[0], $0.arguments[1]] })
      let missed = reported.filter { !heard.contains([.int32(Int32($0.bar)), .int32(Int32($0.beat))]) }
      #expect(missed.isEmpty, "\(missed.count) of \(reported.count) beats")

      // The load of the machine varies: the quickest stop shows the time of the program itself.
      let bound = Duration.milliseconds(1_024.0 / 48 + 20)
      var stops: [Duration] = []
      repeat {
        try player.play()
        stops.append(try player.timeOfStop())
      } while stops.count < 5 || (stops.min()! >= bound && stops.count < 20)
      #expect(stops.min()! < bound, "\(stops)")
      #expect(stops.sorted()[stops.count / 2] < .seconds(1), "\(stops)")
      flood.stop()
      #expect(try player.interrupt() == .exited(0))

      let excuses = player.missedTimes
      let grid = try Grid(clicks, numerator: 7_200, denominator: 1, gaps: recorder.gaps)
      #expect(grid.astray.count <= excuses, "\(grid.astray)")
      #expect(grid.missing == 0 || excuses > 0)
      #expect(clicks.count >= 25 || excuses > 0)
    }
  }
}

/// A sender at an address that Tactus does not allow; without an isolated network it does nothing.
private struct Foreigner {
  /// An address of the block that is reserved for documentation.
  private static let address = "192.0.2.7"
  private let socket: UDPSocket?
  let url: String

  init() throws {
    guard ProcessInfo.processInfo.environment["TACTUS_NETWORK"] == "own" else {
      (socket, url) = (nil, "osc.udp://\(Foreigner.address):9/")
      return
    }
    _ = try Subprocess("ip", ["address", "replace", Foreigner.address + "/32", "dev", "lo"]).waitForExit()
    let socket = UDPSocket(address: Foreigner.address)
    (self.socket, url) = (socket, "osc.udp://\(Foreigner.address):\(socket.port)/")
  }

  var hasHeard: Bool { socket?.hasReceived ?? false }
}

extension Player {
  /// Subscribes a port of this machine.
  fileprivate func subscribe(_ port: Int32) throws {
    send("subscribe", .int32(port))
    send("ping", .int32(port))
    try answer("pong") { $0.arguments == [.int32(port)] }
  }

  /// Sends a value and queries it until it has taken effect, because datagrams are lost in a flood; returns whether it did.
  fileprivate func sets(_ address: String, to value: Float) -> Bool {
    eventually(within: .seconds(60)) {
      send(address, .float(value))
      send(address)
      return answers(address).contains { $0.arguments == [.float(value)] }
    }
  }

  /// Starts and waits until it plays.
  fileprivate func play() throws {
    let seen = process.lines.count
    send("start")
    try process.waitForLine(containing: "\"event\":\"beat\"", from: seen)
  }

  /// The time from a stop, sent once, until the program reports it.
  fileprivate func timeOfStop() throws -> Duration {
    let (seen, began) = (process.lines.count, ContinuousClock.now)
    send("stop")
    try process.waitForLine(containing: "\"playing\":false", from: seen)
    return ContinuousClock.now - began
  }

  /// The number of reports of missed cycles.
  var missedTimes: Int {
    process.errorLines.reduce(0) { sum, line in
      if line.contains("cycles were missed once") { return sum + 1 }
      return sum + (line.firstMatch(of: /cycles were missed (\d+) times/).flatMap { Int($0.1) } ?? 0)
    }
  }

  /// Resident memory in kilobytes.
  func memory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process.processID)/status", encoding: .utf8)
    return Int(status.firstMatch(of: /VmRSS:\s+(\d+) kB/)!.1)!
  }

  /// The peak of the resident memory since the start, in kilobytes.
  func mostMemory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process.processID)/status", encoding: .utf8)
    return Int(status.firstMatch(of: /VmHWM:\s+(\d+) kB/)!.1)!
  }
}
