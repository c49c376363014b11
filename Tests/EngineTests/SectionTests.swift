import Engine
import MusicTime
import Testing

@Suite("Sections")
struct SectionTests {
  private static let patterns: [(Pattern, Int)] = [
    (Pattern(thousandths: 127_000, meter: (4, 4), subdivisions: [2: 1]), 3),
    (Pattern(thousandths: 133_700, meter: (7, 8), beatUnit: (1, 4), subdivisions: [3: 1]), 2),
    (Pattern(thousandths: 999_999, meter: (5, 3), subdivisions: Pattern.allSubdivisions, swing: 667), 1),
    (Pattern(thousandths: 61_234, meter: (2, 4), beatUnit: (3, 8)), 4),
  ]

  private func score() throws -> UnsafePointer<Score> {
    Score.make(
      try Self.patterns.map { try $0.0.plan(bars: $0.1) }, sampleRate: 48_000, clips: .shortest, generation: 1
    )
  }

  /// All onsets of the score from its start, by the reference, and its end.
  private var reference: (onsets: [(frame: Double, bar: Int, beat: Int)], end: Double) {
    var onsets: [(frame: Double, bar: Int, beat: Int)] = []
    var (start, first) = (0.0, 1)
    for (pattern, bars) in Self.patterns {
      let reference = Reference(pattern, sampleRate: 48_000)
      for bar in 1...bars {
        for onset in reference.onsets {
          let time = Double(reference.numerator(bar: bar, onset)) / Double(reference.denominator)
          onsets.append((start + time, first + bar - 1, onset.beat))
        }
      }
      start += Double(Int128(bars) * reference.barStride) / Double(reference.denominator)
      first += bars
    }
    return (onsets, start)
  }

  @Test("Sections follow each other without a gap, and the end is reported on its frame")
  func throughout() throws {
    let rig = Rig(try score())
    rig.command(.start, at: 1_000)
    rig.render(until: 1_500_000, period: 333)
    let (onsets, end) = reference
    #expect(rig.beats.count == onsets.count)
    for (beat, onset) in zip(rig.beats, onsets) {
      #expect(abs(Double(beat.frame - 1_000) - onset.frame) <= 0.500_001)
      #expect(beat.bar == onset.bar && beat.beat == onset.beat)
    }
    let ends = rig.events.compactMap { event -> ClockFrame? in
      if case .finished(let frame) = event { frame } else { nil }
    }
    #expect(ends == [ClockFrame(1_000 + Int64(end.rounded()))])
    guard case .stopped(ends[0]) = rig.events.last else { throw Fault.notStopped }
  }

  private enum Fault: Error { case notStopped }

  @Test("After a locate to any beat of any section the output equals that of playing through")
  func locate() throws {
    let (onsets, _) = reference
    let score = try score()
    defer { Score.free(score) }
    for (index, onset) in onsets.enumerated() where index == 0 || onsets[index - 1].beat != onset.beat {
      let rig = Rig(try self.score())
      let place = Position(bar: onset.bar, beat: onset.beat)
      rig.command(.start, at: 0)
      rig.command(.locate(place), at: 100)
      rig.render(until: 1_500_000, period: 60_000)
      let heard = rig.beats.filter { $0.frame >= 100 }
      #expect(heard.count == onsets.count - index)
      for (beat, expected) in zip(heard, onsets[index...]) {
        #expect(abs(Double(beat.frame - 100) - (expected.frame - onset.frame)) <= 0.500_001)
        #expect(beat.bar == expected.bar && beat.beat == expected.beat)
      }
      #expect(abs(Double(score.pointee.frame(of: place)) - onset.frame) <= 0.500_001)
    }
  }

  @Test("A locate past a bar's last beat counts that bar's beats, whichever section plays")
  func locateBeyond() throws {
    let rig = Rig(try score())
    // Bar 4 has three and a half quarters; the music is in a section of four.
    rig.command(.start, at: 0)
    rig.command(.locate(Position(bar: 4, beat: 4, fraction: 0.25)), at: 100)
    rig.command(.locate(Position(bar: 4, beat: 4, fraction: 0.5)), at: 200)
    rig.render(1_024)
    #expect(rig.beats.filter { $0.frame == 200 }.map { [$0.bar, $0.beat] } == [[5, 1]])
  }

  @Test("A locate past the end finishes at once")
  func locatePastEnd() throws {
    let rig = Rig(try score())
    rig.command(.start, at: 0)
    rig.command(.locate(Position(bar: 11, beat: 1)), at: 500)
    rig.render(1_024)
    #expect(rig.events.suffix(2).map { "\($0)" } == ["finished(500)", "stopped(500)"])
  }

  @Test(
    "A change that waits for a line in a last bar that is cut short begins nothing again",
    arguments: [Quantise.beat, .bar])
  func changeInACutBar(quantise: Quantise) throws {
    var plan = try Pattern(thousandths: 120_000).plan(bars: nil)
    plan.length = .beats(7)
    for frame in stride(from: Int64(140_000), to: 168_000, by: 1_000) {
      let rig = Rig(Score.make([plan], quantise: quantise, piece: 1, timing: 1))
      rig.command(.start)
      rig.render(until: ClockFrame(frame))
      rig.publish(Score.make([plan], quantise: quantise, piece: 1, timing: 1))
      rig.render(until: 200_000)
      #expect(rig.beats.map(\.frame.number) == (0..<7).map { $0 * 24_000 })
    }
  }

  @Test("A change of the score keeps the position in its section")
  func change() throws {
    let rig = Rig(try score())
    rig.command(.start, at: 0)
    rig.command(.locate(Position(bar: 4, beat: 3)), at: 0)
    rig.render(10)
    rig.publish(
      Score.make(
        try Self.patterns.map { pattern, bars in
          var slower = pattern
          slower.thousandths /= 2
          return try slower.plan(bars: bars)
        }, sampleRate: 48_000, clips: .shortest, generation: 1))
    rig.render(until: 100_000)
    let beat = try #require(rig.beats.first { $0.beat == 4 })
    // Ten frames at the old tempo, the rest of the beat at half of it.
    #expect(beat.bar == 4)
    let oldLength = 48_000 * 60 / 133.7
    let expected = 10 + 2 * (oldLength - 10)
    #expect(abs(Double(beat.frame.number) - expected) <= 1)
  }
}
