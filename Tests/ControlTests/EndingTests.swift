import ControlBench
import Engine
import MusicTime
import Realtime
import Testing

@testable import Control

@Suite struct EndingTests {
  /// The loudest sample of the frames to come.
  private func loudest(_ rig: Rig, frames: Int64) -> Float {
    let end = rig.clock + frames
    var loudest: Float = 0
    while rig.clock < end {
      rig.render()
      loudest = max(loudest, rig.peak)
    }
    return loudest
  }

  private func settings(_ volume: Double) throws -> Settings {
    var settings = Settings()
    try settings.set(.volume(.master, Volume(volume)))
    return settings
  }

  // MARK: Fading out

  @Test func `In the pause between two songs a fade-out is refused, and the next song begins`() throws {
    let section = try section("A", .bars(1))
    let rig = try Rig(
      setlist([("one", [section], .pause(milliseconds: 2_000)), ("two", [section], .wait)]))
    rig.ask(.start)
    #expect(rig.eventually { $0.progress?.startsIn != nil })
    let reason = rig.refusal(of: .fade(milliseconds: 500))
    #expect(reason?.contains("nothing sounds that could fade") == true)
    rig.pass(.seconds(1))
    #expect(!rig.look().isFading)
    #expect(rig.eventually { $0.progress?.song == 2 && $0.progress?.bar == 1 })
  }

  @Test func `A fade-out ends the music after its time, and the next start has the volume that is set`()
    throws
  {
    let rig = try Rig(settings(0.5))
    rig.ask(.start)
    let first = loudest(rig, frames: 24_000)
    #expect(first > 0)
    rig.ask(.fade(milliseconds: 2_000))
    var last = first
    for _ in 0..<3 {
      let now = rig.play(frames: 100)
      #expect(now.isPlaying && now.isFading)
      let peak = loudest(rig, frames: 23_900)
      #expect(peak < last)
      last = peak
    }
    let after = rig.play(frames: 48_000)
    #expect(!after.isPlaying && !after.isFading)
    #expect(after.settings == (try settings(0.5)))
    let beats = rig.heard.count
    rig.pass(.seconds(3))
    #expect(rig.heard.count == beats)
    rig.ask(.start)
    #expect(loudest(rig, frames: 24_000) == first)
  }

  @Test func `A start right after a fade-out has the full volume, also while the last clip sounds`() throws {
    for length in [100, 60_000] {
      let rig = try Rig(clips: ClipMaker(length: length))
      rig.ask(.start)
      rig.pass(.seconds(1))
      rig.ask(.fade(milliseconds: 500))
      #expect(rig.eventually { !$0.isPlaying })
      // What began before the fade does not come back.
      #expect(loudest(rig, frames: 2_000) == 0)
      rig.ask(.start)
      #expect(loudest(rig, frames: 2_000) > 0.0009)
    }
  }

  @Test func `A second fade-out or a start restores the volume, and the music goes on`() throws {
    for again in [Update.fade(milliseconds: 2_000), .start, .play(true)] {
      let rig = try Rig()
      rig.ask(.start)
      let first = loudest(rig, frames: 24_000)
      rig.ask(.fade(milliseconds: 2_000))
      rig.pass(.seconds(1))
      rig.ask(again)
      #expect(!rig.look().isFading)
      #expect(loudest(rig, frames: 144_000) == first)
      #expect(rig.look().isPlaying)
      // The grid stays.
      #expect(rig.heard.allSatisfy { $0.frame.number % 24_000 == 0 })
    }
  }

  @Test func `A stop in a fade-out stops at once, and a change of the volume counts from the next start on`()
    throws
  {
    let rig = try Rig()
    rig.ask(.start)
    let first = loudest(rig, frames: 24_000)
    rig.ask(.fade(milliseconds: 5_000))
    rig.pass(.seconds(1))
    rig.ask(.set(.volume(.master, try Volume(0.25))))
    #expect(loudest(rig, frames: 24_000) < first)
    rig.ask(.toggle)
    #expect(!rig.look().isPlaying)
    rig.pass(.seconds(1))
    rig.ask(.start)
    #expect(abs(loudest(rig, frames: 24_000) - first / 4) < 1e-6)
    rig.pass(.seconds(10))
    #expect(rig.look().isPlaying)
  }

  @Test func `A session that fades out goes back to its start, and no song follows by itself`() throws {
    let rig = try Rig([try section("A"), try section("B")])
    rig.ask(.start)
    rig.pass(.seconds(10))
    rig.ask(.fade(milliseconds: 1_000))
    rig.pass(.seconds(2))
    let stopped = try #require(rig.look().progress)
    #expect(!stopped.isPaused && stopped.bar == 0 && stopped.section == "A")

    let songs = try Rig(
      setlist([
        ("1", [try section("A", .bars(1))], .pause(milliseconds: 500)), ("2", [try section("B")], .wait),
      ]))
    songs.ask(.start)
    songs.pass(.seconds(1))
    songs.ask(.fade(milliseconds: 4_000))
    songs.pass(.seconds(6))
    let after = songs.look()
    #expect(!after.isPlaying && after.progress?.title == "2")
    #expect(songs.heard.count == 4)
  }

  @Test func `On a transport the fade-out stops the transport`() throws {
    for role in [SyncMode.lead, .follow] {
      let rig = try Rig()
      rig.ask(.set(.role(role)))
      rig.transport.isRolling = true
      #expect(rig.eventually { $0.isPlaying })
      rig.pass(.seconds(1))
      rig.host.forgetCalls()
      rig.ask(.fade(milliseconds: 1_000))
      rig.pass(.milliseconds(900))
      #expect(!rig.host.calls.contains(.stop))
      rig.pass(.milliseconds(200))
      #expect(rig.host.calls.filter { $0 == .stop }.count == 1)
      rig.transport.isRolling = false
      rig.pass(.seconds(1))
      rig.transport.isRolling = true
      #expect(loudest(rig, frames: 48_000) > 0.0009)
    }
  }

