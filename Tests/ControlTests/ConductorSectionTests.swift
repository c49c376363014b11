import ControlBench
import MusicTime
import Testing

@testable import Control
@testable import Engine

/// Going through the sections of one song, by the engine's own clock. A beat at 120 has 24 000 frames, a bar 96 000.
@Suite struct ConductorSectionTests {
  private func sections() throws -> [SectionPlan] {
    [
      try section("A", .bars(3), label: "a"), try section("B", .bars(2), tempo: 133_700, meter: (7, 8)),
      try section("C", .bars(4), tempo: 91_003, label: "c"), try section("D", .bars(2)),
    ]
  }

  @Test func aSongPlaysThroughAndItsEndIsTold() throws {
    let rig = try Rig([try section("A", .bars(1)), try section("B", .bars(2), tempo: 240_000)])
    rig.ask(.start)
    rig.play(until: 200_000)
    #expect(rig.sectionStarts == ["0@0", "1@96000"])
    #expect(rig.hasFinished)
    let snapshot = rig.look()
    #expect(!snapshot.isPlaying)
    #expect(snapshot.progress?.section == "A" && snapshot.settings.session?.section == 0)
  }

  @Test func pausesOfTenSecondsLoseNoFrame() throws {
    let through = try Rig(try sections())
    through.ask(.start)
    through.play(until: 1_500_000)
    let paused = try Rig(try sections())
    paused.ask(.start)
    var pauses: [ClockFrame] = []
    for place: ClockFrame in [50_000, 288_000, 400_064, 700_032, 900_000] {
      paused.play(until: place + Int64(pauses.count) * 480_000)
      paused.ask(.pause)
      pauses.append(paused.clock)
      let before = paused.look().progress
      #expect(before?.isPaused == true)
      paused.play(until: paused.clock + 480_000)
      #expect(paused.look().progress == before)
      // A whole number of periods may be a little more than ten seconds.
      let length = paused.clock - pauses.last!
      #expect(length == 480_000)
      paused.ask(.start)
    }
    paused.play(until: 1_500_000 + 5 * 480_000)
    let moved = paused.heard.map { beat in
      beat.frame - Int64(pauses.count { $0 < beat.frame }) * 480_000
    }
    #expect(moved == through.heard.map(\.frame))
  }

  @Test func nextAndPreviousLandOnBoundariesToTheFrame() throws {
    let rig = try Rig(try sections())
    rig.ask(.start)
    rig.play(until: 30_000)
    rig.ask(.go(.next))
    let first = rig.clock
    #expect(rig.play(frames: 60_000).progress?.section == "B")
    // Well into the section: back to its start.
    rig.play(until: first + 100_000)
    rig.ask(.go(.previous))
    let second = rig.clock
    // Within two seconds: to the previous section.
    rig.play(until: second + 90_000)
    rig.ask(.go(.previous))
    let third = rig.clock
    #expect(rig.play(frames: 10_000).progress?.section == "A")
    rig.ask(.go(.previous))
    let fourth = rig.clock
    rig.play(frames: 5_000)
    #expect(rig.sectionStarts == ["0@0", "1@\(first)", "1@\(second)", "0@\(third)", "0@\(fourth)"])
    #expect(rig.look().settings.session?.section == 0)
  }

  @Test func stepsThatComeAtOnceAddUp() throws {
    let rig = try Rig(try sections())
    rig.ask(.start)
    rig.play(until: 30_000)
    rig.push(.go(.next), .go(.next), .go(.next))
    rig.look()
    #expect(rig.play(frames: 1_000).progress?.section == "D")
    rig.push(.go(.previous), .go(.previous))
    rig.look()
    #expect(rig.play(frames: 1_000).progress?.section == "B")
  }

  @Test func aLabelIsJumpedTo() throws {
    let rig = try Rig(try sections())
    rig.ask(.start)
    rig.play(until: 10_000)
    rig.ask(.go(.named("c")))
    let frame = rig.clock
    #expect(rig.play(frames: 1_000).progress?.section == "C")
    #expect(rig.sectionStarts.last == "2@\(frame)")
    #expect(rig.refusal(of: .go(.named("x"))) == "section 'x': must be one of B, D, a, c")
  }

