import CJack
import Foundation
import TestBench
import TestInTime
import Testing

/// Connections that last: a user's connections are restored after restarts of programs, devices and servers.
@Suite(.serialized, .inTime) struct ConnectionTests {
  /// Whether a port's peers become these.
  private func becomes(_ witness: BenchClient, _ port: String, _ peers: [String]) -> Bool {
    eventually { Set(witness.connections(of: port)) == Set(peers) }
  }

  /// Waits until the state file tells of a peer, or no longer does.
  private func isKept(_ folder: Scratch, _ peer: String, _ isKept: Bool = true) -> Bool {
    eventually {
      let text = try? String(contentsOfFile: "\(folder.path)/tactus/tactus.yaml", encoding: .utf8)
      return text?.contains(peer) == isKept
    }
  }

  @Test func `MIDI is connected again after a restart of Tactus, the pedal and the server`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let start = {
        let player = try Player(server: server, ["--stopped"], folder: folder)
        try player.waitForConnection()
        return player
      }
      var player = try start()
      var pedal: MIDIClient? = try MIDIClient(server: server, name: "pedal")
      try pedal?.connect(to: "tactus:control")
      try pedal?.connect(to: "tactus:clock-in")
      #expect(isKept(folder, "pedal:out"))
      #expect(try player.interrupt() == .exited(0))

      // Tactus comes back, and another time before its pedal.
      player = try start()
      #expect(becomes(pedal!.client, "pedal:out", ["tactus:control", "tactus:clock-in"]))
      #expect(try player.interrupt() == .exited(0))
      pedal = nil
      player = try start()
      for _ in 0..<2 {
        pedal = try MIDIClient(server: server, name: "pedal")
        #expect(becomes(pedal!.client, "pedal:out", ["tactus:control", "tactus:clock-in"]))
        pedal = nil
      }

      let seen = player.process.lines.count
      server.kill()
      try player.process.waitForLine(containing: "\"event\":\"lost\"")
      try server.restart()
      try player.process.waitForLine(containing: "\"event\":\"connected\"", from: seen)
      pedal = try MIDIClient(server: server, name: "pedal")
      #expect(becomes(pedal!.client, "pedal:out", ["tactus:control", "tactus:clock-in"]))
      #expect(isKept(folder, "pedal:out"))
      pedal = nil
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test func `With --no-connect a controller that somebody connects is sent its lights`() async throws {
    try await JACKServer.run { server in
      let player = try Player(server: server, ["--stopped", "--no-connect", "--hits"])
      try player.waitForConnection()
      try player.process.waitForLine(containing: "nothing is connected to the port 'hits'")
      player.send("midi/map", .string("nanokontrol2"))
      let surface = try MIDIRecorderClient(server: server, sources: ["tactus:feedback"], capacity: 1_000)
      try surface.waitUntilHeard()
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test func `Connections that the user removed stay removed, and options are for one run`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let witness = try BenchClient(server: server, name: "witness")
      let desk = try witness.registerAudioPort("desk", JackPortIsInput)
      _ = desk
      let pedal = try MIDIClient(server: server, name: "pedal")
      let start = { (options: [String]) in
        let player = try Player(server: server, ["--stopped"] + options, folder: folder)
        try player.waitForConnection()
        return player
      }
      try witness.activate()
      var player = try start([])
      try pedal.connect(to: "tactus:control")
      try witness.connect("tactus:out", "witness:desk")
      let outputs = witness.connections(of: "tactus:out").filter { $0 != "witness:desk" }
      #expect(!outputs.isEmpty)
      for output in outputs { try witness.disconnect("tactus:out", output) }
      #expect(
        isKept(folder, "pedal:out") && isKept(folder, "witness:desk") && isKept(folder, outputs[0], false))
      #expect(try player.interrupt() == .exited(0))

      player = try start(["--no-connect"])
      #expect(witness.connections(of: "tactus:out") == [])
      #expect(try player.interrupt() == .exited(0))
      player = try start(["--connect", outputs[0]])
      #expect(becomes(witness, "tactus:out", [outputs[0]]))
      #expect(try player.interrupt() == .exited(0))

      player = try start([])
      #expect(becomes(witness, "tactus:out", ["witness:desk"]))
      #expect(becomes(pedal.client, "pedal:out", ["tactus:control"]))
      try witness.disconnect("tactus:out", "witness:desk")
      try witness.disconnect("pedal:out", "tactus:control")
      // A connection that is removed right before quitting stays removed.
      #expect(try player.interrupt() == .exited(0))
      #expect(isKept(folder, "pedal:out", false) && isKept(folder, "witness:desk", false))
      player = try start([])
      #expect(becomes(witness, "tactus:out", []) && becomes(pedal.client, "pedal:out", []))
      #expect(try player.interrupt() == .exited(0))
      witness.close()
    }
  }
}
