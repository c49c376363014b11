import Control
import Foundation
import MusicTime
import Sessions
import Testing
import Validation

/// A standard MIDI file, parsed without the code that writes it.
private struct ParsedFile {
  var resolution = 0
  var events: [(tick: Int, type: UInt8, data: [UInt8])] = []

  init(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    func take(_ count: Int) throws -> [UInt8] {
      try #require(rest.count >= count)
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    func number(_ count: Int) throws -> Int { try take(count).reduce(0) { $0 << 8 | Int($1) } }
    func variable() throws -> Int {
      var value = 0
      while true {
        let byte = try number(1)
        value = value << 7 | byte & 0x7F
        if byte < 0x80 { return value }
      }
    }
    #expect(try take(4) == Array("MThd".utf8))
    #expect(try number(4) == 6)
    #expect(try number(2) == 0)
    #expect(try number(2) == 1)
    resolution = try number(2)
    #expect(try take(4) == Array("MTrk".utf8))
    #expect(try number(4) == rest.count)
    var tick = 0
    while !rest.isEmpty {
      tick += try variable()
      #expect(try number(1) == 0xFF)
      let type = try take(1)[0]
      events.append((tick, type, try take(variable())))
    }
    #expect(events.last?.type == 0x2F)
  }

  /// The time of a tick in seconds, by the tempos of the file alone.
  func seconds(at tick: Double) -> Double {
    var (time, at, quarter) = (0.0, 0.0, 500_000)
    for event in events where event.type == 0x51 && Double(event.tick) < tick {
      time += (Double(event.tick) - at) * Double(quarter) / Double(resolution) / 1e6
      at = Double(event.tick)
      quarter = event.data.reduce(0) { $0 << 8 | Int($1) }
    }
    return time + (tick - at) * Double(quarter) / Double(resolution) / 1e6
  }

  var signatures: [String] {
    events.filter { $0.type == 0x58 }.map { "\($0.tick) \($0.data[0])/\(1 << $0.data[1])" }
  }

  var markers: [String] {
    events.filter { $0.type == 0x06 }.map { "\($0.tick) \(String(decoding: $0.data, as: UTF8.self))" }
  }

  var end: Int { events.last?.tick ?? 0 }
}

@Suite struct TempoMapFileTests {
  private func file(_ yaml: String, resolution: Int = 480) throws -> ParsedFile {
    try ParsedFile(TempoMapFile(song(yaml).plan(), resolution: resolution).bytes)
  }

  @Test func metersMarkersAndEndLieOnTheirTicks() throws {
    let text = """
      title: Grün
      sections:
        - {name: A, bars: 2}
        - {name: B, bars: 2, meter: 7/8, tempo: 210}
        - {name: C, bars: 1, meter: 4/3, tempo: 90}
        - {name: D, beats: 6, tempo: 60}
      """
    let file = try file(text)
    #expect(file.resolution == 480)
    #expect(file.markers == ["0 A", "3840 B", "7200 C", "9120 D"])
    #expect(file.signatures == ["0 4/4", "3840 7/8", "7200 4/4", "11040 2/4"])
    #expect(file.end == 12_000)
    #expect(file.events.first?.type == 0x03)
    #expect(file.events.first.map { String(decoding: $0.data, as: UTF8.self) } == "Grün")
    #expect(abs(file.seconds(at: 12_000) - (4 + 4 + 4 * 60 / 90.0 + 6)) < 1e-5)
  }

  @Test func aSpokenCountInHasOneMarker() throws {
    let file = try file(
      "count-in: {bars: 2, spoken: true}\nsections: [{name: A, bars: 2}, {name: B, bars: 1}]")
    #expect(file.markers == ["0 Count-in", "3840 A", "7680 B"])
  }

  @Test("Every beat of a long song is within a millisecond", arguments: [480, 960])
  func beats(resolution: Int) throws {
    // 137.123 is no whole number of microseconds: 0.4 µs a beat would be 8 ms after 20 000 of them.
    let file = try file("sections: [{bars: 5000, tempo: 137.123}]", resolution: resolution)
    for beat in stride(from: 0, through: 20_000, by: 7) {
      let exact = Double(beat) * 60 / 137.123
      #expect(abs(file.seconds(at: Double(beat * resolution)) - exact) < 0.001)
    }
  }

  @Test(
    "Every beat of a ramp is within a millisecond", arguments: [(60.0, 180.0), (200, 40.5), (120, 120.001)])
  func ramp(from: Double, to: Double) throws {
    let file = try file("sections: [{beats: 999, tempo: {from: \(from), to: \(to)}}]")
    for beat in 0...999 {
      let exact = 60 * 999 / (to - from) * log(1 + (to - from) * Double(beat) / (999 * from))
      #expect(abs(file.seconds(at: Double(beat * 480)) - exact) < 0.000_01)
    }
  }

  @Test func everyBeatOfAListIsInTime() throws {
    let file = try file("sections: [{tempo: [60, 90, 33.333, 250], bars: 2, meter: 5/8, beat-unit: 1/8}]")
    var exact = 0.0
    for beat in 0...10 {
      #expect(abs(file.seconds(at: Double(beat * 240)) - exact) < 0.000_01)
      exact += 60 / [60, 90, 33.333, 250][min(beat, 3)]
    }
  }

  @Test func sectionsInSecondsEndOnTime() throws {
    let file = try file(
      "cycles: 40\nsections: [{time: 20 s, tempo: 171.3}, {time: 10.001 s, tempo: {from: 60, to: 90}}]")
    #expect(abs(file.seconds(at: Double(file.end)) - 40 * 30.001) < 0.000_5)
  }

  @Test func gapsBetweenEventsStayWithinTheirField() throws {
    let file = try file("sections: [{bars: 1000000, tempo: 120}]", resolution: 960)
    #expect(file.end == 3_840_000_000)
  }

  @Test func whatHasNoEndOrIsTooSlowIsRefused() throws {
    #expect(throws: InvalidValue.self) { try TempoMapFile(song("sections: [{until: next}]").plan()) }
    #expect(throws: InvalidValue.self) { try TempoMapFile(song("sections: [{bars: 1, tempo: 1}]").plan()) }
    #expect(throws: InvalidValue.self) {
      try TempoMapFile(song("sections: [{bars: 1}]").plan(), resolution: 0)
    }
  }

  @Test func aSongThatGoesRoundIsWrittenOnce() throws {
    #expect(try file("cycles: forever\nsections: [{bars: 1}]").end == 1_920)
  }

  @Test func aRampOverMillionsOfBeatsIsRefused() throws {
    let plan = try song("sections: [{bars: 50000, meter: 99/1, tempo: {from: 998, to: 999}}]").plan()
    #expect(throws: InvalidValue.self) { try TempoMapFile(plan) }
  }
}
