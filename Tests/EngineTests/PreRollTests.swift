import Engine
import MusicTime
import Testing

/// Bars that are counted before the music begins.
@Suite("Pre-roll")
struct PreRollTests: PreRollSuite {
  @Test("A transport on the frame nearest to a bar line is counted for from whole bars before that line")
  func barLines() throws {
    // The lines lie up to half a frame before and after these frames.
    for bar in 1...40 {
      let frame = UInt32((Double(bar) * 4 * Self.spacing).rounded())
      var transport = try led(latency: 2_047, at: frame)
      transport.start()
      transport.render(frames: 400_000)
      let counted = transport.rig.beats.filter(\.isPreRoll)
      #expect(counted.prefix(8).map(\.bar) == [-1, -1, -1, -1, 0, 0, 0, 0], "bar \(bar + 1)")
      // The first beat of the music is heard when the transport rolls, and sent by the latency before.
      let music = try #require(transport.rig.beats.dropFirst(8).first)
      #expect(music.bar == bar + 1 && music.beat == 1)
      expectGrid(try heard(transport, 2_047, from: frame))
    }
  }

  @Test(
    "A transport that is led rolls on the frame after the count, and no beat is off, lost or doubled",
    arguments: [64, 256, 1_024], [0, 511, 2_047])
  func leading(period: Int, latency: Int) throws {
    for frame: UInt32 in [0, 21_541, 30_000, 1_400_000] {
      var transport = try led(latency: latency, at: frame, period: period)
      let asked = transport.rig.clock
      transport.start()
      transport.render(frames: 400_000)
      let frames = try heard(transport, latency, from: frame)
      expectGrid(frames)
      // Two bars, and what the bar has before the music begins.
      let intoBar = Double(frame).truncatingRemainder(dividingBy: 4 * Self.spacing)
      #expect(abs(frames[0] - (Double(frame) - intoBar - 8 * Self.spacing)) <= 0.5 + 1e-6)
      let counted = transport.rig.beats.filter(\.isPreRoll)
      #expect(counted.prefix(8).map(\.bar) == [-1, -1, -1, -1, 0, 0, 0, 0])
      #expect(counted.prefix(4).map(\.role) == [.accent, .beat, .beat, .beat])
      // The count begins a period after the start, when the transport's position is known.
      #expect(counted[0].frame - asked <= Int64(2 * period + 1))
    }
  }

