import ControlBench
import Engine
import MusicTime
import Testing

@testable import Control

/// Starting again, and playing on where it was.
@Suite struct RestartTests {
  @Test func `Pause and resume keep the metronome's bar, toggle does not`() throws {
    for (update, bar) in [(Update.playPause, 3), (.toggle, 1)] {
      let rig = try Rig()
      rig.ask(.start)
      rig.pass(.seconds(5))
      #expect(rig.heard.last?.bar == 3)
      rig.ask(update)
      rig.pass(.seconds(1))
      #expect(!rig.look().isPlaying)
      let beats = rig.heard.count
      rig.ask(update)
      rig.pass(.seconds(1))
      #expect(rig.look().isPlaying && rig.heard[beats].bar == bar)
    }
  }

  @Test func `Restarting the metronome begins with bar 1, whether it plays or not`() throws {
    for plays in [true, false] {
      let rig = try Rig()
      rig.ask(.start)
      rig.pass(.seconds(5))
      if !plays { rig.ask(.pause) }
      rig.pass(.seconds(1))
      let beats = rig.heard.count
      rig.ask(.restart)
      rig.pass(.seconds(1))
      let next = try #require(rig.heard.dropFirst(beats).first)
      #expect(rig.look().isPlaying && next.bar == 1 && next.beat == 1)
    }
  }

  @Test func `Restarting a song begins with its first section in any state`() throws {
    let sections = [try section("A", .bars(1)), try section("B", .bars(4))]
    for before in [[Update.start], [.start, .pause], [.start, .hold(true)], []] {
      let rig = try Rig(sections)
      for update in before.prefix(1) { rig.ask(update) }
      rig.pass(.seconds(3))
      for update in before.dropFirst() { rig.ask(update) }
      rig.pass(.seconds(1))
      let beats = rig.heard.count
      rig.ask(.restart)
      rig.pass(.seconds(1))
      let next = try #require(rig.heard.dropFirst(beats).first)
      #expect((next.section, next.sectionBar, next.beat) == (0, 1, 1))
      let now = rig.look()
      #expect(now.isPlaying && now.progress?.section == "A" && now.progress?.isHeld == false)
    }
  }

  @Test func `After the last song it plays that song again`() throws {
    let rig = try Rig([try section("A", .bars(1))])
    rig.ask(.start)
    #expect(rig.eventually { $0.progress?.isFinished == true })
    rig.ask(.restart)
    rig.pass(.seconds(1))
    #expect(rig.look().isPlaying)
  }

  @Test func `A role that is muted is silent, and its volume stays`() throws {
    var settings = Settings()
    try settings.set(Setting(Parameters.mute(.beat).parameter, .flag(true)))
    #expect(settings.gains.buses.beat == 0 && settings.gains.buses.accent == 1)
    #expect(settings.volume(.beat) == .full)
    #expect(Parameters.mute(.beat).parameter.savedAs.isEmpty)
  }
}
