import ControlBench
import Engine
import MusicTime
import Testing

@testable import Control

/// Reports before a song begins: the time until then, and the beats that a voice counts.
@Suite struct CountdownTests {
  @Test func `The pause between two songs is counted down, and not before or after it`() throws {
    let rig = try Rig(
      setlist([
        ("1", [try section("A", .bars(1))], .pause(milliseconds: 3_000)), ("2", [try section("B")], .wait),
      ]))
    #expect(rig.look().progress?.startsIn == nil)
    rig.ask(.start)
    #expect(rig.play(until: 90_000).progress?.startsIn == nil)
    var reported: [Int?] = []
    for second in 0..<4 {
      reported.append(
        rig.play(until: ClockFrame(Int64(96_000 + 12_000 + 48_000 * second))).progress?.startsIn)
    }
    #expect(reported == [3, 2, 1, nil])
    #expect(rig.look().progress?.title == "2")
    #expect(rig.heard.last?.frame == 240_000)
  }

  @Test func `A song that waits for a start is not counted down`() throws {
    let rig = try Rig(
      setlist([("1", [try section("A", .bars(1))], .wait), ("2", [try section("B")], .wait)]))
    rig.ask(.start)
    let after = rig.play(until: 200_000)
    #expect(!after.isPlaying && after.progress?.startsIn == nil)
  }

  /// A count-in of two bars in 3/4, of which a voice counts each beat.
  private func countIn() throws -> [SectionPlan] {
    let layout = try BarLayout(meter: Meter(3, 4))
    let beats = try (0..<6).map { index in
      var plan = try section("Count-in", .bars(1), meter: (1, 4), cue: .speech("\(index % 3 + 1)"))
      plan.silence = .always
      plan.isCountIn = true
      plan.counted = CountedBeat(bar: index / 3 + 1, bars: 2, beat: index % 3 + 1, layout: layout)
      return plan
    }
    return beats + [try section("A", .bars(2), meter: (3, 4))]
  }

  @Test func `A beat that a voice counts is reported as a beat of the counted bar`() throws {
    var list = setlist([("song", try countIn(), .wait)])
    for index in 0..<7 { list.songs[0].song.plans[index].source = index / 6 }
    let rig = try Rig(list)
    #expect(rig.look().progress?.bars == 2)
    rig.ask(.start)
    var places: [String] = []
    for beat in 0..<8 {
      let now = try #require(rig.play(until: ClockFrame(Int64(12_000 + 24_000 * beat))).progress)
      places.append("\(now.bar) of \(now.bars) in \(now.layout.meter)")
    }
    #expect(
      places == [
        "1 of 2 in 3/4", "1 of 2 in 3/4", "1 of 2 in 3/4", "2 of 2 in 3/4", "2 of 2 in 3/4",
        "2 of 2 in 3/4", "1 of 2 in 3/4", "1 of 2 in 3/4",
      ])
    #expect(
      rig.heard.map { "\($0.bar).\($0.beat)" } == ["-1.1", "-1.2", "-1.3", "0.1", "0.2", "0.3", "1.1", "1.2"])
    #expect(rig.look().soundingMeter == (try Meter(3, 4)))
  }
}