  @Test(arguments: [Quantise.beat, .bar])
  func aJumpOnTheNextLineIsOnItToTheFrame(_ quantise: Quantise) throws {
    let rig = try Rig(try sections())
    rig.ask(.set(.quantise(quantise)))
    rig.ask(.start)
    rig.play(until: 30_000)
    rig.push(.go(.next), .go(.next))
    // The bar goes on as it was until then.
    let waiting = rig.play(until: quantise == .bar ? 90_000 : 40_000)
    #expect(waiting.progress?.section == "A")
    rig.play(until: 120_000)
    #expect(rig.sectionStarts == ["0@0", quantise == .bar ? "2@96000" : "2@48000"])
    let beats = rig.heard.filter { $0.section == 0 }.count
    #expect(beats == (quantise == .bar ? 4 : 2))
  }

  @Test func `While the server is away the target of a jump is shown, and it is carried out on the next one`()
    throws
  {
    let rig = try Rig(try sections())
    rig.ask(.start)
    #expect(rig.play(until: 30_000).progress?.next == "B")
    rig.updates.push(Request(.host(.lost("gone"))))
    rig.settle()
    rig.ask(.go(.next))
    rig.ask(.go(.next))
    let waiting = try #require(rig.settle().progress)
    #expect(waiting.section == "A" && waiting.next == "C" && waiting.isJumping)
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    rig.settle()
    let after = try #require(rig.play(frames: 10_000).progress)
    #expect(after.section == "C" && after.next == "D" && !after.isJumping)
  }

  @Test func nextAtTheEndIsRefusedAndGoesRoundALoop() throws {
    let rig = try Rig([try section("A"), try section("B")])
    rig.ask(.go(.next))
    #expect(rig.look().progress?.section == "B")
    #expect(rig.refusal(of: .go(.next)) == "next after the last section: must be asked before it")
    let loop = try Rig([try section("Count"), try section("A"), try section("B")], loop: 1)
    loop.push(.go(.next), .go(.next), .go(.next))
    #expect(loop.look().progress?.section == "A")
    loop.ask(.start)
    loop.play(frames: 1_000)
    loop.push(.go(.next), .go(.next))
    loop.look()
    #expect(loop.play(frames: 1_000).progress?.section == "A")
  }

  @Test func `Next ends a last section that lasts until the player goes on`() throws {
    let rig = try Rig([try section("A", .bars(1)), try section("B", .open)])
    rig.ask(.go(.next))
    #expect(rig.refusal(of: .go(.next)) == "next after the last section: must be asked before it")
    rig.ask(.start)
    rig.play(frames: 500_000)
    #expect(!rig.hasFinished)
    rig.ask(.go(.next))
    let over = rig.play(frames: 1_000)
    #expect(rig.hasFinished && !over.isPlaying)
    #expect(over.progress?.section == "A" && over.settings.session?.section == 0)
  }

  @Test func `A stop releases a held section`() throws {
    let rig = try Rig([try section("A", .bars(1)), try section("B")])
    rig.ask(.start)
    rig.play(until: 100_000)
    rig.ask(.hold(true))
    rig.play(frames: 10_000)
    rig.ask(.stop)
    #expect(rig.look().progress?.isHeld == false)
    rig.ask(.start)
    let start = rig.clock
    rig.play(frames: 100_000)
    #expect(rig.sectionStarts.suffix(2) == ["0@\(start)", "1@\(start + 96_000)"])
  }

