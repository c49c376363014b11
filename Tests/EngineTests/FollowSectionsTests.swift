import Engine
import MusicTime
import TestNumbers
import Testing

@Suite("Following with several sections")
struct FollowSectionsTests {
  private static let meters = [(4, 4), (4, 4), (3, 4), (3, 4), (3, 4), (7, 8), (7, 8)]

  private func plans() throws -> [SectionPlan] {
    var ramp = SectionPlan(
      length: .bars(2), layout: try Pattern(meter: (7, 8)).layout(),
      tempo: .ramp(from: try Tempo(240), to: try Tempo(90)))
    ramp.silence = .never
    return [
      try Pattern(thousandths: 100_000, meter: (4, 4)).plan(bars: 2),
      try Pattern(thousandths: 200_000, meter: (3, 4)).plan(bars: 3), ramp,
    ]
  }

  private func meter(ofBar bar: Int) -> (Int, Int) { Self.meters[(bar - 1) % Self.meters.count] }

  private func section(ofBar bar: Int) -> Int { [0, 0, 1, 1, 1, 2, 2][(bar - 1) % 7] }

  @Test(
    "The sections play in the leader's bars at the leader's tempo, in loops too",
    arguments: [61.0, 120, 173.3], [64, 1_024])
  func throughout(beatsPerMinute: Double, period: Int) throws {
    let rig = Rig(
      Score.make(
        try plans(), sampleRate: 48_000, clips: .shortest, generation: 1, role: .follow, loop: 0))
    var leader = SimulatedLeader(meter: (4, 4), beatsPerMinute: beatsPerMinute)
    var truth: [SimulatedLeader.Beat] = []
    while rig.clock.number < 48_000 * 60 {
      leader.nextMeter = meter(ofBar: leader.bar + 1)
      rig.render(period, leader.cycle)
      truth += leader.play(period, from: rig.clock - Int64(period))
    }
    let beats = rig.beats
    #expect(abs(beats.count - truth.count) <= 1)
    for (beat, exact) in zip(beats, truth) {
      #expect((beat.bar, beat.beat) == (exact.bar, exact.beat))
      #expect(beat.section == section(ofBar: exact.bar))
      #expect(abs(Double(beat.frame.number) - exact.time) <= (exact.time < 48_000 ? 20 : 2))
    }
  }

  @Test("If the leader locates to any bar, section and lap are those of that bar")
  func locate() throws {
    var numbers = Generator(seed: 51)
    let rig = Rig(
      Score.make(
        try plans(), sampleRate: 48_000, clips: .shortest, generation: 1, role: .follow, loop: 0))
    var leader = SimulatedLeader(meter: (4, 4), beatsPerMinute: 150)
    for _ in 0..<300 {
      let bar = numbers.number(1...50)
      let (count, unit) = meter(ofBar: bar)
      leader = SimulatedLeader(meter: (count, unit), beatsPerMinute: 150)
      leader.locate(
        bar: bar, notes: Double(numbers.number(0...count - 1)), frame: UInt32(numbers.number(0...9_000_000)))
      rig.forgetEvents()
      var truth: [SimulatedLeader.Beat] = []
      for _ in 0..<200 {
        leader.nextMeter = meter(ofBar: leader.bar + 1)
        rig.render(512, leader.cycle)
        truth += leader.play(512, from: rig.clock - 512)
      }
      let beats = rig.beats
      #expect(abs(beats.count - truth.count) <= 1)
      for (beat, exact) in zip(beats, truth) {
        #expect((beat.bar, beat.beat) == (exact.bar, exact.beat))
        #expect(beat.section == section(ofBar: exact.bar))
        #expect(abs(Double(beat.frame.number) - exact.time) <= 20)
      }
    }
  }

  @Test("A leader in other meters than the sections is followed bar by bar, without bursts of beats")
  func otherMeters() throws {
    for count in [2, 3, 5, 9] {
      let rig = Rig(
        Score.make(
          try plans(), sampleRate: 48_000, clips: .shortest, generation: 1, role: .follow, loop: 0))
      var leader = SimulatedLeader(meter: (count, 4), beatsPerMinute: 120)
      var truth: [SimulatedLeader.Beat] = []
      while rig.clock.number < 48_000 * 60 {
        rig.render(512, leader.cycle)
        truth += leader.play(512, from: rig.clock - 512)
      }
      let beats = rig.beats
      // An eighth lasts 12 000 frames.
      let gaps = zip(beats, beats.dropFirst()).map { $1.frame - $0.frame }
      #expect(gaps.filter { $0 < 11_000 } == [], "\(count)")
      #expect(beats.count > 100, "\(count)")
    }
  }

  @Test(
    "In other meters too each beat is heard on one of the leader's beats", arguments: [64, 1_024, 8_192],
    [0, 1, 3])
  func onLeadersBeats(period: Int, periodsOfLatency: Int) throws {
    var numbers = Generator(seed: 7)
    for _ in 0..<200 {
      let unit = [4, 8][numbers.number(0...1)]
      let plans = try (0..<3).map { _ in
        try Pattern(thousandths: numbers.number(50_000...200_000), meter: (numbers.number(2...7), unit))
          .plan(bars: numbers.number(1...4))
      }
      let loop = [nil, 0][numbers.number(0...1)]
      let rig = Rig(
        Score.make(plans, sampleRate: 48_000, clips: .shortest, generation: 1, role: .follow, loop: loop))
      rig.latencies.out = periodsOfLatency * period
      let tempo = Double(numbers.number(50_000...200_000)) / 1_000
      let count = numbers.number(2...7)
      var leader = SimulatedLeader(meter: (count, unit), beatsPerMinute: tempo)
      while rig.clock.number < 48_000 * 30 {
        rig.render(period, leader.cycle)
        _ = leader.play(period, from: rig.clock - Int64(period))
      }
      #expect(rig.beats.count > 1)
      let framesPerNote = 60 * 48_000 / tempo
      // The first one may come late: the leader began just then.
      for beat in rig.beats.dropFirst() {
        let notes = Double(beat.frame.number + Int64(rig.latencies.out)) / framesPerNote
        let off = abs(notes - notes.rounded()) * framesPerNote
        #expect(
          off <= 20, "\(beat.bar).\(beat.beat) in \(count)/\(unit), \(plans.map { $0.layout.meter })")
      }
    }
  }
}
