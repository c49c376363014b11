import Engine
import MusicTime
import TestNumbers
import Testing

@Suite("Leading")
struct LeadTests {
  private func score(_ thousandths: Int = 120_000, _ meter: (Int, Int) = (4, 4), _ quantise: Quantise = .now)
    throws -> UnsafePointer<Score>
  { try score(thousandths, meter, quantise, .meter) }

  private func score(
    _ thousandths: Int, _ meter: (Int, Int), _ quantise: Quantise, _ beat: TransportBeat
  ) throws -> UnsafePointer<Score> {
    let plan = try Pattern(thousandths: thousandths, meter: (meter.0, meter.1)).plan()
    return Score.make([plan], role: .lead, quantise: quantise, transportBeat: beat)
  }

  @Test("A jump that waits for its line is cancelled when the engine stops using its own clock")
  func pendingJump() throws {
    let plans = [try Pattern().plan(bars: 100), try Pattern().plan(bars: 100)]
    let rig = Rig(Score.make(plans))
    rig.command(.start, at: 0)
    rig.render(until: 10_000)
    rig.command(.jump(BarRange.Bar(section: 1), .bar))
    rig.render(until: 20_000)
    rig.publish(Score.make(plans, role: .lead))
    var transport = LedTransport(rig)
    for _ in 0..<200 { _ = transport.render(1_000) }
    rig.publish(Score.make(plans))
    rig.render(until: rig.clock + 200_000)
    #expect(rig.beats.count >= 16)
    #expect(rig.beats.allSatisfy { $0.section == 0 })
  }

  @Test("Another piece of music is where the transport stands", arguments: [false, true])
  func otherPiece(isRolling: Bool) throws {
    let song = Score.make([try Pattern(thousandths: 82_000).plan(bars: 40)], role: .lead, piece: 1, timing: 1)
    let rig = Rig(song)
    var transport = LedTransport(rig, frame: 480_000)
    transport.isRolling = isRolling
    for _ in 0..<4 { _ = transport.render(1_000) }
    rig.publish(Score.make([try Pattern(thousandths: 120_000).plan()], role: .lead))
    _ = transport.render(1_000)
    // As when a session is closed: the transport stops a period later.
    transport.isRolling = false
    for _ in 0..<4 {
      _ = transport.render(1_000)
      // Half a second for each beat.
      let beats = Double(transport.frame) / 24_000
      #expect(transport.published.beatsPerMinute == 120)
      #expect(transport.published.bar == Int(beats) / 4 + 1 && transport.published.beat == Int(beats) % 4 + 1)
    }
    // The beats are on the grid of the transport's frame 0.
    rig.forgetEvents()
    transport.isRolling = true
    let first = Int64(transport.frame)
    let begin = rig.clock
    for _ in 0..<100 { _ = transport.render(1_000) }
    #expect(rig.beats.count >= 4)
    #expect(rig.beats.allSatisfy { ($0.frame - begin + first) % 24_000 == 0 })
  }

  @Test("Another client's lead is reported as long as it lasts")
  func lostLead() throws {
    let rig = Rig(try score())
    var transport = Cycle.Transport()
    transport.isRolling = true
    var losses = 0
    for _ in 0..<65 {
      for case .leadLost in rig.render(256, transport) { losses += 1 }
      transport.frame += 256
    }
    #expect(losses == 3)
  }

