import Engine
import Glibc
import MusicTime
import TestNumbers
import Testing

func logarithm(_ x: Double) -> Double { log(x) }

@Suite("Layers in sections")
struct LayerSectionTests {
  private static let meters = [(4, 4), (7, 8), (3, 4), (5, 8)]

  private func plans(_ layers: [String]) throws -> [SectionPlan] {
    try Self.meters.enumerated().map { index, meter in
      var plan = try LayerScore(meter: meter, layers: layers).plan(bars: 2 + index % 2)
      // Quarters of half a second, whatever the meter's note.
      plan.layout = try BarLayout(meter: Meter(meter.0, meter.1), beatUnit: BeatUnit(1, 4))
      plan.source = index
      return plan
    }
  }

  /// Whole notes from the start to each section and to the end, at 96 000 frames a whole note.
  private var starts: [Double] {
    Self.meters.enumerated().reduce(into: [0]) { starts, meter in
      let bars = Double(2 + meter.offset % 2)
      starts.append(starts.last! + bars * Double(meter.element.0) / Double(meter.element.1))
    }
  }

  @Test("A layer over the bar has its number of pulses in each bar, through all changes of the meter")
  func overBars() throws {
    for reset in ["bar", "section", "never"] {
      let rig = Rig(Score.make(try plans(["5 over bar, reset \(reset)"])))
      rig.command(.start, at: 0)
      rig.render(until: ClockFrame(48_000 * 30))
      var expected: [Double] = []
      for (index, meter) in Self.meters.enumerated() {
        let bar = Double(meter.0) / Double(meter.1)
        for pulse in 0..<(5 * (2 + index % 2)) { expected.append(starts[index] + Double(pulse) * bar / 5) }
      }
      let frames = rig.frames(1)
      #expect(frames.count == expected.count, "\(reset)")
      for (frame, exact) in zip(frames, expected) {
        #expect(abs(Double(frame.number) - exact * 96_000) <= 0.501)
      }
    }
  }

  @Test(
    "A section that is held after the transport has rolled on past its end stays over, and its layers are silent",
    .timeLimit(.minutes(1)), arguments: [1, 15, 200])
  func heldPastTheEnd(rounds: Int) throws {
    func score(_ role: SyncMode) throws -> UnsafePointer<Score> {
      Score.make([try LayerScore(layers: ["5 over bar"]).plan(bars: 2)], role: role, piece: 1)
    }
    let rig = Rig(try score(.lead))
    var transport = LedTransport(rig)
    while transport.frame < 192_000 * (rounds + 1) + 5_000 { _ = transport.render(1_024) }
    #expect(rig.beats.filter { $0.layer == 0 }.count == 8 && rig.pulses(1).count == 10)
    rig.forgetEvents()
    rig.publish(try score(.free))
    _ = transport.render(1_024)
    rig.command(.repeats(.section))
    for _ in 0..<500 { _ = transport.render(1_024) }
    #expect(rig.beats.isEmpty)
    let finished = rig.events.filter { if case .finished = $0 { true } else { false } }
    #expect(finished.count == 1)
  }

