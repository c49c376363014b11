import ControlBench
import Engine
import Glibc
import MusicTime
import Realtime
import TestNumbers
import Testing

@testable import Control

/// A set of ten songs. Some have sections that last until somebody goes on, some follow by themselves.
private struct GigSet {
  let setlist: Setlist
  /// For each song the beats of its sections; nil for one that lasts until somebody goes on.
  let beats: [[Int?]]

  init(_ random: inout Generator) throws {
    var songs: [(title: String, sections: [SectionPlan], after: AfterSong)] = []
    var beats: [[Int?]] = []
    for number in 1...10 {
      let bars = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        Int.random(in: 0..<4, using: &random) == 0 ? nil : Int.random(in: 1...2, using: &random)
      }
      let tempo = Int.random(in: 300_000...900_000, using: &random)
      let sections = try bars.map { try section("S", $0.map { .bars($0) } ?? .open, tempo: tempo) }
      let waits = Int.random(in: 0..<3, using: &random) > 0
      songs.append(("\(number)", sections, waits ? .wait : .pause(milliseconds: 700)))
      beats.append(bars.map { $0.map { 4 * $0 } })
    }
    (setlist, self.beats) = (ControlTests.setlist(songs), beats)
  }
}

/// A drummer with one pedal: late, early out of nervousness, and often twice.
private struct Drummer {
  private var random: Generator
  private var presses: [Instant] = []

  init(_ random: Generator) { self.random = random }

  /// Whether the foot goes down.
  mutating func presses(at now: Instant, isPlaying: Bool, isOpen: Bool) -> Bool {
    let chance = Double.random(in: 0..<1, using: &random)
    // Looks are ten milliseconds apart.
    let isAsked = !isPlaying || isOpen
    if presses.isEmpty, chance < (isAsked ? 0.012 : 0.004) {
      let first = now + .milliseconds(Int.random(in: 0...300, using: &random))
      presses = [first]
      if Int.random(in: 0..<3, using: &random) == 0 {
        presses.append(first + .milliseconds(Int.random(in: 20...450, using: &random)))
      }
    }
    guard let next = presses.first, next <= now else { return false }
    presses.removeFirst()
    return true
  }
}

@Suite struct StagePedalTests {
  /// How many sets are played: 30, or as many as TACTUS_SETS says.
  private static let sets = getenv("TACTUS_SETS").flatMap { Int(String(cString: $0)) } ?? 30

  @Test func aSetOfTenSongsIsPlayedWithOnePedalAlone() throws {
    for seed in 1...StagePedalTests.sets {
      var random = Generator(seed: UInt64(seed))
      let gig = try GigSet(&random)
      let rig = try Rig(gig.setlist)
      var drummer = Drummer(random)
      var songs: [Int] = []
      let limit = rig.time + .seconds(600)
      while !rig.hasFinished, rig.time < limit {
        let now = rig.play(frames: 480)
        let progress = try #require(now.progress)
        if now.state == .running, progress.song != songs.last { songs.append(progress.song) }
        let isOpen = now.isPlaying && progress.bars == 0
        if drummer.presses(at: rig.time, isPlaying: now.isPlaying, isOpen: isOpen) { rig.ask(.advance) }
      }
      #expect(rig.hasFinished, "set \(seed) never ends")
      // A press too many does not begin the last song again.
      for _ in 0..<5 {
        rig.play(frames: 48_000)
        rig.ask(.advance)
      }
      check(rig.heard, against: gig, seed)
    }
  }

  /// Each song is heard once, in its order, from its first beat to its last.
  private func check(_ heard: [Event.Beat], against gig: GigSet, _ seed: Int) {
    var songs: [[Event.Beat]] = []
    for beat in heard {
      if beat.section == 0, beat.sectionBar == 1, beat.beat == 1 { songs.append([]) }
      if songs.isEmpty {
        Issue.record("set \(seed) begins in the middle")
        return
      }
      songs[songs.count - 1].append(beat)
    }
    #expect(songs.count == gig.beats.count, "set \(seed)")
    for (index, (song, sections)) in zip(songs, gig.beats).enumerated() {
      #expect(song.map(\.section) == song.map(\.section).sorted(), "set \(seed), song \(index + 1)")
      for (section, beats) in sections.enumerated() {
        let count = song.count { $0.section == section }
        #expect(
          beats == nil ? count > 0 : count == beats, "set \(seed), song \(index + 1), section \(section)")
      }
    }
  }

  @Test func withoutASessionItStartsAndNothingElse() throws {
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

  @Test func aPressWithADateIsAStartToTheFrame() throws {
    var first: [Int64?] = []
    for update in [Update.start, .advance] {
      let rig = try Rig()
      rig.updates.push(Request(.update(update), at: rig.time + .seconds(1)))
      rig.play(frames: 96_000)
      first.append(rig.heard.first?.frame)
    }
    #expect(first[0] != nil && first[0] == first[1])
  }

  @Test func aPressWithoutEffectDoesNotKeepTheNextFromCounting() throws {
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
    // The conductor hears of the end and starts the next song.
    let starts = rig.heard.filter { $0.sectionBar == 1 && $0.beat == 1 }.map(\.frame)
    #expect(starts.count == 2 && 96_000...97_000 ~= starts[1], "\(starts)")
  }
}