  @Test("A locate to the nearest frame of a beat reads as that beat, in meters and in quarters")
  func locatedBeats() throws {
    for beat in TransportBeat.allCases {
      let score = try score(137_300, (4, 4), .now, beat)
      let rig = Rig(score)
      var transport = LedTransport(rig)
      transport.isRolling = false
      for index in 0..<800 {
        let frame = (Double(index) * 60 * 48_000 / 137.3).rounded()
        transport.locate(UInt32(frame))
        for _ in 0..<2 {
          #expect(transport.published.bar == index / 4 + 1)
          #expect(transport.published.beat == index % 4 + 1)
          #expect(transport.published.tick <= 1)
          #expect(
            abs(
              transport.published.barStartTick + Double(transport.published.beat - 1) * 1_920 - Double(index)
                * 1_920)
              < 1e-3)
          _ = transport.render(256)
        }
      }
    }
  }

  @Test(
    "Bar, beat and tick agree with every click through changes of tempo and meter and through relocations")
  func agreement() throws {
    var numbers = Generator(seed: 31)
    let rig = Rig(try score())
    var transport = LedTransport(rig)
    var (checked, outOfRange, wrong) = (0, 0, 0)
    for _ in 0..<20_000 {
      let isChanged = numbers.oneIn(40)
      if isChanged {
        rig.publish(
          try score(
            numbers.number(30_000...600_000),
            (numbers.number(1...9), [2, 3, 4, 8, 16][numbers.number(0...4)]),
            Quantise.allCases[numbers.number(0...2)]))
      }
      if numbers.oneIn(200) { transport.locate(UInt32(numbers.number(0...10_000_000))) }
      let before = transport.published
      let (start, frames) = (rig.clock, numbers.number(1...1_024))
      let events = transport.render(frames)
      if !(0..<1_920 ~= transport.published.tick)
        || Double(transport.published.beat) > transport.published.beatsPerBar
        || transport.published.exactTick >= 1_920
        || Double(transport.published.tick) != transport.published.exactTick.rounded(.down)
      {
        outOfRange += 1
      }
      // If a score took over in between, the old tempo does not apply to this period's clicks.
      let after = transport.published
      guard after.beatsPerMinute == before.beatsPerMinute, after.beatType == before.beatType, !isChanged
      else {
        continue
      }
      let framesPerNote = 60 * 48_000 / before.beatsPerMinute
      for case .beat(let beat) in events {
        let notes =
          Double(before.beat - 1) + before.exactTick / 1_920 + Double(beat.frame - start) / framesPerNote
        let off = notes - Double(beat.beat - 1) + Double(before.bar - beat.bar) * before.beatsPerBar
        // A locate rounds to a frame: the beat itself is up to half a frame off.
        if abs(off * framesPerNote) > (before.exactTick == 0 ? 1.01 : 0.51) { wrong += 1 }
        checked += 1
      }
    }
    #expect(checked > 500)
    #expect(wrong == 0)
    #expect(outOfRange == 0)
  }

  @Test(
    "The ticks before a bar are the sum over the bars played, and count again from each locate",
    arguments: TransportBeat.allCases)
  func barStartTick(beat: TransportBeat) throws {
    var numbers = Generator(seed: 32)
    let rig = Rig(try score(120_000, (4, 4), .now, beat))
    // Quarters are counted by the MIDI clock's pulses, in steps of 2⁻²⁴.
    let accuracy = beat == .meter ? 0 : 1e-3
    var transport = LedTransport(rig)
    var (changes, meters, bars) = (0, Set<Double>(), 0)
    for round in 0..<20_000 {
      if round % 20 == 0 {
        let meter = (numbers.number(1...9), [4, 8][numbers.number(0...1)])
        rig.publish(try score(numbers.number(200_000...900_000), meter, .bar, beat))
        changes += 1
      }
      let before = transport.published
      _ = transport.render(512)
      let after = transport.published
      meters.insert(after.beatsPerBar)
      if after.bar == before.bar { #expect(abs(after.barStartTick - before.barStartTick) <= accuracy) }
      if after.bar == before.bar + 1 {
        #expect(abs(after.barStartTick - before.barStartTick - before.beatsPerBar * 1_920) <= accuracy)
        bars += 1
      }
    }
    #expect(meters.count >= 9 && bars > 200)
    transport.locate(5_000_000)
    let published = transport.published
    #expect(
      abs(published.barStartTick - Double(published.bar - 1) * published.beatsPerBar * 1_920) <= accuracy)
    transport.locate(0)
    #expect(
      transport.published.bar == 1 && transport.published.beat == 1 && transport.published.exactTick == 0)
  }

  /// A number of beats as whole notes; by default those since the bar's start.
  private static func wholes(_ published: BarBeatTick, _ beats: Double? = nil) -> Double {
    let place: Double = Double(published.beat - 1) + published.exactTick / 1_920
    return (beats ?? place) / Double(published.beatType)
  }

  @Test(
    "A position published in quarters is the same place in the music, in ramps, loops and meters of any unit"
  )
  func quarters() throws {
    var numbers = Generator(seed: 33)
    let units = [1, 2, 3, 4, 8, 16, 32]
    let plans = try (0..<12).map { index in
      try Pattern(
        thousandths: numbers.number(60_000...300_000),
        meter: (numbers.number(1...9), units[index % units.count])
      ).plan(bars: numbers.number(1...3))
    }
    let rigs = TransportBeat.allCases.map {
      Rig(Score.make(plans, role: .lead, transportBeat: $0, loop: 2))
    }
    var transports = rigs.map { LedTransport($0) }
    var places = 0
    for round in 0..<20_000 {
      let (frames, place) = (numbers.number(1...1_024), UInt32(numbers.number(0...20_000_000)))
      for index in transports.indices {
        if round % 400 == 399 { transports[index].locate(place) }
        _ = transports[index].render(frames)
      }
      let (meter, quarters) = (transports[0].published, transports[1].published)
      let wholes = [LeadTests.wholes(meter), LeadTests.wholes(quarters)]
      let ends = [
        LeadTests.wholes(meter, meter.beatsPerBar), LeadTests.wholes(quarters, quarters.beatsPerBar),
      ]
      let paces = [
        LeadTests.wholes(meter, meter.beatsPerMinute), LeadTests.wholes(quarters, quarters.beatsPerMinute),
      ]
      #expect(quarters.beatType == 4 && meter.bar == quarters.bar)
      #expect(abs(wholes[0] - wholes[1]) < 1e-9 && abs(ends[0] - ends[1]) < 1e-12)
      #expect(abs(paces[0] - paces[1]) < 1e-9)
      #expect(quarters.tick >= 0 && quarters.exactTick < 1_920)
      if quarters.beatsPerBar != meter.beatsPerBar { places += 1 }
    }
    #expect(places > 10_000)
  }

  @Test("A tempo that changes while the transport stands still leaves bar, beat and tick as they were")
  func stopped() throws {
    var numbers = Generator(seed: 33)
    for place in [0, 24_000, 72_000, 96_000, 12_345, 4_000_000] {
      let rig = Rig(try score())
      var transport = LedTransport(rig)
      transport.locate(UInt32(place))
      transport.isRolling = false
      _ = transport.render(256)
      let before = transport.published
      for _ in 0..<100 {
        rig.publish(try score(numbers.number(1_000...999_999)))
        _ = transport.render(numbers.number(1...2_048))
        #expect(transport.published.bar == before.bar && transport.published.beat == before.beat)
        #expect(transport.published.tick == before.tick)
        #expect(abs(transport.published.exactTick - before.exactTick) < 1e-9)
      }
    }
  }

  @Test("A beat at a stopped transport's position sounds when it rolls, after changes of tempo too")
  func stoppedOnBeat() throws {
    let rig = Rig(try score())
    var transport = LedTransport(rig)
    transport.isRolling = false
    transport.locate(72_000)
    for tempo in [1_000, 999_999, 133_700] {
      rig.publish(try score(tempo))
      _ = transport.render(1_000)
    }
    transport.isRolling = true
    let start = rig.clock
    _ = transport.render(1_000)
    #expect(rig.beats.map { [$0.frame - start, Int64($0.bar), Int64($0.beat)] } == [[0, 1, 4]])
  }

  @Test(
    "A change that comes with a locate plays nothing between the two positions", arguments: [5_000_000, 0])
  func changeWithLocate(place: Int) throws {
    let rig = Rig(try score())
    var transport = LedTransport(rig)
    for _ in 0..<1_000 { _ = transport.render(1_000) }
    rig.forgetEvents()
    transport.locate(UInt32(place))
    let start = rig.clock
    rig.publish(try score(90_000))
    for _ in 0..<200 { _ = transport.render(1_000) }
    // A third of a beat has passed at 5 000 000, and two thirds are 21 333 frames at the new tempo.
    let first = place == 0 ? Int64(0) : 21_333
    #expect(rig.beats.map { $0.frame - start }.prefix(3) == [first, first + 32_000, first + 64_000])
  }

  @Test("Nothing happens where the transport's frame passes 2³²")
  func wrap() throws {
    let rig = Rig(try score())
    var transport = LedTransport(rig, frame: UInt32.max - 500_000)
    var last = transport.published
    for _ in 0..<2_000 {
      _ = transport.render(512)
      #expect(transport.published.bar == last.bar || transport.published.bar == last.bar + 1)
      #expect(transport.published.barStartTick == Double((transport.published.bar - 1) * 4 * 1_920))
      last = transport.published
    }
    #expect(transport.frame < 600_000)
    let beats = rig.beats
    #expect(beats.count > 40)
    #expect(zip(beats, beats.dropFirst()).allSatisfy { $1.frame - $0.frame == 24_000 })
  }

  @Test("Missed cycles do not move the origin, and nothing begins late")
  func missedCycles() throws {
    let rig = Rig(try score())
    var transport = LedTransport(rig)
    for _ in 0..<100 { _ = transport.render(777) }
    rig.publish(try score(90_000))
    for _ in 0..<100 { _ = transport.render(777) }
    let beats = rig.beats.map(\.frame)
    rig.forgetEvents()
    transport.miss(100_000)
    for _ in 0..<200 { _ = transport.render(777) }
    #expect(rig.channels.pointee.gaps.load(ordering: .relaxed) == 1)
    for beat in rig.beats { #expect((beat.frame - beats.last!) % 32_000 == 0) }
    #expect(rig.beats.count > 3)
  }

  @Test("Bars, beats and ticks of a score with several sections are those of the section")
  func sections() throws {
    let rig = Rig(
      Score.make(
        [
          try Pattern(meter: (4, 4)).plan(bars: 2),
          try Pattern(thousandths: 240_000, meter: (7, 8)).plan(bars: 3),
          try Pattern(thousandths: 60_000, meter: (3, 4)).plan(),
        ], sampleRate: 48_000, clips: .shortest, generation: 1, role: .lead))
    var transport = LedTransport(rig)
    // Two bars of 96 000 frames, three of 84 000, then bars of 144 000.
    for (frame, bar, beat, tick, start) in [
      (0, 1, 1, 0, 0), (191_999, 2, 4, 1_919, 4), (192_000, 3, 1, 0, 8),
      (192_000 + 84_000 + 6_000, 4, 1, 960, 15),
      (444_000, 6, 1, 0, 29), (444_000 + 144_000 + 72_000, 7, 2, 960, 32),
    ] {
      transport.locate(UInt32(frame))
      let published = transport.published
      #expect(
        [published.bar, published.beat, published.tick, Int(published.barStartTick) / 1_920] == [
          bar, beat, tick, start,
        ])
    }
  }
}
