import MusicTime
import TestNumbers
import Testing

@testable import TimeCheck

@Suite struct SilentBarsTests {
  private static let setup = ListeningSetup(hasNotes: true)

  /// Plays bars of four at 120 with silent beats, and strokes at these frames for each beat.
  private func play(
    bars: Int, silent: Set<Int>, strokes: (Int) -> [Int64]
  ) -> [SilentBarsReport] {
    var checker = TimeChecker(SilentBarsTests.setup, sampleRate: 48_000)
    var reports: [SilentBarsReport] = []
    for beat in 0..<bars * 4 {
      let frame = ClockFrame(48_000 + 24_000 * Int64(beat))
      checker.note(
        Onset(
          frame: frame, bar: 1 + beat / 4, place: Place(beat: 1 + beat % 4), isSilent: silent.contains(beat)),
        isBeat: true, length: 24_000)
      checker.receive(
        strokes(beat).map { Hit(frame: ClockFrame($0), source: .notes, note: 38, strength: 0.5) })
      for case .quiet(let report) in checker.settle(known: frame + 12_000) { reports.append(report) }
    }
    return reports
  }

  private func beats(_ isSilent: (Int) -> Bool) -> Set<Int> { Set((0..<100).filter(isSilent)) }

  private func frame(_ beat: Int) -> Int64 { 48_000 + 24_000 * Int64(beat) }

  @Test func `Each stretch of silent bars is told once, with its beats and its tempo`() throws {
    // A silent beat in a bar that sounds is no silent bar.
    let reports = play(bars: 12, silent: beats { $0 % 16 >= 8 || $0 % 4 == 3 }) { [frame($0) + 240] }
    #expect(reports.count == 2)
    let report = try #require(reports.first)
    #expect(report.beats >= 8 && report.inWindow == report.beats)
    #expect(report.off == 5)
    #expect(abs((report.tempo ?? 0) - 120) < 0.001)
    #expect(report.faster?.isSignificant == false)
    #expect(report.line.contains("the click's tempo"))
  }

  @Test func `A player who leaves the grid still has a tempo`() throws {
    // 3 % slower than the click: after eight beats 120 ms late, where no hit belongs to a click.
    let reports = play(bars: 8, silent: beats { $0 % 16 >= 8 }) { beat in
      let passed = max(beat % 16 - 8, 0)
      return [frame(beat) + Int64(passed * 720)]
    }
    let report = try #require(reports.first)
    #expect(abs(try #require(report.faster).value + 2.9126) < 0.01)
    #expect((report.inWindow ?? 9) < 4)
    #expect(report.line.contains("slower than the click"))
  }

  @Test func `Who finds a tempo anywhere in the bar is told the tempo`() throws {
    // On the off-beat, 1 % faster.
    let reports = play(bars: 8, silent: beats { $0 % 32 >= 8 }) { beat in
      beat < 8 ? [frame(beat)] : [frame(8) + 12_000 + Int64(Double(beat - 8) * 24_000 / 1.01)]
    }
    #expect(reports.isEmpty)
    let ended = play(bars: 9, silent: beats { $0 >= 8 && $0 < 32 }) { beat in
      beat < 8 ? [frame(beat)] : [frame(8) + 12_000 + Int64(Double(beat - 8) * 24_000 / 1.01)]
    }
    #expect(abs(try #require(ended.first?.faster).value - 1) < 0.01)
    #expect(ended.first?.inWindow == 0)
  }

  @Test func `Strokes between the beats do not change the tempo`() throws {
    let reports = play(bars: 8, silent: beats { $0 % 16 >= 8 }) { [frame($0), frame($0) + 12_000] }
    #expect(abs(try #require(reports.first?.tempo) - 120) < 0.001)
  }

  @Test func `Who rests is told nothing, and few strokes have no tempo`() throws {
    #expect(play(bars: 8, silent: beats { $0 % 16 >= 8 }) { $0 % 16 < 8 ? [frame($0)] : [] }.isEmpty)
    let reports = play(bars: 8, silent: beats { $0 % 16 >= 8 }) { $0 % 16 < 10 ? [frame($0)] : [] }
    let report = try #require(reports.first)
    #expect(report.tempo == nil && report.inWindow == 2)
    #expect(report.line.contains("too few strokes"))
  }

  @Test func `The tempo that was played is within its bounds in 95 of 100 stretches`() throws {
    var generator = Generator(seed: 12)
    var within = 0
    for _ in 0..<1_000 {
      let late = SimulatedDrummer(spread: 10).take(32, interval: 0.5, &generator).map(\.milliseconds)
      let reports = play(bars: 8, silent: beats { $0 >= 8 && $0 < 24 }) { [frame($0) + Int64(late[$0] * 48)] }
      if try #require(reports.first?.faster).contains(0) { within += 1 }
    }
    #expect(within >= 930, "\(within)")
  }
}
