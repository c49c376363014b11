import Engine
import MusicTime
import TestNumbers
import Testing

@Suite("Following")
struct FollowTests {
  @Test(
    "A leader that counts whole ticks from frame 0 is followed to the frame from its first beat on",
    arguments: [64, 256, 1_024], [127, 130, 133.7, 60.1, 240.3])
  func steady(period: Int, tempo: Double) throws {
    var following = try Following(SimulatedLeader(meter: (4, 4), beatsPerMinute: tempo))
    try following.render(seconds: 59.7, period: period)
    #expect(try #require(following.error()) <= 0.5 + 1e-6)
    #expect(following.rig.beats[0].frame == 0)
    #expect(following.leaderEvents == ["4/4"])
  }

  @Test(
    "Each beat of a leader with an arbitrary origin is played once, after a second within a frame",
    arguments: [64, 256, 1_024], [130.0, 133.7, 60.1, 240.3])
  func steadyFromElsewhere(period: Int, tempo: Double) throws {
    var leader = SimulatedLeader(meter: (4, 4), beatsPerMinute: tempo)
    leader.transportFrame = 1_234_567
    var following = try Following(leader)
    try following.render(seconds: 59.7, period: period)
    let first = try #require(following.error())
    #expect(first <= 48_000 * 60 / tempo / 1_920 / 2 + 1)
    #expect(try #require(following.error(from: 48_000)) <= 1)
    #expect(following.rig.beats[0].frame == 0)
    #expect(following.leaderEvents == ["4/4"])
  }

  @Test(
    "A leader that rounds its ticks to the nearest is followed to the frame within a second, also through later tempos",
    arguments: [64, 256, 1_024], [120, 127.3, 60.1])
  func nearestTicks(period: Int, tempo: Double) throws {
    var leader = SimulatedLeader(meter: (4, 4), beatsPerMinute: tempo)
    leader.roundsToNearest = true
    var following = try Following(leader)
    try following.render(seconds: 19.7, period: period)
    #expect(try #require(following.error(from: 96_000)) <= 0.5 + 1e-6)
    following.leader.set(beatsPerMinute: tempo * 1.37)
    let turn = following.rig.clock
    try following.render(seconds: 19.7, period: period)
    #expect(try #require(following.error(from: turn + 96_000)) <= 1)
  }

  @Test(
    "A change that waits for a bar line takes effect even if the leader's bars are shorter than the score's")
  func shorterBars() throws {
    let rig = Rig(try Score.make(Pattern(meter: (6, 8)), role: .follow, quantise: .bar))
    var leader = SimulatedLeader(meter: (2, 4), beatsPerMinute: 102)
    for period in 0..<500 {
      if period == 100 {
        rig.publish(try Score.make(Pattern(meter: (2, 4)), role: .follow, quantise: .bar))
      }
      rig.render(1_024, leader.cycle)
      _ = leader.play(1_024, from: rig.clock - 1_024)
    }
    let late = rig.beats.filter { $0.frame.number > 110 * 1_024 }
    #expect(late.count >= 13)
    #expect(late.allSatisfy { $0.beat <= 2 })
    #expect(late.contains { $0.beat == 1 })
  }

  @Test("A leader with exact ticks is followed to the frame at once")
  func exact() throws {
    var leader = SimulatedLeader(meter: (7, 8), beatsPerMinute: 333.3)
    leader.isTickExact = true
    leader.locate(bar: 5, notes: 3.3, frame: 1_000_000)
    var following = try Following(leader)
    try following.render(seconds: 30, period: 512)
    #expect(try #require(following.error()) <= 0.51)
  }

  @Test("With 48 ticks a beat the bounds narrow to a few frames", arguments: [64, 256])
  func coarse(period: Int) throws {
    var leader = SimulatedLeader(meter: (4, 4), beatsPerMinute: 130.07)
    leader.ticksPerBeat = 48
    var following = try Following(leader)
    try following.render(seconds: 120, period: period)
    // A tick is 461 frames; after n periods the uncertainty is about an n-th of it.
    #expect(try #require(following.error(from: 48_000)) <= 461 * Double(period) / 48_000 * 4 + 1)
    #expect(try #require(following.error(from: ClockFrame(60 * 48_000))) <= 2)
  }

