import ControlBench
import MusicTime
import Realtime
import Testing
import Validation

@testable import Control

@Suite struct WarningLimitTests {
  private let second = WarningLimit.interval

  private func reported(_ limit: inout WarningLimit, _ text: String, at time: Instant) -> Bool {
    limit.admits(.warning(text), text, at: time)
  }

  private func texts(_ reports: [Report]) -> [String] {
    reports.compactMap { if case .warning(let text) = $0 { text } else { nil } }
  }

  @Test func `The first warnings of a kind are reported at once, then one a second with a count`() {
    var limit = WarningLimit()
    #expect(
      (1...100).map { reported(&limit, "tempo '\($0)x' of \($0): must be less", at: 5) }.count { $0 } == 3)
    #expect(texts(limit.takeHeld(at: 5)) == [])
    #expect(texts(limit.takeHeld(at: 5 + second)) == ["tempo '100x' of 100: must be less (97 of the kind)"])
    // The flood continued: the kind gets a new burst only after a quiet second.
    #expect(!reported(&limit, "tempo 'y' of 1: must be less", at: 6 + second))
    #expect(texts(limit.takeHeld(at: 5 + second * 2)) == ["tempo 'y' of 1: must be less"])
    #expect(texts(limit.takeHeld(at: 5 + second * 3)) == [])
    #expect(limit.deadline == .never)
    #expect(reported(&limit, "tempo 'z' of 1: must be less", at: 5 + second * 4))
  }

  @Test func `For any number of kinds the reports a second are bounded, and all warnings are counted`() {
    var limit = WarningLimit()
    let letters = (0..<5_000).map { number in
      String(String.UnicodeScalarView([16, 4, 0].map { Unicode.Scalar(UInt8(97 + (number >> $0) % 16)) }))
    }
    let atOnce = letters.count { reported(&limit, $0, at: 0) }
    #expect(atOnce <= 51)
    let held = texts(limit.takeHeld(at: 0 + second))
    #expect(held.count <= 17)
    let counts = held.map { text in
      Int(text.split(separator: "(").last?.split(separator: " ").first ?? "") ?? 1
    }
    #expect(atOnce + counts.reduce(0, +) == letters.count)
  }

  @Test func `A flood of warnings reaches observers as a few lines, printable, and none is lost at the end`()
    throws
  {
    let rig = try Rig()
    for number in 1...1_000 {
      rig.updates.push(Request(.problem("MIDI: \u{1B}[2J\ntempo \(number): must be less")))
    }
    let counted = {
      rig.reports.warnings.reduce(0) { sum, text in
        sum + (text.split(separator: "(").dropFirst().last.flatMap { Int($0.split(separator: " ")[0]) } ?? 1)
      }
    }
    #expect(rig.hears { _ in counted() == 1_000 })
    #expect(rig.reports.warnings.count < 20)
    #expect(rig.reports.warnings.allSatisfy { $0.unicodeScalars.allSatisfy(\.isPrintable) })
  }
}
