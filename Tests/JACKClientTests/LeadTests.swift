import Control
import Engine
import MusicTime
import TestBench
import TestInTime
import Testing

@Suite(.serialized, .inTime) struct LeadTests {
  @Test func `At every click the transport is at a whole beat, through all changes`() async throws {
    try await JACKServer.run(period: 512) { server in
      let rig = try Rig(server: server, [.tempo(try Tempo(133.7)), .role(.lead)])
      defer { rig.stop() }
      let recorder = try RecorderClient(
        server: server, sources: ["tactus:out", "tactus:accent"], storage: .onsets(capacity: 10_000),
        cycles: 20_000)
      let control = try TransportControl(server: server)
      recorder.record()
      rig.updates.push(.start)
      try control.wait(for: .rolling)
      try recorder.pass(36_000)
      for tempo in [90, 240, 61.5, 999.999, 180.123] {
        rig.updates.set(.tempo(try Tempo(tempo)))
        try recorder.pass(30_000)
      }
      for meter in [(7, 8), (5, 3), (3, 4)] {
        rig.updates.set(.meter(try Meter(meter.0, meter.1)))
        try recorder.pass(60_000)
      }
      rig.updates.set(.beatUnit(try BeatUnit(1, 2)))
      try recorder.pass(36_000)
      rig.updates.push(.locate(Position(bar: 50, beat: 2, fraction: 0.25)))
      try recorder.pass(36_000)
      try control.locate(1_234_567)
      rig.updates.set(.tempo(try Tempo(321)))
      try recorder.pass(36_000)
      recorder.stop()
      #expect(!recorder.overflowed)

      let hearing = Hearing(recorder)
      let published = hearing.cycles.compactMap(\.bbt)
      #expect(published.filter { !$0.isProper } == [])
      // JACK shows one cycle without a position after a relocation.
      #expect(hearing.cycles.count { $0.state == .rolling && $0.bbt == nil } <= 4)

      var heard = 0
      for step in hearing.steps {
        for onset in hearing.onsets(in: step) {
          let notes = step.notes(at: onset)
          #expect(abs(notes - notes.rounded()) <= step.tolerance, "\(step) at \(onset)")
          heard += 1
        }
        let accents = hearing.accents(in: step)
        for onset in accents {
          let bars = (step.notes(at: onset) - step.start.barStartTick / 1_920) / step.start.beatsPerBar
          #expect(abs(bars - bars.rounded()) <= step.tolerance, "\(step) at \(onset)")
        }
        #expect(abs(accents.count - (step.end.bar - step.start.bar)) <= 1)
      }
      #expect(heard > 30)
      // Bars told and bars heard are as many, but for those that a change or relocation passed over.
      let bars = hearing.steps.reduce(0) { $0 + $1.end.bar - $1.start.bar }
      let accents = hearing.steps.reduce(0) { $0 + hearing.accents(in: $1).count }
      #expect(abs(bars - accents) <= 1)
    }
  }

