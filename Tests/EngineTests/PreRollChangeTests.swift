import Engine
import MusicTime
import Testing

/// Changes while bars are counted before the music.
@Suite("Changes during a pre-roll")
struct PreRollChangeTests: PreRollSuite {
  @Test("If the tempo changes during a count to a place between two frames, count and music share one grid")
  func changesBetweenFrames() throws {
    for pause in stride(from: 150_000, to: 150_400, by: 37) as StrideTo<Int64> {
      let rig = Rig(try Score.make(Self.pattern, preRoll: policy(bars: 2)))
      rig.command(.start)
      rig.render(until: ClockFrame(pause))
      rig.command(.pause)
      rig.render(until: 200_000)
      rig.command(.countIn)
      rig.render(until: 260_000)
      let before = rig.beats.count
      rig.publish(try Score.make(Pattern(thousandths: 97_300), preRoll: policy(bars: 2)))
      rig.render(until: 900_000)
      let spacing = 60 * 48_000 / 97.3
      // All beats after the change are on one grid.
      let frames = rig.beats.dropFirst(before).map(\.frame)
      let off = frames.enumerated().map { Double($0.element - frames[0]) - Double($0.offset) * spacing }
      #expect(frames.count > 12 && off.max()! - off.min()! <= 1 + 1e-6, "paused at \(pause)")
    }
  }

  @Test("A change of role while a transport waits does not restart the measured wait")
  func roleInLimitedWait() throws {
    var transport = try led(bars: 2)
    (transport.patience, transport.answer) = (5 * 48_000, 0)
    transport.start()
    transport.render(frames: 140_000)
    transport.rig.publish(try Score.make(Self.pattern, role: .follow, preRoll: policy(bars: 2)))
    let before = transport.rig.beats.count
    transport.render(frames: 400_000)
    #expect(transport.requests.count == 1)
    #expect(transport.rig.beats.dropFirst(before).filter(\.isPreRoll).count == 8)
    expectGrid(Array(try heard(transport, 0, from: 0).dropFirst(before)))
  }

  @Test(
    "If the role changes during a count, free rolls the transport at once, and follow counts again"
  )
  func roles() throws {
    for role in [SyncMode.free, .link, .follow] {
      var transport = try led()
      transport.start()
      transport.render(frames: 30_000)
      let before = transport.rig.beats.count
      transport.rig.publish(try Score.make(Self.pattern, role: role, preRoll: policy(bars: 2)))
      for _ in 0..<4 { transport.render() }
      #expect((transport.state == .rolling) == (role != .follow))
      transport.render(frames: 400_000)
      #expect(transport.state == .rolling)
      let counted = transport.rig.beats.dropFirst(before).filter(\.isPreRoll)
      #expect(counted.count == (role == .follow ? 8 : 0))
      if role == .follow { expectGrid(Array(try heard(transport, 0, from: 0).dropFirst(before))) }
    }
  }

  @Test("During a count changes of volume move no beat, and a new tempo applies to the rest of the count")
  func changes() throws {
    for isTempo in [false, true] {
      var transport = try led(latency: 511)
      transport.start()
      transport.render(frames: 60_000)
      let before = transport.rig.beats.count
      var gains = Gains()
      gains.master = 0.5
      let pattern = isTempo ? Pattern(thousandths: 200_000) : Self.pattern
      transport.rig.publish(
        try Score.make(pattern, gains: gains, role: .lead, preRoll: policy(bars: 2)))
      transport.render(frames: 400_000)
      let frames = try heard(transport, 511, from: 0)
      let spacing = isTempo ? 14_400 : Self.spacing
      expectGrid(isTempo ? Array(frames.dropFirst(before)) : frames, spacing: spacing)
      #expect(transport.rig.beats.filter(\.isPreRoll).count >= 8)
    }
  }

