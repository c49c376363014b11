import ControlBench
import Engine
import MusicTime
import Realtime
import Testing
import TimeCheck

@testable import Control

/// A coached song, with a player who hits each click.
@Suite struct CoachTests {
  private func rig(
    _ sections: [SectionPlan], _ coaches: [Int: Coach.Plan], listens: Bool = true
  ) throws -> Rig {
    var song = SongPlan(title: "song", plans: sections)
    song.coaches = coaches
    let list = Setlist(title: "song", songs: [Setlist.Entry(song: song)])
    return try Rig(list) {
      if listens { $0.listening = ListeningSetup(inputs: [], hasNotes: true) }
    }
  }

  private func steps(_ tempos: [Int], source: Int = 0) throws -> [SectionPlan] {
    try tempos.map { tempo in
      var plan = try section("climb", .open, tempo: tempo)
      plan.source = source
      return plan
    }
  }

  /// Plays for some time; the hits are late by the given frames, in turn.
  private func play(_ rig: Rig, _ duration: Duration, late: [Int64]) {
    var seen = rig.reports.beats.count
    let end = rig.time + duration
    while rig.time < end {
      rig.render()
      for (index, beat) in rig.reports.beats.enumerated().dropFirst(seen) where beat.role != .subdivision {
        let hit = Hit(frame: beat.frame + late[index % late.count], source: .notes, strength: 0.5)
        rig.updates.push(Request(.hits([hit])))
      }
      seen = rig.reports.beats.count
    }
  }

  private func words(_ rig: Rig) -> [String] {
    rig.reports.all.compactMap { if case .timing(.coached(let report)) = $0 { report.word } else { nil } }
  }

