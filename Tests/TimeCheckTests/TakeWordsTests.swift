import Glibc
import MusicTime
import TestNumbers
import Testing

@testable import TimeCheck

/// The sentences about a take in addition to its mean and spread.
@Suite struct TakeWordsTests {
  private struct Stroke {
    var part = 0
    var late: Double
    var strength: Float = 0.5
    var drum = Drum.snare
  }

  /// Plays strokes beside a click of eighths each half second.
  /// - Parameter split: the place at which the click's swing splits a pair (0…1).
  private func play(
    _ beats: Int, split: Double = 0.5, parts: Int = 2, silent: (Int) -> Bool = { _ in false },
    _ strokes: (Int) -> [Stroke]
  ) -> (report: TakeReport?, checker: TimeChecker, hits: [JudgedHit]) {
    var checker = TimeChecker(ListeningSetup(inputs: [], hasNotes: true), sampleRate: 48_000)
    var policy = TimeChecker.Policy()
    policy.grid = parts
    checker.setPolicy(policy)
    var hits: [JudgedHit] = []
    for beat in 0..<beats {
      let frame = ClockFrame(48_000 + 24_000 * Int64(beat))
      checker.note(
        Onset(frame: frame, bar: 1 + beat / 4, place: Place(beat: 1 + beat % 4), isSilent: silent(beat / 4)),
        isBeat: true, length: 24_000, split: split)
      checker.receive(
        strokes(beat).map { stroke in
          let place = parts == 2 && stroke.part == 1 ? split : Double(stroke.part) / Double(max(parts, 1))
          let late = Int64(24_000 * place + stroke.late * 48)
          return Hit(
            frame: frame + late, source: .notes, drum: stroke.drum,
            strength: stroke.strength)
        })
      for case .hit(let judged) in checker.settle(known: frame + 23_000) { hits.append(judged) }
    }
    let state = checker
    for case .take(let report) in checker.finish() { return (report, state, hits) }
    return (nil, state, hits)
  }

  private func line(_ report: TakeReport?, _ beginning: String) -> String? {
    report?.lines.first { $0.hasPrefix(beginning) }
  }

  // MARK: Drift

  @Test func `A drift is told of no less time than it is told for`() {
    var generator = Generator(seed: 5)
    let late = SimulatedDrummer(mean: 0, spread: 1).take(40, interval: 0.5, &generator).map(\.milliseconds)
    func drift(_ beats: Int) -> String? {
      line(play(beats) { [Stroke(late: late[$0] + 2 * Double($0))] }.report, "You came later")
    }
    #expect(drift(13) == nil)
    #expect(drift(40)?.contains("ms every 10 seconds") == true)
  }

  // MARK: What can't be judged

  @Test func `Where most strokes are near no click, nothing is told of the time that was kept`() throws {
    // A tenth of a second late: every fifth is within reach of a click.
    let report = try #require(play(60, parts: 0) { [Stroke(late: $0 % 5 == 0 ? 92 : 130)] }.report)
    #expect(report.summary.isBeside)
    #expect(report.lines.count == 1)
    #expect(report.lines[0].contains("Most strokes were near no click"))
    #expect(!report.lines[0].contains("ms late"))
  }

  @Test func `Strokes between clicks that are all hit are no reason to be silent`() throws {
    let sixteenths = { (_: Int) in (0..<4).map { Stroke(part: $0, late: 3) } }
    let report = try #require(play(30, parts: 0, sixteenths).report)
    #expect(!report.summary.isBeside)
    #expect(report.lines[0].contains("3 ms late"))
  }

  @Test func `An e-drum's own delay is said to be in what is told`() throws {
    let report = try #require(play(30, parts: 0) { _ in [Stroke(late: 6)] }.report)
    #expect(report.lines[0].contains("6 ms late") && report.lines[0].contains("your module's delay included"))
  }

