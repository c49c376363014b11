import Engine
import Glibc
import MusicTime
import TestNumbers
import Testing

@Suite("Leading through sections")
struct LeadSectionsTests {
  /// One section as plain numbers; the beat is the meter's note.
  private struct Part {
    let meter: (count: Int, unit: Int)
    let tempos: (from: Double, to: Double)
    let beats: Int

    /// Seconds from its start to a beat; the tempo is linear over the beats.
    func seconds(_ beat: Double) -> Double {
      let slope = (tempos.to - tempos.from) / Double(beats)
      return slope == 0
        ? 60 * beat / tempos.from : 60 / slope * log((tempos.from + slope * beat) / tempos.from)
    }

    /// The beat at a time, by bisection.
    func beat(at time: Double) -> Double {
      var (low, high) = (0.0, Double(beats))
      for _ in 0..<60 {
        let middle = (low + high) / 2
        if seconds(middle) <= time { low = middle } else { high = middle }
      }
      return low
    }
  }

  private static let parts = [
    Part(meter: (4, 4), tempos: (120, 120), beats: 8), Part(meter: (7, 8), tempos: (240, 91.5), beats: 21),
    Part(meter: (3, 4), tempos: (60.5, 180), beats: 12),
    Part(meter: (5, 16), tempos: (333.3, 333.3), beats: 13),
    Part(meter: (6, 8), tempos: (133.7, 133.7), beats: 600),
  ]

  private func score(countIn: Int = 0) throws -> UnsafePointer<Score> {
    let plans = try Self.parts.enumerated().map { index, part in
      let curve: TempoCurve =
        part.tempos.from == part.tempos.to
        ? .constant(try Tempo(part.tempos.from))
        : .ramp(from: try Tempo(part.tempos.from), to: try Tempo(part.tempos.to))
      var plan = SectionPlan(
        length: .beats(part.beats), layout: try Pattern(meter: part.meter).layout(), tempo: curve)
      plan.isCountIn = index < countIn
      return plan
    }
    return Score.make(plans, sampleRate: 48_000, clips: .shortest, generation: 1, role: .lead)
  }

  /// The position to publish at a frame: bar, beats into it, beats before it, tempo.
  private func exact(_ frame: Double) -> (part: Part, bar: Int, beats: Double, before: Int, tempo: Double) {
    var (start, bar, before) = (0.0, 1, 0)
    for (index, part) in Self.parts.enumerated() {
      let end = start + part.seconds(Double(part.beats)) * 48_000
      if frame < end || index == Self.parts.count - 1 {
        let beat = part.beat(at: (frame - start) / 48_000)
        let bars = Int(beat) / part.meter.count
        let tempo = part.tempos.from + (part.tempos.to - part.tempos.from) * beat / Double(part.beats)
        let inBar = beat - Double(bars * part.meter.count)
        return (part, bar + bars, inBar, before + bars * part.meter.count, tempo)
      }
      start = end
      bar += (part.beats + part.meter.count - 1) / part.meter.count
      before += part.beats
    }
    fatalError("unreachable")
  }

  private func agrees(_ published: BarBeatTick, at frame: Int64) -> Bool {
    let exact = exact(Double(frame))
    let ticks = published.barStartTick + Double(published.beat - 1) * 1_920 + published.exactTick
    // On a beat's frame either side of the beat is right: a millionth of a beat does not matter.
    let isNear = abs(ticks - (Double(exact.before) + exact.beats) * 1_920) < 0.01
    let isOnEdge = abs(exact.beats - exact.beats.rounded()) < 1e-5
    return isNear && abs(published.beatsPerMinute - exact.tempo) < 0.001
      && Double(published.tick) == published.exactTick.rounded(.down)
      && (isOnEdge
        || published.bar == exact.bar && published.beat == Int(exact.beats) + 1
          && published.beatsPerBar == Double(exact.part.meter.count)
          && published.beatType == exact.part.meter.unit
          && published.barStartTick == Double(exact.before * 1_920))
  }

