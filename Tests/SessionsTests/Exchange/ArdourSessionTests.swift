import MusicTime
import Testing

@testable import Sessions

@Suite struct ArdourSessionTests {
  /// What Ardour 7.3 writes, with its own times (`sclock`, 282240000 a second).
  private func document(
    tempos: String, meters: String, locations: String = "", version: Int = 7_002, before: String = ""
  ) -> [UInt8] {
    Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      \(before)<Session version="\(version)" name="Album" sample-rate="48000">
        <Locations>\(locations)</Locations>
        <TempoMap superclocks-per-second="282240000">
          <Tempos>\(tempos)</Tempos>
          <Meters>\(meters)</Meters>
          <MusicTimes/>
        </TempoMap>
      </Session>
      """.utf8)
  }

  private func tempo(_ npm: String, _ enpm: String? = nil, at quarters: String, omega: String = "0") -> String
  {
    let kind = omega == "0" ? "Constant" : "Ramped"
    return
      "<Tempo npm=\"\(npm)\" enpm=\"\(enpm ?? npm)\" note-type=\"4\" type=\"Tempo::\(kind)\" active=\"1\" quarters=\"\(quarters)\" omega=\"\(omega)\"/>"
  }

  private func meter(_ count: Int, _ unit: Int, at quarters: String) -> String {
    "<Meter note-value=\"\(unit)\" divisions-per-bar=\"\(count)\" quarters=\"\(quarters)\" bbt=\"1|1|0\"/>"
  }

  private func imported(_ bytes: [UInt8], isExact: Bool = false) throws -> ImportedMap {
    let map = try ImportedMap.map(bytes, file: "album.ardour")
    return try ImportedMap(#require(map), isExact: isExact)
  }

  private func sections(_ session: Session) -> [SessionSection] {
    session.parts.compactMap { if case .section(let section) = $0 { section } else { nil } }
  }

  @Test("Beats are within a sample of Ardour's own times", arguments: [false, true])
  func times(isExact: Bool) throws {
    // Tempos in the middle of bars of 7/8, as Ardour 7.3 has saved them.
    let map = try imported(
      document(
        tempos: tempo("120", at: "0:0") + tempo("90.123456106815709", at: "16:0") + tempo("160", at: "48:0"),
        meters: meter(7, 8, at: "0:0") + meter(3, 4, at: "70:0")), isExact: isExact)
    // Ardour's clock at 16, 48 and 70 quarters: 90.123456106815709 is 187902248 of its ticks a quarter.
    let (fast, slow, last) = (141_120_000.0, 187_902_248.0, 105_840_000.0)
    let second = 16 * fast + 32 * slow
    let ticks: [Int: Double] = [16: 16 * fast, 48: second, 70: second + 22 * last]
    var (quarters, seconds, found) = (0.0, 0.0, 0)
    for plan in try map.session.plan().plans {
      let clock = try #require(plan.clock)
      let beat = plan.layout.beatUnit.length.approximation * 4
      for (at, sclock) in ticks where Double(at) >= quarters && Double(at) < quarters + clock.beats * beat {
        let time = seconds + clock.seconds(at: (Double(at) - quarters) / beat)
        // What must be rounded to a thousandth costs less than three samples without --exact.
        #expect(abs(time - sclock / 282_240_000) <= (isExact ? 1 : 3) / 48_000)
        found += 1
      }
      quarters += clock.beats * beat
      seconds += clock.seconds
    }
    #expect(found == 3)
  }

  @Test func aRampIsARamp() throws {
    let map = try imported(
      document(
        tempos: tempo("100", "160", at: "0:0", omega: "1.5e-10") + tempo("160", at: "16:0")
          + tempo("90", at: "32:0"),
        meters: meter(4, 4, at: "0:0"),
        locations: "<Location name=\"session\" start=\"a0\" end=\"b92160\" flags=\"IsSessionRange\"/>"))
    #expect(map.remarks == [])
    #expect(
      sections(map.session).map(\.style.tempo) == [
        .ramp(from: try Tempo(100), to: try Tempo(160)), .constant(try Tempo(160)), .constant(try Tempo(90)),
      ])
    #expect(sections(map.session).map(\.length) == [.bars(4), .bars(4), .bars(4)])
  }

  @Test func markersAtTimesAndAtBeatsBeginSections() throws {
    let map = try imported(
      document(
        tempos: tempo("120", at: "0:0"), meters: meter(4, 4, at: "0:0"),
        locations: """
          <Location name="Verse" start="a564480000" end="a564480000" flags="IsMark"/>
          <Location name="Chorus" start="b15360" end="b15360" flags="IsMark,IsCDMarker"/>
          <Location name="xrun" start="a1000" end="a1000" flags="IsMark,IsXrun"/>
          <Location name="session" start="a0" end="a2257920000" flags="IsSessionRange"/>
          """))
    #expect(map.session.title == "Album")
    #expect(sections(map.session).map(\.name) == ["", "Verse", "Chorus"])
    #expect(sections(map.session).map(\.length) == [.bars(1), .bars(1), .bars(2)])
    #expect(map.remarks == [])
  }

  @Test func whatIsNoSessionIsRefusedWithItsLine() throws {
    func refusal(_ bytes: [UInt8]) -> String {
      do throws(ImportError) {
        _ = try ImportedMap.map(bytes, file: "a.ardour")
        return ""
      } catch { return "\(error)" }
    }
    let (tempos, meters) = (tempo("120", at: "0:0"), meter(4, 4, at: "0:0"))
    #expect(refusal(document(tempos: tempos, meters: meters)) == "")
    #expect(
      refusal(document(tempos: tempos, meters: meters, version: 6_000))
        == "a.ardour: line 2: session of version 6000: must be of Ardour 7 or later: open it there and save it"
    )
    #expect(
      refusal(document(tempos: tempo("-3", at: "0:0"), meters: meters)).hasPrefix(
        "a.ardour: line 5: tempo '-3'"))
    #expect(
      refusal(document(tempos: tempo("120", at: "x"), meters: meters)).hasPrefix(
        "a.ardour: line 5: position of a tempo 'x'"))
    #expect(
      refusal(document(tempos: tempos, meters: meter(4, 3, at: "0:0"))).hasPrefix(
        "a.ardour: line 6: meter '4/3'"))
    #expect(
      refusal(Array(document(tempos: tempos, meters: meters).dropLast(12))).hasPrefix(
        "a.ardour: line 8: XML: "))
    // Entities that multiply are not even read.
    let bomb = "<!DOCTYPE lolz [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>"
    #expect(
      refusal(document(tempos: tempos, meters: meters, before: bomb)).hasPrefix(
        "a.ardour: line 2: document type declaration"))
    let deep = String(repeating: "<a>", count: 100_000)
    #expect(
      refusal(document(tempos: tempos, meters: meters, locations: deep)).contains("nested at most 256 deep"))
  }
}