  @Test func `A difference that would be shown as 0 ms is told of no place`() throws {
    // On the 1 a frame earlier, which stands out because the strokes have nearly no spread.
    let even = try #require(
      play(64, parts: 0) { [Stroke(late: 3 + Double($0 % 4 == 0 ? 0 : 1 + $0 % 2) / 48)] }.report)
    #expect(even.summary.places.contains { $0.standsOut })
    #expect(!even.lines.contains { $0.contains("than on average") })
    let uneven = try #require(
      play(64, parts: 0) { [Stroke(late: $0 % 4 == 0 ? 0 : 3 + Double($0 % 2))] }.report)
    #expect(uneven.lines.contains { $0.hasPrefix("On 1 you were ") })
  }

  // MARK: Swing

  @Test func `The swing of off-beats is told back within its bounds in 95 of 100 takes`() throws {
    var generator = Generator(seed: 3)
    var within = 0
    for _ in 0..<400 {
      let late = SimulatedDrummer(mean: -6, spread: 9).take(64, interval: 0.25, &generator).map(
        \.milliseconds)
      let (report, _, _) = play(32, split: 0.62) { beat in
        [Stroke(late: late[2 * beat]), Stroke(part: 1, late: late[2 * beat + 1])]
      }
      let swing = try #require(report?.summary.swing)
      #expect(swing.count >= 25)
      if swing.ratio.contains(0.62 / 0.38) { within += 1 }
    }
    #expect(within >= 370)
  }

  @Test func `A drummer who swings is told how much, and one who plays straight that it is straight`() throws
  {
    var generator = Generator(seed: 5)
    let late = SimulatedDrummer(spread: 6).take(128, interval: 0.25, &generator).map(\.milliseconds)
    let swung = play(64, split: 2.0 / 3) { beat in
      [Stroke(late: late[2 * beat]), Stroke(part: 1, late: late[2 * beat + 1])]
    }
    #expect(line(swung.report, "Your off-beats swing: ")?.contains("the click's 2 to 1") == true)
    let straight = play(64) { beat in
      [Stroke(late: late[2 * beat]), Stroke(part: 1, late: late[2 * beat + 1])]
    }
    #expect(line(straight.report, "Your off-beats are straight: ") != nil)
  }

  @Test func `Who plays sixteenths or few off-beats is told no swing`() {
    #expect(
      play(64, parts: 4) { _ in (0..<4).map { Stroke(part: $0, late: 0) } }.report?.summary.swing == nil)
    let few = play(64) { [Stroke(late: 0)] + ($0 < 8 ? [Stroke(part: 1, late: 0)] : []) }
    #expect(few.report?.summary.swing == nil)
  }

  // MARK: Ghost notes and accents

  @Test func `Ghost notes that come late are told apart from accents`() throws {
    var generator = Generator(seed: 5)
    let late = SimulatedDrummer(spread: 5).take(128, interval: 0.25, &generator).map(\.milliseconds)
    let (report, _, _) = play(64) { beat in
      [
        Stroke(late: late[2 * beat], strength: Float.random(in: 0.6...0.9, using: &generator)),
        Stroke(
          part: 1, late: late[2 * beat + 1] + 8, strength: Float.random(in: 0.08...0.16, using: &generator)),
      ]
    }
    let strengths = try #require(report?.summary.strengths.first)
    #expect(strengths.name == "snare")
    #expect((strengths.soft.count, strengths.loud.count) == (64, 64))
    #expect(strengths.later.contains(8))
    #expect(strengths.differs)
    let words = try #require(line(report, "Your 64 ghost notes on the snare came "))
    #expect(words.contains(" ms later than the 64 accents (±"))
  }

  @Test func `Ghost notes and accents that are as late as each other are told apart in few takes`() {
    var generator = Generator(seed: 7)
    var (reported, spreads) = (0, 0)
    for _ in 0..<300 {
      let late = SimulatedDrummer(spread: 10).take(64, interval: 0.25, &generator).map(\.milliseconds)
      let (report, _, _) = play(32) { beat in
        [
          Stroke(late: late[2 * beat], strength: 0.8),
          Stroke(part: 1, late: late[2 * beat + 1], strength: 0.1),
        ]
      }
      if report?.summary.strengths.first?.differs == true { reported += 1 }
      if report?.summary.strengths.first?.spreadDiffers == true { spreads += 1 }
    }
    // 5 % by design.
    #expect(reported <= 30)
    #expect(spreads <= 30)
  }

  @Test func `Strokes of no two clear kinds are not divided`() {
    var generator = Generator(seed: 9)
    for _ in 0..<100 {
      let even = (0..<80).map { _ in Float.random(in: 0.1...0.9, using: &generator) }
      #expect(SoftAndLoud(even).isSoft(0.1) == nil)
      let level = SimulatedDrummer(mean: -20, spread: 6).take(80, interval: 1, &generator)
      #expect(SoftAndLoud(level.map { Float(pow(10, $0.milliseconds / 20)) }).isSoft(0.01) == nil)
    }
    #expect(SoftAndLoud(Array(repeating: 0.5, count: 50)).isSoft(0.5) == nil)
    let few = Array(repeating: Float(0.8), count: 50) + Array(repeating: 0.1, count: 9)
    #expect(SoftAndLoud(few).isSoft(0.1) == nil)
  }

  // MARK: Silent bars and tempo

  @Test func `What is lost in each silent bar is told`() throws {
    var generator = Generator(seed: 11)
    // Two bars that sound, two that don't, in which each beat is 2 ms later: 8 ms a bar.
    func isSilent(_ bar: Int) -> Bool { bar % 4 >= 2 }
    let (report, checker, _) = play(160, parts: 0, silent: isSilent) { beat in
      let place = beat % 16
      let jitter = Double.random(in: -1...1, using: &generator)
      return [Stroke(late: (place < 8 ? 0 : Double(place - 7) * 2) + jitter)]
    }
    let lost = try #require(report?.summary.gaps?.lost)
    #expect(lost.contains(8))
    #expect(lost.margin < 1)
    #expect(line(report, "While the click was silent")?.contains(" ms later with each silent bar (±") == true)
    #expect(checker.state.playedTempos.count == 32)
  }

  @Test func `The tempo that is played is told with each hit, and kept for the last bars`() throws {
    // 1 % slower than the click, as long as that goes.
    let (_, checker, hits) = play(32, parts: 0) { [Stroke(late: Double($0) * 5 - 80)] }
    #expect(hits.prefix(7).allSatisfy { $0.playedTempo == nil })
    let tempo = try #require(hits.last?.playedTempo)
    #expect(abs(tempo - 120 / 1.01) < 0.01)
    #expect(checker.state.playedTempo == tempo)
    #expect(checker.state.playedTempos.count == 6)
    let steady = play(32, parts: 0) { _ in [Stroke(late: -20)] }
    #expect(abs((steady.checker.state.playedTempo ?? 0) - 120) < 0.01)
  }
}
