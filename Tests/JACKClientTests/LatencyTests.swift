import Control
import Engine
import MusicTime
import TestBench
import TestInTime
import Testing

/// Clicks as they are heard, later than at the port by the playback latency that JACK reports.
@Suite(.serialized, .inTime, .enabled(if: ServerKind.current == .jackd, "PipeWire's dummy has no latency"))
struct LatencyTests {
  private static let spacing = 60 * 48_000 / 133.7

  /// The frames of the transport that pass when clicks are heard.
  private func heard(_ recorder: RecorderClient, _ latency: Int) -> [Double] {
    let hearing = Hearing(recorder)
    return hearing.onsets.compactMap { hearing.transportFrame(of: $0) }.map { Double($0) + Double(latency) }
  }

  private func connect(_ rig: Rig, _ control: TransportControl) throws -> Int {
    try control.client.connect("tactus:out", "system:playback_1")
    try control.waitForCycles("the latency") { rig.host.readClock().map { $0.latency > 0 } ?? false }
    return try #require(rig.host.readClock()?.latency)
  }

  @Test(arguments: [64, 256, 1_024])
  func `What Tactus leads is heard on the transport's frames`(period: Int) async throws {
    try await JACKServer.run(period: period) { server in
      let rig = try Rig(server: server, [.tempo(try Tempo(133.7)), .role(.lead)])
      defer { rig.stop() }
      let recorder = try RecorderClient(
        server: server, sources: ["tactus:out"], storage: .onsets(capacity: 10_000), cycles: 20_000)
      let control = try TransportControl(server: server)
      let latency = try connect(rig, control)
      #expect(latency >= period)
      recorder.record()
      try control.start()
      try recorder.pass(300_000)
      recorder.stop()
      let frames = heard(recorder, latency)
      #expect(frames.count > 10)
      #expect(frames.first == Double(latency))
      for frame in frames.dropFirst() {
        let beats = frame / LatencyTests.spacing
        #expect(abs(beats - beats.rounded()) * LatencyTests.spacing <= 0.5)
      }
    }
  }

  @Test(arguments: [256, 1_024])
  func `What Tactus follows is heard on the leader's beats, after locates too`(period: Int) async throws {
    try await JACKServer.run(period: period) { server in
      let rig = try Rig(server: server, [.role(.follow)])
      defer { rig.stop() }
      let recorder = try RecorderClient(
        server: server, sources: ["tactus:out"], storage: .onsets(capacity: 10_000), cycles: 20_000)
      let control = try TransportControl(server: server)
      let latency = try connect(rig, control)
      try control.lead(LeaderMap(tempo: 133_700, sampleRate: 48_000))
      try control.start()
      recorder.record()
      try recorder.pass(150_000)
      try control.locate(1_000_000)
      try recorder.pass(150_000)
      recorder.stop()
      let frames = heard(recorder, latency)
      #expect(frames.count > 10)
      // The first click after the start and after the locate may be late by at most the latency.
      let late = frames.count { frame in
        let beats = frame / LatencyTests.spacing
        return abs(beats - beats.rounded()) * LatencyTests.spacing > 1.5
      }
      #expect(late <= 2)
    }
  }
}
