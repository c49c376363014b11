import Control
import Foundation
import MusicTime
import TestNumbers
import Testing

@testable import Engine
@testable import Sessions

@Suite struct ImportTests {
  private func imported(_ bytes: [UInt8], isExact: Bool = false) throws -> ImportedMap {
    let map = try ImportedMap.map(bytes, file: "song.mid")
    return try ImportedMap(#require(map), isExact: isExact)
  }

  private func sections(_ session: Session) -> [SessionSection] {
    session.parts.compactMap { if case .section(let section) = $0 { section } else { nil } }
  }

  /// The times of all beats of a song in microseconds.
  private func beats(_ session: Session) throws -> [Double] {
    var (beats, start) = ([Double](), 0.0)
    for plan in try session.plan().plans {
      let clock = try #require(plan.clock)
      let bar = plan.layout.beatsInBar.approximation
      var at = 0.0
      while at < clock.beats - 1e-9 {
        for beat in 0..<plan.layout.accents.count where at + Double(beat) < clock.beats - 1e-9 {
          beats.append(start + clock.seconds(at: at + Double(beat)) * 1e6)
        }
        at += bar
      }
      start += clock.seconds * 1e6
    }
    return beats
  }

  // MARK: Round trips

  @Test(
    "A session that is rendered, imported and rendered again has the same bytes",
    arguments: [
      "sections: [{bars: 5000, tempo: 137.123}]",
      "title: Grün\nsections: [{name: A, bars: 2}, {name: B, bars: 2, meter: 7/8, tempo: 210}, {name: D, beats: 6, tempo: 60}]",
      "sections: [{bars: 16, tempo: {from: 60, to: 180}}, {bars: 4, tempo: 180}, {name: Out, bars: 2, tempo: {from: 180, to: 40.5}}]",
      "count-in: 2\nsections: [{name: Verse, bars: 8, meter: 6/8, beat-unit: 3/8, tempo: 66.6}, {name: Out, bars: 4, meter: 6/8, tempo: 200}]",
      "sections: [{tempo: [60, 90, 33.333, 240], bars: 2, meter: 5/8, beat-unit: 1/8}, {bars: 3, tempo: 90}]",
      "sections: [{bars: 1, tempo: 100}, {bars: 1, tempo: 101.5}, {bars: 1, tempo: 99}, {bars: 300, tempo: 33.333}]",
      "sections: [{name: A, bars: 2, tempo: 120}, {name: A, bars: 2, tempo: 120}]",
      "sections: [{bars: 4, meter: 4/4, beat-unit: 1/2, tempo: 66}, {bars: 3, meter: 3/4, tempo: 133.337}]",
    ])
  func roundTrip(_ yaml: String) throws {
    // Without a title the imported session has the file's name.
    let text = yaml.hasPrefix("title") ? yaml : "title: Song\n" + yaml
    let bytes = try TempoMapFile(song(text).plan()).bytes
    let map = try imported(bytes)
    #expect(map.remarks == [])
    #expect(try TempoMapFile(map.session.plan()).bytes == bytes)
    // The document is what was meant, not only what is played.
    #expect(try song(map.session.yaml) == map.session)
  }

  @Test func `Every session of bars survives export and import, to the beat`() throws {
    var numbers = Generator(seed: 17)
    for _ in 0..<200 {
      var yaml = "sections:\n"
      for section in 0..<Int.random(in: 1...8, using: &numbers) {
        let (low, high) = (
          Double(Int.random(in: 40_000...240_000, using: &numbers)) / 1_000,
          Double(Int.random(in: 40...240, using: &numbers))
        )
        let meter = ["4/4", "3/4", "7/8", "5/4", "12/8", "6/4"].randomElement(using: &numbers)!
        let tempo =
          switch Int.random(in: 0..<4, using: &numbers) {
          case 0: "{from: \(low), to: \(high)}"
          case 1: "[\(high), \(high + 3), \(high - 2.5), \(high)]"
          default: "\(low)"
          }
        yaml +=
          "  - {name: S\(section), bars: \(Int.random(in: 1...40, using: &numbers)), meter: \(meter), tempo: \(tempo)}\n"
      }
      let session = try song(yaml)
      let back = try imported(TempoMapFile(session.plan()).bytes).session
      let (before, after) = (try beats(session), try beats(back))
      #expect(before.count == after.count, "\(yaml)")
      for (a, b) in zip(before, after) where abs(a - b) > 1e6 / 48_000 {
        Issue.record("a beat at \(a) µs comes back at \(b) µs:\n\(yaml)\(back.yaml)")
        break
      }
    }
  }

  @Test(arguments: ["odd-song.yaml", "spoken-cues.yaml"])
  func examplesComeBackWithTheirBeats(_ name: String) throws {
    let session = try song(String(contentsOfFile: examples + "/" + name, encoding: .utf8))
    let bytes = try TempoMapFile(session.plan()).bytes
    let again = try TempoMapFile(imported(bytes).session.plan()).bytes
    let (first, second) = (try imported(bytes), try imported(again))
    #expect(first.session.yaml == second.session.yaml)
  }

  // MARK: Other programs' files

  @Test func aTempoThatAProgramHasRoundedIsTheOneThatItPlays() throws {
    var file = MIDIBytes()
    file.track()
    // 130 and 133.7 beats a minute, as every program rounds them.
    file.tempo(461_538, at: 0)
    file.meter(4, 4, at: 0)
    file.tempo(448_766, at: 480 * 4 * 8)
    file.end(at: 480 * 4 * 16)
    let map = try imported(file.bytes)
    #expect(
      sections(map.session).map(\.style.tempo) == [.constant(try Tempo(130)), .constant(try Tempo(133.7))])
    #expect(sections(map.session).map(\.length) == [.bars(8), .bars(8)])
  }

