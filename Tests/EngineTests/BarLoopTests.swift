import Engine
import MusicTime
import TestNumbers
import Testing

/// Bars that repeat, from A to B.
@Suite struct BarLoopTests {
  private func range(_ first: (Int, Int), _ last: (Int, Int)) throws -> Repetition {
    .bars(
      try #require(
        BarRange(.init(section: first.0, bar: first.1), through: .init(section: last.0, bar: last.1))))
  }

  /// The bars in the order of playing, as section and bar.
  private func bars(_ rig: Rig) -> [String] {
    rig.beats.filter { $0.beat == 1 && $0.layer == 0 && $0.role != .subdivision }
      .map { "\($0.section).\($0.sectionBar)" }
  }

  @Test func `Bars repeat within half a frame until they are released, and the music continues after them`()
    throws
  {
    let pattern = Pattern(thousandths: 133_700, meter: (7, 8), beatUnit: (1, 8), subdivisions: [3: 1])
    let rig = Rig(Score.make([try pattern.plan(bars: 8)], piece: 1, timing: 1))
    rig.command(.start)
    rig.command(.repeats(try range((0, 3), (0, 5))), at: 10)
    let bar = 48_000.0 * 60 / 133.7 * 7
    // In the fourth round.
    rig.command(.repeats(.none), at: ClockFrame(Int64(bar * 12.5)))
    rig.render(until: ClockFrame(Int64(bar * 20)), period: 333)
    let expected = [1, 2] + [3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5] + [6, 7, 8]
    #expect(bars(rig) == expected.map { "0.\($0)" })
    #expect(rig.beats.count == 17 * 21)
    for (index, beat) in rig.beats.enumerated() {
      #expect(abs(Double(beat.frame.number) - Double(index) * bar / 21) <= 0.501)
    }
    #expect(rig.beats.filter { $0.beat == 1 && $0.role != .subdivision }.map(\.bar) == Array(1...17))
  }

  @Test func `The bars may be in several sections with different tempos and meters`() throws {
    let plans = [
      try Pattern(thousandths: 120_000).plan(bars: 2),
      try Pattern(thousandths: 90_000, meter: (3, 4)).plan(bars: 3),
      try Pattern(thousandths: 200_000, meter: (2, 4)).plan(bars: 2),
    ]
    let rig = Rig(Score.make(plans))
    rig.command(.start)
    rig.command(.repeats(try range((0, 2), (1, 1))), at: 10)
    rig.render(until: ClockFrame(96_000 * 4))
    #expect(bars(rig) == ["0.1", "0.2", "1.1", "0.2"])
    #expect(rig.beats.filter { $0.beat == 1 }.map(\.frame) == [0, 96_000, 192_000, 288_000])
  }

  @Test func `A ramp falls back to where the bars begin`() throws {
    func play(_ repetition: Repetition) throws -> [Event.Beat] {
      var plan = try Pattern().plan(bars: 8)
      plan.tempo = .ramp(from: try Tempo(thousandths: 60_000), to: try Tempo(thousandths: 180_000))
      let rig = Rig(Score.make([plan]))
      rig.command(.start)
      rig.command(.repeats(repetition), at: 10)
      rig.render(until: ClockFrame(48_000 * 30))
      return rig.beats
    }
    let straight = try play(.none)
    let looped = try play(try range((0, 2), (0, 4)))
    let length = straight[16].frame - straight[4].frame
    for (index, beat) in looped.enumerated() {
      let (round, place) = index < 4 ? (0, index) : ((index - 4) / 12, 4 + (index - 4) % 12)
      #expect(beat.sectionBar == place / 4 + 1 && beat.beat == place % 4 + 1)
      #expect(abs(beat.frame - straight[place].frame - Int64(round) * length) <= 1 + Int64(round))
    }
    #expect(looped.count > 40)
  }

  @Test func `A loop before the current position is not entered; one ahead is`() throws {
    let rig = Rig(Score.make([try Pattern().plan(bars: 6)]))
    rig.command(.start)
    rig.command(.repeats(try range((0, 2), (0, 3))), at: ClockFrame(96_000 * 3 + 10))
    rig.command(.jump(BarRange.Bar(section: 0, bar: 1), .bar), at: ClockFrame(96_000 * 4 + 10))
    rig.render(until: ClockFrame(96_000 * 10 - 1))
    #expect(bars(rig) == [1, 2, 3, 4, 5, 1, 2, 3, 2, 3].map { "0.\($0)" })
  }

  @Test func `A loop set or ended at any frame of the last beat takes effect in time`() throws {
    for repetition in [try range((0, 2), (0, 2)), .section] {
      for frame in stride(from: 96_000 * 2 - 23_999, to: 96_000 * 2, by: 797) {
        let rig = Rig(
          Score.make([try Pattern().plan(bars: 2), try Pattern(subdivisions: [3: 1]).plan(bars: 9)]))
        rig.command(.start)
        rig.command(
          repetition == .section ? .repeats(.section) : .repeats(repetition), at: ClockFrame(Int64(frame)))
        let length: Int64 = repetition == .section ? 192_000 : 96_000
        // In the last beat of the third round.
        rig.command(.repeats(.none), at: ClockFrame(Int64(frame) + 2 * length))
        rig.render(until: 192_000 + 2 * length + 90_000)
        let beats = rig.beats.filter { $0.role != .subdivision }
        #expect(beats.map(\.frame) == (0..<beats.count).map { ClockFrame(Int64($0) * 24_000) })
        let sections = beats.map(\.section)
        #expect(sections == [Int](repeating: 0, count: sections.count - 4) + [1, 1, 1, 1], "\(frame)")
        // Nothing of the next section sounds in between.
        #expect(rig.beats.filter { $0.role == .subdivision }.allSatisfy { $0.frame > 192_000 + 2 * length })
      }
    }
  }

  @Test func `A jump goes to a bar, playing or stopped`() throws {
    let rig = Rig(Score.make([try Pattern().plan(bars: 2), try Pattern().plan(bars: 4)]))
    rig.command(.jump(BarRange.Bar(section: 1, bar: 3), .now))
    rig.command(.start)
    rig.render(until: 1_000)
    rig.command(.jump(BarRange.Bar(section: 1, bar: 2), .bar))
    // A bar that the section does not have is its end.
    rig.command(.jump(BarRange.Bar(section: 0, bar: 9), .bar), at: 100_000)
    rig.render(until: ClockFrame(96_000 * 3 - 1))
    #expect(bars(rig) == ["1.3", "1.2", "1.1"])
  }

  @Test(arguments: ["every 3/16", "5 over bar", "every 1/4, pattern X.x"])
  func `A layer has in each round the pulses that it has in these bars`(layer: String) throws {
    func play(_ repetition: Repetition) throws -> [Event.Beat] {
      var plan = try Pattern().plan(bars: 6)
      plan.layers = [LayerPlan(1, try Layer(text: layer))]
      let rig = Rig(Score.make([plan]))
      rig.command(.start)
      rig.command(.repeats(repetition), at: 10)
      rig.render(until: ClockFrame(96_000 * 8 - 1))
      return rig.pulses(1)
    }
    let straight = try play(.none).map { ($0.frame.number, $0.strength) }
    let inBars = straight.filter { 192_000..<384_000 ~= $0.0 }
    let before = straight.filter { $0.0 < 192_000 }
    let rounds = (0..<3).flatMap { round in inBars.map { ($0.0 + Int64(round) * 192_000, $0.1) } }
    let looped = try play(try range((0, 3), (0, 4)))
    #expect(looped.map(\.frame.number) == (before + rounds).map(\.0))
    #expect(looped.map(\.strength) == (before + rounds).map(\.1))
  }

  @Test(arguments: [1, 2])
  func `A layer that runs through a song's laps stays as it is in bars of one that repeat`(
    first: Int
  ) throws {
    let plans = try (0...1).map { source in
      var plan = try Pattern().plan(bars: 4)
      (plan.source, plan.layers) = (source, [LayerPlan(1, try Layer(text: "5 over 3 bars, reset never"))])
      return plan
    }
    let rig = Rig(Score.make(plans, loop: 0))
    rig.command(.start)
    rig.command(.repeats(try range((0, first), (0, 3))), at: 10)
    let round = Int64(96_000 * (4 - first))
    rig.render(until: ClockFrame(96_000 * 3 + 9 * round - 1), period: 500)
    let frames = rig.pulses(1).map { $0.frame.number - 96_000 * 3 }
    let rounds = (0..<Int64(9)).map { number in
      frames.map { $0 - number * round }.filter { 0..<round ~= $0 }
    }
    #expect(rounds[0].count >= 3)
    #expect(rounds.allSatisfy { $0 == rounds[0] })
  }

  @Test(arguments: ["every 3/16", "5 over bar, reset bar", "7 over 2 bars, pattern X.x, reset never"])
  func `A layer plays on where its bars are let go`(layer: String) throws {
    func play(_ repetition: Repetition, letGoAt frame: ClockFrame) throws -> [Event.Beat] {
      var plan = try Pattern().plan(bars: 8)
      plan.layers = [LayerPlan(1, try Layer(text: layer))]
      let rig = Rig(Score.make([plan]))
      rig.command(.start)
      rig.command(.repeats(repetition), at: 10)
      rig.command(.repeats(.none), at: frame)
      rig.render(until: ClockFrame(96_000 * 12 - 1), period: 500)
      return rig.pulses(1)
    }
    let straight = try play(.none, letGoAt: 20).map { ($0.frame.number, $0.strength) }
    let inBars = straight.filter { 96_000 * 2..<96_000 * 4 ~= $0.0 }
    // Two more rounds of two bars: the third is let go at its start, in its midst, or in its last beat.
    let rounds = (1...2).flatMap { round in inBars.map { ($0.0 + Int64(round) * 192_000, $0.1) } }
    let after = straight.filter { $0.0 >= 96_000 * 4 }.map { ($0.0 + 2 * 192_000, $0.1) }
    let expected = straight.filter { $0.0 < 96_000 * 4 } + rounds + after
    for frame in [1, 96_000, 191_000] {
      let looped = try play(try range((0, 3), (0, 4)), letGoAt: ClockFrame(96_000 * 6 + Int64(frame)))
      #expect(looped.map(\.frame.number) == expected.map(\.0), "\(frame)")
      #expect(looped.map(\.strength) == expected.map(\.1), "\(frame)")
    }
  }

  @Test(arguments: [true, false])
  func `A volume that moves anywhere neither adds nor loses a beat`(isHeld: Bool) throws {
    let plans = [
      try Pattern(thousandths: 240_000, subdivisions: [2: 1, 3: 1]).plan(bars: 2),
      try Pattern(thousandths: 120_000).plan(bars: 2),
    ]
    let rig = Rig(Score.make(plans, piece: 1, timing: 1))
    rig.command(.jump(BarRange.Bar(section: 1), .now))
    rig.command(.start)
    rig.command(.repeats(isHeld ? .section : try range((1, 1), (1, 2))), at: 1)
    var numbers = Generator(seed: 7)
    while rig.clock.number < 96_000 * 40 {
      rig.publish(Score.make(plans, piece: 1, timing: 1))
      rig.render(numbers.number(1...2_000))
    }
    #expect(rig.beats.map(\.frame) == (0..<rig.beats.count).map { ClockFrame(Int64($0) * 24_000) })
    #expect(rig.beats.allSatisfy { $0.section == 1 })
  }

  @Test(arguments: [true, false], Quantise.allCases)
  func `A volume that waits for a line does not end the bars that repeat`(isHeld: Bool, quantise: Quantise)
    throws
  {
    // Beats lie between frames, and the tempos differ.
    let bars = [3, 2, 2]
    let plans = try zip([133_700, 61_371, 240_001], bars).map {
      try Pattern(thousandths: $0, subdivisions: [3: 1]).plan(bars: $1)
    }
    for repeated in 0..<3 {
      let rig = Rig(Score.make(plans, loop: 0, piece: 1, timing: 1))
      rig.command(.jump(BarRange.Bar(section: repeated), .now))
      rig.command(.start)
      rig.command(.repeats(isHeld ? .section : try range((repeated, 1), (repeated, bars[repeated]))), at: 1)
      var numbers = Generator(seed: 7)
      while rig.clock.number < 48_000 * 120 {
        rig.publish(Score.make(plans, quantise: quantise, loop: 0, piece: 1, timing: 1))
        rig.render(numbers.number(1...8_000))
      }
      #expect(rig.beats.count > 300 && rig.beats.allSatisfy { $0.section == repeated }, "\(repeated)")
    }
  }

  @Test(arguments: [true, false], [3, 40])
  func `After a pause in bars that repeat, or after a stop, the sent clock keeps its pace`(
    pauses: Bool, rounds: Int
  ) throws {
    let plans = [
      try Pattern(thousandths: 291_706).plan(bars: 23),
      try Pattern(thousandths: 147_702, meter: (5, 4)).plan(bars: 5),
    ]
    let bar = 4 * 60_000 * 48_000 / 291_706
    let rig = Rig(Score.make(plans))
    rig.recordMIDI()
    rig.command(.start)
    rig.render(1_024)
    rig.command(.repeats(try range((0, 7), (0, 7))))
    rig.render(until: ClockFrame(Int64((7 + rounds) * bar + bar / 3)), period: 8_192)
    rig.command(.stopAtBar(pauses: pauses))
    rig.render(until: rig.clock + 60_000, period: 8_192)
    rig.command(.start, at: rig.clock + 12_000)
    rig.render(until: rig.clock + Int64(40 * bar), period: 8_192)
    let pulses = rig.pulses.filter { $0.message == .clock }.map(\.frame)
    #expect(pulses.count > 96 * (rounds + 40))
    for (one, next) in zip(pulses, pulses.dropFirst()) {
      #expect(next - one >= 405, "\(one), \(next)")
    }
  }

  @Test(arguments: [Repetition.none, .section], [0, 1, 47_000, 95_000, 95_999])
  func `Another score in the last beats of a lap or round keeps the count of bars`(
    repetition: Repetition, offset: Int64
  ) throws {
    func score(_ subdivisions: [Int: Float], timing: Int) throws -> UnsafePointer<Score> {
      let plan = try Pattern(subdivisions: subdivisions).plan(bars: 2)
      return Score.make([plan], loop: 0, piece: 1, timing: timing)
    }
    let rig = Rig(try score([:], timing: 1))
    rig.command(.start)
    rig.render(64)
    rig.command(.repeats(repetition))
    // Into the second bar of the second lap, which has four beats of 24 000 frames.
    rig.render(until: ClockFrame(192_000 + 96_000 + offset), period: 1_000)
    rig.publish(try score([2: 0.5], timing: 2))
    rig.render(until: rig.clock + 500_000)
    let lines = rig.beats.filter { $0.role == .accent }
    #expect(lines.map(\.bar) == Array(1...lines.count))
    #expect(lines.enumerated().allSatisfy { $1.frame == ClockFrame(96_000 * Int64($0)) })
  }

  @Test func `Missed cycles, however many, leave the bars on their grid`() throws {
    for missed in stride(from: 10_000, to: 700_000, by: 23_456) {
      let rig = Rig(Score.make([try Pattern().plan(bars: 6)]))
      rig.command(.start)
      rig.command(.repeats(try range((0, 2), (0, 3))), at: 10)
      rig.render(until: 150_000)
      rig.miss(missed)
      let back = rig.clock
      rig.render(until: back + 400_000)
      let later = rig.beats.filter { $0.frame >= back }
      #expect(later.count >= 16)
      for beat in later {
        #expect(beat.frame.number % 24_000 == 0)
        // Bar 2 is every second one from the second on.
        #expect(beat.sectionBar == (beat.frame.number / 96_000 % 2 == 1 ? 2 : 3), "\(missed) \(beat)")
      }
    }
  }
}