  @Test(
    "Behind another leader the count has its tempo, meter and bars", arguments: [64, 1_024], [0, 2_047])
  func following(period: Int, latency: Int) throws {
    let (tempo, notes) = (97.3, 7)
    let spacing = 60 * 48_000 / tempo
    let rig = Rig(
      try Score.make(Pattern(meter: (notes, 8)), role: .follow, preRoll: policy(bars: 1)))
    rig.latencies.out = latency
    let frame: UInt32 = 2_000_000
    var transport = HeldTransport(rig, frame: frame) { frame in
      let note = Double(frame) / spacing
      let whole = note.rounded(.down)
      return Cycle.Leader(
        bar: Int(whole) / notes + 1, beat: Int(whole) % notes + 1, tick: (note - whole) * 1_920,
        isTickExact: true, ticksPerBeat: 1_920, offset: 0, beatsPerMinute: tempo, beatsPerBar: Double(notes),
        beatType: 8)
    }
    transport.period = period
    transport.start()
    transport.render(frames: 800_000)
    let frames = try heard(transport, latency, from: frame)
    let beats = frames.map { ($0 / spacing).rounded() }
    for (index, frame) in frames.enumerated() {
      #expect(abs(frame - beats[index] * spacing) <= 1)
      if index > 0 { #expect(beats[index] == beats[index - 1] + 1) }
    }
    #expect(Int(beats[0]) % notes == 0)
    let before = Double(frame) / spacing - beats[0]
    #expect(before >= Double(notes) && before < Double(2 * notes))
  }

  @Test("In free the music begins on the exact frame after the count", arguments: [1, 2, 5])
  func free(bars: Int) throws {
    let rig = Rig(try Score.make(Self.pattern, preRoll: policy(bars: bars)))
    rig.render(until: 1_000)
    rig.command(.countIn)
    rig.render(until: 800_000, period: 441)
    let first = try #require(rig.beats.first { !$0.isPreRoll })
    #expect(first.bar == 1 && first.beat == 1)
    #expect(rig.beats.filter(\.isPreRoll).count == 4 * bars)
    expectGrid(rig.beats.map { Double($0.frame - first.frame) })
    #expect(rig.beats[0].frame >= 1_000 && rig.beats[0].frame <= 1_500)
  }

  @Test("After a pause the count ends at the place where the music stopped")
  func pause() throws {
    let rig = Rig(try Score.make(Self.pattern, preRoll: policy(bars: 1)))
    rig.command(.start)
    rig.render(until: 150_000)
    rig.command(.pause)
    rig.render(until: 200_000)
    let played = rig.beats
    rig.command(.countIn)
    rig.render(until: 600_000)
    let after = rig.beats.dropFirst(played.count)
    let first = try #require(after.first { !$0.isPreRoll })
    let last = try #require(played.last)
    #expect(first.bar == last.bar + last.beat / 4 && first.beat == last.beat % 4 + 1)
    // The first beat may be half a frame from its time, too.
    expectGrid(after.map { Double($0.frame - first.frame) }, within: 1)
  }

  @Test("Seconds are whole bars, and a minute is the most")
  func seconds() throws {
    // A bar has two seconds.
    for (policy, bars) in [
      (policy(seconds: 3), 2), (policy(bars: 3, seconds: 3), 3), (policy(seconds: 4), 2),
      (policy(bars: 16), 16), (policy(bars: 16, seconds: 60), 30),
    ] {
      let rig = Rig(try Score.make(Pattern(), preRoll: policy))
      rig.command(.countIn)
      rig.render(until: 3_500_000)
      #expect(rig.beats.filter(\.isPreRoll).count == 4 * bars)
    }
  }

  @Test("A stop during the count silences it, and the next start counts again")
  func stops() throws {
    var transport = try led()
    transport.start()
    transport.render(frames: 50_000)
    #expect(transport.rig.beats.count == 3)
    transport.stop()
    transport.render(frames: 300_000)
    #expect(transport.rig.beats.count == 3)
    #expect(transport.rig.events.contains { if case .stopped = $0 { true } else { false } })
    transport.start()
    transport.render(frames: 400_000)
    expectGrid(try heard(transport, 0, from: 0).dropFirst(3).map { $0 })

    let rig = Rig(try Score.make(Self.pattern, preRoll: policy(bars: 1)))
    rig.command(.countIn)
    rig.render(until: 50_000)
    rig.command(.stop)
    rig.render(until: 300_000)
    #expect(rig.beats.count == 3)
  }

  @Test("A locate during the count restarts the count at the new position")
  func movedWhileCounting() throws {
    var transport = try led(latency: 511)
    transport.start()
    transport.render(frames: 30_000)
    let before = transport.rig.beats.count
    transport.locate(1_000_000)
    transport.render(frames: 500_000)
    let frames = try heard(transport, 511, from: 1_000_000)
    expectGrid(Array(frames.dropFirst(before)))
  }

  @Test("A locate in the cycle in which the count ends is counted for, too", arguments: [64, 1_024])
  func movedAtEnd(period: Int) throws {
    var reference = try led(bars: 1, period: period)
    reference.start()
    while reference.begin == nil { reference.render() }
    let end = try #require(reference.begin)
    for cycles in 1...4 as ClosedRange<Int64> {
      var transport = try led(bars: 1, period: period)
      transport.start()
      while transport.rig.clock < end - cycles * Int64(period) { transport.render() }
      transport.locate(1_000_000)
      let moved = transport.rig.clock
      transport.render(frames: 300_000)
      let begin = try #require(transport.begin)
      #expect(begin - moved > Int64(4 * Self.spacing))
      let beats = transport.rig.beats.filter { $0.frame >= moved }.map {
        Double($0.frame - begin) + 1_000_000
      }
      #expect(beats[0] < 1_000_000 - 3 * Self.spacing)
      expectGrid(beats)
    }
  }

  @Test(
    "In free a locate or a jump during the count restarts the count at the new position",
    arguments: [false, true])
  func movedInFree(isJump: Bool) throws {
    let plans = [try Self.pattern.plan(bars: 4), try Self.pattern.plan(bars: 8)]
    let rig = Rig(Score.make(plans, preRoll: policy(bars: 1)))
    rig.command(.countIn)
    rig.render(until: 50_000)
    #expect(rig.beats.count == 3)
    let bar = BarRange.Bar(section: 1, bar: 1)
    rig.command(isJump ? .jump(bar, .bar) : .locate(Position(bar: 5, beats: 0)))
    rig.render(until: 500_000)
    let after = Array(rig.beats.dropFirst(3))
    #expect(after.prefix(5).map(\.isPreRoll) == [true, true, true, true, false])
    #expect(after[4].bar == 5 && after[4].beat == 1)
    expectGrid(after.map { Double($0.frame - after[4].frame) }, within: 1)
  }

  @Test("A stop at the bar line during the count ends it at once and is reported, also right after the start")
  func stopsAtBar() throws {
    for frames in [0, 50_000] as [Int64] {
      let rig = Rig(try Score.make(Self.pattern, preRoll: policy(bars: 1)))
      rig.command(.countIn)
      if frames > 0 { rig.render(until: ClockFrame(frames)) }
      let before = rig.beats.count
      rig.command(.stopAtBar(pauses: false))
      rig.render(until: 400_000)
      #expect(rig.beats.count <= before + 1 && rig.beats.allSatisfy(\.isPreRoll))
      #expect(rig.events.contains { if case .stoppedAtBar = $0 { true } else { false } })
    }
  }

  @Test("A stop at the bar line does not end a count that holds the transport, which others stop")
  func keepsHolding() throws {
    var transport = try led(latency: 511)
    transport.start()
    transport.render(frames: 30_000)
    transport.rig.command(.stopAtBar(pauses: false))
    transport.render(frames: 500_000)
    #expect(!transport.rig.events.contains { if case .stoppedAtBar = $0 { true } else { false } })
    expectGrid(try heard(transport, 511, from: 0))
  }

  @Test("A locate together with a start causes one count, at the new position")
  func movedAndStarted() throws {
    for cycles in 0...1 {
      var transport = try led()
      transport.start()
      for _ in 0..<cycles { transport.render() }
      transport.locate(1_000_000)
      transport.render(frames: 500_000)
      let frames = try heard(transport, 0, from: 1_000_000)
      expectGrid(frames)
      #expect(transport.rig.beats.prefix(5).map(\.bar) == [-1, -1, -1, -1, 0])
      // The start is reported once before the first beat.
      let before = transport.rig.events.prefix { if case .beat = $0 { false } else { true } }
      #expect(before.count { if case .started = $0 { true } else { false } } == 1)
    }
  }

  @Test(
    "If another client is ready after the count, Tactus is silent until then, and the music begins with the transport"
  )
  func slowClient() throws {
    var transport = try led()
    transport.othersAreReady = false
    transport.start()
    transport.render(frames: 300_000)
    #expect(transport.rig.beats.count == 8)
    #expect(transport.state == .starting)
    transport.othersAreReady = true
    transport.render(frames: 300_000)
    let frames = try heard(transport, 0, from: 0).dropFirst(8)
    #expect(frames.first == 0)
    expectGrid(Array(frames))
    #expect(transport.rig.beats.filter(\.isPreRoll).count == 8)
  }

  @Test(
    "A transport that waits only five seconds is started again in time, and rolls on the frame after a longer count",
    arguments: [64, 1_024], [0, 2_047])
  func limitedWait(period: Int, latency: Int) throws {
    // One to ten bars of 1.8 seconds, and starts that come up to 1.5 seconds after the request.
    for (bars, answer) in [(1, Int64(0)), (2, 0), (3, 72_000), (4, 4_800), (5, 72_000), (10, 72_000)] {
      var transport = try led(bars: bars, latency: latency, at: 30_000, period: period)
      (transport.patience, transport.answer) = (5 * 48_000, answer)
      transport.start()
      transport.render(frames: Int64(bars + 3) * 90_000)
      let frames = try heard(transport, latency, from: 30_000)
      expectGrid(frames)
      #expect(transport.rig.beats.prefix(4 * bars).allSatisfy { $0.isPreRoll })
      #expect(transport.requests.isEmpty == (bars < 3))
      // A start just before the end would put the end off by a period.
      let begin = try #require(transport.begin)
      #expect(transport.requests.allSatisfy { begin - $0 > 72_000 - Int64(period) })
    }
  }

  @Test("If a count restarts near its end, the transport still waits for it")
  func locatedInLimitedWait() throws {
    // Two bars last 3.6 seconds: no further start is needed after three.
    for moved: Int64 in [150_000, 158_400, 168_000] {
      var transport = try led()
      (transport.patience, transport.answer) = (5 * 48_000, 0)
      transport.start()
      transport.render(frames: moved)
      #expect(transport.requests.isEmpty)
      let before = transport.rig.beats.count
      transport.locate(1_000_000)
      transport.render(frames: 500_000)
      #expect(!transport.requests.isEmpty)
      expectGrid(Array(try heard(transport, 0, from: 1_000_000).dropFirst(before)))
    }
  }

  @Test("A locate from a slow bar to a fast one near the end of a count is waited for, too")
  func locatedToFastBar() throws {
    // A bar lasts 4.36 seconds, then 1.41.
    let plans = [
      try Pattern(thousandths: 55_000).plan(bars: 4), try Pattern(thousandths: 170_000).plan(bars: 8),
    ]
    var transport = HeldTransport(Rig(Score.make(plans, role: .lead, preRoll: policy(bars: 1))))
    (transport.patience, transport.answer) = (5 * 48_000, 0)
    transport.start()
    transport.render(frames: 209_200)
    #expect(transport.requests.isEmpty)
    let before = transport.rig.beats.count
    // The second section starts 2/11 of a frame later.
    transport.locate(837_818)
    transport.render(frames: 150_000)
    let begin = try #require(transport.begin)
    let counted = transport.rig.beats.dropFirst(before).filter { $0.frame < begin }
    #expect(counted.count == 4)
    expectGrid(
      transport.rig.beats.dropFirst(before).map { Double($0.frame - begin) - 2 / 11 },
      spacing: 60 * 48_000 / 170)
  }

  @Test(
    "If a transport does not wait long enough, the music goes with it, and the count ends"
  )
  func endedWait() throws {
    var transport = try led(bars: 4)
    transport.patience = 5 * 48_000
    transport.start()
    transport.render(frames: 500_000)
    #expect(transport.requests.count == 1)
    let begin = try #require(transport.begin)
    let frames = try heard(transport, 0, from: 0)
    #expect(transport.rig.beats.filter { $0.frame >= begin }.allSatisfy { !$0.isPreRoll })
    #expect(transport.rig.beats.filter { $0.frame < begin }.allSatisfy { $0.isPreRoll })
    expectGrid(frames.filter { $0 >= 0 })
  }

  @Test("A count that is shorter than a period ends on its beat", arguments: [400_000, 999_000])
  func shortCount(tempo: Int) throws {
    let rig = Rig(
      try Score.make(Pattern(thousandths: tempo, meter: (1, 4)), role: .lead, preRoll: policy(bars: 1)))
    var transport = HeldTransport(rig)
    transport.period = 8_192
    transport.start()
    transport.render(frames: 100_000)
    expectGrid(try heard(transport, 0, from: 0), spacing: 60_000 * 48_000 / Double(tempo))
  }

  @Test("A beat that a new meter does not have is counted for in the bar in which it lies")
  func shorterBar() throws {
    let rig = Rig(try Score.make(Pattern(meter: (7, 4)), preRoll: policy(bars: 1)))
    rig.command(.start, at: 0)
    rig.command(.pause, at: ClockFrame(6 * 24_000))
    rig.render(until: 200_000)
    rig.forgetEvents()
    rig.publish(try Score.make(Pattern(), preRoll: policy(bars: 1)))
    rig.command(.countIn)
    rig.render(until: 600_000)
    #expect(rig.beats.prefix(8).map(\.beat) == [1, 2, 3, 4, 1, 2, 3, 4])
    #expect(rig.beats.prefix(8).map(\.isPreRoll) == [true, true, true, true, true, true, false, false])
    #expect(rig.beats[6].bar == 2)
  }

  @Test("Missed cycles drop beats of the count and move none")
  func missedCycles() throws {
    let rig = Rig(try Score.make(Self.pattern, preRoll: policy(bars: 2)))
    rig.command(.countIn)
    rig.render(until: 30_000)
    rig.miss(20_000)
    rig.render(until: 500_000)
    let first = try #require(rig.beats.first { !$0.isPreRoll })
    for beat in rig.beats {
      let beats = Double(beat.frame - first.frame) / Self.spacing
      #expect(abs(beats - beats.rounded()) * Self.spacing <= 0.5 + 1e-6)
    }
    #expect(rig.beats.filter(\.isPreRoll).count == 7)
  }

  @Test("Before a ramp and in a later section the count has the tempo and meter of that place")
  func sections() throws {
    let plans = [
      try Pattern(thousandths: 120_000).plan(bars: 4),
      try Pattern(thousandths: 90_000, meter: (3, 4)).plan(bars: 8),
    ]
    let rig = Rig(Score.make(plans, role: .lead, preRoll: policy(bars: 1)))
    // Bar 6 of the score is the second one of the second section.
    let frame: UInt32 = 4 * 96_000 + 96_000
    var transport = HeldTransport(rig, frame: frame)
    transport.start()
    transport.render(frames: 300_000)
    let begin = try #require(transport.begin)
    let counted = rig.beats.filter(\.isPreRoll)
    // The beat on which the music begins may be begun before the transport rolls.
    #expect(counted.prefix(3).map { begin - $0.frame } == [96_000, 64_000, 32_000])
  }

  @Test(
    "Past a ramp's end, and past the end of the music, nothing is counted", arguments: [(120, 60), (60, 240)])
  func pastEnd(from: Int, to: Int) throws {
    var plan = try Pattern().plan(bars: 8)
    plan.tempo = .ramp(from: try Tempo(thousandths: from * 1_000), to: try Tempo(thousandths: to * 1_000))
    for plan in [plan, try Pattern().plan(bars: 8)] {
      let free = Rig(Score.make([plan], preRoll: policy(bars: 1)))
      free.command(.locate(Position(bar: 60, beats: 0)))
      free.command(.countIn)
      free.render(until: 480_000)
      #expect(free.beats.isEmpty)
      for seconds: UInt32 in [60, 100, 600, 3_600] {
        let rig = Rig(Score.make([plan], role: .lead, preRoll: policy(bars: 1)))
        var transport = HeldTransport(rig, frame: 48_000 * seconds)
        transport.start()
        transport.render(frames: 10_000)
        #expect(rig.beats.isEmpty && transport.state == .rolling)
      }
    }
  }

  @Test("In a later section and in a later lap counted beats are reported as those of the music's place")
  func reports() throws {
    let plans = [try Pattern().plan(bars: 4), try Pattern().plan(bars: 8)]
    let sections = Rig(Score.make(plans, preRoll: policy(bars: 1)))
    sections.command(.locate(Position(bar: 6, beats: 2 << 64)))
    sections.command(.countIn)
    sections.render(until: 300_000)
    #expect(sections.beats.count > 8 && sections.beats.allSatisfy { $0.section == 1 })

    // A pause in the third lap of a loop of two bars, then another place.
    let laps = Rig(Score.make([try Pattern().plan(bars: 2)], preRoll: policy(bars: 1), loop: 0))
    laps.command(.start)
    laps.render(until: 450_000)
    laps.command(.pause)
    laps.render(until: 460_000)
    laps.forgetEvents()
    laps.command(.locate(Position(bar: 2, beats: 2 << 64)))
    laps.command(.countIn)
    laps.render(until: 800_000)
    // Bar 0, then the two beats of bar 2 before the place.
    #expect(laps.beats.prefix(6).allSatisfy(\.isPreRoll) && !laps.beats[6].isPreRoll)
    #expect(isComplete(Array(laps.beats.dropFirst(4))) && laps.beats[4].bar == 2)
  }

  @Test(
    "If a transport does not wait for the end, its first beat is heard nevertheless", arguments: [0, 2_047])
  func earlyRoll(latency: Int) throws {
    var transport = try led(bars: 4, latency: latency)
    transport.patience = 5 * 48_000 + 4_000
    transport.start()
    transport.render(frames: 500_000)
    let first = try #require(transport.rig.beats.first { !$0.isPreRoll })
    #expect(first.bar == 1 && first.beat == 1)
  }

  @Test(
    "Cycles missed in the last period of a held count lose and double no downbeat",
    arguments: [300, 1_024, 2_500])
  func missedInLastPeriod(frames: Int) throws {
    for cycle in 85..<97 {
      let rig = Rig(try Score.make(Pattern(), role: .lead, preRoll: policy(bars: 1)))
      rig.latencies.out = 100
      var transport = HeldTransport(rig)
      transport.period = 1_024
      transport.start()
      for _ in 0..<cycle { transport.render() }
      guard transport.state != .rolling else { break }
      rig.miss(frames)
      transport.render(frames: 200_000)
      #expect(rig.beats.count { number($0) == 5 } == 1, "cycle \(cycle)")
    }
  }

  @Test("If the end of a count is missed, the music is on the count's grid")
  func missedEnd() throws {
    let rig = Rig(try Score.make(Pattern(), preRoll: policy(bars: 1)))
    rig.command(.countIn)
    rig.render(until: 90_000)
    rig.miss(10_000)
    rig.render(until: 300_000)
    #expect(rig.beats.count == 12)
    #expect(rig.beats.allSatisfy { $0.frame.number % 24_000 == 0 })
  }

  @Test(
    "With an offset that delays the clicks, the beats between the transport's start and the music are counted",
    arguments: [4_800, 12_000, 24_000, -12_000])
  func clickOffset(frames: Int) throws {
    var latency = LatencyPolicy()
    latency.clickOffset = frames
    for start: UInt32 in [0, 5_000, 480_000] {
      let rig = Rig(
        try Score.make(
          Pattern(thousandths: 240_000), role: .lead, latency: latency, preRoll: policy(bars: 1)))
      var transport = HeldTransport(rig, frame: start)
      transport.start()
      transport.render(frames: 200_000)
      let begin = try #require(transport.begin)
      expectGrid(
        rig.beats.map { Double($0.frame - begin - Int64(frames)) + Double(start) }, spacing: 12_000)
    }
  }

  @Test("A transport that needs no count, and is moved before it rolls, is counted for at its new place")
  func movedWhilePassing() throws {
    var countIn = try Pattern().plan(bars: 1)
    countIn.isCountIn = true
    let rig = Rig(
      Score.make([countIn, try Pattern().plan(bars: 20)], role: .lead, preRoll: policy(bars: 2)))
    var transport = HeldTransport(rig)
    transport.othersAreReady = false
    transport.start()
    transport.render(frames: 10_000)
    transport.locate(96_000 * 5)
    transport.render(frames: 10_000)
    transport.othersAreReady = true
    transport.render(frames: 500_000)
    #expect(rig.beats.prefix(8).allSatisfy(\.isPreRoll) && rig.beats[8].bar == 5)
    #expect(isComplete(Array(rig.beats.dropFirst(8))))
  }

  @Test("If a leader tells another place while the transport waits, that place is counted for")
  func leaderMoves() throws {
    let rig = Rig(try Score.make(Pattern(), role: .follow, preRoll: policy(bars: 1)))
    var bar = 10
    var transport = HeldTransport(rig, frame: 2_000_000) { frame in
      Cycle.Leader(
        bar: bar + Int(frame - 2_000_000) / 96_000, beat: Int(frame - 2_000_000) / 24_000 % 4 + 1,
        tick: Double((frame - 2_000_000) % 24_000) / 12.5, isTickExact: true, ticksPerBeat: 1_920, offset: 0,
        beatsPerMinute: 120, beatsPerBar: 4, beatType: 4)
    }
    transport.start()
    transport.render(frames: 30_000)
    bar = 20
    transport.render(frames: 300_000)
    let after = Array(rig.beats.dropFirst(2))
    #expect(after.prefix(4).map(\.beat) == [1, 2, 3, 4] && after.prefix(4).allSatisfy(\.isPreRoll))
    #expect(after[4].bar == 20 && after[4].beat == 1)
    #expect(zip(after, after.dropFirst()).allSatisfy { abs($1.frame - $0.frame - 24_000) <= 1 })
  }

  @Test(
    "A leader whose place moves while the transport stands does not hold it for ever",
    arguments: [256, 1_024])
  func movingLeader(period: Int) throws {
    let rig = Rig(try Score.make(Pattern(), role: .follow, preRoll: policy(bars: 1)))
    var cycles = 0
    var transport = HeldTransport(rig, frame: 2_000_000) { _ in
      cycles += 1
      let place = Double(cycles) * Double(period) / 24_000
      return Cycle.Leader(
        bar: Int(place) / 4 + 1, beat: Int(place) % 4 + 1, tick: (place - place.rounded(.down)) * 1_920,
        isTickExact: true, ticksPerBeat: 1_920, offset: 0, beatsPerMinute: 120, beatsPerBar: 4, beatType: 4)
    }
    transport.period = period
    transport.start()
    transport.render(frames: 300_000)
    #expect(transport.state == .rolling)
  }
}
