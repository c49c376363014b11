import Foundation
import OSCControl
import TestBench
import TestInTime
import Testing

@Suite(.serialized, .inTime) struct FloodTests {
  /// Kilobytes by which the memory may grow under the flood, after a second of it.
  private static let growthLimit = 8_192

  @Test(arguments: [1, 64])
  func `Ten thousand messages a second move no click, fill no memory, and hold up no stop`(senders: Int)
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
      let clicks = recorder.wholeClicks

      // Datagrams get lost: whoever wants something asks again.
      for (address, isPlaying) in [("stop", false), ("start", true)] {
        let seen = player.process.lines.count
        let wanted = "\"playing\":\(isPlaying)"
        #expect(
          eventually(within: .seconds(2)) {
            player.send(address)
            return player.process.lines.dropFirst(seen).contains { $0.contains(wanted) }
          }, "\(address)")
      }
      let count = recorder.onsets().count
      try recorder.pass(48_000)
      let newClicks = Array(recorder.onsets().dropFirst(count + 1))
      recorder.stop()
      flood.stop()

      // It was heard, and who sent it was told what was wrong.
      try player.set("volume/cue", .float(0.125))
      player.send("subscribe", .string(foreign.url))
      try player.answer("error") { $0.arguments.first == .string("/tactus/subscribe") }
      #expect(!foreign.hasHeard)
      #expect(try player.interrupt() == .exited(0))

      // Cycles that the machine kept from it, as it says itself, may cut a click in two or swallow some.
      let excuses = player.missedTimes + recorder.gaps.count
      for clicks in [clicks, newClicks] {
        let grid = try Grid(clicks, numerator: 7_200, denominator: 1)
        #expect(grid.astray.count <= excuses, "\(grid.astray)")
        #expect(grid.missing == 0 || excuses > 0)
      }
      #expect(clicks.count >= 30 || excuses > 0)
    }
  }
}

/// Somebody at an address that may not speak to Tactus. Where the network isn't the test's own, nobody is there.
private struct Foreigner {
  /// Of the block that is kept for documents.
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
  /// How often the machine kept the program from cycles, by all that it has said.
  var missedTimes: Int {
    process.errorLines.reduce(0) { sum, line in
      sum + (line.firstMatch(of: /cycles were missed (\d+) time/).flatMap { Int($0.1) } ?? 0)
    }
  }

  /// Resident kilobytes.
  func memory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process.processID)/status", encoding: .utf8)
    return Int(status.firstMatch(of: /VmRSS:\s+(\d+) kB/)!.1)!
  }
}
