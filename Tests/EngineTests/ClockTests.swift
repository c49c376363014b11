import Engine
import MIDI
import MusicTime
import TestNumbers
import Testing

@Suite("MIDI clock")
struct ClockTests {
  private static let patterns = [
    Pattern(), Pattern(thousandths: 133_700, meter: (7, 8)),
    Pattern(thousandths: 61_234, meter: (7, 8), beatUnit: (1, 4)),
    Pattern(thousandths: 999_999, meter: (5, 3)), Pattern(thousandths: 1_000, meter: (3, 4)),
    Pattern(thousandths: 333_333, meter: (13, 99), beatUnit: (7, 16)),
    Pattern(thousandths: 87_001, meter: (12, 8), beatUnit: (3, 8)),
  ]

  /// Frames from one pulse to the next, as a fraction: a quarter has 24, and a whole note `1/unit` beats.
  private func pulse(_ pattern: Pattern, _ sampleRate: Int) -> (numerator: Int128, denominator: Int128) {
    (
      60_000 * Int128(sampleRate) * Int128(pattern.unit.denominator),
      96 * Int128(pattern.thousandths) * Int128(pattern.unit.numerator)
    )
  }

  @Test("Every pulse lies on the frame nearest to its exact time, also after a day", arguments: patterns)
  func exact(pattern: Pattern) throws {
    for sampleRate in [44_100, 48_000, 192_000] {
      let rig = Rig(try Score.make(pattern, sampleRate: sampleRate), sampleRate: sampleRate)
      rig.recordMIDI()
      rig.command(.start, at: 777)
      var numbers = Generator(seed: 4)
      let window = Int64(20 * sampleRate)
      while rig.clock.number < window { rig.render(numbers.number(1...2_048)) }
      let (numerator, denominator) = pulse(pattern, sampleRate)
      func distance(_ index: Int64, _ frame: ClockFrame) -> Int128 {
        abs(2 * (Int128(frame - 777) * denominator - Int128(index) * numerator))
      }
      var machine = Machine()
      machine.follow(rig.pulses)
      #expect(machine.faults == [] && machine.idle == [] && machine.orders == ["start"])
      #expect(machine.pulses.allSatisfy { distance($0.index, $0.frame) <= denominator })
      let last = try #require(machine.pulses.last)
      #expect(Int128(rig.clock - 778) * denominator < Int128(last.index + 1) * numerator)

      // A day later, in which the cycles were missed.
      rig.clock = ClockFrame(86_400 * Int64(sampleRate) + 123)
      rig.forgetMIDI()
      let start = rig.clock
      while rig.clock < start + window { rig.render(numbers.number(1...2_048)) }
      // Song position cannot express the count that late: count from the first sixteenth.
      let frames = rig.pulses.filter { $0.message == .clock }.map(\.frame)
      let sixteenth = 6 * numerator
      let first = (Int128(start - 777) * denominator - denominator / 2 + sixteenth - 1) / sixteenth * 6
      let tail = rig.pulses.filter { $0.message != .clock }.map(\.message)
      if first <= 6 * Int128(SongPosition.maximum) {
        #expect(tail.count == 3)
      } else {
        #expect(tail == [.stop, .continue])
      }
      #expect(
        frames.enumerated().allSatisfy {
          distance(Int64(first) + Int64($0.offset), $0.element) <= denominator
        })
    }
  }

  @Test("A start and its pulse come on the frame of the click; at the end comes a stop")
  func order() throws {
    let rig = Rig(Score.make([try Pattern().plan(bars: 1)]))
    rig.recordMIDI()
    rig.command(.start, at: 100)
    rig.render(until: 200_000)
    #expect(rig.pulses.prefix(2) == [MIDIEvent(.start, at: 100), MIDIEvent(.clock, at: 100)])
    #expect(rig.pulses.dropFirst(1).dropLast().map(\.frame) == row(from: 100, 1_000, count: 96))
    #expect(rig.pulses.last == MIDIEvent(.stop, at: 96_100))
  }

  /// Music at 120 that starts on frame 0, and pauses between two frames.
  private func paused(at pause: ClockFrame, until start: ClockFrame, _ clock: MIDIClockOutput) throws -> Rig {
    let rig = Rig(try Score.make(Pattern(), clock: clock))
    rig.recordMIDI()
    rig.command(.start, at: 0)
    rig.command(.pause, at: pause)
    rig.command(.start, at: start)
    return rig
  }

  @Test("After a pause it goes on at the next sixteenth")
  func pause() throws {
    let rig = Rig(try Score.make(Pattern()))
    rig.recordMIDI()
    rig.command(.start, at: 0)
    // In the middle of pulse 13, and on the sixteenth of pulse 24.
    rig.command(.pause, at: 13_500)
    rig.command(.start, at: 50_000)
    rig.command(.pause, at: 60_500)
    rig.command(.start, at: 100_000)
    rig.render(until: 110_000)
    var machine = Machine()
    machine.follow(rig.pulses)
    #expect(machine.faults == [] && machine.idle == [])
    #expect(machine.orders == ["start", "stop", "position 3", "continue", "stop", "position 4", "continue"])
    #expect(
      rig.pulses.filter { $0.message != .clock }.map(\.frame)
        == [0, 13_500, 50_000, 54_500, 60_500, 100_000, 100_000])
    #expect(machine.pulses.first { $0.frame >= 50_000 } == Machine.Pulse(index: 18, frame: 54_500))
    #expect(machine.pulses.first { $0.frame >= 100_000 } == Machine.Pulse(index: 24, frame: 100_000))
  }

  @Test(
    "A machine that is connected late is placed at the next sixteenth, once; one that was there for the start, or while nothing plays, is not"
  )
  func late() throws {
    let rig = Rig(try Score.make(Pattern()))
    rig.recordMIDI()
    rig.command(.placeMachines(connectedAt: 5), at: 10)
    rig.command(.start, at: 100)
    rig.command(.placeMachines(connectedAt: 90), at: 6_000)
    rig.command(.placeMachines(connectedAt: 13_000), at: 13_600)
    rig.command(.placeMachines(connectedAt: 13_500), at: 30_000)
    rig.render(until: 50_000)
    var machine = Machine()
    machine.follow(rig.pulses)
    #expect(machine.faults == [] && machine.idle == [])
    #expect(machine.orders == ["start", "stop", "position 3", "continue"])
    #expect(rig.pulses.filter { $0.message != .clock }.map(\.frame) == [100, 13_600, 13_600, 18_100])
    #expect(machine.pulses.first { $0.frame > 13_600 } == Machine.Pulse(index: 18, frame: 18_100))
  }

  @Test("A machine that was away when the others were stopped is stopped before it is placed")
  func lateWhileOthersSearch() throws {
    var clock = MIDIClockOutput()
    clock.search = 400
    let rig = try paused(at: 13_500, until: 50_000, clock)
    // The others continue at 72 500.
    rig.command(.placeMachines(connectedAt: 55_000), at: 60_000)
    rig.render(until: 150_000)
    // It hears neither the stop nor the first position.
    var machine = Machine()
    machine.follow(rig.pulses.filter { !(13_500..<55_000).contains($0.frame) })
    #expect(machine.faults == [] && machine.idle == [])
    #expect(machine.orders == ["start", "stop", "position 8", "continue"])
    #expect(
      rig.pulses.filter { $0.message != .clock }.map(\.frame)
        == [0, 13_500, 50_000, 60_000, 60_000, 84_500])
    #expect(machine.pulses.first { $0.frame >= 50_000 } == Machine.Pulse(index: 48, frame: 84_500))
  }

  @Test("Machines that search for a position continue at the first sixteenth after that, but start at once")
  func search() throws {
    var clock = MIDIClockOutput()
    clock.search = 400
    let rig = try paused(at: 13_500, until: 50_000, clock)
    rig.render(until: 200_000)
    var machine = Machine()
    machine.follow(rig.pulses)
    #expect(machine.faults == [] && machine.idle == [])
    // The music continues in pulse 13; 19200 frames later it is in pulse 32, before the sixteenth of pulse 36.
    #expect(machine.orders == ["start", "stop", "position 6", "continue"])
    #expect(
      rig.pulses.filter { $0.message != .clock }.map(\.frame) == [0, 13_500, 50_000, 72_500])
    #expect(machine.pulses.first { $0.frame >= 50_000 } == Machine.Pulse(index: 36, frame: 72_500))
    #expect(
      machine.pulses.filter { $0.frame >= 50_000 }.map(\.frame)
        == stride(from: 72_500, to: 200_000, by: 1_000).map { ClockFrame($0) })
  }

  @Test("Machines have their time to search whatever the offset is", arguments: [-500.0, -100, 100, 400])
  func searchWithOffset(milliseconds: Double) throws {
    var clock = MIDIClockOutput()
    (clock.search, clock.offset) = (400, milliseconds)
    let rig = try paused(at: 33_500, until: 50_000, clock)
    rig.render(until: 150_000)
    let entry = try #require(rig.pulses.first { $0.message == .continue }).frame
    // The next sixteenth after that.
    #expect(50_000 + 19_200..<50_000 + 19_200 + 6_000 ~= entry)
    #expect(rig.pulses.filter { $0.frame >= 50_000 && $0.message == .clock }.first?.frame == entry)
  }

  @Test("After a pause in a later lap the music continues in that lap")
  func pauseInLap() throws {
    let rig = Rig(Score.make([try Pattern().plan(bars: 1)], loop: 0))
    rig.recordMIDI()
    rig.command(.start, at: 0)
    rig.command(.pause, at: 250_500)
    rig.command(.start, at: 300_000)
    rig.render(until: 310_000)
    #expect(
      rig.pulses.filter { $0.message != .clock } == [
        MIDIEvent(.start, at: 0), MIDIEvent(.stop, at: 250_500), position(42, 300_000),
        MIDIEvent(.continue, at: 301_500),
      ])
  }

  @Test("A jump sends machines to the new position")
  func jump() throws {
    let rig = Rig(Score.make(try (0..<3).map { _ in try Pattern().plan(bars: 2) }, loop: 0))
    rig.recordMIDI()
    rig.command(.start, at: 0)
    rig.command(.jump(BarRange.Bar(section: 2), .now), at: 10_200)
    rig.command(.jump(BarRange.Bar(section: 0), .bar), at: 20_000)
    rig.render(until: 150_000)
    rig.command(.jump(BarRange.Bar(section: 1), .bar), at: rig.clock)
    rig.command(.locate(Position(bar: 3, beat: 2, fraction: 0.99)), at: 400_000)
    rig.render(until: 450_000)
    #expect(
      rig.pulses.filter { $0.message != .clock } == [
        MIDIEvent(.start, at: 0), MIDIEvent(.stop, at: 10_200), position(64, 10_200),
        MIDIEvent(.continue, at: 10_200),
        MIDIEvent(.stop, at: 106_200), MIDIEvent(.start, at: 106_200),
        MIDIEvent(.stop, at: 202_200), position(32, 202_200), MIDIEvent(.continue, at: 202_200),
        MIDIEvent(.stop, at: 400_000), position(40, 400_000), MIDIEvent(.continue, at: 400_240),
      ])
    var machine = Machine()
    machine.follow(rig.pulses)
    #expect(machine.faults == [] && machine.idle == [])
  }

  @Test("A jump to the current position sends nothing; even a short jump sends the position")
  func shortJumps() throws {
    let rig = Rig(Score.make(try (0..<2).map { _ in try Pattern().plan(bars: 1) }))
    rig.recordMIDI()
    rig.command(.start, at: 0)
    rig.command(.jump(BarRange.Bar(section: 0), .now), at: 500)
    rig.command(.jump(BarRange.Bar(section: 1), .bar), at: 1_000)
    rig.render(until: 150_000)
    #expect(
      rig.pulses.filter { $0.message != .clock } == [
        MIDIEvent(.start, at: 0), MIDIEvent(.stop, at: 500), MIDIEvent(.start, at: 500),
      ])
  }

  @Test("After a change of meter the next pulse is the new bar's next")
  func carry() throws {
    let rig = Rig(try Score.make(Pattern()))
    rig.recordMIDI()
    rig.command(.start, at: 0)
    rig.render(until: 24_800)
    // 24.8 pulses of quarters are 6.2 of sixteenths.
    rig.publish(try Score.make(Pattern(meter: (16, 16))))
    rig.render(until: 33_000)
    #expect(rig.pulses.suffix(3).map(\.frame) == [24_000, 28_000, 32_000])
  }

  @Test("After a pause each beat has a pulse on its frame, also if the meter has changed within a beat")
  func pauseAfterChange() throws {
    let rig = Rig(try Score.make(Pattern()))
    rig.recordMIDI()
    rig.command(.start, at: 0)
    rig.render(until: 22_800)
    // 22.8 pulses of quarters are 5.7 of sixteenths, so the machines' count is 17 pulses ahead of the score's.
    rig.publish(try Score.make(Pattern(meter: (16, 16))))
    // A pause in pulse 11 of the score, 28 of the machines. The next beat is on pulse 12; the machines are set back to 24.
    rig.command(.pause, at: 46_000)
    rig.command(.start, at: 50_000)
    rig.render(until: 160_000)
    var machine = Machine()
    machine.follow(rig.pulses)
    #expect(machine.faults == [] && machine.idle == [])
    #expect(machine.orders == ["start", "stop", "position 4", "continue"])
    #expect(machine.pulses.first { $0.frame >= 50_000 } == Machine.Pulse(index: 24, frame: 52_000))
    let beats = rig.beats.map(\.frame).filter { $0 >= 50_000 }
    #expect(beats == [52_000, 76_000, 100_000, 124_000, 148_000])
    #expect(machine.pulses.filter { beats.contains($0.frame) }.map(\.index) == [24, 30, 36, 42, 48])
  }

  @Test(
    "After a change of meter on a bar line, a pause keeps the machines' position",
    arguments: [SyncMode.free, .lead], [(3, 4), (7, 32)])
  func pauseAfterChangeOnLine(role: SyncMode, meter: (Int, Int)) throws {
    let rig = Rig(try Score.make(Pattern(), role: role))
    // More than a pulse.
    rig.latencies.out = 2_048
    rig.recordMIDI()
    var transport = LedTransport(rig)
    if role == .free { rig.command(.start, at: rig.clock) }
    func play(until frame: ClockFrame) {
      while rig.clock < frame {
        if role == .free { rig.render(64) } else { _ = transport.render(64) }
      }
    }
    play(until: 100_032)
    // In bar 2, for bar 3.
    rig.publish(try Score.make(Pattern(meter: meter), role: role, quantise: .bar))
    play(until: 303_040)
    #expect(rig.beats.last.map { $0.bar >= 3 } == true)
    let counted = rig.pulses.count { $0.message == .clock }
    if role == .free { rig.command(.pause, at: rig.clock) } else { transport.isRolling = false }
    play(until: 320_000)
    if role == .free { rig.command(.start, at: rig.clock) } else { transport.isRolling = true }
    play(until: 420_000)
    var machine = Machine()
    machine.follow(rig.pulses)
    #expect(machine.faults == [] && machine.idle == [])
    #expect(machine.orders == ["start", "stop", "position \((counted + 5) / 6)", "continue"])
  }

  @Test("Machines that wait for a sixteenth wait for another if the meter changes within a beat")
  func changeWhileWaiting() throws {
    var clock = MIDIClockOutput()
    clock.search = 1_000
    let rig = try paused(at: 110_400, until: 120_000, clock)
    rig.render(until: 136_000)
    rig.publish(try Score.make(Pattern(meter: (16, 16)), clock: clock))
    rig.render(until: 400_000)
    var machine = Machine()
    machine.follow(rig.pulses)
    #expect(machine.faults == [] && machine.idle == [])
    #expect(machine.orders.map { $0.prefix(8) } == ["start", "stop", "position", "continue"])
    let begin = machine.pulses.first { $0.frame > 136_000 }
    #expect(begin.map { $0.frame >= 136_000 + 48_000 } == true)
    // Each sixteenth of the music is one of the machines.
    let beats = rig.beats.map(\.frame).filter { $0 >= begin?.frame ?? .never }
    #expect(beats.count >= 5)
    let indices = machine.pulses.filter { beats.contains($0.frame) }.map(\.index)
    #expect(indices.count == beats.count && indices.allSatisfy { $0 % 6 == 0 })
  }

  @Test("Machines start late by a long offset", arguments: [200.0, 400, 500])
  func longOffset(milliseconds: Double) throws {
    var output = MIDIClockOutput()
    output.offset = milliseconds
    let rig = Rig(try Score.make(Pattern(), clock: output))
    rig.recordMIDI()
    rig.command(.start, at: 0)
    rig.render(until: 100_000, period: 100)
    var machine = Machine()
    machine.follow(rig.pulses)
    #expect(machine.faults == [] && machine.idle == [] && machine.orders == ["start"])
    let first = Int64(milliseconds * 48)
    #expect(machine.pulses.map(\.frame) == stride(from: first, to: 100_000, by: 1_000).map { ClockFrame($0) })
  }

  @Test("A start from the beginning is a start after any change of meter", arguments: [200, 24_500, 50_000])
  func startAfterChange(change: ClockFrame) throws {
    let rig = Rig(try Score.make(Pattern(thousandths: 30_000)))
    rig.recordMIDI()
    rig.command(.start, at: 0)
    rig.render(until: change)
    rig.publish(try Score.make(Pattern(thousandths: 30_000, meter: (4, 32))))
    rig.render(until: 60_000)
    rig.command(.stop, at: 60_000)
    rig.command(.start, at: 80_000)
    rig.render(until: 90_000)
    var machine = Machine()
    machine.follow(rig.pulses)
    #expect(machine.faults == [] && machine.idle == [] && machine.orders == ["start", "stop", "start"])
  }

  @Test(
    "Machines start with the music if the count-in becomes longer or shorter", arguments: [(1, 2), (2, 1)],
    [false, true])
  func countInChanges(bars: (Int, Int), runs: Bool) throws {
    var output = MIDIClockOutput()
    output.runsWhileStopped = runs
    func score(_ bars: Int) throws -> UnsafePointer<Score> {
      var countIn = try Pattern().plan(bars: bars)
      countIn.isCountIn = true
      return Score.make([countIn, try Pattern().plan(bars: 4)], clock: output, piece: 1, timing: bars)
    }
    let rig = Rig(try score(bars.0))
    rig.recordMIDI()
    rig.command(.start, at: 0)
    rig.render(until: 30_000)
    rig.publish(try score(bars.1))
    rig.render(until: 300_000)
    var machine = Machine()
    machine.follow(rig.pulses)
    #expect(machine.faults == [] && machine.orders == ["start"])
    #expect(machine.pulses.first == Machine.Pulse(index: 0, frame: ClockFrame(Int64(bars.1) * 96_000)))
    #expect(machine.idle == (runs ? row(from: 0, 1_000, count: 96 * bars.1) : []))
  }

  @Test("If the count-in becomes so short that it is over, machines are sent to the music")
  func countInIsOver() throws {
    func score(_ bars: Int) throws -> UnsafePointer<Score> {
      var countIn = try Pattern().plan(bars: bars)
      countIn.isCountIn = true
      return Score.make([countIn, try Pattern().plan(bars: 4)], piece: 1, timing: bars)
    }
    let rig = Rig(try score(2))
    rig.recordMIDI()
    rig.command(.start, at: 0)
    rig.render(until: 146_000)
    rig.publish(try score(1))
    rig.render(until: 300_000)
    var machine = Machine()
    machine.follow(rig.pulses)
    #expect(machine.faults == [] && machine.idle == [])
    let clocks = rig.pulses.filter { $0.message == .clock }.map(\.frame)
    #expect(zip(clocks, clocks.dropFirst()).allSatisfy { $1 - $0 == 1_000 })
    #expect(machine.orders.map { $0.prefix(8) } == ["position", "continue"])
  }

  private func row(from first: ClockFrame, _ step: Int64, count: Int) -> [ClockFrame] {
    (0..<count).map { first + Int64($0) * step }
  }

  private func position(_ sixteenths: Int64, _ frame: ClockFrame) -> MIDIEvent {
    MIDIEvent(.songPosition(SongPosition(sixteenths: sixteenths)!), at: frame)
  }

  @Test("While the music is stopped the clock ticks at the tempo if that is set")
  func standing() throws {
    var output = MIDIClockOutput()
    output.runsWhileStopped = true
    let rig = Rig(try Score.make(Pattern(), clock: output))
    rig.recordMIDI()
    rig.command(.start, at: 10_500)
    rig.command(.stop, at: 20_700)
    rig.render(until: 30_000, period: 100)
    rig.publish(try Score.make(Pattern(thousandths: 240_000), clock: output))
    rig.command(.start, at: 40_250)
    rig.render(until: 41_000, period: 100)
    var machine = Machine()
    machine.follow(rig.pulses)
    #expect(machine.faults == [])
    #expect(machine.orders == ["start", "stop", "start"])
    #expect(
      machine.idle == row(from: 1_000, 1_000, count: 10) + row(from: 21_500, 1_000, count: 9)
        + row(from: 30_000, 500, count: 21))
    #expect(
      machine.pulses.map(\.frame) == row(from: 10_500, 1_000, count: 11) + row(from: 40_250, 500, count: 2))
  }

  @Test(
    "Before a ramp's first bar, and past its last, the clock ticks and the music starts like elsewhere",
    arguments: [(60, 240), (240, 60)], [-400, -1, 60])
  func outsideRamp(tempos: (Int, Int), bar: Int) throws {
    var plan = try Pattern().plan(bars: 2)
    plan.tempo = .ramp(
      from: try Tempo(thousandths: tempos.0 * 1_000), to: try Tempo(thousandths: tempos.1 * 1_000))
    var output = MIDIClockOutput()
    output.runsWhileStopped = true
    let rig = Rig(Score.make([plan], clock: output))
    rig.recordMIDI()
    rig.command(.locate(Position(bar: bar, beats: 0)))
    rig.render(until: 48_000)
    #expect((1...200).contains(rig.pulses.count))
    rig.command(.start)
    rig.render(until: 96_000)
    rig.command(.locate(Position(bar: bar, beats: 0)))
    rig.render(until: 144_000)
    #expect((1...600).contains(rig.pulses.count))
  }

  @Test("Machines start after the count-in; a clock that runs while stopped ticks in the count-in's tempo")
  func countIn() throws {
    var countIn = try Pattern(meter: (3, 7)).plan(bars: 1)
    countIn.isCountIn = true
    let plans = [countIn, try Pattern(thousandths: 240_000).plan(bars: 2)]
    for runs in [false, true] {
      var output = MIDIClockOutput()
      output.runsWhileStopped = runs
      let rig = Rig(Score.make(plans, clock: output))
      rig.recordMIDI()
      rig.command(.start, at: 1_000)
      rig.render(until: 100_000, period: 500)
      var machine = Machine()
      machine.follow(rig.pulses)
      #expect(machine.faults == [] && machine.orders == ["start"])
      // Three sevenths at 120 last 72 000 frames: 41 1/7 pulses of 1 750.
      #expect(machine.pulses.map(\.frame) == row(from: 73_000, 500, count: 54))
      let counted = machine.idle.filter { $0 >= 1_000 }
      #expect(counted == (runs ? row(from: 73_000 - 41 * 1_750, 1_750, count: 41) : []))
    }
  }

  @Test(
    "An offset moves every pulse; what would come before the start comes with it",
    arguments: [-400.0, -30, 12.5, 100, 400])
  func offset(milliseconds: Double) throws {
    var output = MIDIClockOutput()
    output.offset = milliseconds
    let shift = Int64(milliseconds * 48)
    let first = Pattern(subdivisions: [4: 1])
    let plans = [try first.plan(bars: 1), try Pattern(thousandths: 90_000, meter: (3, 4)).plan(bars: 2)]
    func pulses(_ output: MIDIClockOutput) -> Machine {
      let rig = Rig(Score.make(plans, clock: output, loop: 0))
      rig.recordMIDI()
      rig.command(.start, at: 100)
      // The section is held for a while.
      rig.command(.repeats(.section), at: 60_000)
      rig.command(.repeats(.none), at: 300_000)
      rig.render(until: 1_000_000, period: 100)
      var machine = Machine()
      machine.follow(rig.pulses)
      #expect(machine.faults == [] && machine.idle == [] && machine.orders == ["start"])
      return machine
    }
    let (plain, moved) = (pulses(MIDIClockOutput()).pulses, pulses(output).pulses)
    #expect(plain.count > 800 && abs(plain.count - moved.count) <= 20)
    for (plain, moved) in zip(plain, moved) {
      #expect(plain.index == moved.index && max(plain.frame + shift, 100) == moved.frame)
    }
  }

  @Test("An offset delays changes of tempo like the pulses", arguments: [12.5, 100, 400])
  func changesWithOffset(milliseconds: Double) throws {
    func pulses(_ offset: Double) throws -> [ClockFrame] {
      var output = MIDIClockOutput()
      output.offset = offset
      let rig = Rig(try Score.make(Pattern(), clock: output))
      rig.recordMIDI()
      rig.command(.start, at: 0)
      var numbers = Generator(seed: 5)
      for _ in 0..<100 {
        rig.render(numbers.number(20_000...60_000))
        rig.publish(try Score.make(Pattern(thousandths: numbers.number(40_000...400_000)), clock: output))
      }
      rig.render(30_000)
      var machine = Machine()
      machine.follow(rig.pulses)
      #expect(machine.faults == [] && machine.orders == ["start"])
      return machine.pulses.map(\.frame)
    }
    let shift = Int64(milliseconds * 48)
    let (plain, moved) = (try pulses(0), try pulses(milliseconds))
    #expect(plain.count > 3_000)
    #expect(moved == plain.map { $0 + shift }.filter { $0 <= moved.last ?? .earliest })
    #expect(plain.count - moved.count < 160)
  }

  @Test("Delayed pulses continue when the role changes", arguments: [0, 86_400_000] as [UInt32])
  func roleWithOffset(frame: UInt32) throws {
    var output = MIDIClockOutput()
    output.offset = 100
    let rig = Rig(try Score.make(Pattern(), clock: output, role: .lead))
    rig.recordMIDI()
    var transport = LedTransport(rig, frame: frame)
    while rig.clock < 240_000 { _ = transport.render(64) }
    rig.publish(try Score.make(Pattern(thousandths: 100_000), clock: output, role: .lead))
    for _ in 0..<8 { _ = transport.render(64) }
    rig.publish(try Score.make(Pattern(thousandths: 100_000), clock: output))
    rig.render(until: 400_000)
    let clocks = rig.pulses.filter { $0.message == .clock }.map(\.frame)
    #expect(clocks.last.map { $0 > 398_000 } == true)
    #expect(zip(clocks, clocks.dropFirst()).allSatisfy { $1 - $0 < 2_500 })
    #expect(clocks.filter { $0 > 246_000 }.count <= 154_000 / 1_200 + 1)
  }

  @Test("The shortest pulses can get the longest tempo while they are delayed", arguments: [48_000, 192_000])
  func extremesWithOffset(sampleRate: Int) throws {
    var (clock, pulses) = (MIDIClockOutput(), PulseOutput())
    (clock.offset, pulses.offset, pulses.perQuarter) = (500, 500, 48)
    func score(_ tempo: Int, _ beatUnit: (Int, Int)) throws -> UnsafePointer<Score> {
      try Score.make(
        Pattern(thousandths: tempo, beatUnit: beatUnit), sampleRate: sampleRate, clock: clock, pulses: pulses)
    }
    let rig = Rig(try score(999_999, (7, 4)), sampleRate: sampleRate)
    rig.recordMIDI()
    rig.recordPulses()
    rig.command(.start, at: 0)
    rig.render(until: ClockFrame(Int64(sampleRate)))
    for tempo in [1_000, 1_001, 1_002] {
      rig.publish(try score(tempo, (1, 99)))
      rig.render(480)
    }
    rig.render(until: ClockFrame(Int64(2 * sampleRate)))
    var machine = Machine()
    machine.follow(rig.pulses)
    #expect(machine.faults == [] && machine.pulses.count > 1_000)
  }

  @Test("A clock that runs while stopped ticks until the delayed start, and before a jump's delayed pulses")
  func standingWithOffset() throws {
    var output = MIDIClockOutput()
    (output.runsWhileStopped, output.offset) = (true, 400)
    let rig = Rig(try Score.make(Pattern(), clock: output))
    rig.recordMIDI()
    rig.command(.start, at: 10_500)
    rig.render(until: 150_000)
    rig.command(.locate(Position(bar: 40, beats: 0)))
    rig.render(until: 250_000)
    var machine = Machine()
    machine.follow(rig.pulses)
    #expect(machine.faults == [])
    #expect(machine.orders == ["start", "stop", "position 624", "continue"])
    let clocks = rig.pulses.filter { $0.message == .clock }.map(\.frame)
    #expect(zip(clocks, clocks.dropFirst()).allSatisfy { 1..<2_000 ~= $1 - $0 })
    #expect(machine.pulses.first == Machine.Pulse(index: 0, frame: 10_500 + 19_200))
  }

  @Test("A change of tempo loses and doubles no pulse, and a meter's beats stay on pulses")
  func changes() throws {
    let rig = Rig(try Score.make(Pattern()))
    rig.recordMIDI()
    rig.command(.start, at: 0)
    var numbers = Generator(seed: 9)
    for _ in 0..<400 {
      rig.render(numbers.number(1...6_000))
      let meter = numbers.oneIn(3) ? (numbers.number(1...9), [2, 4, 8, 16][numbers.number(0...3)]) : (4, 4)
      rig.publish(
        try Score.make(
          Pattern(thousandths: numbers.number(40_000...400_000), meter: meter),
          quantise: Quantise.allCases[numbers.number(0...2)]))
    }
    var machine = Machine()
    machine.follow(rig.pulses)
    #expect(machine.faults == [] && machine.orders == ["start"])
    let frames = Set(machine.pulses.map(\.frame))
    let beats = rig.beats
    #expect(beats.count > 50)
    #expect(beats.filter { !frames.contains($0.frame) }.count == 0)
  }
}

extension Pattern: CustomTestStringConvertible {
  var testDescription: String { "\(thousandths) in \(meter.count)/\(meter.unit), \(unit)" }
}
