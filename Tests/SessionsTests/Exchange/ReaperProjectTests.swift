import MusicTime
import Testing

@testable import Sessions

@Suite struct ReaperProjectTests {
  private func project(_ points: String, markers: String = "", isActive: Bool = true) -> [UInt8] {
    Array(
      """
      <REAPER_PROJECT 0.1 "7.0/linux" 1700000000
        TEMPO 120 4 4
        \(markers)
        <TEMPOENVEX
          EGUID {0}
          ACT \(isActive ? 1 : 0) -1
          \(points)
        >
      >
      """.utf8)
  }

  private func imported(_ bytes: [UInt8]) throws -> ImportedMap {
    let map = try ImportedMap.map(bytes, file: "song.rpp")
    return try ImportedMap(#require(map), isExact: false)
  }

  private func sections(_ session: Session) -> [SessionSection] {
    session.parts.compactMap { if case .section(let section) = $0 { section } else { nil } }
  }

  @Test func temposAndMetersAtTimesBecomeSections() throws {
    // The numbers of a project that a user of REAPER has published: 6/8 at 100, then 4/4 at 140.
    let points = """
      PT 0.000000000000 120.0000000000 1 262148
          PT 16.000000000000 100.0000000000 1 524294
          PT 26.800000000000 140.0000000000 1 262148
          PT 38.800000000000 140.0000000000 1 262148
      """
    let map = try imported(project(points, markers: "MARKER 1 16 \"Bridge part\" 0\n  MARKER 2 26.8 End 0"))
    let found = sections(map.session)
    #expect(found.map(\.name) == ["", "Bridge part", "End", ""])
    #expect(found.map(\.style.meter) == [.common, try Meter(6, 8), .common, .common])
    // REAPER counts quarters.
    #expect(found.map(\.style.tempo) == [120, 200, 140, 140].map { .constant(try! Tempo($0)) })
    #expect(found.map(\.length) == [.bars(8), .bars(6), .bars(7), .bars(1)])
  }

  @Test func aGradualTempoKeepsEveryBeatInTime() throws {
    // From 120 to 60 in sixteen seconds, linearly in time: 24 quarters.
    let map = try imported(project("PT 0 120 0\n PT 16 60 1"))
    var (beat, start) = (0, 0.0)
    for plan in try map.session.plan().plans {
      let clock = try #require(plan.clock)
      for index in 0..<Int(clock.beats) where beat < 24 {
        let time = start + clock.seconds(at: Double(index))
        // u(t) = 2t − t²/32.
        let exact = 32 - (32.0 * 32 - 32 * Double(beat)).squareRoot()
        #expect(abs(time - exact) < 1 / 48_000.0)
        beat += 1
      }
      start += clock.seconds
    }
    #expect(beat == 24)
  }

  @Test func anEnvelopeThatIsOffLeavesTheProjectsTempo() throws {
    let map = try imported(project("PT 0 90 1 262147", markers: "MARKER 1 4 A 0", isActive: false))
    #expect(
      sections(map.session).map(\.style.tempo) == [.constant(try Tempo(120)), .constant(try Tempo(120))])
  }

  @Test func refusalsNameTheLine() throws {
    func refusal(_ points: String) -> String {
      do throws(ImportError) {
        _ = try ImportedMap.map(project(points), file: "a.rpp")
        return ""
      } catch { return "\(error)" }
    }
    #expect(refusal("PT 0 0 1").hasPrefix("a.rpp: line 7: tempo '0': must be 0.1…10000"))
    #expect(refusal("PT x 120 1").hasPrefix("a.rpp: line 7: time 'x'"))
    #expect(refusal("PT 0 120 1 262244").hasPrefix("a.rpp: line 7: meter"))
  }
}
