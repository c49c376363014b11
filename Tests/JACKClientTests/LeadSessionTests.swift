import Control
import Engine
import MusicTime
import TestBench
import TestInTime
import Testing

@Suite(.serialized, .inTime) struct LeadSessionTests {
  private func song() throws -> SongPlan {
    func part(_ name: String, _ meter: (Int, Int), _ tempo: TempoCurve, _ bars: Int) throws -> SectionPlan {
      SectionPlan(
        name: name, length: .bars(bars), layout: try BarLayout(meter: Meter(meter.0, meter.1)), tempo: tempo)
    }
    var plans = [
      try part("A", (4, 4), .constant(try Tempo(240)), 2),
      try part("B", (7, 8), .ramp(from: try Tempo(300), to: try Tempo(150)), 3),
      try part("C", (3, 4), .constant(try Tempo(181.3)), 2),
      try part("D", (5, 16), .ramp(from: try Tempo(200), to: try Tempo(420)), 40),
    ]
    for index in plans.indices { plans[index].source = index }
    return SongPlan(title: "song", plans: plans)
  }

  @Test(
    .enabled(if: ServerKind.current == .jackd, "PipeWire makes up a bar_start_tick of the meter in force"))
  func `At every beat of a session the transport tells its bar, beat and bar_start_tick`() async throws {
    try await JACKServer.run(period: 256) { server in
      let rig = try Rig(server: server, [.role(.lead)], song: try song())
      defer { rig.stop() }
      let recorder = try RecorderClient(
        server: server, sources: ["tactus:out", "tactus:accent"], storage: .onsets(capacity: 10_000),
        cycles: 20_000)
      let control = try TransportControl(server: server)
      recorder.record()
      rig.updates.push(.start)
      try control.wait(for: .rolling)
      // Notes before each section, of its own meter: 8, 29, 35.
      try recorder.pass(48_000 * 14)
      // A locate into the ramp is right at once.
      let middle = UInt32(96_000 + 120_000)
      try control.locate(middle)
      try recorder.pass(48_000)
      recorder.stop()

      let hearing = Hearing(recorder)
      let published = hearing.cycles.compactMap(\.bbt)
      #expect(published.filter { !$0.isProper } == [])
      #expect(
        Set(published.map { "\(Int($0.beatsPerBar))/\(Int($0.beatType))" }) == ["4/4", "7/8", "3/4", "5/16"])
      let starts = [(1, 0, 4), (3, 8, 7), (6, 29, 3), (8, 35, 5)]
      for bbt in published {
        // The bar's start is the sum over the bars that there were.
        let part = starts.last { $0.0 <= bbt.bar }!
        let before = part.1 + (bbt.bar - part.0) * part.2
        #expect(bbt.barStartTick == Double(before * 1_920) && bbt.beatsPerBar == Double(part.2))
      }
      var heard: Set<Int> = []
      for step in hearing.steps {
        for onset in hearing.onsets(in: step) {
          let notes = step.notes(at: onset)
          #expect(abs(notes - notes.rounded()) <= step.tolerance, "\(step) at \(onset)")
          heard.insert(Int(notes.rounded()))
        }
        for onset in hearing.accents(in: step) {
          let notes = Int(step.notes(at: onset).rounded())
          let part = starts.last { $0.1 <= notes }!
          #expect((notes - part.1) % part.2 == 0)
        }
      }
      // All but those whose cycle saw the meter change.
      #expect(Set(0...45).subtracting(heard).count <= 4)
    }
  }
}
