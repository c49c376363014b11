import Control
import Engine
import MusicTime
import TestBench
import TestInTime
import Testing

@Suite(.serialized, .inTime) struct FollowTests {
  @Test(arguments: [TransportControl.Publication.wholeTicks, .exactTicks])
  func `Clicks land on the leader's beats, to the frame after a second`(
    publication: TransportControl.Publication
  ) async throws {
    try await JACKServer.run(period: 512) { server in
      let rig = try Rig(server: server, [.tempo(try Tempo(200)), .role(.follow)])
      defer { rig.stop() }
      let recorder = try RecorderClient(
        server: server, sources: ["tactus:out", "tactus:accent"], storage: .onsets(capacity: 10_000),
        cycles: 20_000)
      let control = try TransportControl(server: server)
      try control.lead(
        LeaderMap(tempo: 130_000, beatsPerBar: 7, beatType: 8, sampleRate: 48_000), publishing: publication)
      recorder.record()
      try control.start()
      try rig.wait("the leader's meter") { $0.leader?.count == 7 && $0.isPlaying }
      try expectBeats(recorder, control)
      for tempo in [97_531, 240_000] {
        try control.change(tempo: tempo)
        try expectBeats(recorder, control)
      }
      try control.locate(7_654_321)
      try recorder.pass(4_096)
      try expectBeats(recorder, control)
      try control.stop()
      try rig.wait("stop") { !$0.isPlaying }
      let heard = recorder.onsets().count
      try recorder.pass(48_000)
      #expect(recorder.onsets().count <= heard + 1)
    }
  }

  /// Listens for a second without looking, and then looks at each click.
  private func expectBeats(_ recorder: RecorderClient, _ control: TransportControl) throws {
    try recorder.pass(48_000)
    let from = recorder.firstFrame! + Int64(recorder.recordedFrames)
    try recorder.pass(40_000)
    let to = recorder.firstFrame! + Int64(recorder.recordedFrames)
    let hearing = Hearing(recorder)
    let map = try #require(control.maps.last)
    let heard = hearing.onsets.filter { $0 >= from && $0 < to }
    for onset in heard {
      let frame = try #require(hearing.transportFrame(of: onset))
      let beat = Int(map.beats(at: frame).rounded())
      let off = Double(frame) - map.frame(ofBeat: beat)
      // PipeWire keeps no fractions of ticks.
      let tick = 60_000 * 48_000 / Double(map.tempo * LeaderMap.ticksPerBeat)
      #expect(
        abs(off) <= (ServerKind.current == .pipewire ? 1 + tick : 1),
        "beat \(beat) at \(map.tempo) is \(off) frames off")
      let isAccent = hearing.accents.contains(onset)
      #expect(isAccent == (beat % Int(map.beatsPerBar) == 0), "beat \(beat)")
    }
    let beats = Double(40_000 * Int(map.tempo)) / Double(60_000 * 48_000)
    #expect(abs(Double(heard.count) - beats) <= 1.5)
  }

  @Test func `Without bar and beat the own tempo runs on the transport's frames`() async throws {
    try await JACKServer.run(period: 512) { server in
      let rig = try Rig(server: server, [.tempo(try Tempo(250)), .role(.follow)])
      defer { rig.stop() }
      let recorder = try RecorderClient(
        server: server, sources: ["tactus:out"], storage: .onsets(capacity: 10_000), cycles: 20_000)
      let control = try TransportControl(server: server)
      try control.lead(LeaderMap(tempo: 130_000, sampleRate: 48_000), publishing: .nothing)
      recorder.record()
      try recorder.pass(24_000)
      #expect(recorder.onsets() == [])
      try control.start()
      try recorder.pass(60_000)
      try control.locate(1_000_001)
      try recorder.pass(60_000)
      try control.stop()
      recorder.stop()

      let hearing = Hearing(recorder)
      #expect(hearing.onsets.count >= 9)
      // A beat of 250 BPM lasts 11 520 frames.
      let frames = hearing.onsets.compactMap { hearing.transportFrame(of: $0) }
      #expect(frames.count == hearing.onsets.count)
      #expect(frames.filter { $0 % 11_520 != 0 } == [])
    }
  }
}
