import TestBench
import TestInTime
import Testing

@Suite(.serialized, .inTime) struct TransportControlTests {
  @Test(arguments: [TransportControl.Publication.wholeTicks, .exactTicks])
  func `A follower reads the leader's exact place in every cycle`(
    publication: TransportControl.Publication
  ) async throws {
    try await JACKServer.run { server in
      let control = try TransportControl(server: server)
      let recorder = try RecorderClient(server: server, storage: .onsets(capacity: 0), cycles: 10_000)
      try control.lead(
        LeaderMap(tempo: 133_700, beatsPerBar: 7, beatType: 8, sampleRate: 48_000), publishing: publication)
      recorder.record()
      try control.start()
      try recorder.waitUntil(frames: recorder.recordedFrames + 24_000, within: .seconds(5))
      try control.change(tempo: 90_000)
      try recorder.waitUntil(frames: recorder.recordedFrames + 24_000, within: .seconds(5))
      try control.stop()

      let maps = control.maps
      try #require(maps.count == 2)
      let rolling = recorder.cycles.filter { $0.state == .rolling }
      #expect(rolling.count > 30)
      let astray = rolling.filter { cycle in
        let map = cycle.frame >= maps[1].origin ? maps[1] : maps[0]
        return cycle.bbt != expected(map, at: cycle.frame, exactTick: publication == .exactTicks)
      }
      #expect(astray == [])
    }
  }

  @Test func `After a relocation the leader counts from frame 0 in the tempo in force`() async throws {
    try await JACKServer.run { server in
      let control = try TransportControl(server: server)
      let recorder = try RecorderClient(server: server, storage: .onsets(capacity: 0), cycles: 10_000)
      try control.lead(LeaderMap(tempo: 60_000, sampleRate: 48_000))
      recorder.record()
      try control.start()
      try control.change(tempo: 180_000)
      try recorder.waitUntil(frames: recorder.recordedFrames + 16_384, within: .seconds(5))
      try control.locate(4_800_000)
      try recorder.waitUntil(frames: recorder.recordedFrames + 16_384, within: .seconds(5))
      recorder.stop()
      let map = LeaderMap(tempo: 180_000, sampleRate: 48_000)
      let after = recorder.cycles.filter { $0.frame >= 4_800_000 && $0.bbt != nil }
      #expect(after.count > 5)
      #expect(after.filter { $0.bbt != expected(map, at: $0.frame) } == [])
    }
  }

  @Test func `A stopped transport shows a new tempo`() async throws {
    try await JACKServer.run { server in
      let control = try TransportControl(server: server)
      let recorder = try RecorderClient(server: server, storage: .onsets(capacity: 0), cycles: 1_000)
      try control.lead(LeaderMap(tempo: 60_000, sampleRate: 48_000))
      try control.change(tempo: 77_000)
      recorder.record()
      try recorder.waitUntil(frames: 16_384, within: .seconds(5))
      #expect(recorder.cycles.last?.bbt?.beatsPerMinute == 77)
      #expect(recorder.cycles.last?.state == .stopped)
    }
  }

  @Test func `A leader can publish nothing`() async throws {
    try await JACKServer.run { server in
      let control = try TransportControl(server: server)
      let recorder = try RecorderClient(server: server, storage: .onsets(capacity: 0), cycles: 1_000)
      try control.lead(LeaderMap(tempo: 60_000, sampleRate: 48_000), publishing: .nothing)
      recorder.record()
      try control.start()
      try recorder.waitUntil(frames: 16_384, within: .seconds(5))
      #expect(recorder.cycles.allSatisfy { $0.bbt == nil })
      #expect(recorder.cycles.last?.state == .rolling)
    }
  }

  private func expected(
    _ map: LeaderMap, at frame: UInt32, exactTick: Bool = false
  ) -> TransportCycle.BBT {
    let place = map.position(at: Int64(frame))
    return TransportCycle.BBT(
      bar: place.bar, beat: place.beat, tick: place.tick, exactTick: exactTick ? place.exactTick : nil,
      barStartTick: place.barStartTick, beatsPerBar: Double(map.beatsPerBar), beatType: Double(map.beatType),
      ticksPerBeat: 1_920, beatsPerMinute: Double(map.tempo) / 1_000)
  }
}