  @Test func `A tempo set while stopped is published at once and moves nothing`() async throws {
    try await JACKServer.run { server in
      let rig = try Rig(server: server, [.role(.lead)])
      defer { rig.stop() }
      let recorder = try RecorderClient(server: server, storage: .onsets(capacity: 0), cycles: 5_000)
      let control = try TransportControl(server: server)
      rig.updates.push(.start)
      try control.wait(for: .rolling)
      recorder.record()
      try recorder.pass(30_000)
      rig.updates.push(.stop)
      try control.wait(for: .stopped)
      try rig.wait("stop") { !$0.isPlaying }
      try recorder.pass(4_096)
      let before = try #require(recorder.cycles.last)
      rig.updates.set(.tempo(try Tempo(77)))
      try control.waitForCycles("the new tempo") { recorder.cycles.last?.bbt?.beatsPerMinute == 77 }
      let after = try #require(recorder.cycles.last)
      #expect(after.frame == before.frame)
      let (old, new) = (try #require(before.bbt), try #require(after.bbt))
      #expect(old.beatsPerMinute == 120)
      #expect((new.bar, new.beat) == (old.bar, old.beat))
      // PipeWire shows the position of the cycle in which the stop came.
      let period = 120.0 / 60 * Double(server.period) / Double(server.sampleRate)
      #expect(abs(new.notes - old.notes) < (ServerKind.current == .pipewire ? 1.1 * period : 1e-6))
    }
  }

  @Test func `The first downbeat of a stopped transport stays one in any tempo and meter`() async throws {
    try await JACKServer.run(period: 256) { server in
      let rig = try Rig(server: server, [.role(.lead)])
      defer { rig.stop() }
      let recorder = try RecorderClient(server: server, storage: .onsets(capacity: 0), cycles: 20_000)
      let control = try TransportControl(server: server)
      recorder.record()
      for (tempo, count) in [(77.0, 3), (199.999, 5), (61.5, 7)] {
        rig.updates.set(.tempo(try Tempo(tempo)))
        rig.updates.set(.meter(try Meter(count, 8)))
        try control.waitForCycles("\(tempo)") {
          guard let bbt = recorder.cycles.last?.bbt else { return false }
          return bbt.beatsPerMinute == tempo && bbt.beatsPerBar == Double(count)
        }
        let published = try #require(recorder.cycles.last?.bbt)
        #expect((published.bar, published.beat, published.tick) == (1, 1, 0))
        #expect(published.barStartTick == 0)
      }
    }
  }

  @Test func `Leading if free yields to a leader; leading takes over`() async throws {
    try await JACKServer.run { server in
      let rig = try Rig(server: server)
      defer { rig.stop() }
      let recorder = try RecorderClient(server: server, storage: .onsets(capacity: 0), cycles: 5_000)
      let control = try TransportControl(server: server)
      try control.lead(LeaderMap(tempo: 61_000, sampleRate: 48_000))
      recorder.record()
      // PipeWire knows of no leader that has told nothing.
      try control.waitForCycles("a position") { recorder.cycles.last?.bbt != nil }
      rig.updates.push(.leadIfFree)
      try rig.wait("following") { $0.role == .follow }
      try rig.wait("the leader's tempo") { $0.leader?.notesPerMinute == 61 }
      #expect(recorder.cycles.last?.bbt?.beatsPerMinute == 61)
      rig.updates.set(.role(.lead))
      try rig.wait("leading") { $0.role == .lead }
      try control.waitForCycles("our tempo") { recorder.cycles.last?.bbt?.beatsPerMinute == 120 }
    }
  }

  @Test func `Taking the lead while playing starts no extra click`() async throws {
    try await JACKServer.run(period: 256) { server in
      let rig = try Rig(server: server, [.tempo(try Tempo(300))])
      defer { rig.stop() }
      let recorder = try RecorderClient(
        server: server, sources: ["tactus:out"], storage: .samples(capacity: 500_000))
      recorder.record()
      rig.updates.push(.start)
      try recorder.pass(48_000)
      for _ in 1...8 {
        // A score that has just been made keeps the one with the new role waiting for some cycles.
        rig.updates.set(.swing(.straight))
        try recorder.pass(256)
        rig.updates.set(.role(.lead))
        try rig.wait("leading") { $0.role == .lead }
        try recorder.pass(6_000)
        rig.updates.set(.role(.free))
        try rig.wait("freedom") { $0.role == .free }
        rig.updates.push(.start)
        try recorder.pass(20_000)
      }
      recorder.stop()
      // Two clicks on one frame would be louder than one. A beat lasts 9 600 frames.
      let samples = recorder.samples()
      #expect(samples.allSatisfy { [0, 0.75, 1].contains($0) })
      let onsets = Onsets.frames(in: samples)
      #expect(onsets.count >= 12)
      #expect(Onsets.intervals(onsets).filter { $0 < 256 } == [])
    }
  }
}