  @Test func `If nothing plays, neither ending has an effect`() throws {
    let rig = try Rig()
    #expect(rig.refusal(of: .fade(milliseconds: 1_000)) == nil)
    #expect(rig.refusal(of: .stopAtBar) == nil)
    #expect(!rig.look().isFading && !rig.look().stopsAtBar)
    rig.ask(.start)
    #expect(loudest(rig, frames: 200_000) > 0.0009)
    #expect(rig.look().isPlaying)
  }

  @Test func `The time of a fade-out has bounds`() throws {
    #expect(try FadeTime.milliseconds(0.1) == 100)
    #expect(try FadeTime.milliseconds(120) == 120_000)
    for seconds in [0, 0.09, -1, 121, .nan, .infinity] {
      #expect(throws: (any Error).self) { try FadeTime.milliseconds(seconds) }
    }
  }

  // MARK: At the bar's end

  @Test func `The metronome stops on the next bar line, and the next start begins at bar 1`() throws {
    let rig = try Rig()
    rig.ask(.start)
    rig.play(until: 30_000)
    rig.ask(.stopAtBar)
    let waiting = rig.look()
    #expect(waiting.isPlaying && waiting.stopsAtBar)
    let after = rig.play(until: 200_000)
    #expect(!after.isPlaying && !after.stopsAtBar)
    #expect(rig.heard.map(\.frame) == [0, 24_000, 48_000, 72_000])
    rig.ask(.start)
    rig.play(frames: 1_000)
    #expect((rig.bar, rig.beat) == (1, 1))
  }

  @Test func `A session pauses on the bar line and continues with the next bar`() throws {
    let rig = try Rig([try section("A")])
    rig.ask(.start)
    rig.play(until: 100_000)
    rig.ask(.stopAtBar)
    let paused = rig.play(until: 300_000)
    #expect(paused.state == .paused)
    #expect(rig.heard.count == 8)
    rig.ask(.start)
    rig.play(frames: 1_000)
    #expect((rig.bar, rig.beat) == (3, 1))
    #expect(rig.look().state == .running)
  }

  @Test func `A start cancels it, and a stop stops at once`() throws {
    let rig = try Rig()
    rig.ask(.start)
    rig.play(until: 30_000)
    rig.ask(.stopAtBar)
    rig.ask(.start)
    #expect(!rig.look().stopsAtBar)
    #expect(rig.play(until: 200_000).isPlaying)
    rig.ask(.stopAtBar)
    rig.ask(.stop)
    #expect(!rig.look().isPlaying && !rig.look().stopsAtBar)
    rig.ask(.start)
    #expect(rig.play(frames: 200_000).isPlaying)
  }

  @Test func `In the last bar of a song it acts as the song's end, and the next song waits`() throws {
    let rig = try Rig(
      setlist([
        ("1", [try section("A", .bars(1))], .pause(milliseconds: 500)), ("2", [try section("B")], .wait),
      ]))
    rig.ask(.start)
    rig.play(until: 30_000)
    rig.ask(.stopAtBar)
    let after = rig.play(until: 300_000)
    #expect(!after.isPlaying && after.progress?.title == "2" && !after.stopsAtBar)
    rig.ask(.start)
    #expect(rig.play(frames: 48_000).isPlaying)
  }

  @Test func `In the pause between two songs a stop at the bar ends the pause`() throws {
    let rig = try Rig(
      setlist([
        ("1", [try section("A", .bars(1))], .pause(milliseconds: 3_000)), ("2", [try section("B")], .wait),
      ]))
    rig.ask(.start)
    rig.play(until: 120_000)
    rig.ask(.stopAtBar)
    #expect(!rig.look().isPlaying)
    rig.play(frames: 400_000)
    #expect(rig.heard.count == 4)
  }

  @Test func `On a transport a stop at the bar is refused with the reason`() throws {
    let rig = try Rig()
    rig.ask(.set(.role(.lead)))
    rig.transport.isRolling = true
    #expect(rig.eventually { $0.isPlaying })
    let reason = rig.refusal(of: .stopAtBar)
    #expect(reason == "stop/bar in role lead: must be asked in role free; stop works here")
    #expect(!rig.look().stopsAtBar)
  }

  @Test func `A change of role cancels it`() throws {
    let rig = try Rig()
    rig.ask(.start)
    rig.play(until: 30_000)
    rig.ask(.stopAtBar)
    rig.ask(.set(.role(.follow)))
    #expect(!rig.look().stopsAtBar)
    rig.ask(.set(.role(.free)))
    rig.ask(.start)
    #expect(rig.play(frames: 300_000).isPlaying)
  }

  @Test(arguments: [[Update.play(true)], [.start], [.fade(milliseconds: 500), .fade(milliseconds: 500)]])
  func aStopAtTheBarIsTakenBackInTheEngineToo(_ startAgain: [Update]) throws {
    let rig = try Rig()
    rig.push(.start)
    rig.pass(.milliseconds(600))
    rig.push(.stopAtBar)
    rig.pass(.milliseconds(100))
    for update in startAgain { rig.push(update) }
    rig.pass(.seconds(4))
    #expect(rig.settle().isPlaying)
    #expect(rig.reports.beats.count >= 9)
  }
}
