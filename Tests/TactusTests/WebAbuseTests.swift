#if Web
  import Foundation
  import OSC
  import TestBench
  import TestInTime
  import Testing

  @Suite(.serialized, .inTime) struct WebAbuseTests {
    /// Kilobytes by which the memory may grow, after a second of it.
    private static let growthLimit = 8_192
    /// An address of this machine that is none of loopback's. Where the network isn't the test's own, the machine has none.
    private static let stranger =
      ProcessInfo.processInfo.environment["TACTUS_NETWORK"] == "own" ? "192.0.2.9" : nil

    @Test func `Abuse of the web port moves no click, fills no memory and changes nothing`() async throws {
      if let stranger = WebAbuseTests.stranger {
        _ = try Subprocess("ip", ["address", "replace", stranger + "/32", "dev", "lo"]).waitForExit()
      }
      try await JACKServer.run(period: 1_024) { server in
        let player = try Player(
          server: server,
          [
            "--fresh", "--no-connect", "--tempo", "400", "--web-bind", "0.0.0.0", "--web-allow",
            "192.0.2.9/32",
          ])
        let recorder = try RecorderClient(
          server: server, sources: ["tactus:out"], storage: .onsets(.anySound, capacity: 10_000))
        try player.waitForBeat()
        let abuse = WebAbuse(
          port: player.port, stranger: WebAbuseTests.stranger, token: try player.revokedToken())
        defer { abuse.stop() }
        recorder.record()
        try recorder.pass(48_000)
        let (memory, attacks, received) = (try player.memory(), abuse.attacks, abuse.received)
        try recorder.pass(6 * 48_000)
        #expect(abuse.attacks - attacks > 500, "it was held up")
        #expect(abuse.received > received)
        #expect(try player.memory() - memory < WebAbuseTests.growthLimit)
        let clicks = recorder.onsets()
        recorder.stop()
        abuse.stop()
        #expect(abuse.admitted.isEmpty)
        let refusable =
          WebAttack.known + (WebAbuseTests.stranger == nil ? [] : WebAttack.strangers(token: ""))
        let unanswered = Set(refusable.filter { $0.status != nil }.map(\.name)).subtracting(abuse.refused)
        #expect(unanswered.isEmpty)

        // It is as it was, and serves the page.
        player.send("tempo")
        #expect(try player.answer("tempo").arguments == [.float(400)])
        let browser = try #require(WebConnection(port: player.port, at: "127.0.0.1"))
        browser.send(WebAttack.request("GET /", "Accept: text/html"))
        let head = String(decoding: browser.receiveAll().prefix(12), as: UTF8.self)
        #expect(head == "HTTP/1.1 200")
        #expect(try player.interrupt() == .exited(0))

        // Cycles that the machine kept from it, as it says itself, may swallow clicks.
        let excuses = player.missedTimes
        let grid = try Grid(clicks, numerator: 7_200, denominator: 1, gaps: recorder.gaps)
        #expect(grid.astray.count <= excuses, "\(grid.astray)")
        #expect(grid.missing == 0 || excuses > 0)
        #expect(clicks.count >= 42 || excuses > 0)
      }
    }
  }

  extension Player {
    /// A key that was made and revoked.
    fileprivate func revokedToken() throws -> String {
      let program = try Subprocess.built("tactus")
      let variables = ["XDG_STATE_HOME": folder.path, "HOME": folder.path, "XDG_RUNTIME_DIR": ""]
      let maker = try Subprocess(program, ["remote", "--address", "127.0.0.1"], environment: variables)
      let line = try maker.waitForLine(containing: "#t=")
      try maker.waitForExit()
      try Subprocess(program, ["remote", "--revoke", "remote"], environment: variables).waitForExit()
      return String(try #require(line.split(separator: "#t=").last))
    }
  }
#endif
