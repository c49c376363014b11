import ControlBench
import MusicTime
import Testing

@testable import Control
@testable import Engine

/// Sessions on the JACK transport, whose frames the test sets.
@Suite struct ConductorSongTransportTests {
  private func rig(_ role: SyncMode, _ sections: [SectionPlan]? = nil, place: Int = 0) throws -> Rig {
    var settings = Settings()
    try settings.set(.role(role))
    let plain = [
      try section("A", .bars(2), label: "a"), try section("B", .bars(3), tempo: 240_000, meter: (3, 4)),
      try section("C", .bars(2), tempo: 60_000, label: "c"),
    ]
    let rig = try Rig(sections ?? plain, settings: settings, place: place)
    rig.render()
    rig.look()
    return rig
  }

  private func locates(_ rig: Rig) -> [UInt32] {
    rig.host.calls.compactMap { if case .locate(let frame) = $0 { frame } else { nil } }
  }

  @Test(arguments: [SyncMode.follow, .lead])
  func aTransportThatRollsStartsTheSessionWhereItIs(_ role: SyncMode) throws {
    let rig = try rig(role)
    // A: 192 000 frames, B: 9 beats of 12 000.
    rig.transport.frame = 192_000 + 12_000 * 4
    rig.transport.isRolling = true
    let start = rig.clock
    let snapshot = rig.play(frames: 5_000)
    #expect(snapshot.isPlaying && snapshot.progress?.section == "B")
    #expect((snapshot.progress?.bar, rig.bar, rig.beat) == (2, 4, 2))
    rig.play(until: start + 61_000)
    #expect(rig.heard.map { $0.frame - start } == [0, 12_000, 24_000, 36_000, 48_000, 60_000])
    #expect(rig.sectionStarts == ["2@\(start + 60_000)"])
    #expect(locates(rig) == [])
  }

  @Test(arguments: [SyncMode.follow, .lead])
  func aLocateLandsInTheRightSectionAtOnce(_ role: SyncMode) throws {
    let rig = try rig(role)
    rig.transport.isRolling = true
    rig.play(frames: 10_000)
    for (frame, section, bar) in [(300_000, "C", 1), (0, "A", 1), (500_000, "C", 2), (216_000, "B", 3)] {
      rig.transport.frame = UInt32(frame)
      let snapshot = rig.play(frames: 50_000)
      let at = rig.heard.last!
      #expect(snapshot.progress?.section == section && snapshot.progress?.bar == bar, "\(frame): \(at)")
    }
    // A stopped transport too.
    rig.transport.isRolling = false
    rig.play(frames: 1_000)
    rig.transport.frame = 100_000
    let standing = rig.play(frames: 1_000)
    #expect(standing.progress?.section == "A" && standing.progress?.sectionLeft == 2)
  }

