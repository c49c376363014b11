import ControlBench
import MusicTime
import Testing

@testable import Control
@testable import Engine

/// The times, rounds and state that a session reports.
@Suite struct ConductorProgressTests {
  private func rig(cycles: Int, loop: Int? = nil) throws -> Rig {
    var plans = [try section("Count", .bars(1)), try section("A", .bars(1)), try section("B", .bars(2))]
    plans[0].isCountIn = true
    let round = Array(plans[1...])
    for _ in 1..<max(cycles, 1) { plans += round }
    for index in plans.indices { plans[index].source = index }
    let song = SongPlan(title: "song", plans: plans, loopStart: loop, cycles: cycles)
    return try Rig(Setlist(title: "set", songs: [Setlist.Entry(song: song)]))
  }

  @Test func elapsedAndLeftAddUpToTheLength() throws {
    let rig = try rig(cycles: 2)
    let before = try #require(rig.look().progress)
    #expect((before.sectionElapsed, before.songElapsed) == (0, 0))
    #expect((before.sectionLength, before.songLength) == (2, 14))
    rig.ask(.start)
    // Two seconds of count-in, then A, B, A, B of 2, 4, 2 and 4 seconds.
    for second in 0..<14 {
      let progress = try #require(rig.play(until: ClockFrame(Int64(second) * 48_000 + 24_000)).progress)
      #expect((progress.songElapsed, progress.songLeft, progress.songLength) == (second, 14 - second, 14))
      let starts = [0, 2, 4, 8, 10].filter { $0 <= second }
      #expect(progress.sectionElapsed == second - starts.last!)
      #expect(progress.sectionElapsed + (progress.sectionLeft ?? 0) == progress.sectionLength)
      #expect((progress.cycle, progress.cycles) == (second < 8 ? 1 : 2, 2))
    }
  }

  @Test func anEndlessSessionCountsItsRoundsAndAllItsTime() throws {
    let rig = try rig(cycles: 0, loop: 1)
    rig.ask(.start)
    for second in 0..<30 {
      let progress = try #require(rig.play(until: ClockFrame(Int64(second) * 48_000 + 24_000)).progress)
      #expect((progress.songElapsed, progress.songLeft, progress.songLength) == (second, nil, nil))
      #expect((progress.cycle, progress.cycles) == (max(0, second - 2) / 6 + 1, 0))
    }
    // A round that is left by a jump does not count as finished.
    rig.ask(.go(.section(2)))
    #expect(rig.play(frames: 96_000).progress?.cycle == 5)
    rig.ask(.stop)
    #expect(rig.look().progress?.cycle == 1)
  }

  @Test func `In the pause between two songs the state says so`() throws {
    let rig = try Rig(
      setlist([
        ("one", [try section("A", .bars(1))], .pause(milliseconds: 2_000)),
        ("two", [try section("B", .bars(1))], .wait),
      ]))
    #expect(rig.look().state == .idle)
    rig.ask(.start)
    #expect(rig.play(until: 48_000).state == .running)
    let pause = rig.play(until: 150_000)
    #expect(pause.state == .betweenSongs && pause.state.rawValue == "between songs" && pause.isPlaying)
    #expect(rig.play(until: ClockFrame(96_000 * 2 + 1_000)).state == .running)
    #expect(rig.play(until: ClockFrame(96_000 * 4)).state == .finished)
  }

  @Test func aRoundOfOneBarIsARoundToo() throws {
    let song = SongPlan(title: "song", plans: [try section("A", .bars(1))], loopStart: 0, cycles: 0)
    let rig = try Rig(Setlist(title: "set", songs: [Setlist.Entry(song: song)]))
    rig.ask(.start)
    #expect(rig.play(until: ClockFrame(4 * 96_000 + 24_000)).progress?.cycle == 5)
  }

  @Test func `Going on from an open section begins another round`() throws {
    var plans = [try section("A", .bars(1)), try section("B", .open)]
    for index in plans.indices { plans[index].source = index }
    let song = SongPlan(title: "song", plans: plans, loopStart: 0, cycles: 0)
    let rig = try Rig(Setlist(title: "set", songs: [Setlist.Entry(song: song)]))
    rig.ask(.start)
    for cycle in 1...3 {
      #expect(rig.play(frames: 120_000).progress?.section == "B")
      #expect(rig.look().progress?.cycle == cycle)
      rig.ask(.go(.next))
    }
    // Going back leads to the round before.
    rig.play(frames: 10_000)
    #expect(rig.look().progress?.cycle == 4)
    rig.ask(.go(.previous))
    let back = rig.play(frames: 10_000).progress
    #expect(back?.section == "B" && back?.cycle == 3)
  }

  @Test func theStateIsOneWord() throws {
    let metronome = try ControlBench.Rig()
    #expect(metronome.settle().state == .idle)
    metronome.push(.start)
    #expect(metronome.settle().state == .running)

    let rig = try rig(cycles: 1)
    #expect(rig.look().state == .idle)
    rig.ask(.start)
    #expect(rig.play(until: 48_000).state == .countingIn)
    #expect(rig.play(until: 120_000).state == .running)
    rig.ask(.pause)
    #expect(rig.look().state == .paused)
    rig.ask(.start)
    #expect(rig.play(frames: 48_000).state == .running)
    #expect(rig.play(until: 500_000).state == .finished)
    rig.ask(.start)
    #expect(rig.play(frames: 24_000).state == .countingIn)
    rig.ask(.stop)
    #expect(rig.look().state == .idle)
  }

  @Test func `After an open section the song's elapsed time is unknown and the remaining time is known`()
    throws
  {
    let rig = try ControlBench.Rig([
      try section("A", .bars(1)), try section("B", .open), try section("C", .bars(2)),
    ])
    rig.ask(.start)
    let first = try #require(rig.play(until: 50_000).progress)
    #expect(first.songElapsed == 1 && first.songLeft == nil)
    let open = try #require(rig.play(until: 150_000).progress)
    #expect(open.section == "B" && open.songElapsed == 3 && open.songLeft == nil)
    rig.ask(.go(.next))
    let last = try #require(rig.play(frames: 60_000).progress)
    #expect(last.section == "C" && last.songElapsed == nil && last.songLength == nil)
    #expect(last.songLeft == last.sectionLeft && last.songLeft == 3)
  }

  @Test func aPedalLeavesAnOpenSectionAtTheBarLine() throws {
    let rig = try ControlBench.Rig([try section("A", .open), try section("B", .bars(1))])
    rig.ask(.advance)
    rig.play(until: 130_000)
    rig.ask(.advance)
    rig.play(until: 300_000)
    #expect(rig.sectionStarts == ["0@0", "1@192000"])
  }
}
