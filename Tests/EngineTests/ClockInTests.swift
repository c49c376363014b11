import Engine
import MIDI
import MusicTime
import TestNumbers
import Testing

@Suite struct ClockInTests {
  private func machine(_ quarters: Int = 0, at time: Double = 10_000) -> ClockMachine {
    var machine = ClockMachine(at: time)
    machine.send(.start)
    machine.play(24 * quarters, beatsPerMinute: 120)
    return machine
  }

  /// The events in short form: clicks as `bar.beat at frame`.
  private func story(_ rig: Rig) -> [String] {
    rig.events.compactMap { event in
      switch event {
      case .beat(let beat): "\(beat.bar).\(beat.beat) at \(beat.frame)"
      case .started(let frame): "started at \(frame)"
      case .stopped(let frame): "stopped at \(frame)"
      case .finished(let frame): "finished at \(frame)"
      case .succeeded(let next): "succeeded at \(next.frame)"
      case .leader(let leader): "leader \(leader.count)/\(leader.unit)"
      case .leaderLeft: "left"
      case .leadLost: "lost"
      case .stoppedAtBar(let frame): "stopped at the bar line \(frame)"
      case .predicted, .withdrawn, .holdExpires: nil
      }
    }
  }

  @Test func `The first pulse after a start is the downbeat, on its frame; pulses before it play nothing`()
    throws
  {
    var machine = ClockMachine(at: 500)
    machine.play(50, beatsPerMinute: 100)
    let start = ClockFrame(Int64(machine.time.rounded()))
    machine.send(.start)
    machine.play(49, beatsPerMinute: 100)
    let rig = try Rig.following()
    rig.play(machine)
    #expect(
      story(rig) == [
        "leader 0/4", "started at \(start)", "1.1 at \(start)", "1.2 at \(start + 28_800)",
        "1.3 at \(start + 57_600)",
      ])
  }

  @Test(arguments: [1, 64, 1_000, 8_192])
  func `Periods make no difference`(_ period: Int) throws {
    var machine = ClockMachine(jitter: 3, dropOuts: 0.02, seed: 5)
    machine.send(.start)
    machine.play(24 * 8, beatsPerMinute: 133)
    machine.send(.songPosition(SongPosition(sixteenths: 7)!))
    machine.send(.stop)
    machine.send(.continue)
    machine.play(24 * 8, beatsPerMinute: 77)
    let pattern = Pattern(subdivisions: [3: 0.5, 4: 0.5])
    let (one, other) = (try Rig.following(pattern), try Rig.following(pattern))
    one.play(machine, period: 256)
    other.play(machine, period: period)
    // After the last pulse the music is extrapolated up to the end of the last period.
    #expect(story(one).count > 50)
    let common = min(story(one).count, story(other).count)
    #expect(story(one).prefix(common) == story(other).prefix(common))
    #expect(abs(one.beats.count - other.beats.count) <= 1)
  }

  @Test func `A stop keeps the position, continue resumes there, and start begins at bar 1`() throws {
    var machine = machine(2)
    machine.play(12, beatsPerMinute: 120)
    let stop = ClockFrame(Int64(machine.time.rounded()))
    machine.sendAlone(.stop)
    machine.play(100, beatsPerMinute: 120)
    // A continue goes on with the next pulse, the thirteenth of the third quarter.
    let next = ClockFrame(Int64(machine.time.rounded()))
    machine.send(.continue)
    machine.play(30, beatsPerMinute: 120)
    let again = ClockFrame(Int64(machine.time.rounded()))
    machine.send(.start)
    machine.play(10, beatsPerMinute: 120)
    let rig = try Rig.following()
    rig.play(machine)
    #expect(
      story(rig).filter { !$0.hasPrefix("leader") } == [
        "started at 10000", "1.1 at 10000", "1.2 at 34000", "1.3 at 58000", "stopped at \(stop)",
        "started at \(next)", "1.4 at \(next + 12_000)", "1.1 at \(again)",
      ])
  }

  @Test func `A song position is where continue goes`() throws {
    var machine = machine(1)
    machine.sendAlone(.stop)
    machine.play(10, beatsPerMinute: 120)
    // The fourth sixteenth of beat 3 in bar 3: a sixteenth before beat 4.
    machine.send(.songPosition(SongPosition(sixteenths: 32 + 11)!))
    machine.send(.continue)
    let next = ClockFrame(Int64(machine.time.rounded()))
    machine.play(40, beatsPerMinute: 120)
    let rig = try Rig.following()
    rig.play(machine)
    #expect(rig.quarters.map(\.frame) == [10_000, next + 6_000, next + 30_000])
    #expect(rig.quarters.map { "\($0.bar).\($0.beat)" } == ["1.1", "3.4", "4.1"])
  }

  @Test func `If a machine loops, each downbeat sounds once, however its pulses jitter`() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      var machine = ClockMachine(jitter: 2, seed: seed)
      machine.send(.start)
      machine.play(24 * 16, beatsPerMinute: 120)
      let lapTimes = (0..<4).map { _ in
        machine.send(.stop)
        machine.send(.songPosition(SongPosition(sixteenths: 0)!))
        machine.send(.continue)
        let time = machine.time
        machine.play(24 * 8, beatsPerMinute: 120)
        return time
      }
      let rig = try Rig.following()
      rig.play(machine)
      #expect(rig.quarters.count == 16 + 4 * 8)
      for time in lapTimes {
        #expect(rig.quarters.count { abs(Double($0.frame.number) - time) < 1_000 } == 1)
      }
    }
  }

  @Test func `A song's sections and meters are found from the pulses alone`() throws {
    let plans = [
      try Pattern(meter: (3, 4)).plan(bars: 2), try Pattern(meter: (7, 8)).plan(bars: 1),
      try Pattern(meter: (4, 4)).plan(bars: 2),
    ]
    // Bars begin at 0, 3, 6, 9.5, 13.5 quarters, and after 17.5 the second section comes again.
    let starts = [0, 3, 6, 9.5, 13.5, 17.5, 21, 25, 29]
    var machine = machine(32)
    machine.sendAlone(.stop)
    machine.play(3, beatsPerMinute: 120)
    let place = machine.time
    machine.send(.songPosition(SongPosition(sixteenths: 84)!))
    machine.send(.continue)
    machine.play(24, beatsPerMinute: 120)
    let rig = Rig(Score.make(plans, role: .midiClock, loop: 1))
    rig.play(machine)
    let downbeats = rig.quarters.filter { $0.beat == 1 }
    let expected =
      starts.map { ClockFrame(10_000 + Int64($0 * 24_000)) } + [ClockFrame(Int64(place.rounded()))]
    #expect(downbeats.map(\.frame) == expected)
    #expect(downbeats.map(\.bar) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 7])
    #expect(downbeats.map(\.section) == [0, 0, 1, 2, 2, 1, 2, 2, 1, 2])
  }

  @Test func `A silent clock leaves the music at its last tempo until it is back`() throws {
    var machine = machine(8)
    machine.fallSilent(24 * 4, beatsPerMinute: 120)
    machine.play(24 * 4, beatsPerMinute: 120)
    let rig = try Rig.following()
    rig.play(machine)
    #expect(ClockHearing(rig.quarters, quarters: machine.quarters).largest(from: 0) < 0.02)
    #expect(rig.quarters.count == 16)
    #expect(
      story(rig).filter { !$0.contains(".") } == ["started at 10000", "leader 0/4", "left", "leader 0/4"])
  }

  @Test func `With loss set to stop, the music stops with the clock and waits for the next start`() throws {
    var machine = machine(8)
    machine.fallSilent(24 * 4, beatsPerMinute: 120)
    machine.play(24 * 2, beatsPerMinute: 120)
    let start = ClockFrame(Int64(machine.time.rounded()))
    machine.send(.start)
    machine.play(10, beatsPerMinute: 120)
    let rig = try Rig.following(stopsWhenLost: true)
    rig.play(machine)
    let stopped = try #require(story(rig).first { $0.hasPrefix("stopped") })
    // Half a second after the last pulse.
    let frame = try #require(Int64(stopped.dropFirst("stopped at ".count)))
    #expect(201_000 + 24_000...201_000 + 24_300 ~= frame)
    #expect(
      story(rig).filter { !$0.contains(".") } == [
        "started at 10000", "leader 0/4", "left", stopped, "leader 0/4", "started at \(start)",
      ])
    #expect(rig.quarters.last?.frame == start)
    #expect(rig.quarters.filter { $0.frame.number > frame }.count == 1)
  }

  @Test func `Stopped and started by the user, the music joins the clock at its current position`() throws {
    let machine = machine(12)
    let rig = try Rig.following()
    rig.clockIn = machine.events
    rig.command(.stop, at: 60_000)
    rig.command(.locate(Position(bar: 9, beat: 1)), at: 70_000)
    rig.command(.start, at: 200_000)
    rig.render(until: 270_000)
    #expect(rig.quarters.map(\.frame) == [0, 1, 2, 8, 9, 10].map { 10_000 + 24_000 * $0 })
    #expect(rig.quarters.map { "\($0.bar).\($0.beat)" } == ["1.1", "1.2", "1.3", "3.1", "3.2", "3.3"])
  }

  @Test func `Taking the role joins a running clock; leaving it keeps the position`() throws {
    let machine = machine(16)
    let rig = Rig(try Score.make(Pattern(thousandths: 60_000)))
    rig.clockIn = machine.events
    rig.render(until: 99_840)
    #expect(rig.events.isEmpty)
    rig.publish(try Score.make(Pattern(thousandths: 60_000), role: .midiClock))
    rig.render(until: 160_000)
    // It is at 120 there, and at 60 when it is alone again, half a quarter later.
    rig.publish(try Score.make(Pattern(thousandths: 60_000)))
    rig.render(until: 300_000)
    let frames = rig.quarters.map(\.frame)
    #expect(frames.prefix(3) == [106_000, 130_000, 154_000])
    #expect(rig.quarters.prefix(4).map { "\($0.bar).\($0.beat)" } == ["2.1", "2.2", "2.3", "2.4"])
    let joint = Int64(160_000 + 255) / 256 * 256
    let left = Double(joint - 154_000) / 24_000
    #expect(abs(Double(frames[3].number - joint) - (1 - left) * 48_000) <= 600)
    #expect(frames[4] - frames[3] == 48_000)
  }

  @Test(arguments: [700, 3_000])
  func `Latencies put the clicks before the pulses, and the first one sounds at once`(_ latency: Int) throws {
    let machine = machine(8)
    let rig = try Rig.following(Pattern(subdivisions: [2: 0.5]), advance: -100)
    rig.clockLatency = latency + 100
    rig.play(machine)
    let expected: [ClockFrame] = [10_000] + (1..<8).map { 10_000 + 24_000 * Int64($0) - Int64(latency) }
    #expect(rig.quarters.map(\.frame).prefix(8) == expected[...])
  }

  @Test func `A score that takes over while the clock runs loses no click`() throws {
    var machine = ClockMachine(jitter: 2, seed: 3)
    machine.send(.start)
    machine.play(24 * 64, beatsPerMinute: 120)
    let rig = try Rig.following()
    rig.clockIn = machine.events
    var numbers = Generator(seed: 9)
    while rig.clock < ClockFrame(Int64(machine.time) - 100) {
      rig.render(256)
      guard numbers.oneIn(3) else { continue }
      let parts = numbers.oneIn(2) ? [2: Float(0.5)] : [:]
      rig.publish(try Score.make(Pattern(subdivisions: parts), role: .midiClock))
    }
    let hearing = ClockHearing(rig.quarters, quarters: machine.quarters)
    #expect(hearing.faults == [])
    #expect(hearing.largest(from: 8) < 0.7)
  }

  @Test(arguments: [0, 2.0], [Quantise.now, .bar])
  func `Another meter begins at once while the clock runs, in bars that are counted from its start`(
    jitter: Double, quantise: Quantise
  ) throws {
    var numbers = Generator(seed: 4)
    func meter() -> (Int, Int) { (numbers.number(1...7), [1, 2, 4, 8][numbers.number(0...3)]) }
    for _ in 0..<60 {
      let (old, new) = (meter(), meter())
      var machine = ClockMachine(jitter: jitter, seed: UInt64(numbers.number(1...1_000)))
      machine.send(.start)
      machine.play(24 * 160, beatsPerMinute: 120)
      let rig = try Rig.following(Pattern(meter: old))
      rig.recordMIDI()
      rig.clockIn = machine.events
      rig.render(until: ClockFrame(Int64(numbers.number(200_000...1_500_000))), period: 256)
      let change = rig.clock
      rig.publish(try Score.make(Pattern(meter: new), role: .midiClock, quantise: quantise))
      rig.render(until: ClockFrame(Int64(machine.time) - 100), period: 256)

      let name = "\(old) to \(new) at \(change)"
      let whole = 96_000.0
      let (beat, before) = (whole / Double(new.1), whole / Double(old.1))
      // The bar that plays ends first.
      let made = change + (quantise == .bar ? Int64(before * Double(old.0)) + 1_000 : 1_000)
      for click in rig.quarters where click.frame > made {
        let count = (Double(click.frame.number) - 10_000) / beat
        #expect(abs(count - count.rounded()) * beat < 150, "\(name): \(click)")
        let number = Int(count.rounded())
        #expect(click.bar == number / new.0 + 1 && click.beat == number % new.0 + 1, "\(name): \(click)")
      }
      for (one, next) in zip(rig.quarters, rig.quarters.dropFirst()) {
        let gap = Double(next.frame - one.frame)
        #expect(gap < max(beat, before) + 200, "\(name): \(one), \(next)")
        #expect(gap > whole / 128, "\(name): \(one), \(next)")
      }
      let pulses = rig.pulses.filter { $0.message == .clock }
      for (one, next) in zip(pulses, pulses.dropFirst()) {
        #expect(
          abs(Double(next.frame - one.frame) - 1_000) < 250, "\(name): pulses at \(one.frame), \(next.frame)")
      }
    }
  }

  @Test func `Missed cycles put nothing out of place`() throws {
    let machine = machine(32)
    let rig = try Rig.following()
    rig.clockIn = machine.events
    while rig.clock < 700_000 {
      rig.render(256)
      if rig.clock.number % 25_600 == 0 { rig.miss(3_000) }
    }
    #expect(rig.quarters.count > 20)
    for click in rig.quarters { #expect((click.frame - 10_000) % 24_000 == 0) }
  }

  @Test func `Any messages in any order keep it consistent`() throws {
    var numbers = Generator(seed: 77)
    var events: [MIDIEvent] = []
    var frame: ClockFrame = 0
    for _ in 0..<100_000 {
      let message: MIDIMessage =
        switch numbers.number(0...40) {
        case 0: .start
        case 1: .stop
        case 2: .continue
        case 3: .songPosition(SongPosition(sixteenths: Int64(numbers.number(0...16_383)))!)
        case 4: .reset
        default: .clock
        }
      events.append(MIDIEvent(message, at: frame))
      frame += Int64(numbers.number(0...1 << numbers.number(0...13)))
    }
    let plans = [try Pattern(meter: (3, 4)).plan(bars: 2), try Pattern(meter: (5, 8)).plan(bars: 3)]
    let rig = Rig(Score.make(plans, role: .midiClock, loop: 0))
    rig.clockIn = events
    var last = ClockFrame.earliest
    while rig.clock < frame {
      for case .beat(let beat) in rig.render(512) {
        #expect(beat.frame >= last && beat.frame >= rig.clock - 512 && beat.frame < rig.clock)
        last = beat.frame
      }
      rig.forgetEvents()
    }
  }
}
