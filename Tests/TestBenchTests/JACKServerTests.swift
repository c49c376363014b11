import Glibc
import TestBench
import TestInTime
import Testing

@Suite(.serialized, .inTime) struct JACKServerTests {
  @Test func `A server runs at the rate and period asked for`() async throws {
    try await JACKServer.run(sampleRate: 96_000, period: 256) { server in
      let control = try TransportControl(server: server)
      #expect(control.client.sampleRate == 96_000)
      #expect(control.client.period == 256)
    }
  }

  @Test func `A killed server is noticed and comes back under its name at another rate`() async throws {
    try await JACKServer.run { server in
      do {
        let recorder = try RecorderClient(server: server, storage: .samples(capacity: 48_000))
        server.kill()
        try recorder.client.waitForLoss()
        #expect(throws: BenchError.self) { try recorder.waitUntil(frames: 10, within: .seconds(5)) }
        recorder.close()
      }
      try server.restart(sampleRate: 44_100, period: 512)
      let recorder = try RecorderClient(server: server, storage: .samples(capacity: 48_000))
      #expect(recorder.client.sampleRate == 44_100)
      recorder.record()
      try recorder.waitUntil(frames: 4_410, within: .seconds(5))
    }
  }

  @Test func `Killed servers leave room for more`() async throws {
    for _ in 0..<10 {
      try await JACKServer.run { $0.kill() }
    }
  }

  @Test func `A test that fails leaves no server`() async throws {
    struct Failure: Error {}
    var process: pid_t = 0
    await #expect(throws: Failure.self) {
      try await JACKServer.run { server in
        process = server.processID ?? 0
        throw Failure()
      }
    }
    #expect(process > 0)
    #expect(kill(process, 0) == -1)
  }
}
