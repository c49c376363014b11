import Engine
import Glibc
import MusicTime
import Testing

@Suite("Section plans")
struct SectionPlanTests {
  private let rate = 48_000

  private func plan(_ tempo: TempoCurve, _ length: SectionLength) throws -> SectionPlan {
    try plan((4, 4), tempo, length)
  }

  private func plan(
    _ meter: (Int, Int), _ tempo: TempoCurve, _ length: SectionLength
  ) throws -> SectionPlan {
    SectionPlan(length: length, layout: try BarLayout(meter: Meter(meter.0, meter.1)), tempo: tempo)
  }

  private func rig(_ plans: [SectionPlan], cues: [Int: Clip] = [:], loop: Int? = nil) -> Rig {
    Rig(Score.make(plans, sampleRate: rate, clips: .shortest, cues: cues, generation: 1, loop: loop))
  }

  private func bpm(_ beatsPerMinute: Double) throws -> Tempo { try Tempo(beatsPerMinute) }

  /// The frames on which sections begin.
  private func starts(_ rig: Rig) -> [ClockFrame] {
    rig.beats.filter { $0.sectionBar == 1 && $0.beat == 1 && $0.role != .subdivision }.map(\.frame)
  }

  @Test("After two hours of 20-second intervals each still begins on its exact frame")
  func intervals() throws {
    // Tempos at which no interval has a whole number of beats.
    let plans = try (0..<360).map {
      try plan(.constant(bpm($0 % 2 == 0 ? 133.7 : 91.003)), .milliseconds(20_000))
    }
    let rig = rig(plans)
    rig.command(.start)
    while rig.clock.number < 360 * 960_000 { rig.render(60_000) }
    #expect(starts(rig) == (0..<360).map { ClockFrame(Int64($0) * 960_000) })
  }

  @Test("A ramp's beats lie where its closed form says, in both directions")
  func ramp() throws {
    for (from, to, beats) in [(60.0, 180.0, 32), (200, 40, 17), (100, 100.5, 400)] {
      let rig = rig([try plan(.ramp(from: bpm(from), to: bpm(to)), .beats(beats))])
      rig.command(.start)
      while rig.clock.number < 48_000 * 600, rig.events.last.map({ !"\($0)".hasPrefix("stopped") }) ?? true {
        rig.render(10_000)
      }
      let heard = rig.beats
      #expect(heard.count == beats)
      for (beat, event) in heard.enumerated() {
        let slope = (to - from) / Double(beats)
        let exact = 60 * 48_000 / slope * log((from + slope * Double(beat)) / from)
        #expect(abs(Double(event.frame.number) - exact) <= 0.5001)
      }
    }
  }

  @Test("A ramp over a time reaches its tempo at its end")
  func timedRamp() throws {
    let rig = rig([
      try plan(.ramp(from: bpm(60), to: bpm(120)), .milliseconds(60_000)),
      try plan(.constant(bpm(120)), .bars(1)),
    ])
    rig.command(.start)
    rig.render(until: ClockFrame(48_000 * 64), period: 4_096)
    let beats = rig.beats
    // 60·B/60·ln 2 = 60 s: B = 86.56 beats.
    #expect(beats.filter { $0.section == 0 }.count == 87)
    #expect(starts(rig) == [0, 2_880_000])
    let lengths = zip(beats, beats.dropFirst()).map { $1.frame - $0.frame }
    #expect(abs(Double(lengths[84]) - 60 * 48_000 / 119.2) < 300)
  }

  @Test("With a list of tempos each beat has its own")
  func tempoList() throws {
    let tempos = [100.0, 110, 95.5, 60, 300, 123.456, 88]
    let rig = rig([
      try plan((3, 4), .beats(tempos.map { try bpm($0) }), .beats(7)),
      try plan(.constant(bpm(120)), .bars(1)),
    ])
    rig.command(.start)
    rig.render(until: ClockFrame(48_000 * 10))
    var exact = 0.0
    for (index, tempo) in tempos.enumerated() {
      #expect(abs(Double(rig.beats[index].frame.number) - exact) <= 0.5001)
      exact += 60 * 48_000 / tempo
    }
    #expect(abs(Double(starts(rig)[1].number) - exact) <= 0.5001)
  }