  @Test("A position with an offset applies to the frame before the period's start that it names")
  func offset() throws {
    var leader = SimulatedLeader(meter: (4, 4), beatsPerMinute: 131.3)
    leader.offset = 300
    var following = try Following(leader)
    try following.render(seconds: 30, period: 256)
    #expect(try #require(following.error(from: 48_000)) <= 1)
  }

  @Test(
    "A second after a late change of tempo each beat is within a frame, or as close as ticks allow",
    arguments: [1, 2, 3, 4])
  func tempoChanges(seed: UInt64) throws {
    var numbers = Generator(seed: seed)
    var following = try Following(SimulatedLeader(meter: (4, 4), beatsPerMinute: 120))
    var vague = 0
    for _ in 0..<200 {
      let tempo = Double(numbers.number(40_000...300_000)) / 1_000
      following.leader.set(beatsPerMinute: tempo)
      let turn = following.rig.clock
      // Where a period is nearly a whole number of ticks, the ticks of a second leave more than a frame open.
      try following.render(256)
      following.forgetPhases()
      try following.render(seconds: 1, period: 256)
      let open = following.openTicks / 2 * 48_000 * 60 / tempo / 1_920 + 0.6
      if open > 1 { vague += 1 }
      try following.render(seconds: Double(numbers.number(200...3_000)) / 1_000, period: 256)
      try following.render(numbers.number(1...256))
      #expect(try #require(following.error(from: turn + 48_256)) <= max(1, open), "after \(turn)")
    }
    #expect(vague < 20)
    // A tempo that is published late can displace a beat by at most a period.
    #expect(try #require(following.error()) <= 256)
  }

  @Test("A tempo in single precision causes no error in twenty minutes")
  func singlePrecision() throws {
    var leader = SimulatedLeader(meter: (4, 4), beatsPerMinute: 133.7)
    leader.isCoarse = true
    var following = try Following(leader)
    try following.render(seconds: 1_199.7, period: 256)
    #expect(try #require(following.error(from: 48_000)) <= 1)
  }

  @Test("A continuously changing tempo loses and doubles no beat")
  func glide() throws {
    var following = try Following(SimulatedLeader(meter: (3, 4), beatsPerMinute: 60))
    for step in 0..<8_000 {
      following.leader.set(beatsPerMinute: 60 + 140 * Double(step % 2_000) / 2_000)
      try following.render(256)
    }
    #expect(try #require(following.error()) <= 256)
  }

  @Test("Through changes of meter, other units too, no beat is lost or doubled", arguments: [1, 2, 3])
  func meterChanges(seed: UInt64) throws {
    var numbers = Generator(seed: seed)
    var following = try Following(SimulatedLeader(meter: (4, 4), beatsPerMinute: 150))
    for _ in 0..<100 {
      following.leader.nextMeter = (numbers.number(3...9), [4, 8, 16][numbers.number(0...2)])
      try following.render(seconds: Double(numbers.number(3_000...6_000)) / 1_000, period: 256)
    }
    #expect(try #require(following.error(from: 48_000)) <= 1)
  }

  @Test(
    "A relocation to a beat plays that beat, one between beats the next, with or without a cycle of silence")
  func relocations() throws {
    var numbers = Generator(seed: 7)
    var following = try Following(SimulatedLeader(meter: (4, 4), beatsPerMinute: 127))
    for round in 0..<200 {
      try following.render(seconds: 1.1 + Double(numbers.number(0...1_000)) / 1_000, period: 256)
      following.forget()
      let hides = round % 3 == 0
      let notes =
        round % 2 == 0 ? Double(numbers.number(0...3)) : Double(numbers.number(0...399)) / 100 + 0.005
      following.leader.locate(
        bar: numbers.number(1...100), notes: notes, frame: UInt32(numbers.number(0...100_000_000)))
      let start = following.rig.clock
      if hides {
        following.leader.isTelling = false
        try following.render(256)
        following.leader.isTelling = true
        // A beat in the cycle of silence cannot be known.
        #expect(following.rig.beats.isEmpty)
        following.forget()
      }
      try following.render(seconds: 3, period: 256)
      let error = try #require(following.error(), "round \(round) at \(start)")
      #expect(error <= 7, "round \(round) at \(start)")
      #expect(try #require(following.error(from: following.rig.clock - 96_000)) <= 1)
    }
    #expect(following.leaderEvents == ["4/4"])
  }