  @Test("A new tempo applies to the rest of a counted beat, too", arguments: [false, true])
  func slowThenFast(isLed: Bool) throws {
    let (slow, fast) = (Pattern(thousandths: 1_000), Pattern(thousandths: 120_000))
    let role: SyncMode = isLed ? .lead : .free
    let rig = Rig(try Score.make(slow, role: role, preRoll: policy(bars: 1)))
    var transport = HeldTransport(rig)
    if isLed { transport.start() } else { rig.command(.countIn) }
    // A beat has 2 880 000 frames.
    while rig.clock < ClockFrame(720_000) { if isLed { transport.render() } else { rig.render(256) } }
    let first = try #require(rig.beats.first?.frame)
    rig.publish(try Score.make(fast, role: role, preRoll: policy(bars: 1)))
    let change = rig.clock
    while rig.clock < change + 300_000 { if isLed { transport.render() } else { rig.render(256) } }
    let passed = Double(change - first) / 2_880_000
    let frames = rig.beats.dropFirst().map { Double($0.frame - change) }
    // On a transport the rest is delayed until the transport can roll.
    #expect(abs(frames[0] - (1 - passed) * 24_000) <= (isLed ? 257 : 1))
    for (index, frame) in frames.enumerated() {
      #expect(abs(frame - frames[0] - Double(index) * 24_000) <= 1)
    }
    #expect(
      rig.beats.prefix(5).map(\.bar) == [0, 0, 0, 0, 1] && rig.beats.prefix(5).map(\.beat) == [1, 2, 3, 4, 1])
  }

  @Test(
    "A tempo that moves all the time during a held count delays it by two periods at most",
    arguments: [256, 1_024, 4_096], [0, 2_047])
  func movingTempo(period: Int, latency: Int) throws {
    let tempos = (0..<100).map { 90_000 + 300 * $0 }
    let policy = policy(bars: 6)
    func score(_ tempo: Int) throws -> UnsafePointer<Score> {
      try Score.make(Pattern(thousandths: tempo), role: .lead, preRoll: policy)
    }
    let rig = Rig(try score(tempos[0]))
    rig.latencies.out = latency
    var transport = HeldTransport(rig)
    transport.period = period
    transport.start()
    transport.render(frames: 4 * Int64(period))
    let first = try #require(rig.beats.first).frame
    // The beats that have passed at the last change.
    var (passed, last) = (0.0, first)
    for (before, after) in zip(tempos, tempos.dropFirst()) {
      transport.render(frames: 2_000)
      passed += Double(rig.clock - last) * Double(before) / 60_000 / 48_000
      last = rig.clock
      rig.publish(try score(after))
    }
    transport.render(frames: 1_200_000)
    let music = try #require(rig.beats.first { $0.bar == 1 }).frame
    let exact = Double(last - first) + (24 - passed) * 48_000 * 60_000 / Double(tempos.last!)
    let delay = Double(music - first) - exact
    #expect(delay > -1 && delay < 2 * Double(period))
    let numbers = rig.beats.map { 4 * $0.bar + $0.beat }
    #expect(numbers == Array(numbers[0]..<numbers[0] + numbers.count))
    expectGrid(
      try heard(transport, latency, from: 0).suffix(10).map { $0 },
      spacing: 48_000 * 60_000 / Double(tempos.last!))
  }

  @Test("Another piece during a held count is counted for from the start, at its own place")
  func anotherPiece() throws {
    var transport = try led(latency: 511, at: 1_000_000)
    transport.start()
    transport.render(frames: 100_000)
    let before = transport.rig.beats.count
    #expect(before > 2)
    transport.rig.publish(
      Score.make(
        [try Pattern(thousandths: 90_000, meter: (3, 4)).plan(bars: nil)], role: .lead,
        preRoll: policy(bars: 1), piece: 2))
    transport.render(frames: 500_000)
    let after = transport.rig.beats.dropFirst(before)
    expectGrid(Array(try heard(transport, 511, from: 1_000_000).dropFirst(before)), spacing: 32_000)
    // Bar 11 begins at the frame 960 000.
    #expect(
      after.prefix(4).map(\.bar) == [0, 0, 0, 11]
        && after.prefix(4).map(\.isPreRoll) == [true, true, true, true])
  }

  @Test("Another meter during a count begins a new count in it", arguments: [false, true])
  func anotherMeter(isLed: Bool) throws {
    let role: SyncMode = isLed ? .lead : .free
    let rig = Rig(try Score.make(Pattern(), role: role, preRoll: policy(bars: 1)))
    var transport = HeldTransport(rig)
    if isLed { transport.start() } else { rig.command(.countIn) }
    func render(_ frames: Int64) {
      let end = rig.clock + frames
      while rig.clock < end { if isLed { transport.render() } else { rig.render(256) } }
    }
    render(60_000)
    let before = rig.beats.count
    rig.publish(try Score.make(Pattern(meter: (3, 4)), role: role, preRoll: policy(bars: 1)))
    render(200_000)
    let after = rig.beats.dropFirst(before)
    #expect(after.prefix(5).map(\.bar) == [0, 0, 0, 1, 1] && after.prefix(5).map(\.beat) == [1, 2, 3, 1, 2])
    #expect(zip(after, after.dropFirst()).allSatisfy { $1.frame - $0.frame == Int64(24_000) })
  }

  @Test(
    "However often meter and beat unit change during a count or a pause, the music begins within a few bars")
  func manyMeters() throws {
    for isLed in [false, true] {
      let role: SyncMode = isLed ? .lead : .free
      func score(_ meter: (Int, Int), _ unit: (Int, Int)?, _ bars: Int) throws -> UnsafePointer<Score> {
        var pattern = Pattern(thousandths: 240_000, meter: meter)
        pattern.beatUnit = unit.map { (numerator: $0.0, denominator: $0.1) }
        return try Score.make(pattern, role: role, preRoll: policy(bars: bars))
      }
      let rig = Rig(try score((12, 8), nil, isLed ? 1 : 0))
      var transport = HeldTransport(rig, frame: 132_000)
      if isLed {
        transport.start()
        transport.render(frames: 20_000)
      } else {
        rig.command(.start, at: rig.clock)
        rig.render(until: 133_000)
        rig.command(.pause)
      }
      for round in 0..<120 {
        let (meter, unit) = [((6, 8), (3, 8)), ((6, 8), nil), ((12, 8), nil)][round % 3]
        rig.publish(try score(meter, unit, isLed ? 1 : 0))
        if isLed { transport.render(frames: 3_000) } else { rig.render(256) }
      }
      let before = rig.beats.count
      if isLed { transport.render(frames: 600_000) } else { rig.command(.start, at: rig.clock) }
      rig.render(until: rig.clock + 100_000)
      let music = try #require(rig.beats.dropFirst(before).first { !$0.isPreRoll })
      #expect(music.bar >= 1 && music.bar < 240)
    }
  }

  @Test("Shorter beats that begin during a count are counted from the change on")
  func shorterBeats() throws {
    var dotted = Pattern(meter: (6, 8))
    dotted.beatUnit = (3, 8)
    let rig = Rig(try Score.make(dotted, preRoll: policy(bars: 2)))
    rig.command(.countIn)
    // 12 000 frames after the first beat, which has 24 000, an eighth has 24 000.
    rig.render(until: 12_000, period: 1_000)
    rig.publish(try Score.make(Pattern(meter: (6, 8)), preRoll: policy(bars: 2)))
    rig.render(until: 300_000, period: 1_000)
    let after = rig.beats.dropFirst()
    // The change comes in the middle of the second eighth.
    #expect(after.prefix(6).map(\.frame) == (0..<6).map { ClockFrame(24_000 + 24_000 * $0) })
    #expect(
      after.prefix(6).map(\.beat) == [3, 4, 5, 6, 1, 2]
        && after.prefix(6).map(\.bar) == [-1, -1, -1, -1, 0, 0])
  }

  @Test("Changes in every cycle do not keep a transport from rolling", arguments: [0, 1], [0, 4, 100])
  func changesInEveryCycle(bars: Int, from cycle: Int) throws {
    var transport = HeldTransport(Rig(try Score.make(Pattern(), role: .lead, preRoll: policy(bars: bars))))
    transport.start()
    for _ in 0..<cycle { transport.render() }
    for step in 0..<400 where transport.state != .rolling {
      transport.rig.publish(
        try Score.make(Pattern(thousandths: 120_000 + step % 3), role: .lead, preRoll: policy(bars: bars)))
      transport.render()
    }
    #expect(transport.state == .rolling)
    #expect(transport.rig.beats.prefix(4 * bars).allSatisfy { $0.isPreRoll })
  }

  @Test(
    "A beat on the frame of a change is counted, also if the change moves it a frame back",
    arguments: [false, true])
  func beatAtChange(isLed: Bool) throws {
    let role: SyncMode = isLed ? .lead : .free
    let rig = Rig(try Score.make(Pattern(), role: role, preRoll: policy(bars: 2)))
    var transport = HeldTransport(rig)
    if isLed { transport.start() } else { rig.command(.countIn) }
    func render() { if isLed { transport.render() } else { rig.render(256) } }
    // The count's second bar begins on the first frame of this cycle.
    for _ in 0..<(isLed ? 376 : 375) { render() }
    rig.publish(try Score.make(Pattern(thousandths: 119_999), role: role, preRoll: policy(bars: 2)))
    while rig.clock < 260_000 { render() }
    let numbers = rig.beats.map { 4 * $0.bar + $0.beat }
    #expect(numbers == Array(-3..<numbers.count - 3))
  }

  @Test("A tempo in the last period loses no beat of a held count, and puts no two on one frame")
  func tempoInLastPeriod() throws {
    for (latency, frame, tempo) in [(0, 24_500, 30_000), (8_192, 0, 500_000), (24_000, 0, 900_000)] {
      let before = tempo < 120_000 ? 120_000 : 200_000
      for cycle in 80..<150 {
        for offset in [0, 700] as [Int64] {
          let rig = Rig(try Score.make(Pattern(thousandths: before), role: .lead, preRoll: policy(bars: 1)))
          rig.latencies.out = latency
          var transport = HeldTransport(rig, frame: UInt32(frame))
          transport.period = 1_024
          transport.start()
          for _ in 0..<cycle where transport.state != .rolling { transport.render() }
          guard transport.state != .rolling else { continue }
          rig.publish(
            try Score.make(Pattern(thousandths: tempo), role: .lead, preRoll: policy(bars: 1)),
            at: rig.clock + offset)
          transport.render()
          guard transport.state == .rolling else { continue }
          transport.render(frames: 200_000)
          let numbers = rig.beats.map { 4 * $0.bar + $0.beat }
          #expect(zip(rig.beats, rig.beats.dropFirst()).allSatisfy { $0.frame < $1.frame })
          if tempo < 120_000 { #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 }) }
        }
      }
    }
  }

  @Test(
    "Making up for a delay leaves at least half a beat between two beats", arguments: [1_024, 4_096, 8_192])
  func spacing(period: Int) throws {
    for first in 2..<20 {
      for second in first + 1..<first + 7 {
        let rig = Rig(try Score.make(Pattern(thousandths: 300_000), role: .lead, preRoll: policy(bars: 4)))
        var transport = HeldTransport(rig)
        transport.period = period
        transport.start()
        for (cycles, tempo) in [(first, 299_980), (second - first, 300_040)] {
          for _ in 0..<cycles { transport.render() }
          rig.publish(try Score.make(Pattern(thousandths: tempo), role: .lead, preRoll: policy(bars: 4)))
        }
        transport.render(frames: 8 * Int64(period))
        #expect(zip(rig.beats, rig.beats.dropFirst()).allSatisfy { $1.frame - $0.frame >= 4_800 })
      }
    }
  }

  @Test("While a client that is not ready is awaited after a count, a scheduled change begins no beat")
  func scheduledAfterCount() throws {
    var transport = HeldTransport(
      Rig(try Score.make(Pattern(), role: .lead, preRoll: policy(bars: 1))), frame: 90_000)
    transport.othersAreReady = false
    transport.start()
    transport.render(frames: 400_000)
    let before = transport.rig.beats.count
    transport.rig.publish(
      try Score.make(Pattern(meter: (2, 4)), role: .lead, preRoll: policy(bars: 1)),
      at: transport.rig.clock + 100)
    transport.render(frames: 100_000)
    // The next beat had an index that a bar of two beats does not have.
    transport.rig.publish(try Score.make(Pattern(meter: (2, 4)), role: .lead, preRoll: policy(bars: 1)))
    transport.render(frames: 100_000)
    #expect(before == 8 && transport.rig.beats.count == 8)
    transport.othersAreReady = true
    transport.render(frames: 100_000)
    #expect(transport.state == .rolling && transport.rig.beats.count > 8)
  }

  @Test("After a change of role in the last period the next start is measured from its own beginning")
  func roleInLastPeriod() throws {
    for cycle in 330..<345 {
      var transport = try led(bars: 1)
      (transport.patience, transport.answer) = (5 * 48_000, 0)
      transport.start()
      for _ in 0..<cycle { transport.render() }
      transport.rig.publish(try Score.make(Self.pattern, role: .follow, preRoll: policy(bars: 1)))
      transport.render(frames: 300_000)
      transport.stop()
      transport.locate(0)
      transport.render(frames: 480_000)
      let before = transport.requests.count
      transport.start()
      transport.render(frames: 80_000)
      #expect(transport.requests.count == before, "cycle \(cycle)")
    }
  }

  @Test(
    "Subdivisions that change in the last periods of a held count lose no beat, and none of them is counted")
  func subdivisionsAtEnd() throws {
    var parts = Pattern(thousandths: 240_000)
    parts.subdivisions = [4: 0.5]
    let plain = Pattern(thousandths: 240_000)
    for (before, after) in [(parts, plain), (plain, parts)] {
      for latency in [0, 512, 1_024, 2_048] {
        for cycle in 40..<52 {
          let rig = Rig(try Score.make(before, role: .lead, preRoll: policy(bars: 1)))
          rig.latencies.out = latency
          var transport = HeldTransport(rig)
          transport.period = 1_024
          transport.start()
          for _ in 0..<cycle { transport.render() }
          rig.publish(try Score.make(after, role: .lead, preRoll: policy(bars: 1)))
          transport.render(frames: 100_000)
          let numbers = rig.beats.filter { $0.role != .subdivision }.map { 4 * $0.bar + $0.beat - 1 }
          #expect(numbers.starts(with: 0..<4) && numbers.count > 9)
          #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
          #expect(rig.beats.allSatisfy { !$0.isPreRoll || $0.role != .subdivision })
        }
      }
    }
  }

  @Test("Subdivisions and volumes that change during a count move no beat of it")
  func subdivisions() throws {
    var parts = Self.pattern
    parts.subdivisions = [2: 0.5, 3: 0.5]
    for patterns in [(Self.pattern, parts), (parts, Self.pattern)] {
      let rig = Rig(try Score.make(patterns.0, preRoll: policy(bars: 2)))
      rig.command(.countIn)
      rig.render(until: 60_000)
      rig.publish(try Score.make(patterns.1, preRoll: policy(bars: 2)))
      rig.render(until: 400_000)
      let beats = rig.beats.filter { $0.role != .subdivision }
      expectGrid(beats.map { Double($0.frame - beats[0].frame) }, within: 1)
      #expect(beats.prefix(8).map(\.beat) == [1, 2, 3, 4, 1, 2, 3, 4])
    }
  }

  @Test(
    "If the period and the latency change during a count, its rest and the music share the transport's grid",
    arguments: [(1_024, 8_192), (8_192, 1_024), (256, 32), (441, 1_000), (256, 256)],
    [(2, 2), (0, 2), (2, 0)])
  func changedPeriod(periods: (Int, Int), latencies: (Int, Int)) throws {
    let latency = (before: latencies.0 * periods.0, after: latencies.1 * periods.1)
    // Up to the last period before the music's first beat, which ends the count.
    for frames in stride(from: Int64(90_000), to: 172_000 - 2 * Int64(periods.0), by: 2_999) {
      for frame: UInt32 in [0, 21_541] {
        var transport = try led(latency: latency.before, at: frame, period: periods.0)
        let start = transport.rig.clock
        transport.start()
        transport.render(frames: frames)
        let change = transport.rig.clock
        transport.period = periods.1
        transport.rig.latencies.out = latency.after
        transport.render(frames: 500_000)
        let heard = try heard(transport, latency.after, from: frame)
        let count = transport.rig.beats.count { $0.frame < change }
        expectGrid(Array(heard.dropFirst(count)))
        // No beat is lost, and the rest begins later by less than two periods.
        #expect(transport.rig.beats.prefix(8).map(\.bar) == [-1, -1, -1, -1, 0, 0, 0, 0])
        let gap = heard[count] - heard[count - 1]
        #expect(gap > Self.spacing - 1 && gap < Self.spacing + 2 * Double(periods.1) + 1)
        let music = transport.rig.beats.map { 4 * $0.bar + $0.beat }
        #expect(
          music == Array(music[0]..<music[0] + music.count), "after \(change - start), frame \(frame)")
      }
    }
  }

  @Test(
    "Another beat unit during a count keeps the places in the bar", arguments: [0, 1, 2, 3, 4, 5],
    [false, true])
  func beatUnit(eighths: Int64, isLocated: Bool) throws {
    let pattern = Pattern(meter: (6, 8))
    var dotted = pattern
    dotted.beatUnit = (3, 8)
    let rig = Rig(try Score.make(pattern, preRoll: policy(bars: 1)))
    // The music begins on an eighth of bar 2.
    if isLocated {
      rig.command(.locate(Position(bar: 2, beat: Int(eighths) + 1)))
    } else {
      rig.command(.start, at: 0)
      rig.command(.pause, at: ClockFrame(144_000 + 24_000 * eighths))
      rig.render(until: 300_000)
      rig.forgetEvents()
    }
    let begin = rig.clock
    rig.command(.countIn)
    // Half an eighth after its third eighth the count goes on in dotted quarters of 24 000 frames, so an eighth has 8 000.
    rig.render(until: begin + 60_000, period: 1_000)
    #expect(rig.beats.map { $0.frame - begin } == [0, 24_000, 48_000])
    rig.publish(try Score.make(dotted, preRoll: policy(bars: 1)))
    rig.render(until: begin + 300_000, period: 1_000)
    let after = Array(rig.beats.dropFirst(3))
    // The second beat of the count begins on the fourth eighth.
    for (index, beat) in after.enumerated() {
      #expect(abs(beat.frame - begin - (64_000 + 24_000 * Int64(index))) <= 1)
      #expect(beat.beat == 2 - index % 2)
    }
    #expect(after[0].bar == 0 && after[0].isPreRoll)
    let first = try #require(after.first { !$0.isPreRoll })
    // Beats before the music's place in bar 2 are counted, too.
    #expect(first.bar == (eighths <= 3 ? 2 : 3) && first.beat == (1...3 ~= eighths ? 2 : 1))
  }

  @Test("A leader that changes its tempo during a held count changes the count's, without bursts or gaps")
  func leaderTempo() throws {
    for after in [60.0, 200.0] {
      let rig = Rig(try Score.make(Pattern(), role: .follow, preRoll: policy(bars: 2)))
      var tempo = 120.0
      var transport = HeldTransport(rig, frame: 2_000_000) { _ in
        Cycle.Leader(
          bar: 10, beat: 1, tick: 0, isTickExact: true, ticksPerBeat: 1_920, offset: 0,
          beatsPerMinute: tempo, beatsPerBar: 4, beatType: 4)
      }
      transport.start()
      transport.render(frames: 50_000)
      tempo = after
      transport.render(frames: after < 100 ? 200_000 : 70_000)
      #expect(isComplete(rig.beats.filter(\.isPreRoll)))
      let spacing = 60 * 48_000 / after
      for (before, beat) in zip(rig.beats.dropFirst(3), rig.beats.dropFirst(4)) {
        #expect(abs(Double(beat.frame - before.frame) - spacing) <= 1)
      }
    }
  }

  @Test("A click offset that moves all the time does not keep a transport from rolling", arguments: [-1, 1])
  func movingOffset(step: Int) throws {
    let rig = Rig(try Score.make(Pattern(), role: .lead, preRoll: policy(bars: 1)))
    var transport = HeldTransport(rig)
    transport.period = 1_024
    transport.start()
    for cycle in 0..<1_000 where transport.state != .rolling {
      var latency = LatencyPolicy()
      latency.clickOffset = step * cycle
      rig.publish(try Score.make(Pattern(), role: .lead, latency: latency, preRoll: policy(bars: 1)))
      transport.render()
    }
    #expect(transport.state == .rolling && rig.clock < 96_000 + 5 * 1_024)
  }

  @Test(
    "Periods that change in each cycle delay a count by a few of them",
    arguments: [(1_024, 512), (1_024, 1_000), (1_024, 1_023), (256, 8_192), (512, 511)])
  func movingPeriod(periods: (Int, Int)) throws {
    let rig = Rig(try Score.make(Pattern(), role: .lead, preRoll: policy(bars: 4)))
    var transport = HeldTransport(rig)
    transport.start()
    var cycle = 0
    while transport.state != .rolling, cycle < 10_000 {
      transport.period = cycle % 2 == 0 ? periods.0 : periods.1
      transport.render()
      cycle += 1
    }
    #expect(rig.clock < 384_000 + 4 * 8_192)
    #expect(isComplete(rig.beats))
  }

  @Test(
    "A thousand changes of tempo during a count put the music on the frame on which they put playing music")
  func manyTempos() throws {
    let policy = policy(bars: 16)
    let rigs = [Rig(try Score.make(Pattern(), preRoll: policy)), Rig(try Score.make(Pattern()))]
    rigs[0].command(.countIn)
    rigs[1].command(.start)
    for change in 0..<1_000 {
      let tempo = 118_000 + change * 7_919 % 4_000
      for rig in rigs {
        rig.render(960)
        rig.publish(try Score.make(Pattern(thousandths: tempo), preRoll: policy))
      }
    }
    for rig in rigs { rig.render(until: rig.clock + 1_000_000) }
    let music = try #require(rigs[0].beats.first { !$0.isPreRoll })
    let playing = try #require(rigs[1].beats.first { $0.bar == 17 })
    #expect(abs(music.frame - playing.frame) <= 1)
  }

  @Test("A tempo that makes a count longer than a minute begins a shorter one", arguments: [false, true])
  func longest(isLed: Bool) throws {
    let role: SyncMode = isLed ? .lead : .free
    let rig = Rig(try Score.make(Pattern(thousandths: 999_000), role: role, preRoll: policy(bars: 16)))
    var transport = HeldTransport(rig)
    if isLed { transport.start() } else { rig.command(.countIn) }
    func render(_ frames: Int64) {
      let end = rig.clock + frames
      while rig.clock < end { if isLed { transport.render() } else { rig.render(256) } }
    }
    render(20_000)
    let before = rig.beats.count
    // A bar has 20 seconds.
    rig.publish(try Score.make(Pattern(thousandths: 12_000), role: role, preRoll: policy(bars: 16)))
    render(4 * 960_000)
    let after = Array(rig.beats.dropFirst(before))
    #expect(after.prefix(12).map(\.bar) == [-2, -2, -2, -2, -1, -1, -1, -1, 0, 0, 0, 0])
    #expect(after[12].bar == 1)
  }

  @Test("If the sample rate changes while a transport waits, it is counted for again")
  func sampleRate() throws {
    var transport = try led()
    let rig = transport.rig
    transport.start()
    transport.render(frames: 50_000)
    let before = rig.beats.count
    rig.cycleRate = 96_000
    transport.render(frames: 10_000)
    #expect(rig.events.contains { if case .stopped = $0 { true } else { false } })
    rig.publish(
      try Score.make(Self.pattern, sampleRate: 96_000, role: .lead, preRoll: policy(bars: 1)))
    transport.render(frames: 400_000)
    #expect(transport.state == .rolling)
    #expect(rig.beats.dropFirst(before).prefix(5).map(\.isPreRoll) == [true, true, true, true, false])
  }
}
