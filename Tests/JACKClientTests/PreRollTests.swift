import Control
import Engine
import MusicTime
import TestBench
import TestInTime
import Testing

/// The pre-roll on a real transport.
@Suite(.serialized, .inTime)
struct PreRollTests {
  private static let spacing = 60 * 48_000 / 133.7

  /// Starts Tactus as the leader with a pre-roll; it registers as a slow-sync client before it leads.
  private func lead(_ server: JACKServer, bars: Int = 1) throws -> (Rig, RecorderClient, TransportControl) {
    let bars = try Setting(Parameters.preRoll.parameter, .integer(bars))
    let rig = try Rig(server: server, [.tempo(try Tempo(133.7)), .role(.lead), bars])
    let (recorder, control) = try listen(server)
    return (rig, recorder, control)
  }

  private func listen(_ server: JACKServer) throws -> (RecorderClient, TransportControl) {
    let recorder = try RecorderClient(
      server: server, sources: ["tactus:out"], storage: .onsets(capacity: 10_000), cycles: 20_000)
    let control = try TransportControl(server: server)
    try control.waitForLeader()
    return (recorder, control)
  }

  /// The frames of the transport that pass when clicks are heard; before it rolls, those that would if it had.
  /// - Parameter frame: of the server's, from which onsets count.
  private func heard(_ recorder: RecorderClient, _ latency: Int, from frame: Int64 = .min) throws -> [Double]
  {
    let hearing = Hearing(recorder)
    let first = try #require(hearing.cycles.first { $0.state == .rolling })
    return hearing.onsets.filter { $0 >= frame }.map {
      Double($0 - first.frameTime + Int64(first.frame)) + Double(latency)
    }
  }

