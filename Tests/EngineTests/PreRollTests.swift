import Engine
import MusicTime
import Testing

/// Bars that are counted before the music begins.
@Suite("Pre-roll")
struct PreRollTests {
  private static let spacing = 60 * 48_000 / 133.7
  private static let pattern = Pattern(thousandths: 133_700)

  private func policy(bars: Int = 0, seconds: Double = 0) -> PreRollPolicy {
    var policy = PreRollPolicy()
    (policy.bars, policy.seconds) = (bars, seconds)
    return policy
  }

  private func led(
    bars: Int = 2, latency: Int = 0, at frame: UInt32 = 0, period: Int = 256
  ) throws -> HeldTransport {
    let rig = Rig(try Score.make(PreRollTests.pattern, role: .lead, preRoll: policy(bars: bars)))
    rig.latencies.out = latency
    var transport = HeldTransport(rig, frame: frame)
    transport.period = period
    return transport
  }

  /// The transport's frames at which beats are heard, extrapolated to the time before it rolls.
  private func heard(_ transport: HeldTransport, _ latency: Int, from frame: UInt32) throws -> [Double] {
    let begin = try #require(transport.begin)
    return transport.rig.beats.map { Double($0.frame - begin + Int64(latency)) + Double(frame) }
  }

  private func expectGrid(
    _ frames: [Double], spacing: Double = PreRollTests.spacing, within tolerance: Double = 0.5
  ) {
    for (index, frame) in frames.enumerated() {
      let beat = (frame / spacing).rounded()
      #expect(abs(frame - beat * spacing) <= tolerance + 1e-6)
      if index > 0 { #expect(beat == (frames[index - 1] / spacing).rounded() + 1) }
    }
  }

  @Test("A transport on the frame nearest to a bar line is counted for from whole bars before that line")
  func barLines() throws {
    // The lines lie up to half a frame before and after these frames.
    for bar in 1...40 {
      let frame = UInt32((Double(bar) * 4 * PreRollTests.spacing).rounded())
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
      let intoBar = Double(frame).truncatingRemainder(dividingBy: 4 * PreRollTests.spacing)
      #expect(abs(frames[0] - (Double(frame) - intoBar - 8 * PreRollTests.spacing)) <= 0.5 + 1e-6)
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
    let rig = Rig(try Score.make(PreRollTests.pattern, preRoll: policy(bars: bars)))
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
    let rig = Rig(try Score.make(PreRollTests.pattern, preRoll: policy(bars: 1)))
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

    let rig = Rig(try Score.make(PreRollTests.pattern, preRoll: policy(bars: 1)))
    rig.command(.countIn)
    rig.render(until: 50_000)
    rig.command(.stop)
    rig.render(until: 300_000)
    #expect(rig.beats.count == 3)
  }

  @Test("A locate while the transport rolls has no pre-roll")
  func locates() throws {
    var transport = try led()
    transport.start()
    transport.render(frames: 400_000)
    for frame: UInt32 in [96_000, 500_000, 96_000] {
      transport.locate(frame)
      transport.render()
      transport.render()
      #expect(transport.state == .rolling)
      transport.render(frames: 60_000)
    }
    #expect(transport.rig.beats.filter(\.isPreRoll).count == 8)
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

  @Test(
    "In free a locate or a jump during the count restarts the count at the new position",
    arguments: [false, true])
  func movedInFree(isJump: Bool) throws {
    let plans = [try PreRollTests.pattern.plan(bars: 4), try PreRollTests.pattern.plan(bars: 8)]
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
      let rig = Rig(try Score.make(PreRollTests.pattern, preRoll: policy(bars: 1)))
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

  @Test("If the tempo changes during a count to a place between two frames, count and music share one grid")
  func changesBetweenFrames() throws {
    for pause in stride(from: 150_000, to: 150_400, by: 37) as StrideTo<Int64> {
      let rig = Rig(try Score.make(PreRollTests.pattern, preRoll: policy(bars: 2)))
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

  @Test("A change of role while a transport waits does not restart the measured wait")
  func roleInLimitedWait() throws {
    var transport = try led(bars: 2)
    (transport.patience, transport.answer) = (5 * 48_000, 0)
    transport.start()
    transport.render(frames: 140_000)
    transport.rig.publish(try Score.make(PreRollTests.pattern, role: .follow, preRoll: policy(bars: 2)))
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
      transport.rig.publish(try Score.make(PreRollTests.pattern, role: role, preRoll: policy(bars: 2)))
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
      let pattern = isTempo ? Pattern(thousandths: 200_000) : PreRollTests.pattern
      transport.rig.publish(
        try Score.make(pattern, gains: gains, role: .lead, preRoll: policy(bars: 2)))
      transport.render(frames: 400_000)
      let frames = try heard(transport, 511, from: 0)
      let spacing = isTempo ? 14_400 : PreRollTests.spacing
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

  @Test("After a change of role in the last period the next start is measured from its own beginning")
  func roleInLastPeriod() throws {
    for cycle in 330..<345 {
      var transport = try led(bars: 1)
      (transport.patience, transport.answer) = (5 * 48_000, 0)
      transport.start()
      for _ in 0..<cycle { transport.render() }
      transport.rig.publish(try Score.make(PreRollTests.pattern, role: .follow, preRoll: policy(bars: 1)))
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
    var parts = PreRollTests.pattern
    parts.subdivisions = [2: 0.5, 3: 0.5]
    for patterns in [(PreRollTests.pattern, parts), (parts, PreRollTests.pattern)] {
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

  @Test("Missed cycles drop beats of the count and move none")
  func missedCycles() throws {
    let rig = Rig(try Score.make(PreRollTests.pattern, preRoll: policy(bars: 2)))
    rig.command(.countIn)
    rig.render(until: 30_000)
    rig.miss(20_000)
    rig.render(until: 500_000)
    let first = try #require(rig.beats.first { !$0.isPreRoll })
    for beat in rig.beats {
      let beats = Double(beat.frame - first.frame) / PreRollTests.spacing
      #expect(abs(beats - beats.rounded()) * PreRollTests.spacing <= 0.5 + 1e-6)
    }
    #expect(rig.beats.filter(\.isPreRoll).count == 7)
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
        #expect(gap > PreRollTests.spacing - 1 && gap < PreRollTests.spacing + 2 * Double(periods.1) + 1)
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
}
