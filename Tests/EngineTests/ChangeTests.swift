import Engine
import MusicTime
import TestNumbers
import Testing

@Suite("Changes")
struct ChangeTests {
  private func framesPerBeat(_ thousandths: Int) -> Double { 60_000 * 48_000 / Double(thousandths) }

  @Test("After a thousand changes of tempo the beat is where the integral of the tempo says, within a frame")
  func integral() throws {
    var numbers = Generator(seed: 8)
    var pattern = Pattern()
    let rig = Rig(try Score.make(pattern))
    rig.command(.start)
    var beats = 0.0
    for _ in 0..<1_000 {
      let frames = numbers.number(1...3_000)
      rig.render(frames)
      beats += Double(frames) / framesPerBeat(pattern.thousandths)
      pattern.thousandths =
        numbers.oneIn(3) ? numbers.number(1_000...20_000) : numbers.number(20_000...999_999)
      rig.publish(try Score.make(pattern))
    }
    pattern.thousandths = 120_000
    rig.publish(try Score.make(pattern))
    rig.forgetEvents()
    let turn = Double(rig.clock.number)
    rig.render(until: rig.clock + 480_000)
    let next = beats.rounded(.up)
    for (index, beat) in rig.beats.enumerated() {
      let exact = turn + (next + Double(index) - beats) * 24_000
      #expect(abs(Double(beat.frame.number) - exact) <= 1)
      let count = Int(next) + index
      #expect(beat.bar == count / 4 + 1 && beat.beat == count % 4 + 1)
    }
    #expect(rig.beats.count == 20)
    #expect(rig.freed == 1_001)
  }

  @Test("A change now keeps bar, beat and the fraction of it", arguments: [1, 2, 3, 4, 5, 6, 7, 8])
  func now(seed: UInt64) throws {
    var numbers = Generator(seed: seed)
    var pattern = Pattern(thousandths: numbers.number(30_000...300_000), meter: (7, 8))
    let rig = Rig(try Score.make(pattern))
    rig.command(.start)
    rig.render(until: ClockFrame(Int64(numbers.number(100_000...400_000))))
    let beats = Double(rig.clock.number) / framesPerBeat(pattern.thousandths)
    pattern.thousandths = numbers.number(30_000...300_000)
    rig.publish(try Score.make(pattern))
    let turn = Double(rig.clock.number)
    rig.forgetEvents()
    rig.render(until: rig.clock + 200_000)
    let next = beats.rounded(.up)
    let exact = turn + (next - beats) * framesPerBeat(pattern.thousandths)
    #expect(abs(Double(rig.beats[0].frame.number) - exact) <= 1)
    #expect(rig.beats[0].bar == Int(next) / 7 + 1 && rig.beats[0].beat == Int(next) % 7 + 1)
  }

  @Test(
    "Another beat unit keeps the place in the bar, another meter the beat, also in a pause",
    arguments: [1, 2, 3, 4, 5, 6], [false, true])
  func beatUnit(beat: Int, isPaused: Bool) throws {
    let eighths = Pattern(meter: (6, 8))
    var dotted = eighths
    dotted.beatUnit = (3, 8)
    // In the second bar, half a beat after a beat of 24 000 frames.
    let turn = ClockFrame(144_000 + Int64(beat - 1) * 24_000 + 12_000)
    for (next, length) in [(dotted, Double(24_000) / 3), (Pattern(meter: (2, 8)), 24_000)] {
      let rig = Rig(try Score.make(eighths))
      rig.command(.start)
      rig.render(until: turn, period: 1_000)
      if isPaused {
        rig.command(.pause)
        rig.render(1_000)
      }
      rig.publish(try Score.make(next))
      rig.render(isPaused ? 1_000 : 0)
      if isPaused { rig.command(.start) }
      let change = rig.clock
      rig.forgetEvents()
      rig.render(until: rig.clock + 300_000)
      // Eighths from the start of bar 2, in the new bars.
      let eighth = Double(beat) - 0.5
      let (bars, place) =
        next.beatUnit == nil
        ? (Int(eighth) / 2, eighth.truncatingRemainder(dividingBy: 2)) : (0, eighth)
      let beats = next.beatUnit == nil ? 1.0 : 3
      let onset = (place / beats).rounded(.up)
      let first = try #require(rig.beats.first)
      let wait = (onset * beats - place) * length
      #expect(abs(Double(first.frame - change) - wait) <= 1)
      #expect(first.bar == 2 + bars + Int(onset) / 2 && first.beat == Int(onset) % 2 + 1)
    }
  }

