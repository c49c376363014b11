import Engine
import MIDI
import MusicTime
import TestNumbers
import Testing

@Suite("Pulses for modular and DIN sync")
struct PulseOutTests {
  private static let patterns = [
    Pattern(), Pattern(thousandths: 133_700, meter: (7, 8)),
    Pattern(thousandths: 61_234, meter: (7, 8), beatUnit: (1, 4)),
    Pattern(thousandths: 999_999, meter: (5, 3)), Pattern(thousandths: 1_000, meter: (3, 4)),
    Pattern(thousandths: 333_333, meter: (13, 99), beatUnit: (7, 16)),
  ]

  private func output(_ perQuarter: Int, length: Double = 15, level: Float = 1) -> PulseOutput {
    var output = PulseOutput()
    (output.perQuarter, output.length, output.level) = (perQuarter, length, level)
    return output
  }

  @Test(
    "Every pulse rises on the frame nearest to its exact time, also after a day",
    arguments: patterns, [1, 2, 4, 24, 48])
  func exact(pattern: Pattern, perQuarter: Int) throws {
    for sampleRate in [44_100, 48_000, 192_000] {
      let score = try Score.make(pattern, sampleRate: sampleRate, pulses: output(perQuarter, length: 1))
      let rig = Rig(score, sampleRate: sampleRate)
      rig.recordPulses()
      rig.command(.start, at: 777)
      var numbers = Generator(seed: 4)
      let window = Int64(12 * sampleRate)
      // Frames from one pulse to the next, as a fraction.
      let numerator = 240_000 * Int128(sampleRate) * Int128(pattern.unit.denominator)
      let denominator =
        Int128(4 * 4 * perQuarter) * Int128(pattern.thousandths) * Int128(pattern.unit.numerator)
      func distance(_ index: Int128, _ frame: ClockFrame) -> Int128 {
        abs(2 * (Int128(frame - 777) * denominator - index * numerator))
      }
      while rig.clock.number < window { rig.render(numbers.number(1...2_048)) }
      let early = rig.voltages.pulse.starts
      #expect(early.enumerated().allSatisfy { distance(Int128($0.offset), $0.element) <= denominator })
      #expect(Int128(rig.clock - 778) * denominator < Int128(early.count) * numerator)
      #expect(rig.voltages.reset.starts == [777] && rig.voltages.run.starts == [777])

      // A day later, in which the cycles were missed.
      rig.clock = ClockFrame(86_400 * Int64(sampleRate) + 123)
      rig.forgetPulses()
      let start = rig.clock
      while rig.clock < start + window { rig.render(numbers.number(1...2_048)) }
      // A pulse that was high when the window began is not counted.
      let late = rig.voltages.pulse.starts.filter { $0 > start + 1 }
      for frame in late {
        let index = (Int128(frame - 777) * denominator + numerator / 2) / numerator
        #expect(distance(index, frame) <= denominator)
      }
      let count = Int128(rig.clock - start) * denominator / numerator
      #expect(abs(Int128(late.count) - count) <= 2)
    }
  }

  @Test("A pulse has its length and level, and at most half the way to the next")
  func shape() throws {
    // 24 000 frames a quarter at 120, 1 000 a pulse.
    for (perQuarter, expected) in [(1, 720), (4, 720), (24, 500), (48, 250)] as [(Int, Int64)] {
      let rig = Rig(try Score.make(Pattern(), pulses: output(perQuarter, level: -0.5)))
      rig.recordPulses()
      rig.command(.start, at: 0)
      rig.render(until: 100_000)
      #expect(Set(rig.voltages.pulse.lengths) == [expected])
      #expect(rig.voltages.pulse.intervals.allSatisfy { $0.level == -0.5 })
      #expect(rig.voltages.run.intervals == [Voltage.Interval(start: 0, end: nil, level: -0.5)])
    }
  }

  @Test("`run` is high while the music plays; `reset` comes with a start and not after a pause")
  func run() throws {
    let rig = Rig(try Score.make(Pattern(), pulses: output(24)))
    rig.recordPulses()
    rig.command(.start, at: 1_000)
    rig.command(.pause, at: 14_500)
    rig.command(.start, at: 50_000)
    rig.command(.stop, at: 60_000)
    rig.command(.start, at: 70_000)
    rig.render(until: 75_000)
    rig.command(.stop, at: 75_000)
    rig.render(until: 80_000, period: 64)
    // After 13.5 pulses the next one comes after half a pulse.
    #expect(rig.voltages.pulse.starts.prefix(16).suffix(3) == [14_000, 50_500, 51_500])
    #expect(rig.voltages.run.starts == [1_000, 50_000, 70_000])
    #expect(rig.voltages.run.lengths == [13_500, 10_000, 5_000])
    #expect(rig.voltages.reset.starts == [1_000, 70_000])
  }