  @Test func `An import reports the error of a rounded tempo`() throws {
    var file = MIDIBytes()
    file.track()
    // 119.98762 beats a minute.
    file.tempo(500_051, at: 0)
    file.end(at: 480 * 4 * 100)
    let rounded = try imported(file.bytes)
    #expect(sections(rounded.session).map(\.style.tempo) == [.constant(try Tempo(119.988))])
    let cost = abs(400 * 60e6 / 119.988 - 400 * 500_051) * 0.048
    #expect(rounded.remarks.first?.contains("rounded to 119.988") == true)
    #expect(rounded.remarks.first?.contains("\(Int(cost.rounded())) frames at 48 kHz") == true)

    let exact = try imported(file.bytes, isExact: true)
    #expect(exact.remarks == [])
    for (beat, time) in try beats(exact.session).enumerated() {
      #expect(abs(time - Double(beat) * 500_051) < 3)
    }
  }

  @Test func markersMetersAndTemposBecomeSections() throws {
    var file = MIDIBytes()
    file.track()
    file.meta(0x03, Array("Gig".utf8), at: 0)
    file.tempo(500_000, at: 0)
    file.meter(4, 4, at: 0)
    file.marker("Intro", at: 0)
    file.marker("Verse", at: 480 * 16)
    file.meter(7, 8, at: 480 * 32)
    file.tempo(400_000, at: 480 * 32)
    file.end(at: 480 * 32 + 240 * 7 * 2)
    let session = try imported(file.bytes).session
    #expect(session.title == "Gig")
    let found = sections(session)
    #expect(found.map(\.name) == ["Intro", "Verse", ""])
    #expect(found.map(\.length) == [.bars(4), .bars(4), .bars(2)])
    #expect(found.map(\.style.meter) == [.common, .common, try Meter(7, 8)])
    // The session's tempo counts the meter's notes.
    #expect(
      found.map(\.style.tempo) == [
        .constant(try Tempo(120)), .constant(try Tempo(120)), .constant(try Tempo(300)),
      ])
  }

  @Test func aMarkerWithinABarBeginsItsSectionOnTheNearestBarLine() throws {
    var file = MIDIBytes()
    file.track()
    file.marker("Chorus", at: 480 * 7)
    file.end(at: 480 * 16)
    let map = try imported(file.bytes)
    #expect(sections(map.session).map(\.length) == [.bars(2), .bars(2)])
    #expect(sections(map.session).map(\.name) == ["", "Chorus"])
    #expect(map.remarks.count == 1)
    #expect(map.remarks[0].hasPrefix("bar 3: the marker 'Chorus' is not on a bar line"))
  }

  @Test func aTempoThatChangesWithinBeatsKeepsEveryBeatInTime() throws {
    var file = MIDIBytes()
    file.track()
    var tick = 0
    var time = [0.0]
    // A ritardando of a change every sixth of a beat, over four bars.
    for step in 0..<96 {
      let quarter = 450_000 + step * 2_345
      file.tempo(quarter, at: tick)
      time.append(time.last! + Double(quarter) / 6)
      tick += 80
    }
    file.end(at: tick)
    let map = try imported(file.bytes)
    let beats = try beats(map.session)
    #expect(beats.count == 16)
    for (beat, at) in beats.enumerated() { #expect(abs(at - time[beat * 6]) < 5) }
    #expect(map.remarks.contains { $0.contains("the tempo changes within") })
  }

  @Test func tracksOfFormatOneCountFromTheSameStart() throws {
    var file = MIDIBytes()
    file.track()
    file.tempo(600_000, at: 0)
    file.end(at: 0)
    file.track()
    file.put(0, [0x90, 60, 64])
    // Running status, a controller, a program change, system exclusive.
    file.put(240, [60, 0])
    file.put(240, [0xB0, 7, 100])
    file.put(240, [0xC0, 5])
    file.put(240, [0xF0, 3, 1, 2, 0xF7])
    file.marker("B", at: 480 * 4)
    file.end(at: 480 * 12)
    let session = try imported(file.bytes).session
    #expect(sections(session).map(\.length) == [.bars(1), .bars(2)])
    #expect(sections(session).map(\.style.tempo) == [.constant(try Tempo(100)), .constant(try Tempo(100))])
  }

  @Test func aClickOfADottedNoteIsTheBeat() throws {
    var file = MIDIBytes()
    file.track()
    file.tempo(500_000, at: 0)
    file.meter(6, 8, click: 36, at: 0)
    file.end(at: 240 * 6 * 4)
    let section = try sections(imported(file.bytes).session)[0]
    #expect(section.style.beatUnit == (try BeatUnit(3, 8)))
    #expect(section.style.tempo == .constant(try Tempo(80)))
  }

  // MARK: What is refused

  @Test func refusalsNameThePlaceAndWhatWouldBeRight() throws {
    func refusal(_ bytes: [UInt8]) -> String {
      do throws(ImportError) {
        guard let map = try ImportedMap.map(bytes, file: "a.mid") else { return "unknown" }
        _ = try ImportedMap(map, isExact: false)
        return ""
      } catch { return "\(error)" }
    }
    var file = MIDIBytes()
    file.track()
    file.tempo(500_000, at: 0)
    file.end(at: 480 * 4)
    let good = file.bytes
    #expect(refusal(good) == "")
    #expect(refusal(Array(good.dropLast(3))).hasPrefix("a.mid: byte 14: chunk of"))
    #expect(refusal(Array("MThd".utf8)).hasPrefix("a.mid: byte 4: file: must be complete"))
    var timecode = good
    timecode[12] = 0xE7
    #expect(
      refusal(timecode)
        == "a.mid: byte 12: division in frames of timecode: must be in ticks per quarter: only those have bars and beats"
    )
    var patterns = good
    patterns[9] = 2
    #expect(refusal(patterns).hasPrefix("a.mid: byte 8: format 2: must be 0 or 1"))
    var fast = MIDIBytes()
    fast.track()
    fast.tempo(1, at: 0)
    fast.end(at: 480 * 4)
    #expect(refusal(fast.bytes) == "a.mid: bar 1: tempo 60000000: must be 1…999.999 beats a minute")
    var long = MIDIBytes()
    long.resolution = 1
    long.track()
    for index in 1...20 { long.meta(0x01, [], at: index << 27) }
    long.end(at: 20 << 27)
    #expect(refusal(long.bytes).contains("at most 1000000 bars"))
    var strange = MIDIBytes()
    strange.track()
    strange.meter(100, 4, at: 0)
    #expect(refusal(strange.bytes).hasPrefix("a.mid: byte 23: time signature"))
  }

  @Test func damagedFilesAreReadOrRefusedInBoundedTime() throws {
    var numbers = Generator(seed: 3)
    let good = try TempoMapFile(
      song(
        "title: x\nsections: [{name: A, bars: 8, tempo: {from: 90, to: 140}}, {name: B, bars: 3, meter: 7/8, tempo: 99}]"
      ).plan()
    ).bytes
    for _ in 0..<3_000 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...6, using: &numbers) {
        bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
      }
      if Bool.random(using: &numbers) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &numbers)) }
      guard let map = try? ImportedMap.map(bytes, file: "x.mid") else { continue }
      guard let session = try? ImportedMap(map, isExact: Bool.random(using: &numbers)).session else {
        continue
      }
      // What is read can be written and read back.
      #expect((try? song(session.yaml)) != nil, "\(session.yaml.prefix(2_000))")
    }
  }
}