  @Test("Silent bars are counted and not heard, and a random silence is the same after a locate")
  func silence() throws {
    var gap = try plan((2, 4), .constant(bpm(240)), .bars(12))
    gap.silence = .gap(play: 2, rest: 1, growth: 1)
    let rig = rig([gap])
    rig.command(.start)
    rig.render(until: ClockFrame(48_000 * 7))
    let loud = rig.beats.filter { $0.beat == 1 }.map { $0.strength > 0 }
    #expect(loud == [true, true, false, true, true, false, false, true, true, false, false, false])

    var random = try plan((2, 4), .constant(bpm(240)), .bars(400))
    random.silence = .random(percent: 30, rise: 0, seed: 7)
    let whole = self.rig([random])
    whole.command(.start)
    whole.render(until: ClockFrame(24_000 * 400), period: 4_096)
    let pattern = whole.beats.filter { $0.beat == 1 }.map { $0.strength > 0 }
    #expect((240...320).contains(pattern.filter { $0 }.count))
    let part = self.rig([random])
    part.command(.locate(Position(bar: 201, beat: 1)))
    part.command(.start)
    part.render(until: ClockFrame(24_000 * 200), period: 4_096)
    #expect(part.beats.filter { $0.beat == 1 }.map { $0.strength > 0 } == Array(pattern[200...]))
  }

  @Test("A loop is on its exact frames for 24 hours, and bars are counted continuously")
  func loop() throws {
    let rig = rig(
      [
        try plan(.constant(bpm(100)), .bars(1)), try plan((7, 8), .constant(bpm(133)), .milliseconds(1_500)),
        try plan(.ramp(from: bpm(100), to: bpm(200)), .milliseconds(2_000)),
      ], loop: 1)
    rig.command(.start)
    var (expected, bar) = (Int64(0), 0)
    let day: Int64 = 86_400 * 48_000
    while rig.clock.number < day {
      rig.render(65_536)
      for event in rig.beats where event.beat == 1 && event.role != .subdivision {
        #expect(event.bar == bar + 1)
        bar = event.bar
        guard event.sectionBar == 1 else { continue }
        #expect(event.frame.number == expected)
        expected += [115_200, 72_000, 96_000][event.section]
      }
      rig.forgetEvents()
    }
    #expect(expected > day - 200_000)
  }

  @Test("A held section begins again until it is released")
  func hold() throws {
    let rig = rig([
      try plan(.constant(bpm(120)), .bars(1)), try plan(.constant(bpm(60)), .bars(1)),
    ])
    rig.command(.repeats(.section))
    rig.command(.start)
    rig.command(.repeats(.none), at: ClockFrame(96_000 * 2 + 10))
    rig.render(until: ClockFrame(96_000 * 4))
    #expect(rig.beats.filter { $0.beat == 1 }.map(\.section) == [0, 0, 0, 1])
    #expect(rig.beats.filter { $0.beat == 1 }.map(\.bar) == [1, 2, 3, 4])
  }

  @Test("A section without an end goes on until a jump, which waits for the bar if it is asked to")
  func open() throws {
    let rig = rig([
      try plan(.constant(bpm(120)), .open), try plan((3, 4), .constant(bpm(60)), .bars(1)),
    ])
    rig.command(.start)
    rig.command(.jump(BarRange.Bar(section: 1), .bar), at: ClockFrame(96_000 * 5 + 1_000))
    rig.render(until: ClockFrame(96_000 * 8))
    let first = try #require(rig.beats.first { $0.section == 1 })
    #expect(first.frame.number == 96_000 * 6)
    #expect(first.bar == 2)
  }

  @Test("A pause and a start lose nothing")
  func pause() throws {
    let plans = [try plan(.constant(bpm(133.7)), .bars(2)), try plan((7, 8), .constant(bpm(97)), .bars(3))]
    let through = rig(plans)
    through.command(.start)
    through.render(until: ClockFrame(48_000 * 10))
    let paused = rig(plans)
    paused.command(.start)
    paused.command(.pause, at: 77_777)
    paused.command(.start, at: 77_777 + 480_000)
    paused.render(until: ClockFrame(48_000 * 20))
    let shifted = paused.beats.map { $0.frame - ($0.frame > 77_777 ? 480_000 : 0) }
    #expect(shifted == through.beats.map(\.frame))
  }

  @Test("A count-in comes before bar 1, and its section's cue sounds on its first frame")
  func countIn() throws {
    var countIn = try plan(.constant(bpm(120)), .bars(1))
    countIn.isCountIn = true
    let first = try plan(.constant(bpm(120)), .bars(1))
    let cue = Clip([0.25, 0.5])
    let rig = rig([countIn, first], cues: [1: cue])
    rig.isRecording = true
    rig.command(.start)
    rig.render(until: ClockFrame(48_000 * 5))
    #expect(rig.beats.filter { $0.beat == 1 && $0.role == .accent }.map(\.bar) == [0, 1])
    #expect(Array(rig.recording.roles[3][95_999...96_002]) == [0, 0.25, 0.5, 0])
    withExtendedLifetime(cue) {}
  }
}
