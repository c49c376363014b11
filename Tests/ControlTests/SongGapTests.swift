import ControlBench
import MusicTime
import Testing

@testable import Control
@testable import Engine

/// Bars that the player silences while a song plays. A bar at 120 has 96 000 frames.
@Suite struct SongGapTests {
  private func rig() throws -> Rig {
    var plans = [
      try section("Count-in", .bars(1)), try section("A", .bars(3)), try section("B", .bars(1)),
      try section("C", .bars(4)), try section("D", .bars(2)),
    ]
    plans[0].isCountIn = true
    plans[4].silence = .always
    for index in plans.indices { plans[index].source = index }
    return try Rig(plans)
  }

  /// Whether each bar from the beginning was silent.
  private func silent(_ rig: Rig) -> [Bool] {
    rig.heard.filter { $0.beat == 1 }.map { $0.strength == 0 }
  }

  @Test func `Every other bar of the song is silent, whatever its sections, and a second press ends it`()
    throws
  {
    let rig = try rig()
    rig.ask(.set(.gap(.everyOther)))
    rig.ask(.start)
    rig.play(until: ClockFrame(96_000 * 8 - 1_000))
    // The count-in, and then bars 1 to 7.
    #expect(silent(rig) == [false, false, true, false, true, false, true, false])
    #expect(rig.look().gap == .everyOther && rig.look().settings.gap == .off)
    rig.ask(.set(.gap(.off)))
    rig.play(until: ClockFrame(96_000 * 11 - 1_000))
    #expect(silent(rig).suffix(3) == [false, true, true])
    #expect(rig.heard.allSatisfy { $0.frame.number % 24_000 == 0 })
  }

  @Test func `A pad that switches the gap does so in a song, and the metronome's own gap stays`() throws {
    let rig = try rig()
    let target = try MIDITarget(text: "gap")
    let on = try #require(target.update(rig.look(), program: nil))
    rig.ask(on)
    #expect(rig.look().gap == .everyOther)
    rig.ask(try #require(target.update(rig.look(), program: nil)))
    #expect(rig.look().gap == .off)
    rig.ask(.set(.gap(.everyOther)))
    rig.ask(.open(path: ""))
    #expect(rig.look().gap == .off && rig.look().settings.gap == .off)
  }

  /// The silent bars reported in each bar; 0 if there are none.
  private func left(_ rig: Rig, bars: Int) -> [Int] {
    (0..<bars).map { bar in
      rig.play(until: ClockFrame(Int64(bar) * 96_000 + 48_000))
      return rig.heard.last?.silence.barsLeft ?? 0
    }
  }

  @Test func `The remaining silent bars are reported in a song too`() throws {
    var plans = [try section("A", .bars(5)), try section("B", .bars(2)), try section("C", .bars(3))]
    plans[0].silence = .gap(play: 1, rest: 3, growth: 0)
    plans[1].silence = .gap(play: 1, rest: 4, growth: 0)
    plans[2].silence = .random(percent: 100, rise: 0, seed: 1)
    for index in plans.indices { plans[index].source = index }
    let rig = try Rig(plans)
    rig.ask(.start)
    // B ends within its rest; random silence is not counted down.
    #expect(left(rig, bars: 10) == [0, 3, 2, 1, 0, 0, 1, 0, 0, 0])
  }

  @Test func `Silent bars that the player requested are counted down through the sections`() throws {
    var plans = [try section("A", .bars(3)), try section("B", .bars(4)), try section("C", .bars(3))]
    plans[1].silence = .gap(play: 2, rest: 1, growth: 0)
    for index in plans.indices { plans[index].source = index }
    let rig = try Rig(plans)
    rig.ask(.set(.gap(try Gap(play: 1, rest: 3))))
    rig.ask(.start)
    // B keeps the silent bars of its own, and C goes on with the player's: its first bar is the last of three.
    #expect(left(rig, bars: 10) == [0, 3, 2, 0, 0, 1, 0, 1, 0, 3])
  }

  @Test func `The silent bars of the metronome are counted down, wherever it has been located`() throws {
    let rig = try Rig()
    rig.ask(.set(.gap(try Gap(play: 2, rest: 3))))
    rig.ask(.start)
    #expect(left(rig, bars: 8) == [0, 0, 3, 2, 1, 0, 0, 3])
    rig.ask(.set(.gap(.off)))
    rig.play(until: ClockFrame(9 * 96_000 + 48_000))
    #expect(rig.heard.last?.silence == BarSilence.none)
  }

  @Test func `Another song plays as its document says`() throws {
    let song = SongPlan(title: "song", plans: [try section("A", .bars(2))])
    let rig = try Rig(Setlist(title: "", songs: [.init(song: song), .init(song: song)]))
    rig.ask(.set(.gap(.everyOther)))
    rig.ask(.go(.nextSong))
    rig.ask(.start)
    rig.play(frames: 96_000 * 2 - 1_000)
    #expect(silent(rig) == [false, false] && rig.look().gap == .off)
  }
}