  @Test func `The tempo climbs on bar lines while the goal is reached, and the song ends on one`() throws {
    let plan = Coach.Plan(goal: TimingGoal(bars: 2, spread: 12, missed: 5))
    let rig = try rig(try steps([200_000, 210_000, 220_000]), [0: plan])
    rig.push(.start)
    play(rig, .seconds(40), late: [-240, 240])
    #expect(words(rig) == ["up", "up", "done"])
    let starts = rig.heard.filter { $0.sectionBar == 1 && $0.beat == 1 }
    #expect(starts.map(\.section) == [0, 1, 2])
    // Every step begins a whole number of bars after the previous one.
    let bars = zip(starts, starts.dropFirst()).map { Double($1.frame - $0.frame) }
    let lengths = [4 * 60 * 48_000 / 200.0, 4 * 60 * 48_000 / 210.0]
    for (bar, length) in zip(bars, lengths) { #expect(abs(bar / length - (bar / length).rounded()) < 1e-4) }
    #expect(rig.hears { if case .finished = $0 { true } else { false } })
    #expect(!rig.look().isPlaying)
    #expect(rig.heard.last?.beat == 4)
  }

  @Test func `The goal, the progress and the next step are always reported`() throws {
    let plan = Coach.Plan(goal: TimingGoal(bars: 4, spread: 12), up: 2, patience: 2)
    let rig = try rig(try steps([200_000, 210_000, 220_000, 230_000]), [0: plan])
    let asked = try #require(rig.look().progress?.coaching)
    #expect((asked.goal, asked.step, asked.steps) == (plan.goal, 1, 4))
    #expect(asked.next == .tempo(220) && asked.patience == nil)
    rig.push(.start)
    // Two bars and a half of 1.2 seconds.
    play(rig, .milliseconds(3_000), late: [-240, 240])
    let trial = try #require(rig.look().timing?.trial)
    #expect(trial.bars == 2 && trial.failures == 0 && trial.trial.hits >= 8)
    #expect(trial.trial.spread.map { 1...12 ~= $0 } == true)
    /// Plays until a condition holds; false after half a minute.
    func plays(late: [Int64], until condition: (Snapshot) -> Bool) -> Bool {
      for _ in 0..<300 {
        play(rig, .milliseconds(100), late: late)
        if condition(rig.look()) { return true }
      }
      return false
    }
    #expect(plays(late: [-240, 240]) { $0.progress?.coaching?.step == 3 })
    let next = try #require(rig.look().progress?.coaching)
    #expect(next.next == .tempo(230) && next.patience == 2)
    #expect(plays(late: [-960, 960]) { $0.timing?.trial?.failures == 1 })
    rig.push(.speed(percent: 50))
    #expect(rig.look().progress?.coaching?.next == .tempo(115))
  }

  @Test func `The elapsed time is that of the step, and the song's is unknown from the second step on`()
    throws
  {
    let plan = Coach.Plan(goal: TimingGoal(bars: 2, spread: 12))
    let rig = try rig(try steps([200_000, 210_000, 220_000]), [0: plan])
    rig.push(.start)
    play(rig, .seconds(2), late: [-240, 240])
    let first = try #require(rig.look().progress)
    #expect(first.coaching?.step == 1 && first.sectionElapsed == 2 && first.songElapsed == 2)
    for _ in 0..<100 where rig.look().progress?.coaching?.step == 1 {
      play(rig, .milliseconds(100), late: [-240, 240])
    }
    play(rig, .milliseconds(1_200), late: [-240, 240])
    let second = try #require(rig.look().progress)
    #expect(second.coaching?.step == 2 && second.sectionElapsed == 1 && second.songElapsed == nil)
  }

  @Test func `After too many failures the tempo goes back, and the next step is reported`() throws {
    let plan = Coach.Plan(goal: TimingGoal(bars: 2, spread: 5), patience: 2)
    let rig = try rig(try steps([200_000, 210_000]), [0: plan])
    rig.push(.start)
    play(rig, .seconds(6), late: [-96, 96])
    #expect(words(rig).first == "up")
    play(rig, .seconds(20), late: [-960, 960])
    #expect(words(rig).contains("again") && words(rig).contains("down"))
    let line = rig.reports.all.compactMap {
      if case .timing(.coached(let report)) = $0, report.word == "down" { report.line } else { nil }
    }.first
    #expect(line?.hasSuffix("Back at 200.") == true)
    #expect(line?.hasPrefix("Spread") == true)
  }

  @Test func `A goal that is reached ends its section`() throws {
    var sections = [
      try section("until", .open, tempo: 200_000), try section("after", .bars(1), tempo: 200_000),
    ]
    sections[1].source = 1
    let rig = try rig(sections, [0: Coach.Plan(goal: TimingGoal(bars: 2, spread: 12))])
    rig.push(.start)
    play(rig, .seconds(12), late: [-240, 240])
    #expect(words(rig) == ["done"])
    #expect(rig.heard.contains { $0.section == 1 })
  }

  @Test func `While a section is held its step stays`() throws {
    let plan = Coach.Plan(goal: TimingGoal(bars: 2, spread: 12))
    let rig = try rig(try steps([200_000, 210_000]), [0: plan])
    rig.push(.start, .hold(true))
    play(rig, .seconds(15), late: [-240, 240])
    #expect(words(rig).isEmpty)
    rig.push(.hold(false))
    play(rig, .seconds(10), late: [-240, 240])
    #expect(words(rig).first == "up")
  }

  @Test func `Without an input the coach reports once why it does not continue`() throws {
    let plan = Coach.Plan(goal: TimingGoal(bars: 2, spread: 12))
    let rig = try rig(try steps([200_000, 210_000]), [0: plan], listens: false)
    rig.push(.start)
    play(rig, .seconds(10), late: [0])
    let warnings = rig.reports.all.filter {
      if case .warning(let text) = $0 { text.contains("--listen or --hits") } else { false }
    }
    #expect(warnings.count == 1)
    #expect(rig.heard.allSatisfy { $0.section == 0 })
  }
}