  @Test(
    "A leader that pauses publishing for a moment is still followed; after it has left Tactus plays its own tempo"
  )
  func leaving() throws {
    var following = try Following(SimulatedLeader(meter: (4, 4), beatsPerMinute: 90))
    try following.render(seconds: 5, period: 256)
    following.leader.isTelling = false
    try following.render(seconds: 0.09, period: 256)
    following.leader.isTelling = true
    try following.render(seconds: 5, period: 256)
    #expect(try #require(following.error(from: 48_000)) <= 1)
    #expect(following.leaderEvents == ["4/4"])

    following.leader.isTelling = false
    try following.render(seconds: 1, period: 256)
    #expect(following.leaderEvents == ["4/4", "left"])
    following.forget()
    try following.render(seconds: 10, period: 256)
    // The score's own 120 on the transport's frames, which were the clock's.
    #expect(following.rig.beats.count >= 19)
    #expect(following.rig.beats.allSatisfy { $0.frame.number % 24_000 == 0 })

    following.leader.isTelling = true
    try following.render(seconds: 1, period: 256)
    let turn = following.rig.clock
    try following.render(seconds: 10, period: 256)
    #expect(try #require(following.error(from: turn)) <= 1)
    #expect(following.leaderEvents == ["4/4", "left", "4/4"])
  }

  @Test("A leader that left before it published anything is reported once for each wait")
  func leftUnheard() throws {
    var following = try Following(SimulatedLeader(meter: (4, 4), beatsPerMinute: 90))
    following.leader.isTelling = false
    try following.render(seconds: 0.09, period: 256)
    #expect(following.leaderEvents == [])
    try following.render(seconds: 10, period: 256)
    #expect(following.leaderEvents == ["left"])
    // No beat of its own music is lost or doubled.
    #expect(following.rig.beats.map(\.frame) == (0...20).map { ClockFrame($0 * 24_000) })

    following.leader.isTelling = true
    try following.render(seconds: 1, period: 256)
    following.leader.isTelling = false
    try following.render(seconds: 1, period: 256)
    #expect(following.leaderEvents == ["left", "4/4", "left"])

    following.rig.publish(try Score.make(Pattern(), role: .free))
    try following.render(256)
    following.rig.publish(try Score.make(Pattern(), role: .follow))
    try following.render(seconds: 1, period: 256)
    #expect(following.leaderEvents == ["left", "4/4", "left", "left"])
  }

  @Test("Invalid positions of a leader change nothing")
  func nonsense() throws {
    var following = try Following(SimulatedLeader(meter: (4, 4), beatsPerMinute: 120))
    try following.render(seconds: 2, period: 256)
    let good = try #require(following.leader.cycle.leader)
    let wrongs: [(inout Cycle.Leader) -> Void] = [
      { $0.tick = .nan }, { $0.tick = -1 }, { $0.beat = 0 }, { $0.bar = .max }, { $0.bar = .min },
      { $0.ticksPerBeat = 0 }, { $0.ticksPerBeat = .infinity }, { $0.beatsPerMinute = .nan },
      { $0.beatsPerMinute = 0 }, { $0.beatsPerMinute = 1e300 }, { $0.beatsPerBar = 0 }, { $0.beatType = -4 },
      { $0.beatType = .infinity }, { $0.offset = .max }, { $0.offset = -1 }, { $0.beat = .max },
      { $0.tick = 1e9 },
    ]
    for wrong in wrongs {
      var transport = following.leader.cycle
      var reading = good
      wrong(&reading)
      transport.leader = reading
      following.rig.render(256, transport)
      _ = following.leader.play(256, from: following.rig.clock - 256)
      try following.render(seconds: 0.5, period: 256)
    }
    #expect(following.leaderEvents == ["4/4"])
    let frames = following.rig.beats.map(\.frame)
    #expect(frames.count >= 20)
    #expect(frames.dropFirst(2).allSatisfy { (Int($0.number) + 1) % 24_000 <= 2 })
  }

  @Test("The end of a score while the leader plays on is reported once")
  func finished() throws {
    let rig = Rig(
      Score.make(
        [try Pattern().plan(bars: 2)], sampleRate: 48_000, clips: .shortest, generation: 1, role: .follow))
    var leader = SimulatedLeader(meter: (4, 4), beatsPerMinute: 120)
    for _ in 0..<2_000 {
      rig.render(256, leader.cycle)
      _ = leader.play(256, from: 0)
    }
    #expect(rig.beats.count == 8)
    #expect(rig.events.filter { if case .finished = $0 { true } else { false } }.count == 1)
  }
}