  @Test("A layer that is never reset continues through sections and loops; others begin again")
  func resets() throws {
    let rig = Rig(
      Score.make(try plans(["every 3/16, pattern Xoo, reset never", "every 3/16, pattern Xoo"]), loop: 1))
    rig.command(.start, at: 0)
    rig.render(until: ClockFrame(48_000 * 60), period: 777)
    let endless = rig.pulses(1)
    #expect(endless.count == Int((48_000 * 60 - 1) / 18_000) + 1)
    for (index, pulse) in endless.enumerated() {
      #expect(abs(Double(pulse.frame.number) - Double(index) * 18_000) <= 0.501)
      #expect(pulse.strength == (index % 3 == 0 ? 1 : 0.5))
    }
    var expected: [Double] = []
    var (section, start) = (0, 0.0)
    while start * 96_000 < 48_000 * 60 {
      let length = starts[section + 1] - starts[section]
      var place = 0.0
      while place < length - 1e-9 {
        expected.append((start + place) * 96_000)
        place += 3.0 / 16
      }
      start += length
      section = section == 3 ? 1 : section + 1
    }
    expected.removeAll { $0 >= 48_000 * 60 - 0.5 }
    #expect(rig.frames(2).count == expected.count)
    for (frame, exact) in zip(rig.frames(2), expected) { #expect(abs(Double(frame.number) - exact) <= 0.501) }
  }

  @Test("After a locate into a score the output equals that of playing through, in later laps too")
  func locate() throws {
    let layers = [
      "5 over bar", "every 3/16, reset never", "7 over 2 bars, reset never", "3 over bar, reset bar",
    ]
    let through = Rig(Score.make(try plans(layers), loop: 1))
    through.command(.start, at: 0)
    through.render(until: ClockFrame(48_000 * 60))
    let bars = through.beats.filter { $0.layer == 0 && $0.beat == 1 }
    for bar in bars.prefix(14) {
      let rig = Rig(Score.make(try plans(layers), loop: 1))
      rig.command(.start, at: 0)
      rig.command(.locate(Position(bar: bar.bar, beat: 1)), at: 20_000)
      rig.render(until: 100_000, period: 4_096)
      for number in 1...layers.count {
        let heard = rig.frames(number).filter { $0 >= 20_000 }.map { $0 - ClockFrame(20_000) }
        let expected = through.frames(number).map { $0 - bar.frame }.filter { $0 >= 0 && $0 < 80_000 }
        #expect(abs(heard.count - expected.count) <= 1, "layer \(number) from bar \(bar.bar)")
        for (a, b) in zip(heard, expected) { #expect(abs(a - b) <= 1, "layer \(number) from bar \(bar.bar)") }
      }
    }
  }

  @Test("A layer continues through the steps of a section, and begins again with the next section")
  func steps() throws {
    var plans = try [0, 0, 0, 1].map { source in
      var plan = try LayerScore(layers: ["5 over 3 beats"]).plan(bars: 1)
      plan.source = source
      return plan
    }
    plans[1].tempo = .constant(try Tempo(thousandths: 240_000))
    let rig = Rig(Score.make(plans))
    rig.command(.start, at: 0)
    rig.render(until: ClockFrame(48_000 * 10))
    let time = { (beat: Double) in
      beat < 4 ? beat * 24_000 : beat < 8 ? 96_000 + (beat - 4) * 12_000 : 144_000 + (beat - 8) * 24_000
    }
    let first = stride(from: 0, to: 12, by: 0.6).map(time)
    let second = stride(from: 0, to: 4, by: 0.6).map { time(12) + $0 * 24_000 }
    #expect(rig.frames(1).count == first.count + second.count)
    for (frame, exact) in zip(rig.frames(1), first + second) {
      #expect(abs(Double(frame.number) - exact) <= 0.501)
    }
  }

  @Test("Layers begin again with each lap of a held section")
  func held() throws {
    let rig = Rig(Score.make(try plans(["every 3/16"])))
    rig.command(.start, at: 0)
    rig.command(.repeats(.section), at: 1)
    rig.render(until: ClockFrame(192_000 * 3 - 1))
    let lap = stride(from: 0.0, to: 192_000, by: 18_000).map { $0 }
    let expected = lap + lap.map { $0 + 192_000 } + lap.map { $0 + 384_000 }
    #expect(rig.frames(1).map { Double($0.number) } == expected)
  }

  @Test(
    "Bars that repeat from a section's start repeat the layers that are never reset too, each round as the one before",
    arguments: [(0, 0, 2), (1, 1, 2), (1, 1, 3), (1, 2, 2)])
  func rounds(first: Int, last: Int, lastBar: Int) throws {
    let bar = Double(Self.meters[last].0) / Double(Self.meters[last].1)
    let round = (starts[last] + Double(lastBar) * bar - starts[first]) * 96_000
    let range = try #require(BarRange(.init(section: first), through: .init(section: last, bar: lastBar)))
    let isWhole = first == last && starts[first + 1] * 96_000 == starts[first] * 96_000 + round
    for repetition in isWhole ? [Repetition.bars(range), .section] : [.bars(range)] {
      let rig = Rig(
        Score.make(try plans(["every 3/16, pattern Xoo, reset never", "5 over 3 bars, reset never"])))
      rig.command(.jump(range.first, .now))
      rig.command(.start, at: 0)
      rig.command(.repeats(repetition), at: 1)
      rig.render(until: ClockFrame(Int64(round * 4) - 1), period: 500)
      for number in 1...2 {
        let pulses = rig.pulses(number).map { (frame: $0.frame.number, strength: $0.strength) }
        let rounds = (0..<4).map { index in
          pulses.filter { ($0.frame + 1) / Int64(round) == index }
            .map { (frame: $0.frame - Int64((round * Double(index)).rounded()), strength: $0.strength) }
        }
        #expect(!rounds[0].isEmpty)
        for other in rounds[1...] {
          #expect(other.map(\.strength) == rounds[0].map(\.strength))
          for (one, other) in zip(rounds[0], other) { #expect(abs(one.frame - other.frame) <= 1) }
        }
      }
    }
  }

  @Test("A layer that is reset at groups begins again with each group")
  func groups() throws {
    let rig = Rig(
      Score.make([
        try LayerScore(meter: (7, 8), groups: "3+2+2", layers: ["every 1/12, pattern Xo, reset group"]).plan(
          bars: 2)
      ]))
    rig.command(.start, at: 0)
    rig.render(until: ClockFrame(48_000 * 10))
    // An eighth has 24 000 frames, and a pulse 16 000.
    let groups = [(0.0, 5), (72_000.0, 3), (120_000.0, 3)]
    let bar = groups.flatMap { start, count in (0..<count).map { (start + Double($0) * 16_000, $0 % 2 == 0) }
    }
    let expected = bar + bar.map { ($0.0 + 168_000, $0.1) }
    let pulses = rig.pulses(1)
    #expect(pulses.map { Double($0.frame.number) } == expected.map(\.0))
    #expect(pulses.map { $0.strength == 1 } == expected.map(\.1))
    #expect(pulses.map(\.bar) == expected.map { $0.0 < 168_000 ? 1 : 2 })
  }

  @Test("Silent bars silence layers too, and after a pause they continue where they were")
  func silence() throws {
    var plan = try LayerScore(layers: ["5 over bar"]).plan()
    plan.silence = .gap(play: 1, rest: 1, growth: 0)
    let rig = Rig(Score.make([plan]))
    rig.command(.start, at: 0)
    rig.command(.pause, at: 300_000)
    rig.command(.start, at: 1_000_000)
    rig.render(until: 1_400_000)
    let pulses = rig.pulses(1)
    for (index, pulse) in pulses.enumerated() {
      let time = Double(index) * 19_200
      #expect(Double(pulse.frame.number) == (time < 300_000 ? time : time + 700_000))
      #expect(pulse.strength == (index / 5 % 2 == 0 ? 1 : 0))
    }
    #expect(pulses.count == 37)
  }
}
