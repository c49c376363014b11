import ControlBench
import Engine
import MusicTime
import Realtime
import Testing

@testable import Control

@Suite struct StagePedalTests {
  @Test func `Without a session the pedal only starts`() throws {
    let rig = try Rig()
    rig.ask(.advance)
    rig.play(frames: 30_000)
    #expect(rig.settle().isPlaying)
    let beats = rig.heard.count
    for _ in 0..<5 {
      rig.ask(.advance)
      rig.play(frames: 30_000)
    }
    #expect(rig.settle().isPlaying && rig.heard.count > beats)
    #expect(rig.heard.map(\.beat).prefix(6) == [1, 2, 3, 4, 1, 2])
  }

  @Test func aPausedSongGoesOnWhereItIs() throws {
    let rig = try Rig([try section("A", .bars(2)), try section("B", .bars(2))])
    rig.ask(.advance)
    rig.play(until: 150_000)
    rig.ask(.pause)
    rig.play(frames: 50_000)
    rig.ask(.advance)
    rig.play(frames: 100_000)
    #expect(rig.heard.map(\.beat).prefix(8) == [1, 2, 3, 4, 1, 2, 3, 4])
    #expect(rig.heard.map(\.sectionBar).prefix(8) == [1, 1, 1, 1, 2, 2, 2, 2])
  }

  @Test func `A scheduled press starts exactly on its frame`() throws {
    var first: [ClockFrame?] = []
    for update in [Update.start, .advance] {
      let rig = try Rig()
      rig.updates.push(Request(.update(update), at: rig.time + .seconds(1)))
      rig.play(frames: 96_000)
      first.append(rig.heard.first?.frame)
    }
    #expect(first[0] != nil && first[0] == first[1])
  }

  @Test func `A press without effect does not block the next one`() throws {
    let rig = try Rig(
      setlist([("one", [try section("A", .bars(1))], .wait), ("two", [try section("B", .bars(1))], .wait)]))
    rig.ask(.advance)
    // In the middle of the song, and then every quarter of a second until its end.
    while rig.heard.count < 3 { rig.play(frames: 12_000) }
    rig.ask(.advance)
    rig.play(until: 96_500)
    #expect(!rig.look().isPlaying)
    rig.ask(.advance)
    rig.play(frames: 48_000)
    #expect(rig.look().isPlaying && rig.look().progress?.song == 2)
  }

  @Test func aPressBeforeTheLastBeatHasEndedPlaysOnIntoTheNextSong() throws {
    let rig = try Rig(
      setlist([("one", [try section("A", .bars(1))], .wait), ("two", [try section("B", .bars(1))], .wait)]))
    rig.ask(.advance)
    rig.play(until: 75_000)
    rig.ask(.advance)
    rig.play(until: 200_000)
    // The conductor handles the end and starts the next song.
    let starts = rig.heard.filter { $0.sectionBar == 1 && $0.beat == 1 }.map(\.frame)
    #expect(starts.count == 2 && 96_000...97_000 ~= starts[1], "\(starts)")
  }
}