  @Test func previousInAPauseLooksAtThePlaceInTheSection() throws {
    let rig = try Rig(try sections())
    rig.ask(.go(.next))
    rig.ask(.start)
    rig.play(until: 140_000)
    rig.ask(.pause)
    rig.play(frames: 500_000)
    rig.ask(.go(.previous))
    #expect(rig.look().progress?.section == "B")
    #expect(rig.look().progress?.bar == 0)
    rig.ask(.go(.previous))
    #expect(rig.look().progress?.section == "A")
    rig.ask(.start)
    let frame = rig.clock
    rig.play(frames: 1_000)
    #expect(rig.sectionStarts.last == "0@\(frame)")
  }

  @Test func aStopGoesBackToTheStartAndThePlaceIsKept() throws {
    let rig = try Rig(try sections())
    rig.ask(.go(.named("c")))
    rig.ask(.start)
    rig.play(until: 100_000)
    rig.ask(.stop)
    let stopped = rig.play(frames: 1_000)
    #expect(stopped.progress?.section == "A" && stopped.progress?.bar == 0)
    // The next run offers what was played last.
    #expect(stopped.settings.session?.section == 2)
    rig.play(frames: 200_000)
    #expect(rig.disk.saves.last?.session == SessionPlace(path: "/song.yaml", section: 2))
    rig.ask(.start)
    let frame = rig.clock
    rig.play(frames: 1_000)
    #expect(rig.sectionStarts.last == "0@\(frame)")
    #expect(rig.look().settings.session?.section == 0)
  }