  @Test("After a change of meter a pause does not reset machines")
  func pauseAfterChange() throws {
    let output = output(24)
    let rig = Rig(try Score.make(Pattern(), pulses: output))
    rig.recordPulses()
    rig.command(.start, at: 0)
    rig.render(until: 22_800)
    rig.publish(try Score.make(Pattern(meter: (16, 16)), pulses: output))
    rig.command(.pause, at: 46_000)
    rig.command(.start, at: 50_000)
    rig.render(until: 900_000)
    #expect(rig.beats.contains { $0.bar > 2 && $0.beat == 1 })
    #expect(rig.voltages.reset.starts == [0])
  }

  @Test("After a jump into a bar, machines are reset at the next bar line, and `run` stays high")
  func jump() throws {
    let rig = Rig(try Score.make(Pattern(), pulses: output(4)))
    rig.recordPulses()
    rig.command(.start, at: 0)
    rig.command(.locate(Position(bar: 7, beat: 3)), at: 30_000)
    rig.render(until: 200_000)
    #expect(rig.voltages.run.starts == [0] && rig.voltages.run.isHigh)
    // Half a bar is left.
    #expect(rig.voltages.reset.starts == [0, 78_000])
    #expect(
      rig.voltages.pulse.starts.prefix(8) == [0, 6_000, 12_000, 18_000, 24_000, 30_000, 36_000, 42_000])
  }

  @Test("If the transport jumps twice in a row, no pulse of the first place remains")
  func jumps() throws {
    let rig = Rig(try Score.make(Pattern(), pulses: output(24, length: 5), role: .lead))
    // The pulses wait for the click.
    rig.latencies.out = 2_048
    rig.recordPulses()
    var transport = LedTransport(rig)
    for _ in 0..<500 { _ = transport.render(64) }
    transport.locate(192_000)
    for _ in 0..<10 { _ = transport.render(64) }
    let (begin, target) = (rig.clock, 288_500)
    transport.locate(UInt32(target))
    for _ in 0..<500 { _ = transport.render(64) }
    let starts = rig.voltages.pulse.starts.filter { $0 >= begin }
    #expect(starts.count > 30)
    #expect(starts.allSatisfy { (target + Int($0 - begin)) % 1_000 == 0 }, "\(starts.prefix(5))")
  }

  @Test("Bars that begin between two pulses reset too")
  func oddBars() throws {
    // A bar has 32/33 of a MIDI pulse.
    let rig = Rig(try Score.make(Pattern(meter: (1, 99), beatUnit: (1, 4)), pulses: output(2)))
    rig.recordPulses()
    rig.command(.locate(Position(bar: 6, beats: 0)))
    rig.command(.start, at: 0)
    rig.render(until: 48_000)
    #expect(rig.voltages.reset.starts.count == 1)
  }

  @Test("A change of tempo or meter loses and doubles no pulse: they rise with those of the MIDI clock")
  func changes() throws {
    let output = output(24, length: 1)
    let rig = Rig(try Score.make(Pattern(), pulses: output))
    rig.recordPulses()
    rig.recordMIDI()
    rig.command(.start, at: 0)
    var numbers = Generator(seed: 9)
    for _ in 0..<400 {
      rig.render(numbers.number(1...6_000))
      rig.publish(
        try Score.make(
          Pattern(thousandths: numbers.number(40_000...400_000)), pulses: output,
          quantise: Quantise.allCases[numbers.number(0...2)]))
    }
    let clocks = rig.pulses.filter { $0.message == .clock }.map(\.frame)
    #expect(clocks.count > 1_000 && rig.voltages.pulse.starts == clocks)
  }

  @Test("There are no pulses in the count-in; the count continues through loops and sections")
  func countIn() throws {
    var countIn = try Pattern(meter: (3, 4)).plan(bars: 1)
    countIn.isCountIn = true
    let plans = [countIn, try Pattern(thousandths: 240_000).plan(bars: 1)]
    let rig = Rig(Score.make(plans, pulses: output(1), loop: 1))
    rig.recordPulses()
    rig.command(.start, at: 1_000)
    rig.render(until: 300_000)
    let expected = stride(from: 73_000, to: 300_000, by: 12_000).map { ClockFrame($0) }
    #expect(rig.voltages.pulse.starts == expected)
    #expect(rig.voltages.run.starts == [73_000] && rig.voltages.reset.starts == [73_000])
  }

  @Test("A long offset delays `run` and every pulse, also after a loop into another tempo")
  func longOffset() throws {
    var output = output(24, length: 1)
    let plans = [try Pattern().plan(bars: 1), try Pattern(thousandths: 90_000).plan(bars: 1)]
    func score(_ gain: Float) -> UnsafePointer<Score> {
      var gains = Gains()
      gains.master = gain
      return Score.make(plans, gains: gains, pulses: output, loop: 0, piece: 1, timing: 1)
    }
    func voltages() -> Rig {
      let rig = Rig(score(1))
      rig.recordPulses()
      rig.command(.start, at: 100)
      // A lap has just ended, whose last pulses are still to be sent.
      rig.render(until: 225_000)
      rig.publish(score(0.5))
      rig.render(until: 700_000)
      return rig
    }
    let plain = voltages().voltages
    output.offset = 400
    let late = voltages().voltages
    #expect(late.run.starts == plain.run.starts.map { $0 + 19_200 })
    #expect(plain.pulse.starts.count > 500)
    #expect(late.pulse.starts == plain.pulse.starts.map { $0 + 19_200 }.filter { $0 < 700_000 })
  }

  @Test("Over a change of meter, delayed pulses fall on the quarters before it", arguments: [1, 4, 48])
  func meterWithOffset(perQuarter: Int) throws {
    func starts(_ offset: Double) throws -> [ClockFrame] {
      var output = output(perQuarter, length: 1)
      output.offset = offset
      let rig = Rig(try Score.make(Pattern(meter: (7, 8)), pulses: output))
      rig.recordPulses()
      rig.command(.start, at: 0)
      rig.render(until: 130_000)
      rig.publish(try Score.make(Pattern(), pulses: output))
      rig.render(until: 400_000)
      return rig.voltages.pulse.starts
    }
    let plain = try starts(0)
    #expect(plain.count > 10)
    #expect(try starts(400) == plain.map { $0 + 19_200 }.filter { $0 < 400_000 })
  }

  @Test("Pulses are sent when the click is heard, and moved by their offset")
  func latency() throws {
    for (offset, delay) in [(0.0, 900), (-10, 420), (10, 1_380)] as [(Double, Int64)] {
      var output = output(2)
      output.offset = offset
      let rig = Rig(try Score.make(Pattern(), pulses: output))
      (rig.latencies.out, rig.latencies.pulse) = (1_000, 100)
      rig.recordPulses()
      rig.command(.start, at: 5_000)
      rig.render(until: 100_000, period: 256)
      #expect(rig.voltages.pulse.starts.dropFirst().first == ClockFrame(17_000 + delay))
      #expect(rig.voltages.run.starts.count == 1)
    }
  }

  @Test("After missed cycles machines get the lost pulses, each long enough to be seen")
  func missed() throws {
    let rig = Rig(try Score.make(Pattern(), pulses: output(24)))
    rig.recordPulses()
    rig.command(.start, at: 0)
    rig.render(until: 10_240)
    // Four pulses: less than a sixteenth.
    rig.miss(4_000)
    rig.render(until: 48_000)
    #expect(rig.voltages.pulse.starts.count == 48)
    #expect(rig.voltages.pulse.lengths.allSatisfy { $0 >= 48 })
    #expect(rig.voltages.pulse.starts.suffix(20).allSatisfy { Int($0.number) % 1_000 == 0 })
  }

  @Test("Without ports nothing is rendered, and clicks are the same")
  func without() throws {
    func recording(_ hasPorts: Bool) throws -> Rig.Recording {
      let rig = Rig(try Score.make(Pattern()))
      rig.isRecording = true
      if hasPorts { rig.recordPulses() }
      rig.command(.start, at: 0)
      rig.render(until: 50_000)
      return rig.recording
    }
    #expect(try recording(true) == recording(false))
  }
}
