import Glibc
import TestBench
import TestInTime
import Testing

@Suite(.serialized, .inTime) struct RecorderClientTests {
  @Test func `What sounds is recorded at the frame at which it sounds`() async throws {
    try await JACKServer.run(period: 512) { server in
      let pulses = try PulseClient(server: server, interval: 1_000)
      let storage = RecorderClient.Storage.samples(capacity: 48_000)
      let recorder = try RecorderClient(server: server, sources: [pulses.port, nil], storage: storage)
      // In freewheel no client misses a cycle, however busy the machine.
      try recorder.client.setFreewheel(true)
      recorder.record()
      try recorder.waitUntil(frames: 48_000, within: .seconds(10))
      let first = try #require(recorder.firstFrame)
      let samples = recorder.samples()
      #expect(samples.count == 48_000)
      #expect(recorder.gaps == [])
      let onsets = Onsets.frames(in: samples, firstFrame: first)
      #expect(onsets.count == 48)
      #expect(onsets.allSatisfy { $0 % 1_000 == 0 })
      #expect(recorder.samples(port: 1).allSatisfy { $0 == 0 })
    }
  }

  @Test(.enabled(if: Subprocess.isInstalled("jack_metro")))
  func `Another program's ports are waited for and recorded`() async throws {
    try await JACKServer.run { server in
      let metro = try Subprocess(
        "jack_metro", ["--bpm", "240"], environment: server.environment)
      let recorder = try RecorderClient(server: server, storage: .onsets(capacity: 1_000))
      let ports = try recorder.client.waitForPorts(matching: "^metro:")
      try recorder.connect(try #require(ports.first))
      recorder.record()
      try recorder.waitUntil(frames: 96_000, within: .seconds(10))
      #expect((7...9).contains(recorder.onsets().count))
      #expect(metro.isRunning)
      // A jackd that ends while it loses a client may hang.
      metro.signal(SIGTERM)
      try metro.waitForExit()
    }
  }

  @Test func `In freewheel an hour passes in seconds and no frame is lost`() async throws {
    try await JACKServer.run(period: 4_096) { server in
      let pulses = try PulseClient(server: server, interval: 65_521)
      let recorder = try RecorderClient(
        server: server, sources: [pulses.port], storage: .onsets(capacity: 10_000))
      try recorder.client.setFreewheel(true)
      recorder.record()
      let frames = 48_000 * 3_600
      try recorder.waitUntil(frames: frames, within: .seconds(120))
      recorder.stop()
      try recorder.client.setFreewheel(false)
      #expect(!recorder.client.isFreewheeling)
      let onsets = recorder.onsets()
      #expect(recorder.gaps == [])
      #expect(onsets.count >= frames / 65_521)
      #expect(onsets.allSatisfy { $0 % 65_521 == 0 })
      #expect(Onsets.intervals(onsets).allSatisfy { $0 == 65_521 })
    }
  }
}