  @Test func `A held section repeats until it is released`() throws {
    let rig = try Rig([try section("A", .bars(1)), try section("B", .bars(1)), try section("C", .bars(1))])
    rig.ask(.start)
    rig.play(until: 100_000)
    rig.ask(.hold(true))
    #expect(rig.play(until: 500_000).progress?.isHeld == true)
    rig.ask(.hold(false))
    rig.play(until: 600_000)
    #expect(
      rig.sectionStarts == [
        "0@0", "1@96000", "1@192000", "1@288000", "1@384000", "1@480000", "2@576000",
      ])
    #expect(rig.heard.filter { $0.beat == 1 }.map(\.bar) == Array(1...7))
  }

  @Test func `Half the speed keeps the position`() throws {
    let rig = try Rig(try sections())
    rig.ask(.start)
    // A quarter of the way through beat 3 of bar 2.
    rig.play(until: 96_000 + 54_016)
    rig.ask(.speed(percent: 50))
    #expect(rig.look().progress?.speed == 50)
    #expect(rig.eventually { $0.progress?.tempo?.beatsPerMinute == 60 && rig.playedTempo == 60 })
    let change = rig.clock - Int64(Rig.period)
    rig.play(until: change + 200_000)
    let next = try #require(rig.heard.first { $0.frame >= change })
    #expect((next.bar, next.beat) == (2, 4))
    #expect(next.frame - change == (168_000 - change) * 2)
    // One bar and a beat and three quarters of A are left at twice their length.
    let beats = rig.heard.filter { $0.frame >= next.frame && $0.section == 0 }.map(\.frame)
    #expect(zip(beats, beats.dropFirst()).allSatisfy { $1 - $0 == 48_000 })
  }

  @Test func `An answer includes the requests just before it`() throws {
    let rig = try Rig(try sections())
    let speeds = Reasons()
    // As when a key is pressed repeatedly.
    for percent in [105, 110, 115] {
      rig.push(.speed(percent: percent))
      rig.updates.push(Request(.query { speeds.add("\($0.progress?.speed ?? 0)") }))
    }
    rig.settle()
    #expect(speeds.all == ["105", "110", "115"])
  }

  @Test func progressTellsWhereTheSongIs() throws {
    let rig = try Rig(try sections())
    let before = try #require(rig.look().progress)
    #expect((before.section, before.bar, before.bars, before.next) == ("A", 0, 3, "B"))
    #expect((before.sectionLeft, before.song, before.songs, before.title) == (6, 1, 1, "song"))
    #expect(before.layout.meter == .common && before.tempo?.beatsPerMinute == 120)
    rig.ask(.start)
    let third = try #require(rig.play(until: 200_000).progress)
    #expect((third.bar, third.bars, third.sectionLeft) == (3, 3, 2))
    // A: 6 s, B: 14 eighths at 133.7, C: 16 beats at 91.003, D: 4 s.
    let (eighths, quarters): (Double, Double) = (840 / 133.7, 960 / 91.003)
    let total: Double = 10 + eighths + quarters
    #expect(third.songLeft == Int((total - Double(rig.clock.number) / 48_000).rounded(.up)))
    let second = try #require(rig.play(until: 290_000).progress)
    #expect((second.section, second.bar, second.bars, second.next) == ("B", 1, 2, "C"))
    #expect(second.layout.meter.description == "7/8" && second.tempo?.beatsPerMinute == 133.7)
    let last = try #require(rig.play(until: ClockFrame(48_000 * 25)).progress)
    #expect((last.section, last.next) == ("D", ""))
    #expect(last.sectionLeft == last.songLeft)
  }

  @Test func progressIsPushedWhenItChangesAndOnceASecond() throws {
    let rig = try Rig([try section("A", .bars(4)), try section("B", .open), try section("C")])
    rig.ask(.start)
    for _ in 0..<200 { rig.play(frames: 4_800) }
    let reported = rig.reports.all.compactMap { report -> SessionProgress? in
      if case .changed(_, let new) = report { new.progress } else { nil }
    }
    // Eight seconds of A, counted down; B has no end.
    let left = reported.filter { $0.section == "A" && $0.bar > 0 }.compactMap(\.sectionLeft)
    #expect(Set(left).isSuperset(of: 1...8))
    #expect(left == left.sorted(by: >))
    #expect(
      reported.last?.section == "B" && reported.last?.sectionLeft == nil && reported.last?.songLeft == nil)
    #expect(reported.last?.bars == 0)
    // Only seconds and bars cause reports: no flood.
    #expect(reported.count < 60)
  }

  @Test func timeIsLeftToTheLastFrameOfARound() throws {
    let song = [try section("Count"), try section("A", .bars(1)), try section("B", .bars(1))]
    let loop = try Rig(song, loop: 1)
    loop.ask(.start)
    // After the last beat of each round the engine's cursor is in the next round.
    for end: ClockFrame in [576_000, 768_000] {
      let progress = try #require(loop.play(until: end - 10_000).progress)
      #expect((progress.section, progress.sectionLeft) == ("B", 1))
    }
    let held = try Rig(Array(song.dropFirst()))
    held.ask(.start)
    held.play(until: 100_000)
    held.ask(.hold(true))
    #expect(held.play(until: 288_000 - 10_000).progress?.sectionLeft == 1)
    #expect(held.play(until: 288_000 + 10_000).progress?.sectionLeft == 2)
  }

  @Test func anOpenSectionThatGoesRoundInStepsHasNoEndAndIsLeftByNext() throws {
    var steps = [try section("Ladder", .open), try section("Ladder", .open, tempo: 240_000)]
    for index in steps.indices { steps[index].length = .bars(1) }
    let song = Setlist.Entry(song: SongPlan(title: "coach", plans: steps, loopStart: 0))
    let rig = try Rig(Setlist(title: "set", songs: [song]))
    rig.ask(.start)
    let progress = try #require(rig.play(until: 300_000).progress)
    #expect((progress.bars, progress.sectionLeft, progress.songLeft, progress.next) == (0, nil, nil, ""))
    rig.ask(.go(.next))
    #expect(!rig.play(frames: 1_000).isPlaying && rig.hasFinished)
  }

  @Test func theLastSectionOfALoopHasAnEnd() throws {
    let rig = try Rig([try section("A", .bars(1)), try section("B", .bars(1))], loop: 0)
    rig.ask(.start)
    let progress = try #require(rig.play(until: 100_000).progress)
    #expect((progress.section, progress.next, progress.songLeft) == ("B", "A", nil))
    #expect(progress.sectionLeft == 2)
  }

  @Test func `A nudge moves only the tempos of this song`() throws {
    let songs = try ["one", "two"].map { ($0, [try section("A", .bars(4), tempo: 90_000)], AfterSong.wait) }
    let rig = try Rig(setlist(songs))
    rig.ask(.speed(percent: 200))
    for step in [1_000, 1_000, -500] { rig.ask(.nudge(thousandths: step)) }
    var progress = try #require(rig.look().progress)
    #expect(progress.tempo == (try Tempo(181.5)) && progress.nudge == 1_500 && progress.speed == 200)
    // The engine gets changes some milliseconds apart.
    rig.pass(.milliseconds(100))
    rig.ask(.start)
    rig.pass(.seconds(2))
    let frames = rig.heard.map(\.frame)
    // 48000 frames a second: 15867.8 to a beat of 181.5 a minute.
    let steps = zip(frames, frames.dropFirst()).map { $1 - $0 }
    #expect(steps.count > 3 && steps.allSatisfy { 15_867...15_868 ~= $0 }, "\(steps)")
    #expect(rig.refusal(of: .nudge(thousandths: 99_000))?.contains("at most 100") == true)
    rig.ask(.go(.nextSong))
    progress = try #require(rig.look().progress)
    #expect(progress.tempo == (try Tempo(90)) && progress.nudge == 0)
  }

  @Test func tapsInASessionSetItsSpeed() throws {
    let rig = try Rig([try section("A", .bars(4), tempo: 90_000)])
    for tap in 0..<4 { rig.ask(.tap(seconds: Double(tap) * 0.5)) }
    #expect(rig.look().progress?.speed == 133)
    for tap in 0..<8 { rig.ask(.tap(seconds: 100 + Double(tap) * 0.05)) }
    #expect(SessionSpeed.range ~= rig.look().progress?.speed ?? 0)
    var ramp = try section("B", .bars(4))
    ramp.tempo = .ramp(from: try Tempo(60), to: try Tempo(90))
    let changing = try Rig([ramp])
    #expect(changing.refusal(of: .tap(seconds: 1))?.contains("the tempo of this section changes") == true)
  }

  @Test func `Settings that the document defines cannot be set`() throws {
    let rig = try Rig(try sections())
    for setting in [
      Setting.tempo(Tempo(clamping: 90_000)), .meter(try Meter(3, 4)), .sound("beep"), .swing(.straight),
      .groups(nil), .accents(nil), .beatUnit(nil), .subdivision(try Subdivision(3), .full),
    ] {
      let name = setting.parameter.name
      #expect(
        rig.refusal(of: .set(setting))
          == "the open document sets the \(name): \(name == "tempo" ? "change its speed instead" : "edit it there"), or close it to set the metronome"
      )
    }
    #expect(rig.refusal(of: .preset(.recall(.number(1))))?.contains("close it to recall one") == true)
    #expect(rig.refusal(of: .set(.volume(.beat, try Volume(0.5)))) == nil)
    #expect(rig.refusal(of: .set(.quantise(.bar))) == nil)
    #expect(rig.refusal(of: .speed(percent: 9)) == "speed 9: must be 10…400 percent")
    let plain = try Rig()
    for update in [Update.go(.next), .hold(true), .speed(percent: 50)] {
      #expect(plain.refusal(of: update)?.hasPrefix("no session is open") == true)
    }
  }

  @Test func aResetLeavesTheSessionOpenAndItsPlaceKept() throws {
    let rig = try Rig(try sections())
    rig.ask(.go(.named("c")))
    rig.ask(.set(.volume(.beat, try Volume(0.5))))
    rig.ask(.reset)
    let reset = rig.look()
    #expect(reset.settings.volume(.beat) == .full && reset.progress?.section == "C")
    #expect(reset.settings.session == SessionPlace(path: "/song.yaml", section: 2))
  }

  @Test func aRestartOffersThePlaceStopped() throws {
    let rig = try Rig(try sections())
    rig.ask(.start)
    rig.ask(.go(.named("c")))
    #expect(rig.play(frames: 1_000).settings.session == SessionPlace(path: "/song.yaml", section: 2))
    _ = rig.stop()
    let saved = try #require(rig.disk.saves.last?.session)
    let again = try Rig(try sections(), place: saved.section)
    let offered = again.play(frames: 10_000)
    #expect(!offered.isPlaying && offered.progress?.section == "C")
    #expect(again.heard.isEmpty)
    again.ask(.start)
    let frame = again.clock
    again.play(frames: 1_000)
    #expect(again.sectionStarts == ["2@\(frame)"])
    // The document has become shorter since.
    let short = try Rig([try section("A")], place: 9)
    #expect(short.look().progress?.section == "A")
  }

  private func rig(
    _ sections: [SectionPlan], loop: Int? = nil, at place: SessionPlace?, places: [SessionPlace] = []
  ) throws -> Rig {
    var list = setlist([("song", sections, .wait)])
    list.songs[0].song.loopStart = loop
    list.songs[0].song.cycles = loop == nil ? 1 : 0
    var settings = Settings()
    for place in places { settings.keep(place) }
    return try Rig(list, settings: settings, place: place ?? SessionPlace(path: "/song.yaml"))
  }

  @Test func `The place of each document is kept`() throws {
    let song = [try section("A", .bars(1)), try section("B", .bars(4))]
    let rig = try rig(song, loop: nil, at: nil)
    rig.ask(.start)
    rig.play(until: ClockFrame(3 * 96_000 + 1_000))
    rig.ask(.pause)
    rig.updates.push(Request(.session(setlist([("other", song, .wait)]), SessionPlace(path: "/other.yaml"))))
    rig.play(frames: 10_000)
    let settings = rig.look().settings
    let left = SessionPlace(path: "/song.yaml", section: 1, bar: 3)
    #expect(settings.place(in: "/song.yaml") == left && settings.session?.path == "/other.yaml")
    // A document that was not started has no place.
    rig.ask(.open(path: ""))
    #expect(rig.look().settings.places == [left] && rig.look().settings.place(in: "/other.yaml") == nil)
    #expect(left.words(in: setlist([("song", song, .wait)])) == "bar 3 of B")
    rig.ask(.reset)
    #expect(rig.look().settings.places == [left])
    // Opening it again begins at its start. Until it has left its first section, the player can still return.
    rig.updates.push(Request(.session(setlist([("song", song, .wait)]), SessionPlace(path: "/song.yaml"))))
    rig.play(frames: 10_000)
    #expect(rig.look().settings.place(in: "/song.yaml") == left)
    rig.ask(.start)
    rig.play(frames: 60_000)
    #expect(rig.look().settings.place(in: "/song.yaml") == left)
    rig.play(frames: 60_000)
    rig.ask(.pause)
    #expect(rig.look().settings.place(in: "/song.yaml") == SessionPlace(path: "/song.yaml", section: 1))
    // From then on the place is that of this run, also if the song begins once more.
    rig.ask(.restart)
    rig.play(frames: 10_000)
    #expect(rig.look().settings.place(in: "/song.yaml") == nil)
  }

  @Test(arguments: [false, true])
  func `A session that is begun again keeps its place through the count-in, and until it has passed it`(
    countsIn: Bool
  ) throws {
    var count = try section("", .bars(1))
    count.isCountIn = true
    let song = (countsIn ? [count] : []) + [try section("A", .bars(8))]
    let left = SessionPlace(path: "/song.yaml", section: countsIn ? 1 : 0, bar: 4)
    let rig = try rig(song, loop: nil, at: SessionPlace(path: "/song.yaml"), places: [left])
    func place() -> SessionPlace? { rig.look().settings.place(in: "/song.yaml") }
    rig.settle()
    #expect(place() == left)
    rig.ask(.start)
    let bar: Int64 = 96_000
    rig.play(until: ClockFrame((countsIn ? 3 : 2) * bar + 1_000))
    #expect(place() == left)
    rig.play(until: ClockFrame((countsIn ? 5 : 4) * bar + 1_000))
    rig.ask(.pause)
    #expect(rig.look().settings.places.isEmpty)
  }

  @Test func aRestartOffersTheBarAndTheRound() throws {
    let song = [try section("A", .bars(1)), try section("B", .bars(4)), try section("C", .bars(2))]
    let rig = try rig(song, loop: 1, at: nil)
    rig.ask(.start)
    // The third bar of B in the second round.
    rig.play(until: ClockFrame(865_000))
    rig.ask(.pause)
    rig.play(frames: 96_000)
    #expect(rig.disk.saves.last?.session == SessionPlace(path: "/song.yaml", section: 1, bar: 3, lap: 1))
    _ = rig.stop()
    let again = try self.rig(song, loop: 1, at: try #require(rig.disk.saves.last?.session))
    let offered = again.play(frames: 10_000)
    let progress = try #require(offered.progress)
    #expect(!offered.isPlaying && offered.state == .paused && again.heard.isEmpty)
    #expect(progress.section == "B" && progress.bar == 3 && progress.cycle == 2)
    #expect(progress.sectionElapsed == 4 && progress.songElapsed == (1 + 6 + 2) * 2)
    again.ask(.start)
    let frame = again.clock
    again.play(frames: 1_000)
    let first = try #require(again.heard.first)
    #expect(first.section == 1 && first.sectionBar == 3 && first.beat == 1 && first.frame == frame)
    again.play(frames: 4 * 96_000)
    #expect(again.look().progress?.cycle == 3)
    // A stop instead goes to the song's start.
    let stopped = try self.rig(song, loop: 1, at: try #require(rig.disk.saves.last?.session))
    stopped.ask(.stop)
    stopped.ask(.start)
    stopped.play(frames: 1_000)
    #expect(stopped.sectionStarts.map { $0.prefix(2) } == ["0@"] && stopped.look().progress?.cycle == 1)
  }

  @Test func aRunThatEndsWhileItPlaysKeepsTheBar() throws {
    let rig = try Rig(try sections())
    rig.ask(.start)
    rig.play(until: ClockFrame(2 * 96_000 + 48_000))
    _ = rig.stop()
    #expect(rig.disk.saves.last?.session == SessionPlace(path: "/song.yaml", bar: 3))
  }

  @Test func `The place is saved only every few seconds`() throws {
    let rig = try Rig([try section("A", .bars(90), tempo: 240_000)])
    rig.ask(.start)
    rig.play(until: ClockFrame(60 * 48_000))
    let bars = rig.disk.saves.compactMap(\.session?.bar)
    #expect(10...13 ~= bars.count && bars == bars.sorted() && bars.last! >= 54)
  }

  @Test func aPlaceIsBoundedByTheDocumentAsItIsNow() throws {
    let ladder = (0..<3).map { _ in try! section("A", .bars(2)) }
    var song = setlist([("song", ladder, .wait)])
    for index in 0..<3 { song.songs[0].song.plans[index].source = 0 }
    for (step, bar, place) in [(1, 2, (1, 2)), (9, 9, (2, 2)), (.max, .max, (2, 2)), (-1, 1, (0, 1))] {
      let rig = try Rig(song, place: SessionPlace(path: "/s", step: step, bar: bar, lap: .max))
      rig.ask(.start)
      rig.play(frames: 1_000)
      let first = try #require(rig.heard.first)
      #expect((first.section, first.sectionBar) == place)
      #expect(rig.look().progress?.bar == place.0 * 2 + place.1 && rig.look().progress?.cycle == 1)
    }
  }

  @Test
  func
    `A section of several plans in one tempo has no next step, and a ladder's next step is one of another tempo`()
    throws
  {
    for (last, step) in [(120_000, nil), (240_000, SessionProgress.Step(tempo: try Tempo(240), bars: 2))] {
      let plans = [120_000, 120_000, last].map { try! section("A", .bars(1), tempo: $0) }
      var song = setlist([("song", plans, .wait)])
      for index in 1..<3 { song.songs[0].song.plans[index].source = 0 }
      #expect(try Rig(song).look().progress?.nextStep == step)
    }
  }

  @Test func theNextStepOfALadderIsToldWithTheBarsUntilThen() throws {
    let ladder = [120_000, 240_000].map { try! section("A", .bars(2), tempo: $0) }
    var song = setlist([("song", ladder + [try section("B", .bars(2))], .wait)])
    song.songs[0].song.plans[1].source = 0
    let rig = try Rig(song)
    #expect(rig.look().progress?.nextStep == .init(tempo: try Tempo(240), bars: 2))
    rig.ask(.start)
    rig.ask(.speed(percent: 50))
    rig.play(until: 200_000)
    #expect(rig.look().progress?.nextStep == .init(tempo: try Tempo(120), bars: 1))
    rig.ask(.hold(true))
    #expect(rig.look().progress?.nextStep == nil)
    rig.ask(.hold(false))
    rig.play(until: 450_000)
    #expect(rig.look().progress?.tempo == (try Tempo(120)) && rig.look().progress?.nextStep == nil)
  }

  @Test func `A leader locates to the bar at which it was left`() throws {
    var settings = Settings()
    try settings.set(.role(.lead))
    let list = setlist([("song", try sections(), .wait)])
    let rig = try Rig(list, settings: settings, place: SessionPlace(path: "/song.yaml", bar: 3))
    #expect(rig.look().progress?.isPaused == false)
    #expect(rig.host.calls.contains(.locate(2 * 96_000)))
  }

  @Test(arguments: [0, 1]) func previousInALaterRoundGoesToTheSectionBefore(countIn: Int) throws {
    let count = (0..<countIn).map { _ in try! section("Count", .bars(1)) }
    let song = count + [try section("A", .bars(2)), try section("B", .bars(2)), try section("C", .bars(2))]
    let rig = try rig(song, loop: countIn, at: nil)
    rig.ask(.start)
    let lap = Int64(countIn) * 96_000 + 6 * 96_000
    rig.play(until: ClockFrame(lap + 24_000))
    #expect(rig.look().progress?.section == "A" && rig.look().progress?.cycle == 2)
    rig.ask(.go(.previous))
    rig.play(frames: 1_000)
    #expect(rig.look().progress?.section == "C" && rig.look().progress?.cycle == 1)
    // Plays past the end of the round, then two presses at once.
    rig.play(frames: 2 * 96_000)
    #expect(rig.look().progress?.section == "A" && rig.look().progress?.cycle == 2)
    rig.push(.go(.previous), .go(.previous))
    rig.play(frames: 1_000)
    #expect(rig.look().progress?.section == "B" && rig.look().progress?.cycle == 1)
    rig.push(.go(.next), .go(.next), .go(.previous))
    rig.play(frames: 1_000)
    #expect(rig.look().progress?.section == "C" && rig.look().progress?.cycle == 1)
    rig.push(.go(.next), .go(.next))
    rig.play(frames: 1_000)
    #expect(rig.look().progress?.section == "B" && rig.look().progress?.cycle == 2)
    // In the first round only the count-in precedes the first section.
    let first = try self.rig(song, loop: countIn, at: nil)
    first.ask(.start)
    first.play(until: ClockFrame(Int64(countIn) * 96_000 + 24_000))
    first.ask(.go(.previous))
    first.play(frames: 1_000)
    #expect(first.look().progress?.section == (countIn > 0 ? "Count" : "A"))
  }

  @Test func previousInAPauseCountsRoundsToo() throws {
    let rig = try rig([try section("A", .bars(1)), try section("B", .bars(1))], loop: 0, at: nil)
    rig.ask(.start)
    rig.play(until: ClockFrame(2 * 96_000 + 24_000))
    rig.ask(.pause)
    rig.ask(.go(.previous))
    #expect(rig.look().progress?.section == "B" && rig.look().progress?.cycle == 1)
    rig.ask(.go(.previous))
    #expect(rig.look().progress?.section == "A" && rig.look().progress?.cycle == 1)
  }
}
