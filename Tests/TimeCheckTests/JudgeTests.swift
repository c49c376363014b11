import MusicTime
import Testing

@testable import TimeCheck

@Suite struct JudgeTests {
  /// Beats each half second at 48 kHz, from frame 48 000 on.
  private func judge(_ count: Int = 16, interval: Int64 = 24_000) -> Judge {
    var judge = Judge(sampleRate: 48_000)
    for beat in 0..<count {
      judge.note(
        Onset(
          frame: ClockFrame(48_000 + Int64(beat) * interval), bar: 1 + beat / 4,
          place: Place(beat: 1 + beat % 4)))
    }
    return judge
  }

  private func hit(_ frame: Int64, _ drum: Drum? = nil, strength: Float = 0.5) -> Hit {
    Hit(frame: ClockFrame(frame), source: drum == nil ? .input(0) : .notes, drum: drum, strength: strength)
  }

  private func hits(_ verdicts: [Judge.Verdict]) -> [JudgedHit] {
    verdicts.compactMap { if case .hit(let judged) = $0 { judged } else { nil } }
  }

  @Test func `A hit is early or late by milliseconds against the nearest click`() {
    var judge = judge()
    for (beat, late) in [(0, -480), (1, 960), (2, 0)] as [(Int64, Int64)] {
      judge.note(hit(48_000 + beat * 24_000 + late))
    }
    let judged = hits(judge.settle(known: .never))
    #expect(judged.map(\.milliseconds) == [-10, 20, 0])
    #expect(judged.map(\.onset.place.beat) == [1, 2, 3])
  }

  @Test func `An early hit waits until its click is known`() {
    var judge = Judge(sampleRate: 48_000)
    judge.note(Onset(frame: 48_000, bar: 1, place: Place(beat: 1)))
    judge.note(hit(71_000))
    #expect(judge.settle(known: 71_100).isEmpty)
    #expect(judge.isWaiting)
    judge.note(Onset(frame: 72_000, bar: 1, place: Place(beat: 2)))
    #expect(hits(judge.settle(known: 72_500)).map(\.milliseconds) == [-1_000.0 / 48])
  }

  @Test func `A hit between the clicks is meant for none`() {
    var judge = judge()
    judge.note(hit(48_000 + 12_000))
    judge.note(hit(48_000 + 6_000))
    #expect(judge.settle(known: .never).count { if case .extra = $0 { true } else { false } } == 2)
  }

  @Test func `Clicks close together leave no room between them`() {
    var judge = judge(interval: 6_000)
    judge.note(hit(48_000 + 2_900))
    #expect(hits(judge.settle(known: .never)).map(\.onset.frame) == [48_000])
  }

  @Test(arguments: [-40.0, 40, 60])
  func `Who aims beside the click is judged against the click that is meant`(_ target: Double) {
    // Sixteenths at 180 beats a minute.
    var judge = judge(64, interval: 4_000)
    judge.target = target
    for number in 0..<64 as Range<Int64> {
      judge.note(hit(48_000 + number * 4_000 + Int64(target * 48) + (number % 3 - 1) * 480))
    }
    var judged: [JudgedHit] = []
    for known in stride(from: Int64(48_000), to: 400_000, by: 256) {
      judged += hits(judge.settle(known: ClockFrame(known)))
    }
    judged += hits(judge.settle(known: .never))
    #expect(judged.map(\.onset.frame) == (0..<64).map { ClockFrame(48_000 + $0 * 4_000) })
    #expect(judged.map(\.milliseconds) == (0..<64).map { target + Double($0 % 3 - 1) * 10 })
  }

  @Test func `A click at a place that was filled in is missed as any other`() {
    var judge = Judge(sampleRate: 48_000)
    for (part, role) in [(0, .beat), (1, .grid), (2, .grid), (3, .grid)] as [(Int, Onset.Role)] {
      judge.note(
        Onset(
          frame: ClockFrame(48_000 + 6_000 * Int64(part)), bar: 1, place: Place(beat: 1, part: part),
          role: role,
          isExpected: role != .grid))
    }
    judge.note(Onset(frame: 60_001, bar: 1, place: Place(beat: 1, part: 1), role: .subdivision))
    judge.note(hit(48_000))
    judge.note(hit(66_000))
    let verdicts = judge.settle(known: .never)
    let missed = verdicts.compactMap { if case .missed(let onset) = $0 { onset } else { nil } }
    #expect(missed.map(\.place) == [Place(beat: 1, part: 2)])
    #expect(missed.map(\.role) == [.subdivision])
    #expect(hits(verdicts).map(\.onset.role) == [.beat, .grid])
  }

  @Test func `A short beat ends where the next bar begins`() {
    var judge = Judge(sampleRate: 48_000)
    judge.note(Onset(frame: 48_000, bar: 1, place: Place(beat: 4)))
    for part in 1..<4 {
      judge.note(
        Onset(
          frame: ClockFrame(48_000 + 6_000 * Int64(part)), bar: 1, place: Place(beat: 4, part: part),
          role: .grid,
          isExpected: false))
    }
    judge.note(Onset(frame: 60_000, bar: 2, place: Place(beat: 1), role: .accent))
    judge.note(hit(60_000))
    judge.note(hit(66_000))
    #expect(hits(judge.settle(known: .never)).map(\.onset.place) == [Place(beat: 1)])
  }

  @Test func `A flam counts once, with its main stroke`() {
    var judge = judge()
    judge.note(hit(48_000 - 1_200, strength: 0.2))
    judge.note(hit(48_000, strength: 0.8))
    judge.note(hit(48_000 + 1_500, strength: 0.3))
    let verdicts = judge.settle(known: .never)
    let judged = hits(verdicts)
    #expect(judged.map(\.isCorrection) == [false, true])
    #expect(verdicts.count { if case .flam = $0 { true } else { false } } == 1)
    var take = Take(sampleRate: 48_000)
    for verdict in verdicts { take.note(verdict) }
    #expect(take.entries.map(\.milliseconds) == [0])
  }

  @Test func `Hits at one moment count once, and for each drum`() {
    var judge = judge()
    for beat in 0..<16 as Range<Int64> {
      judge.note(hit(48_000 + beat * 24_000, .kick))
      judge.note(hit(48_000 + beat * 24_000 + 240, .hiHat))
    }
    var take = Take(sampleRate: 48_000)
    for verdict in judge.settle(known: .never) { take.note(verdict) }
    let summary = take.summary()
    #expect(summary.hits == 16)
    #expect(summary.drums.map(\.count) == [16, 16])
    #expect(summary.drums.map(\.mean).sorted() == [0, 5])
  }

  @Test func `A click without a hit is missed between the first hit and the last`() {
    var judge = judge()
    for beat in [4, 5, 7, 9] as [Int64] { judge.note(hit(48_000 + beat * 24_000)) }
    var take = Take(sampleRate: 48_000)
    var verdicts: [Judge.Verdict] = []
    for known in stride(from: Int64(0), to: 700_000, by: 1_000) {
      verdicts += judge.settle(known: ClockFrame(known))
    }
    for verdict in verdicts { take.note(verdict) }
    #expect(take.entries.count == 4)
    // In the order in which they are told: a click is missed only when no hit can come any more.
    #expect(verdicts.count { if case .missed = $0 { true } else { false } } >= 6)
  }

  @Test func `Nothing is judged without clicks`() {
    var judge = Judge(sampleRate: 48_000)
    judge.note(hit(1_000))
    #expect(hits(judge.settle(known: .never)).isEmpty)
  }
}
