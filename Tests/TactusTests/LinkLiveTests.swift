import Foundation
import OSC
import TestBench
import TestInTime
import Testing

/// `tactus play` in an Ableton Link session with a peer of the test's own.
@Suite(
  .serialized, .inTime, .enabled(if: LinkBench.isPossible, "needs Ableton Link and a network of its own"))
struct LinkLiveTests {
  private func recorder(_ server: JACKServer, _ port: String = "out") throws -> RecorderClient {
    try RecorderClient(
      server: server, name: "recorder-\(port)", sources: ["tactus:\(port)"],
      storage: .onsets(.anySound, capacity: 10_000))
  }

  private func player(_ server: JACKServer, _ options: String...) throws -> Player {
    let player = try Player(server: server, ["--fresh", "--no-connect"] + options)
    try player.waitForConnection()
    player.send("subscribe")
    return player
  }

  @Test func `Tempo is set on either side, and the clicks are on the other's beats`() async throws {
    try await JACKServer.run { server in
      let peer = try LinkBench(tempo: 97)
      let player = try player(server, "--link", "--tempo", "150")
      // The one who joins takes the tempo that is there.
      try player.answer("tempo") { $0.arguments == [.float(97)] }
      try player.answer("link/peers") { $0.arguments == [.int32(1)] }
      let clicks = LinkClicks(try recorder(server), peer)
      let beats = try clicks.next(6)
      #expect(beats == Array(beats[0]..<beats[0] + 6))

      // Within a beat: what is on its way to the speakers is too late.
      peer.set(tempo: 166)
      _ = try clicks.nextFrame()
      let after = try clicks.next(6)
      #expect(after == Array(after[0]..<after[0] + 6))
      try player.answer("tempo") { $0.arguments == [.float(166)] }

      player.send("tempo", .float(133.7))
      #expect(eventually(within: .milliseconds(450)) { abs(peer.now.tempo - 133.7) < 0.001 })
      _ = try clicks.nextFrame()
      let last = try clicks.next(6)
      #expect(last == Array(last[0]..<last[0] + 6))
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test func `Starts and stops go both ways, and a start waits for the bar line`() async throws {
    try await JACKServer.run { server in
      let peer = try LinkBench(tempo: 200)
      let player = try player(server, "--link", "--stopped")
      try player.answer("link/peers") { $0.arguments == [.int32(1)] }
      let clicks = LinkClicks(try recorder(server), peer)
      #expect(try clicks.isSilent(for: 48_000))

      for ours in [false, true] {
        let asked = peer.now.beat
        if ours { player.send("start") } else { peer.start() }
        let beats = try clicks.next(5)
        #expect(beats[0] % 4 == 0 && Double(beats[0]) > asked && Double(beats[0]) < asked + 5)
        #expect(beats == Array(beats[0]..<beats[0] + 5))
        #expect(peer.now.is_playing)
        try player.answer("toggle") { $0.arguments == [.int32(1)] }

        if ours { peer.stop() } else { player.send("stop") }
        try player.answer("toggle") { $0.arguments == [.int32(0)] }
        #expect(eventually { !peer.now.is_playing })
        try clicks.recorder.pass(12_000)
        #expect(try clicks.isSilent(for: 48_000))
      }
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test func `A peer that joins late finds the bars of the others`() async throws {
    try await JACKServer.run { server in
      let player = try player(server, "--tempo", "120", "--meter", "3/4")
      let clicks = try recorder(server)
      clicks.record()
      try clicks.waitUntil(frames: 30_000, within: .seconds(5))
      let peer = try LinkBench(tempo: 180)
      peer.start(quantum: 3)
      let accents = LinkClicks(try recorder(server, "accent"), peer)
      try accents.recorder.pass(60_000)
      player.send("link", .int32(1))
      try player.answer("tempo") { $0.arguments == [.float(180)] }
      accents.skip()
      // The bar in which it joined may end early or late.
      _ = try accents.nextFrame()
      let downbeats = try accents.next(4)
      #expect(downbeats == (0..<4).map { downbeats[0] + 3 * $0 })
      #expect(downbeats[0] % 3 == 0)
      // All beats between them too.
      let beats = LinkClicks(try recorder(server, "beat"), peer)
      #expect(Set(try beats.next(4).map { $0 % 3 }) == [1, 2])
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test func `The others play on when one leaves`() async throws {
    try await JACKServer.run { server in
      let witness = try LinkBench(tempo: 240)
      let player = try player(server, "--link", "--tempo", "100")
      let recorder = try recorder(server)
      var reported = 0
      do {
        let peer = try LinkBench(tempo: 60)
        try player.answer("link/peers") { $0.arguments == [.int32(2)] }
        reported = player.answers("link/peers").count
        #expect(eventually { witness.peers == 2 })
        _ = try LinkClicks(recorder, peer).next(3)
      }
      try player.answer("link/peers") {
        $0.arguments == [.int32(1)] && player.answers("link/peers").count > reported
      }
      let clicks = LinkClicks(recorder, witness)
      clicks.skip()
      let beats = try clicks.next(6)
      #expect(beats == Array(beats[0]..<beats[0] + 6))
      #expect(abs(witness.now.tempo - 240) < 0.001)

      // Tactus goes with a word to those who stay, who play on.
      #expect(try player.interrupt() == .exited(0))
      #expect(eventually(within: .seconds(2)) { witness.peers == 0 })
      #expect(witness.now.is_playing)
    }
  }
}
