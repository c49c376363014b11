import Control
import MusicTime
import Testing

@testable import Sessions

/// Documents so long that another thread parses them, and whose sections are planned before the document's end is read.
struct LongDocumentTests {
  private static let count = 3_000
  private static let sections = sections { _ in "bars: 2" }

  /// - Parameter length: the length of the section with a number, from 0.
  private static func sections(_ length: (Int) -> String) -> String {
    "sections:\n"
      + (0..<count).map { "  - {name: Part \($0), \(length($0)), meter: \($0 % 11 + 2)/8}\n" }.joined()
  }

  @Test(arguments: [
    "defaults: {tempo: 90}\n" + sections, sections + "defaults: {tempo: 90}\n",
    "defaults: {tempo: 90, meter: 3/4}\ncycles: 2\ncount-in: 1\n" + sections,
    "cycles: 2\n" + sections + "count-in: 1\ndefaults: {tempo: 90, accents: Xxx}\n",
  ])
  func `Defaults hold wherever they stand`(text: String) throws {
    try #require(text.utf8.count >= YAMLText.parallelSize)
    let log = FaultLog(file: "song.yaml")
    guard case .song(let session, let plan) = DocumentContent(text, folder: "", sounds: [], log) else {
      throw Faults(faults: log.sorted)
    }
    #expect(session.parts.count == LongDocumentTests.count)
    #expect(plan.plans.allSatisfy { $0.tempo == .constant(Tempo(clamping: 90_000)) })
    #expect(try plan == session.plan())
    let bare = DocumentContent(text, folder: "", sounds: [], keepsParts: false, log)
    guard case .song(let head, let same) = bare else { throw Faults(faults: log.sorted) }
    #expect(head.parts.isEmpty)
    #expect(same == plan)
  }

  @Test func `Faults tell their places`() {
    let text = LongDocumentTests.sections { [7, 2_900].contains($0) ? "bars: none" : "bars: 2" }
    #expect(reported(text).map(\.line) == [9, 2_902])
    #expect(reported(text).map(\.column) == [26, 29])
  }

  @Test func `Combinations that are not possible tell their places`() {
    let text = LongDocumentTests.sections {
      $0 == 2_900 ? "until: next, tempo: {from: 60, to: 70}" : "bars: 2"
    }
    #expect(reported(text + "defaults: {tempo: 90}\n").map(\.line) == [2_902])
  }

  @Test func `A syntax error at the end is told`() {
    #expect(reported(LongDocumentTests.sections + "  - {name: [\n").map(\.line) == [3_003])
  }

  @Test func `An alias is told where it stands`() {
    let text = LongDocumentTests.sections { $0 == 2_000 ? "bars: *two" : "bars: 2" }
    #expect(reported(text).map(\.what) == ["alias *two"])
  }
}