  private func expectGrid(_ frames: [Double], from frame: Double, bars: Double = 1, tolerance: Double) {
    #expect(frames.count > 12)
    let beats = frames.map { ($0 / PreRollTests.spacing).rounded() }
    for (index, frame) in frames.enumerated() {
      #expect(abs(frame - beats[index] * PreRollTests.spacing) <= tolerance)
      if index > 0 { #expect(beats[index] == beats[index - 1] + 1) }
    }
    // Its bars, and what the bar has before the music begins.
    let entry = (frame / PreRollTests.spacing / 4).rounded(.down) * 4
    #expect(beats.first == entry - 4 * bars)
  }

  @Test(arguments: [256, 1_024], [UInt32(0), 1_000_000])
  func `Any start of a transport that Tactus leads is counted in, to the frame`(
    period: Int, frame: UInt32
  ) async throws {
    try await JACKServer.run(period: period) { server in
      let (rig, recorder, control) = try lead(server)
      defer { rig.stop() }
      try control.locate(frame)
      var latency = 0
      if ServerKind.current == .jackd {
        try control.client.connect("tactus:out", "system:playback_1")
        try control.waitForCycles("the latency") { rig.host.readClock().map { $0.latency > 0 } ?? false }
        latency = try #require(rig.host.readClock()?.latency)
      }
      recorder.record()
      try control.start()
      try rig.wait("the music") { $0.isPlaying }
      try recorder.pass(250_000)
      recorder.stop()
      expectGrid(try heard(recorder, latency), from: Double(frame), tolerance: 0.501)
    }
  }

  /// PipeWire lets a transport wait for five seconds, so Tactus starts it again.
  @Test(arguments: [256, 1_024])
  func `A transport waits for a pre-roll of ten seconds too`(period: Int) async throws {
    try await JACKServer.run(period: period) { server in
      let (rig, recorder, control) = try lead(server, bars: 6)
      defer { rig.stop() }
      recorder.record()
      control.ask()
      try control.wait(for: .rolling, within: .seconds(15))
      try recorder.pass(100_000)
      recorder.stop()
      expectGrid(try heard(recorder, 0), from: 0, bars: 6, tolerance: 0.501)
    }
  }

  /// PipeWire rolls on after the period that it played last, or from the last locate, and does not show which.
  @Test(arguments: [256, 1_024], [false, true])
  func `A transport that was stopped rolls after the count from the frame that it shows`(
    period: Int, isLocated: Bool
  ) async throws {
    try await JACKServer.run(period: period) { server in
      let (rig, recorder, control) = try lead(server)
      defer { rig.stop() }
      try control.start()
      try control.waitForCycles("the music") { control.frame > 30_000 }
      try control.stop()
      try rig.wait("the stop") { !$0.isPlaying }
      // A locate to the same frame is not visible.
      if isLocated { try control.locate(control.frame) }
      let cycle = rig.host.cycles
      try control.waitForCycles("a few cycles") { rig.host.cycles > cycle + 10 }
      let shown = control.frame
      recorder.record()
      try control.start()
      try recorder.pass(250_000)
      recorder.stop()
      #expect(Hearing(recorder).cycles.first { $0.state == .rolling }?.frame == shown)
      expectGrid(try heard(recorder, 0), from: Double(shown), tolerance: 0.501)
    }
  }

  @Test(arguments: [256, 1_024])
  func `Behind another leader a start is counted in too, and a stop ends the count`(
    period: Int
  ) async throws {
    try await JACKServer.run(period: period) { server in
      let bars = try Setting(Parameters.preRoll.parameter, .integer(1))
      let rig = try Rig(server: server, [.role(.follow), bars])
      defer { rig.stop() }
      let recorder = try RecorderClient(
        server: server, sources: ["tactus:out"], storage: .onsets(capacity: 10_000), cycles: 20_000)
      let control = try TransportControl(server: server)
      try control.lead(LeaderMap(tempo: 133_700, sampleRate: 48_000), publishing: .exactTicks)
      try control.locate(1_000_000)
      try rig.wait("the leader") { $0.leader != nil }
      rig.updates.push(.start)
      try rig.wait("the count") { $0.isPlaying }
      #expect(control.state == .starting)
      rig.updates.push(.stop)
      try control.wait(for: .stopped)
      try rig.wait("the stop") { !$0.isPlaying }
      recorder.record()
      rig.updates.push(.start)
      try control.wait(for: .rolling)
      try recorder.pass(250_000)
      recorder.stop()
      // PipeWire tells whole ticks.
      let tick = ServerKind.current == .pipewire ? PreRollTests.spacing / 1_920 + 0.5 : 0
      expectGrid(try heard(recorder, 0), from: 1_000_000, tolerance: 1.5 + tick)
    }
  }

  @Test func `During a count a stop leaves the transport, and a locate restarts the count there`()
    async throws
  {
    try await JACKServer.run(period: 256) { server in
      let (rig, recorder, control) = try lead(server)
      defer { rig.stop() }
      rig.updates.push(.start)
      try rig.wait("the count") { $0.state == .countingIn }
      #expect(control.state == .starting)
      try control.stop()
      try rig.wait("the stop") { !$0.isPlaying }
      #expect(control.frame == 0)

      recorder.record()
      control.ask()
      try rig.wait("the count") { $0.state == .countingIn }
      try recorder.pass(30_000)
      try control.locate(1_000_000)
      try control.wait(for: .rolling)
      try recorder.pass(250_000)
      recorder.stop()
      let moved = try #require(Hearing(recorder).cycles.first { $0.frame == 1_000_000 })
      expectGrid(
        try heard(recorder, 0, from: moved.frameTime), from: 1_000_000, tolerance: 0.501)
      // A locate while the transport rolls has no pre-roll.
      try control.locate(500_000)
      try control.waitForCycles("the jump") { control.frame < 1_000_000 && control.state == .rolling }
      try rig.wait("the music") { $0.state == .running }
    }
  }

  @Test func `A client that is ready after the count begins with the music, and Tactus is silent until then`()
    async throws
  {
    try await JACKServer.run(period: 256) { server in
      let (rig, recorder, control) = try lead(server)
      defer { rig.stop() }
      let slow = try SlowStarter(server: server)
      recorder.record()
      control.ask()
      try recorder.pass(150_000)
      #expect(control.state == .starting)
      slow.beReady()
      try control.wait(for: .rolling)
      try recorder.pass(100_000)
      recorder.stop()
      let first = try #require(Hearing(recorder).cycles.first { $0.state == .rolling })
      #expect(recorder.onsets().count { $0 < first.frameTime } == 4)
      let music = try heard(recorder, 0, from: first.frameTime)
      #expect(music.count >= 4)
      for (beat, frame) in music.enumerated() {
        #expect(abs(frame - Double(beat) * PreRollTests.spacing) <= 0.501)
      }
    }
  }
}
