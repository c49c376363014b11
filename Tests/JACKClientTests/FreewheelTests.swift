import Engine
import MusicTime
import TestBench
import TestInTime
import Testing

@Suite(.serialized, .inTime) struct FreewheelTests {
  /// The server's frame time wraps after 24.85 hours.
  @Test(
    .enabled(if: ServerKind.current == .jackd, "PipeWire's clients come to freewheel one after the other"))
  func `Thirty hours on a real server leave every click on its grid`() async throws {
    try await JACKServer.run(period: 4_096) { server in
      let rig = try Rig(server: server, [.tempo(try Tempo(130))])
      defer { rig.stop() }
      let recorder = try RecorderClient(
        server: server, sources: ["tactus:out"], storage: .onsets(capacity: 300_000))
      try recorder.client.setFreewheel(true)
      recorder.record()
      rig.updates.push(.start)
      try recorder.waitUntil(frames: 30 * 3_600 * 48_000, within: .seconds(200))
      recorder.stop()
      try recorder.client.setFreewheel(false)

      let onsets = recorder.onsets()
      #expect(recorder.gaps == [])
      #expect(rig.channels.pointee.gaps.load(ordering: .relaxed) == 0)
      #expect(onsets.count > 30 * 60 * 130 - 1_000)
      // A beat lasts 288 000 / 13 frames.
      let grid = try Grid(onsets, numerator: 288_000, denominator: 13)
      #expect(grid.astray == [])
      #expect(grid.missing == 0)
    }
  }

  @Test func `Another period and freewheel leave the grid as it was`() async throws {
    try await JACKServer.run(period: 1_024) { server in
      let rig = try Rig(
        server: server, [.tempo(try Tempo(999.999)), .subdivision(try Subdivision(7), .full)])
      defer { rig.stop() }
      let control = try TransportControl(server: server)
      let recorder = try RecorderClient(
        server: server, sources: ["tactus:out"], storage: .onsets(capacity: 2_000_000))
      recorder.record()
      rig.updates.push(.start)
      // Another period is a gap: the first click, whose place is a whole frame, comes before.
      try recorder.pass(12_000)
      // PipeWire's are powers of two.
      for period in [64, 2_048, ServerKind.current == .pipewire ? 256 : 333, 1_024] {
        try control.setPeriod(period)
        try recorder.waitUntil(frames: recorder.recordedFrames + 12_000, within: .seconds(5))
        // Its freewheel has a frame time of its own.
        if ServerKind.current == .pipewire { continue }
        try control.client.setFreewheel(true)
        try recorder.waitUntil(frames: recorder.recordedFrames + 1_000_000, within: .seconds(30))
        try control.client.setFreewheel(false)
      }
      recorder.stop()

      let onsets = recorder.onsets()
      #expect(onsets.count > (ServerKind.current == .pipewire ? 100 : 9_000))
      // 999.999 · 7 clicks a minute, 411 frames apart.
      let grid = try Grid(
        onsets, numerator: 60_000 * 48_000, denominator: 7 * 999_999, gaps: recorder.gaps)
      #expect(grid.astray == [])
      // A period that changes costs the player a cycle or two.
      #expect(grid.missing <= 400)
    }
  }
}