  @Test(arguments: [SyncMode.follow, .lead])
  func `A jump of a rolling transport is reported before the next beat`(_ role: SyncMode) throws {
    let rig = try rig(role)
    rig.transport.frame = 193_000
    rig.play(frames: 1_000)
    rig.transport.isRolling = true
    let rolling = rig.play(frames: 1_000)
    #expect(rig.heard.isEmpty && rolling.isPlaying)
    #expect(rolling.progress?.section == "B" && rolling.settings.session?.section == 1)
    rig.play(frames: 12_000)
    // The first beat is reported with its bar.
    let reported = rig.reports.all.prefix { if case .beat = $0 { false } else { true } }
    guard case .changed(_, let last)? = reported.last else { return #expect(Bool(false), "nothing was told") }
    #expect(last.progress?.section == "B" && last.progress?.bar == 1)
  }

  @Test(arguments: [SyncMode.follow, .lead])
  func `A transport can return from after the song's end`(_ role: SyncMode) throws {
    let rig = try rig(role)
    rig.transport.frame = 680_000
    rig.transport.isRolling = true
    let over = rig.play(frames: 20_000)
    #expect(rig.hasFinished && over.isPlaying && over.progress?.section == "C")
    rig.transport.frame = 215_000
    let back = rig.play(frames: 5_000)
    #expect(back.progress?.section == "B" && back.progress?.bar == 1)
  }

  @Test(arguments: [SyncMode.follow, .lead])
  func nextAndPreviousMoveTheTransport(_ role: SyncMode) throws {
    let rig = try rig(role)
    rig.ask(.go(.next))
    #expect(locates(rig) == [192_000])
    rig.transport.frame = 192_000
    rig.transport.isRolling = true
    rig.play(frames: 1_000)
    rig.ask(.go(.next))
    rig.ask(.go(.named("a")))
    rig.ask(.go(.named("c")))
    #expect(locates(rig) == [192_000, 300_000, 0, 300_000])
    rig.transport.frame = 300_000
    rig.play(frames: 100_000)
    rig.ask(.go(.previous))
    rig.transport.frame = 300_000
    rig.play(frames: 1_000)
    rig.ask(.go(.previous))
    #expect(locates(rig).suffix(2) == [300_000, 192_000])
  }

  @Test func `Start, pause and stop act on the transport`() throws {
    let rig = try rig(.lead)
    rig.host.forgetCalls()
    for update in [Update.start, .pause, .start, .stop] { rig.ask(update) }
    #expect(rig.host.calls.filter { $0 != .announce } == [.start, .stop, .start, .stop])
  }

  @Test func `A follower does not move the transport by itself`() throws {
    #expect(locates(try rig(.follow, place: 2)) == [])
    // A leader locates to the session's last place.
    #expect(locates(try rig(.lead, place: 2)) == [300_000])
  }

  @Test func `A song that is chosen while the server is away begins at its start on the next one`() throws {
    var settings = Settings()
    try settings.set(.role(.lead))
    let sections = [try section("A", .bars(2)), try section("B", .bars(3))]
    let rig = try Rig(setlist([("one", sections, .wait), ("two", sections, .wait)]), settings: settings)
    rig.transport.isRolling = true
    rig.play(frames: 300_000)
    #expect(rig.look().progress?.section == "B")
    rig.updates.push(Request(.host(.lost("gone"))))
    rig.settle()
    rig.ask(.go(.nextSong))
    #expect(rig.eventually { $0.progress?.song == 2 && $0.progress?.isReady == true })
    #expect(rig.look().progress?.section == "A")
    rig.host.forgetCalls()
    (rig.transport.isRolling, rig.transport.frame) = (false, 0)
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    rig.settle()
    // It may be the old server, which hung and rolled on.
    #expect(locates(rig) == [0] && rig.host.calls.contains(.stop) && !rig.host.calls.contains(.start))
    rig.render()
    #expect(rig.look().progress?.section == "A")
  }

  @Test(arguments: [SyncMode.follow, .lead])
  func `On a transport a section that lasts until the player goes on is left by a locate`(
    _ role: SyncMode
  ) throws {
    let rig = try rig(role, [try section("A", .open), try section("B", .bars(3)), try section("C", .open)])
    rig.transport.isRolling = true
    #expect(rig.play(frames: 10_000).progress?.section == "A")
    rig.ask(.go(.next))
    // An hour.
    #expect(locates(rig) == [48_000 * 3_600])
    rig.transport.frame = 48_000 * 3_600
    #expect(rig.play(frames: 120_000).progress?.section == "B")
    #expect((rig.look().progress?.bar, rig.heard.last?.beat) == (2, 1))
    // In `free` its nominal length is another one: the music goes on at its place.
    let last = try #require(rig.heard.last)
    rig.ask(.set(.role(.free)))
    #expect(rig.play(frames: 48_000).progress?.section == "B")
    let next = try #require(rig.heard.first { $0.frame > last.frame })
    #expect(next.beat == 2 && next.section == 1 && next.sectionBar == 2)
    #expect(abs(next.frame - last.frame - 24_000) <= 1)
  }

  @Test func `However many sections are open, a transport reaches all`() throws {
    let sections = try (0..<60).map { try section("\($0)", .open, tempo: 200_000 - $0 * 1_000) }
    let rig = try rig(.lead, sections)
    rig.transport.isRolling = true
    for number in 0..<59 {
      #expect(rig.play(frames: 10_000).progress?.section == "\(number)")
      rig.host.forgetCalls()
      rig.ask(.go(.next))
      rig.transport.frame = try #require(locates(rig).first)
    }
    #expect(rig.play(frames: 10_000).progress?.section == "59")
  }

  @Test func whatATransportCannotDoIsRefused() throws {
    let rig = try rig(.lead, [try section("A", .open), try section("B")])
    #expect(
      rig.refusal(of: .hold(true))
        == "hold in role lead: must be asked in role free, where Tactus decides which bar follows")
    #expect(rig.refusal(of: .hold(false)) == nil)
  }

  @Test func `A held section is released on a transport`() throws {
    let rig = try Rig([try section("A", .bars(1)), try section("B", .bars(1))])
    rig.ask(.hold(true))
    rig.ask(.set(.role(.lead)))
    #expect(rig.eventually { $0.progress?.isHeld == false && $0.role == .lead })
    rig.transport.isRolling = true
    rig.transport.frame = 0
    rig.play(frames: 150_000)
    #expect(rig.look().progress?.section == "B")
  }

  @Test func theLeaderOfASetlistStopsBetweenSongs() throws {
    var settings = Settings()
    try settings.set(.role(.lead))
    let list = setlist([
      ("one", [try section("A", .bars(1))], .pause(milliseconds: 500)), ("two", [try section("B")], .wait),
    ])
    let rig = try Rig(list, settings: settings)
    rig.render()
    rig.look()
    rig.host.forgetCalls()
    rig.transport.isRolling = true
    rig.play(until: 97_000)
    #expect(rig.look().progress?.title == "two")
    // The next song is made ready in real time.
    #expect(rig.eventually { _ in rig.host.calls.filter { $0 != .announce } == [.stop, .locate(0)] })
    rig.transport.isRolling = false
    rig.transport.frame = 0
    rig.play(until: 110_000)
    #expect(rig.look().progress?.section == "B")
    rig.play(until: 121_000)
    #expect(rig.eventually { _ in rig.host.calls.last { $0 != .announce } == .start })
  }

  @Test func barsAreLocatedAsTheyAreShown() throws {
    var countIn = try section("Count-in", .bars(2))
    countIn.isCountIn = true
    let rig = try Rig([countIn, try section("A", .bars(4))])
    rig.ask(.start)
    rig.ask(.locate(Position(bar: 3, beat: 2)))
    #expect(rig.eventually { rig.bar == 3 && rig.beat == 3 && $0.progress?.section == "A" })
    let lead = try self.rig(.lead, [countIn, try section("A", .bars(4))])
    lead.ask(.locate(Position(bar: 1, beat: 1)))
    #expect(locates(lead) == [192_000])
  }

  @Test func halfTheSpeedMovesTheSectionsOnTheTransport() throws {
    let rig = try rig(.lead)
    rig.ask(.speed(percent: 50))
    #expect(rig.eventually { _ in rig.playedTempo == 60 })
    rig.ask(.go(.next))
    #expect(locates(rig) == [384_000])
    // Back to a speed that is compiled already.
    rig.ask(.speed(percent: 100))
    #expect(rig.eventually { _ in rig.playedTempo == 120 })
    rig.ask(.go(.named("c")))
    #expect(locates(rig) == [384_000, 300_000])
  }
}
