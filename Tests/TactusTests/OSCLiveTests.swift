import OSC
import TestBench
import TestInTime
import Testing

@Suite(.serialized, .inTime) struct OSCLiveTests {
  @Test func `Nonsense moves no click and gets an answer`() async throws {
    try await JACKServer.run(period: 512) { server in
      let player = try Player(server: server, ["--fresh", "--no-connect", "--tempo", "400"])
      let recorder = try RecorderClient(
        server: server, sources: ["tactus:out"], storage: .onsets(.anySound, capacity: 10_000))
      try player.waitForBeat()
      recorder.record()
      let float: (Float) -> [UInt8] = { value in
        (0..<4).map { UInt8(value.bitPattern >> (24 - 8 * $0) & 255) }
      }
      let address: (String) -> [UInt8] = { text in
        Array(text.utf8) + [UInt8](repeating: 0, count: 4 - text.utf8.count % 4)
      }
      let nonsense: [[UInt8]] = [
        [], [0], [255, 255, 255, 255], Array("#bundle".utf8) + [0],
        Array("#bundle".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0],
        address("/tactus/tempo") + address(",b"), address("/tactus/tempo") + address(",f"),
        address("/tactus/tempo") + address(",f") + float(.nan),
        address("/tactus/tempo") + address(",f") + float(.infinity),
        address("/tactus/tempo") + address(",f") + float(-120),
        address("/tactus/tempo") + address(",s") + address("fast"),
        address("/tactus/meter") + address(",ii") + [0, 0, 0, 0, 0, 0, 0, 0],
        address("/tactus/[" + String(repeating: "*", count: 200)), address("no slash") + address(","),
        [UInt8](repeating: 0x2f, count: 9_000),
      ]
      for _ in 1...40 {
        for bytes in nonsense { player.send(raw: bytes) }
        try recorder.pass(4_800)
      }
      recorder.stop()
      let grid = try Grid(recorder.onsets(), numerator: 7_200, denominator: 1, gaps: recorder.gaps)
      #expect(grid.astray == [])
      #expect(grid.missing == 0)

      for (name, arguments) in [
        ("tempo", [OSCArgument.float(.infinity)]), ("tempo", [.float(0.5)]), ("tempo", [.string("fast")]),
        ("meter", [.int32(0), .int32(4)]), ("sound", [.string("/nowhere")]), ("accents", [.string("Xx")]),
        ("locate", [.int32(1), .int32(9)]), ("nonsense", []),
      ] as [(String, [OSCArgument])] {
        // Answers to the nonsense may still be on their way.
        func count() -> Int {
          player.answers("error").count { $0.arguments.first == .string("/tactus/\(name)") }
        }
        let before = count()
        player.app.send([OSCMessage("/tactus/\(name)", arguments: arguments)], to: player.peer)
        _ = try player.answer("error") { _ in count() > before }
      }
      player.send("tempo")
      #expect(try player.answer("tempo").arguments == [.float(400)])
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test func `Changes sound while playing, and are told to those who subscribe`() async throws {
    try await JACKServer.run(period: 512) { server in
      let player = try Player(server: server, ["--fresh", "--no-connect", "--stopped"])
      let recorder = try RecorderClient(
        server: server, sources: ["tactus:out"], storage: .onsets(.anySound, capacity: 10_000))
      player.send("subscribe")
      try player.answer("tempo")
      recorder.record()
      try recorder.pass(24_000)
      #expect(recorder.onsets() == [])

      player.send("tempo", .float(200))
      try player.answer("tempo") { $0.arguments == [.float(200)] }
      player.send("start")
      let beat = try player.answer("beat")
      #expect(beat.typeTags == "iisf")
      #expect(beat.time != nil)
      try recorder.pass(72_000)
      let straight = recorder.onsets()
      #expect(try Grid(straight, numerator: 14_400, denominator: 1).astray == [])
      #expect(straight.count >= 4)

      player.send("subdivision/3", .float(0.5))
      try player.answer("subdivision/3") { $0.arguments == [.float(0.5)] }
      try recorder.pass(72_000)
      let divided = Array(recorder.onsets().dropFirst(straight.count))
      #expect(try Grid(straight + divided, numerator: 4_800, denominator: 1).astray == [])
      #expect(divided.count >= 12)

      player.send("stop")
      try player.answer("toggle") { $0.arguments == [.int32(0)] }
      try recorder.pass(12_000)
      let last = recorder.onsets().count
      try recorder.pass(48_000)
      #expect(recorder.onsets().count == last)
      // Warnings, as of xruns, have no address.
      #expect(player.answers("error").filter { $0.arguments.first != .string("") } == [])
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test func `What subscribers lose is counted in the health`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let player = try Player(
        server: server, ["--fresh", "--no-connect", "--tempo", "999"], folder: folder,
        environment: ["XDG_RUNTIME_DIR": folder.path])
      try player.waitForBeat()
      let subscribed = TestBench.Event()
      var configuration = OSCServer.Configuration()
      (configuration.port, configuration.path) = (0, "\(folder.path)/app.osc")
      let app = OSCServer(configuration, onMessages: { _, _, _ in subscribed.post() }, onFault: { _, _ in })
      try app.start()
      let socket = try #require(OSCPeer(url: "osc.unix://\(folder.path)/tactus@\(server.name).osc"))
      app.send([OSCMessage("/tactus/subscribe", arguments: [])], to: socket)
      try #require(subscribed.wait(until: .within(.seconds(30))))
      // It goes without a word, so that nothing more reaches it.
      app.stop()
      let counts = #/"droppedAnswers":[1-9]/#
      #expect(eventually { player.process.lines.contains { $0.contains(counts) } })
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test(arguments: ["/dev/null", "/proc/self", "/nowhere", "run"])
  func `A runtime folder that can't hold a socket costs the socket alone`(folder: String) async throws {
    try await JACKServer.run { server in
      let player = try Player(
        server: server, ["--fresh", "--no-connect"], environment: ["XDG_RUNTIME_DIR": folder])
      try player.waitForBeat()
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test func `Start, stop and locate go to the transport where it is led or followed`() async throws {
    try await JACKServer.run(period: 512) { server in
      let player = try Player(server: server, ["--fresh", "--no-connect", "--stopped", "--role", "lead"])
      try player.waitForConnection()
      let control = try TransportControl(server: server)
      try player.set("tempo", .float(120))
      player.send("locate", .int32(3), .int32(1), .float(0))
      // Two bars of four half seconds.
      #expect(eventually { control.frame == 192_000 })
      for role in ["lead", "follow"] {
        try player.set("role", .string(role))
        player.send("start")
        try control.wait(for: .rolling)
        player.send("stop")
        try control.wait(for: .stopped)
      }
      // One who leaves a transport that others keep doesn't stop it.
      try player.set("role", .string("lead"))
      player.send("start")
      try control.wait(for: .rolling)
      // It knows it a little later.
      #expect(
        eventually {
          player.send("playing")
          return player.answers("playing").last?.arguments == [.int32(1)]
        })
      #expect(try player.interrupt() == .exited(0))
      // When a leader leaves, jackd has the transport start anew where it is, for a cycle.
      try control.wait(for: .rolling)
      let errors = player.process.errorLines.joined()
      #expect(errors.contains("the JACK transport keeps rolling without a timebase leader"))
    }
  }

  @Test func `A leader leaves a stopped transport stopped, unless it is to roll`() async throws {
    try await JACKServer.run { server in
      let control = try TransportControl(server: server)
      let player = try Player(server: server, ["--fresh", "--no-connect", "--role", "lead"])
      try player.waitForConnection()
      // The start would have come before this.
      try player.set("role", .string("lead"))
      #expect(control.state == .stopped)
      #expect(try player.interrupt() == .exited(0))
      let eager = try Player(server: server, ["--fresh", "--no-connect", "--role", "lead", "--start"])
      try control.wait(for: .rolling)
      #expect(try eager.interrupt() == .exited(0))
    }
  }
}