  @Test("Bar, beat, tick, tempo and bar_start_tick are exact in every period through meters and ramps")
  func rolling() throws {
    var numbers = Generator(seed: 41)
    let rig = Rig(try score())
    var transport = LedTransport(rig)
    var wrong: [UInt32] = []
    while transport.frame < 48_000 * 60 {
      _ = transport.render(numbers.number(1...512))
      if !agrees(transport.published, at: Int64(transport.frame)) { wrong.append(transport.frame) }
    }
    #expect(wrong == [])
  }

  @Test("They are exact at once after any locate, and on each beat's own frame")
  func located() throws {
    var numbers = Generator(seed: 42)
    let rig = Rig(try score())
    var transport = LedTransport(rig)
    var wrong: [UInt32] = []
    for _ in 0..<20_000 {
      transport.locate(UInt32(numbers.number(0...48_000 * 60)))
      if !agrees(transport.published, at: Int64(transport.frame)) { wrong.append(transport.frame) }
    }
    var (start, ticks) = (0.0, 0)
    for part in Self.parts {
      for beat in 0..<part.beats {
        let frame = UInt32((start + part.seconds(Double(beat)) * 48_000).rounded(.up))
        transport.locate(frame)
        let published = transport.published
        let sum = published.barStartTick + Double(published.beat - 1) * 1_920 + published.exactTick
        // Within the frame that the beat was rounded up by.
        let frameTicks = published.beatsPerMinute / 60 / 48_000 * 1_920
        if sum < Double(ticks) - 0.01 || sum > Double(ticks) + frameTicks + 0.01 { wrong.append(frame) }
        ticks += 1_920
      }
      start += part.seconds(Double(part.beats)) * 48_000
    }
    #expect(wrong == [])
  }

  @Test(
    "If the transport rolls on after a song's end, the metronome takes over at once, with its first beat",
    arguments: Quantise.allCases, [true, false])
  func behindTheEnd(quantise: Quantise, isJump: Bool) throws {
    let rig = Rig(Score.make([try Pattern().plan(bars: 2)], role: .lead, piece: 1, timing: 1))
    var transport = LedTransport(rig)
    for _ in 0..<(isJump ? 250 : 960) { _ = transport.render(1_000) }
    #expect(rig.beats.count == 8)
    rig.forgetEvents()
    if isJump { transport.locate(960_000) }
    let start = rig.clock
    rig.publish(try Score.make(Pattern(), role: .lead, quantise: quantise))
    for _ in 0..<100 { _ = transport.render(1_000) }
    #expect(
      rig.beats.map { [$0.frame - start, Int64($0.bar), Int64($0.beat)] }
        == [[0, 1, 1], [24_000, 1, 2], [48_000, 1, 3], [72_000, 1, 4], [96_000, 2, 1]])
  }

  @Test("Bars are published from 1 on, including a count-in's")
  func countIn() throws {
    let rig = Rig(try score(countIn: 1))
    var transport = LedTransport(rig)
    #expect([transport.published.bar, transport.published.beat, transport.published.tick] == [1, 1, 0])
    transport.locate(96_000 * 2)
    #expect([transport.published.bar, Int(transport.published.barStartTick)] == [3, 8 * 1_920])
    // The reported bars of the count-in are 0 and below.
    rig.forgetEvents()
    _ = transport.render(64)
    #expect(rig.beats.map(\.bar) == [1])
  }

  @Test("Hours past a rising ramp the position is still published")
  func pastRamp() throws {
    var plan = try Pattern(meter: (7, 32), beatUnit: (1, 4)).plan(bars: 4)
    plan.tempo = .ramp(from: try Tempo(thousandths: 400_000), to: try Tempo(thousandths: 420_000))
    for hours: UInt32 in [1, 10, 24] {
      let rig = Rig(Score.make([plan], role: .lead))
      var transport = HeldTransport(rig, frame: 48_000 * 3_600 * hours)
      transport.render()
      let position = rig.barBeatTick(at: transport.frame)
      #expect(position.barStartTick.isFinite && position.barStartTick > 0)
    }
  }
}