  @Test("A beat that is due on the very frame of a change begins on it, whatever the tempos")
  func dueOnTheFrame() throws {
    for (old, new) in [(120_000, 1_000), (120_000, 999_999), (133_700, 60_000), (127_000, 1_000)] {
      let probe = Rig(try Score.make(Pattern(thousandths: old)))
      probe.command(.start)
      probe.render(until: 200_000)
      let due = probe.beats[5].frame
      let rig = Rig(try Score.make(Pattern(thousandths: old)))
      rig.command(.start)
      rig.render(until: due)
      rig.publish(try Score.make(Pattern(thousandths: new)))
      rig.render(until: due + 100_000)
      // The part of a frame between the change and the onset is stretched by the ratio of the tempos.
      let late = rig.beats[5].frame - due
      #expect(rig.beats[5].beat == probe.beats[5].beat)
      #expect(late >= 0 && Double(late) <= 0.5 * Double(old) / Double(new) + 0.5)
      if old == 120_000 { #expect(late == 0) }
    }
  }

  @Test(
    "A change at the next beat or bar takes effect exactly on the line", arguments: [Quantise.beat, .bar])
  func lines(quantise: Quantise) throws {
    let (old, new) = (127_000, 89_123)
    let rig = Rig(try Score.make(Pattern(thousandths: old, subdivisions: [3: 1])))
    rig.command(.start)
    // Beat 6, the second of bar 2, has begun; the lines are beat 7 and bar 3.
    rig.render(until: ClockFrame(Int64(5.5 * framesPerBeat(old))))
    rig.publish(try Score.make(Pattern(thousandths: new, meter: (3, 4)), quantise: quantise))
    rig.render(until: 480_000, period: 333)
    let line = quantise == .beat ? 6 : 8
    let beats = rig.beats.filter { $0.role != .subdivision }
    for (index, beat) in beats.enumerated() {
      let before = Double(min(index, line)) * framesPerBeat(old)
      let exact = before + Double(max(index - line, 0)) * framesPerBeat(new)
      #expect(abs(Double(beat.frame.number) - exact) <= 0.500_001)
    }
    #expect(rig.beats.filter { $0.role == .subdivision }.count == 2 * line)
    let first = beats[line...].prefix(3).map { [$0.bar, $0.beat] }
    #expect(first == (quantise == .beat ? [[2, 3], [3, 1], [3, 2]] : [[3, 1], [3, 2], [3, 3]]))
  }

  @Test("Changes of sounds, volumes and subdivisions do not move the grid")
  func sameTime() throws {
    let pattern = Pattern(thousandths: 133_700, meter: (7, 8), beatUnit: (1, 4))
    let reference = Reference(pattern, sampleRate: 44_100)
    let rig = Rig(try Score.make(pattern, sampleRate: 44_100), sampleRate: 44_100)
    rig.command(.start)
    var other = pattern
    for parts in 0..<2_000 {
      rig.render(517)
      other.subdivisions = [parts % 8 + 2: 0.5]
      rig.publish(try Score.make(other, sampleRate: 44_100, generation: parts))
    }
    var (bar, index) = (1, 0)
    for beat in rig.beats where beat.role != .subdivision {
      #expect(reference.isNearest(beat.frame, bar: bar, reference.onsets[index]) && beat.bar == bar)
      index += 1
      if index == reference.onsets.count { (bar, index) = (bar + 1, 0) }
    }
    #expect(bar > 10)
  }
}
