import ControlBench
import MusicTime
import Synchronization
import Testing
import Validation

@testable import Control
@testable import Engine

@Suite struct ConductorSetlistTests {
  private func evening(_ after: AfterSong) throws -> Setlist {
    setlist([
      ("one", [try section("A", .bars(1)), try section("B", .bars(1))], after),
      ("two", [try section("C", .bars(1), tempo: 240_000), try section("D", .bars(1))], .wait),
      ("three", [try section("E", .bars(1))], .wait),
    ])
  }

  private func title(_ rig: Rig) -> String? { rig.look().progress?.title }

  @Test func theNextSongWaitsForAStart() throws {
    let rig = try Rig(try evening(.wait))
    #expect(rig.look().progress?.songs == 3)
    rig.ask(.start)
    rig.play(until: 150_000)
    #expect(rig.look().progress?.next == "two")
    let waiting = rig.play(until: 400_000)
    #expect(!waiting.isPlaying && waiting.progress?.song == 2 && waiting.progress?.bar == 0)
    // Songs are made ready in real time, which rendering is free of.
    #expect(rig.eventually { $0.progress?.sectionLeft == 1 })
    #expect(!rig.hasFinished)
    #expect(waiting.settings.session == SessionPlace(path: "/set.yaml", song: 1))
    rig.ask(.start)
    let start = rig.clock
    rig.play(frames: 100_000)
    #expect(rig.sectionStarts == ["0@0", "1@96000", "0@\(start)", "1@\(start + 48_000)"])
    rig.play(frames: 100_000)
    #expect(title(rig) == "three")
    #expect(rig.eventually { $0.progress?.sectionLeft != nil })
    rig.ask(.start)
    rig.play(frames: 200_000)
    #expect(rig.hasFinished)
  }

  @Test func theNextSongStartsAfterItsPauseToTheFrame() throws {
    let rig = try Rig(try evening(.pause(milliseconds: 2_500)))
    rig.ask(.start)
    rig.play(until: 192_000 + 60_000)
    let between = rig.look()
    #expect(between.isPlaying && between.progress?.title == "two")
    // It is made ready in real time.
    #expect(rig.eventually { $0.progress?.sectionLeft == 1 })
    // In small steps, so that the conductor has a turn just before the start.
    for _ in 0..<100 { rig.play(frames: 1_280) }
    #expect(rig.sectionStarts == ["0@0", "1@96000", "0@312000", "1@360000"])
  }

  @Test(arguments: [Update.stop, .pause, .toggle])
  func aStopInThePauseEndsIt(_ update: Update) throws {
    // Long before the start, and when the engine already has it.
    for frame: ClockFrame in [252_000, 310_000] {
      let rig = try Rig(try evening(.pause(milliseconds: 2_500)))
      rig.ask(.start)
      rig.play(until: 200_000)
      while rig.clock < frame { rig.play(frames: 640) }
      rig.ask(update)
      for _ in 0..<200 { rig.play(frames: 640) }
      #expect(rig.sectionStarts == ["0@0", "1@96000"])
      #expect(!rig.look().isPlaying)
      rig.ask(.start)
      let start = rig.clock
      rig.play(frames: 1_000)
      #expect(rig.sectionStarts.last == "0@\(start)")
    }
  }

  @Test func aStartInThePauseCutsItShort() throws {
    let rig = try Rig(try evening(.pause(milliseconds: 2_500)))
    rig.ask(.start)
    rig.play(until: 220_000)
    rig.ask(.start)
    let start = rig.clock
    for _ in 0..<100 { rig.play(frames: 1_280) }
    #expect(rig.sectionStarts.prefix(4) == ["0@0", "1@96000", "0@\(start)", "1@\(start + 48_000)"])
  }

  @Test func songsAreGoneThroughStopped() throws {
    let rig = try Rig(try evening(.wait))
    rig.ask(.start)
    rig.play(until: 100_000)
    rig.ask(.go(.nextSong))
    #expect(title(rig) == "two" && !rig.look().isPlaying)
    rig.ask(.go(.nextSong))
    #expect(title(rig) == "three")
    #expect(rig.refusal(of: .go(.nextSong)) == "this is the last song of the setlist")
    rig.ask(.go(.previousSong))
    rig.ask(.start)
    #expect(rig.eventually { _ in rig.bar == 1 && rig.beat == 1 && rig.playedTempo == 240 })
    // The last section's next is the next song.
    rig.push(.go(.next), .go(.next))
    #expect(title(rig) == "three")
  }

  @Test func `Previous returns from a song that was chosen by mistake`() throws {
    let rig = try Rig(try evening(.wait))
    rig.ask(.go(.nextSong))
    rig.ask(.go(.nextSong))
    rig.ask(.go(.previous))
    #expect(title(rig) == "two" && rig.look().progress?.sectionNumber == 1)
    rig.ask(.go(.previous))
    rig.ask(.go(.previous))
    #expect(title(rig) == "one")
    // While it plays, or is paused, no song is left.
    rig.ask(.go(.nextSong))
    rig.ask(.start)
    rig.play(frames: 10_000)
    rig.ask(.go(.previous))
    rig.play(frames: 10_000)
    #expect(title(rig) == "two" && rig.look().isPlaying)
    rig.ask(.pause)
    rig.ask(.go(.previous))
    #expect(title(rig) == "two")
  }

  @Test func theSpeedIsTheSongsOwn() throws {
    let rig = try Rig(try evening(.wait))
    rig.ask(.speed(percent: 50))
    rig.ask(.go(.song(1)))
    #expect(rig.eventually { $0.progress?.sectionLeft != nil })
    #expect(rig.look().progress?.speed == 50)
    rig.ask(.start)
    // Two bars at half their tempo.
    rig.play(until: 400_000)
    #expect(rig.eventually { $0.progress?.title == "two" && $0.progress?.sectionLeft != nil })
    #expect(
      rig.reports.all.contains {
        guard case .changed(let old, let new) = $0 else { return false }
        return old.progress?.speed == 50 && new.progress?.speed == 100 && new.progress?.title == "two"
      })
    rig.ask(.start)
    rig.play(frames: 1_000)
    #expect(rig.playedTempo == 240)
    // Asked for before the song is ready, it is there when it is.
    rig.ask(.go(.nextSong))
    rig.ask(.speed(percent: 200))
    #expect(rig.eventually { $0.progress?.sectionLeft == 1 })
    rig.ask(.start)
    rig.play(frames: 1_000)
    #expect(rig.playedTempo == 240)
  }

  @Test func aToggleGoesOnWhereItPaused() throws {
    for updates in [(Update.toggle, Update.toggle), (.play(false), .play(true))] {
      let rig = try Rig(try evening(.wait))
      rig.ask(.start)
      rig.play(until: 130_000)
      rig.ask(updates.0)
      let paused = rig.play(frames: 10_000)
      #expect(!paused.isPlaying && paused.progress?.isPaused == true && paused.progress?.section == "B")
      rig.ask(updates.1)
      let resumed = rig.clock
      rig.play(frames: 20_000)
      // The second bar has come 34 000 frames far, to 10 000 frames after its second beat.
      let beat = try #require(rig.heard.last)
      #expect((beat.section, beat.beat) == (1, 3) && abs(beat.frame - (resumed + 14_000)) <= 128)
      // A stop goes back to the song's start, and a second one changes nothing.
      rig.ask(.stop)
      rig.ask(.stop)
      #expect(rig.look().progress?.section == "A")
    }
  }

  @Test(arguments: [Update.stop, .pause, .toggle, .play(false)])
  func aStopInTheLastBeatGoesOnToTheNextSong(_ update: Update) throws {
    for after in [AfterSong.wait, .pause(milliseconds: 100)] {
      let rig = try Rig(try evening(after))
      rig.ask(.start)
      // The last beat begins at 168 000, and the song ends at 192 000.
      rig.play(until: 170_000)
      #expect(rig.beat == 4)
      rig.ask(update)
      let over = rig.look()
      #expect(!over.isPlaying && over.progress?.title == "two")
      for _ in 0..<20 { rig.play(frames: 3_200) }
      #expect(rig.look().progress?.title == "two" && rig.sectionStarts == ["0@0", "1@96000"])
      rig.ask(.start)
      #expect(rig.eventually { $0.isPlaying && rig.playedTempo == 240 })
    }
  }

  @Test(arguments: [Update.start, .play(true)])
  func `After a start in the last beat the next song follows at once`(_ update: Update) throws {
    let rig = try Rig(try evening(.wait))
    rig.ask(.start)
    rig.play(until: 170_000)
    rig.ask(update)
    #expect(rig.look().progress?.title == "one")
    rig.play(until: 195_000)
    #expect(rig.eventually { $0.isPlaying && $0.progress?.title == "two" && rig.playedTempo == 240 })
    #expect(rig.sectionStarts.count == 3)
  }

  /// Plays with a turn of the conductor after each period.
  private func play(_ rig: Rig, until frame: ClockFrame) {
    while rig.clock < frame { rig.play(frames: 256) }
  }

  @Test func `Without a pause the next song begins on the frame on which this one ends`() throws {
    let rig = try Rig(try evening(.pause(milliseconds: 0)))
    rig.ask(.start)
    play(rig, until: 200_000)
    let snapshot = rig.look()
    #expect(snapshot.isPlaying && snapshot.progress?.title == "two" && snapshot.progress?.next == "D")
    #expect(snapshot.settings.session == SessionPlace(path: "/set.yaml", song: 1))
    #expect(snapshot.starts == 2)
    // Changes while it plays neither move it nor bring the first song back.
    rig.ask(.set(.volume(.master, try Volume(0.5))))
    play(rig, until: 400_000)
    #expect(rig.sectionStarts == ["0@0", "1@96000", "0@192000", "1@240000"])
    #expect(
      rig.heard.map(\.frame.number).filter { 192_000..<240_000 ~= $0 } == [
        192_000, 204_000, 216_000, 228_000,
      ])
    let waiting = rig.look()
    #expect(!waiting.isPlaying && waiting.progress?.title == "three" && !rig.hasFinished)
  }

  @Test func `After a start in the last beat the next song begins on the frame`() throws {
    let rig = try Rig(try evening(.wait))
    rig.ask(.start)
    play(rig, until: 170_000)
    rig.ask(.start)
    play(rig, until: 300_000)
    #expect(rig.sectionStarts == ["0@0", "1@96000", "0@192000", "1@240000"])
  }

  @Test func `All songs of a medley follow each other to the frame, after a speed, too`() throws {
    let rig = try Rig(
      setlist(
        (0..<6).map { index in
          ("\(index)", [try section("A", .bars(1), tempo: 240_000)], .pause(milliseconds: 0))
        }))
    rig.ask(.start)
    play(rig, until: 50_000)
    // The speed belongs to the song.
    rig.ask(.speed(percent: 50))
    play(rig, until: 60_000)
    rig.ask(.speed(percent: 100))
    play(rig, until: 500_000)
    let starts = rig.heard.filter { $0.beat == 1 }.map(\.frame.number)
    #expect(
      starts.count == 6 && zip(starts.dropFirst(2), starts.dropFirst(3)).allSatisfy { $1 - $0 == 48_000 })
    #expect(rig.hasFinished)
  }

  @Test(arguments: [Update.stop, .pause, .fade(milliseconds: 200), .stopAtBar, .hold(true), .go(.song(3))])
  func `What is asked for just before the end applies, and not the next song`(_ update: Update) throws {
    // The conductor's requests reach the engine before the end, in its period, and after it.
    for frame in stride(from: Int64(191_232), through: 192_512, by: 64).map({ ClockFrame($0) }) {
      let rig = try Rig(try evening(.pause(milliseconds: 0)))
      rig.ask(.start)
      play(rig, until: 170_000)
      while rig.clock < frame { rig.render() }
      rig.push(update)
      for _ in 0..<400 { rig.play(frames: 256) }
      let snapshot = rig.look()
      let title = snapshot.progress?.title
      let late = rig.heard.filter { $0.frame > frame + 60_000 }
      switch update {
      case .hold: #expect(snapshot.isPlaying && (title == "one" || title == "two"), "\(frame)")
      case .go: #expect(!snapshot.isPlaying && title == "three" && late.isEmpty, "\(frame)")
      default: #expect(!snapshot.isPlaying && late.isEmpty, "\(frame): \(late.count) beats in \(title ?? "")")
      }
      if frame <= 192_000, update == .stopAtBar || update == .stop || update == .pause {
        // The next song may have begun when the engine hears of it.
        #expect(rig.heard.allSatisfy { $0.frame <= 193_000 }, "\(frame)")
      }
      // The engine agrees with the conductor about the song.
      let plays = snapshot.isPlaying
      if !plays { rig.ask(.start) }
      let begin = rig.clock
      for _ in 0..<100 { rig.play(frames: 256) }
      if !plays {
        #expect(rig.playedTempo == (rig.look().progress?.section == "C" ? 240 : 120), "\(frame)")
        #expect(rig.heard.contains { begin..<begin + 24_000 ~= $0.frame }, "\(frame)")
      }
    }
  }

  @Test(arguments: [AfterSong.wait, .pause(milliseconds: 0), .pause(milliseconds: 1_000)])
  func `After an open last section the song ends on a bar line, and what follows is as after any other`(
    _ after: AfterSong
  ) throws {
    let songs = [
      ("one", [try section("A", .bars(1)), try section("Vamp", .open)], after),
      ("two", [try section("C", .bars(1), tempo: 240_000)], .wait),
    ]
    // Not in the half second after the press before.
    for frame in stride(from: ClockFrame(220_000).number, to: 286_000, by: 13_000) {
      let rig = try Rig(setlist(songs))
      rig.ask(.advance)
      play(rig, until: ClockFrame(frame))
      rig.ask(.advance)
      play(rig, until: 500_000)
      let starts = rig.sectionStarts
      let next = ["0@288000", "0@336000"].first { starts.last == $0 }
      switch after {
      case .wait: #expect(starts.count == 2 && !rig.look().isPlaying && rig.look().progress?.title == "two")
      case .pause(milliseconds: 0): #expect(next == "0@288000" && rig.hasFinished)
      case .pause: #expect(next == "0@336000" && rig.hasFinished)
      }
      let before = rig.heard.map(\.frame.number).filter { $0 < 288_000 }
      #expect(before == Array(stride(from: Int64(0), to: 288_000, by: 24_000)))
    }
  }

  @Test func `A song that is the last one ends on a bar line, too, and a start cancels that`() throws {
    for isCancelled in [false, true] {
      let rig = try Rig([try section("A", .bars(1)), try section("Vamp", .open)])
      rig.ask(.start)
      play(rig, until: 220_000)
      rig.ask(.advance)
      if isCancelled { rig.ask(.start) }
      play(rig, until: 400_000)
      #expect(rig.hasFinished != isCancelled && rig.look().isPlaying == isCancelled)
      #expect(rig.heard.count == (isCancelled ? 17 : 12))
    }
  }

  @Test func `If the news that the next song plays is lost, the conductor goes on in it nevertheless`() throws
  {
    let rig = try Rig(try evening(.pause(milliseconds: 0)))
    rig.ask(.start)
    rig.render(until: 191_936)
    while rig.channels.pointee.events.push(.leaderLeft) {}
    rig.render()
    rig.render()
    play(rig, until: 200_000)
    #expect(rig.look().isPlaying && rig.look().progress?.title == "two")
    rig.ask(.speed(percent: 50))
    play(rig, until: 230_000)
    #expect(rig.playedTempo == 120)
  }

  @Test func beforeTheLastBeatAStopGoesBack() throws {
    let rig = try Rig(try evening(.wait))
    rig.ask(.start)
    rig.play(until: 160_000)
    rig.ask(.stop)
    let stopped = rig.look()
    #expect(stopped.progress?.title == "one" && stopped.progress?.section == "A")
  }

  @Test func `A held section is released with its song`() throws {
    let rig = try Rig(try evening(.wait))
    rig.ask(.start)
    rig.ask(.hold(true))
    rig.play(until: 300_000)
    #expect(rig.sectionStarts.allSatisfy { $0.hasPrefix("0@") })
    rig.ask(.go(.nextSong))
    #expect(rig.look().progress?.isHeld == false)
    rig.ask(.start)
    let start = rig.clock
    rig.play(frames: 60_000)
    #expect(rig.sectionStarts.suffix(2) == ["0@\(start)", "1@\(start + 48_000)"])
  }

  @Test func `A start before the song is ready waits for it, unless it is cancelled`() throws {
    for isTakenBack in [false, true] {
      var list = try evening(.wait)
      list.songs[1].song.plans[0].cue = .speech("go")
      let rig = try Rig(list, work: SimulatedWork(isHeld: true)) { configuration in
        configuration.speak = { _, _, _ in Clip([0.5]) }
      }
      rig.ask(.go(.nextSong))
      rig.ask(.start)
      if isTakenBack { rig.ask(.stop) }
      rig.play(frames: 10_000)
      #expect(rig.heard.isEmpty)
      rig.work.release(4)
      if isTakenBack {
        #expect(rig.eventually { $0.progress?.sectionLeft != nil })
        #expect(!rig.look().isPlaying)
        rig.play(frames: 50_000)
        #expect(rig.heard.isEmpty)
      } else {
        #expect(rig.eventually { rig.beat == 2 && $0.progress?.title == "two" })
      }
    }
  }

  @Test func `A text that cannot be spoken is a chime, and is reported once`() throws {
    let list = setlist([
      (
        "one",
        [try section("A", .bars(1), cue: .speech("a")), try section("B", .bars(1), cue: .speech("b"))],
        .wait
      ),
      ("two", [try section("C", .bars(1), cue: .speech("c"))], .wait),
    ])
    struct Mute: Error, CustomStringConvertible { let description = "no voice" }
    let rig = try Rig(list) { configuration in configuration.speak = { _, _, _ in throw Mute() } }
    rig.ask(.start)
    rig.play(until: 1_000)
    #expect(rig.reports.beats.map(\.role) == [.cue, .accent])
    rig.ask(.go(.nextSong))
    #expect(rig.eventually { $0.progress?.sectionLeft != nil })
    let warnings = rig.reports.all.compactMap { if case .guarded(let text, _) = $0 { text } else { nil } }
    #expect(warnings == ["no voice; playing a chime"])
  }

  @Test func `The terminal receives the whole error once, others the outline`() throws {
    struct Faulty: GuardedError {
      let description = "gig.yaml:3: secret"
      let outline = "the document has a fault"
    }
    let rig = try Rig { configuration in configuration.readSession = { _ in throw Faulty() } }
    for isOfTerminal in [true, false] {
      let reasons = Reasons()
      let before = rig.reports.all.count
      rig.updates.push(
        Request(
          .update(.open(path: "gig")), refuse: { reasons.add($0) }, isOfTerminal: isOfTerminal))
      #expect(rig.eventually { _ in !reasons.all.isEmpty })
      rig.settle()
      let warnings = rig.reports.all.dropFirst(before).compactMap {
        if case .guarded(let text, nil) = $0 { text } else { nil }
      }
      #expect(reasons.all == [isOfTerminal ? "gig.yaml:3: secret" : "the document has a fault"])
      #expect(warnings == (isOfTerminal ? [] : ["gig.yaml:3: secret"]))
    }
  }

  @Test func `Of many requested sessions only the last is opened, or none`() throws {
    let read = Box(Mutex<[String]>([]))
    let rig = try Rig(work: SimulatedWork(isHeld: true)) { configuration in
      configuration.readSession = { path in
        read.value.withLock { $0.append(path) }
        guard path.hasPrefix("new") else { throw InvalidValue("session", path, allowed: "new") }
        return (setlist([(path, [try section("N")], .wait)]), SessionPlace(path: path))
      }
    }
    // While the first is read, a thousand are requested at no cost; the last one is opened.
    rig.ask(.open(path: "new 0"))
    for number in 1...1_000 { rig.push(.open(path: number == 1_000 ? "new" : "new \(number)")) }
    rig.look()
    rig.work.release(2)
    #expect(rig.eventually { $0.progress?.title == "new" })
    #expect(read.value.withLock { $0 } == ["new 0", "new"])

    // Closing counts too, even while another document is read.
    rig.ask(.open(path: "new 2"))
    rig.ask(.open(path: "bad"))
    rig.ask(.open(path: ""))
    rig.work.release(2)
    rig.ask(.open(path: "new 3"))
    rig.work.release(10)
    #expect(rig.eventually { $0.progress?.title == "new 3" })
    #expect(rig.reports.warnings == [])
    #expect(
      !rig.reports.all.contains {
        if case .changed(_, let new) = $0 { new.progress?.title == "new 2" } else { false }
      })
  }

  @Test func aSessionIsOpenedAndClosedWhileOthersPlay() throws {
    let other = setlist([("new", [try section("N", .bars(1), tempo: 60_000), try section("M")], .wait)])
    let rig = try Rig(try evening(.wait)) { configuration in
      configuration.readSession = { path in
        guard path == "new" else { throw InvalidValue("session", path, allowed: "new") }
        return (other, SessionPlace(path: "/new.yaml"))
      }
    }
    rig.ask(.start)
    rig.ask(.speed(percent: 200))
    rig.ask(.hold(true))
    rig.play(frames: 10_000)
    let reasons = Reasons()
    rig.updates.push(Request(.update(.open(path: "../old")), refuse: { reasons.add($0) }))
    #expect(rig.eventually { _ in !reasons.all.isEmpty })
    #expect(reasons.all == ["session ../old: must be new"])
    #expect(rig.look().isPlaying)

    rig.ask(.open(path: "new"))
    #expect(rig.eventually { $0.progress?.title == "new" && $0.progress?.sectionLeft == 4 })
    let opened = rig.look()
    #expect(!opened.isPlaying && opened.progress?.speed == 100 && opened.progress?.isHeld == false)
    #expect(opened.settings.session == SessionPlace(path: "/new.yaml"))
    rig.ask(.start)
    let start = rig.clock
    rig.play(frames: 200_000)
    #expect(rig.sectionStarts.suffix(2) == ["0@\(start)", "1@\(start + 192_000)"])

    rig.ask(.open(path: ""))
    #expect(rig.look().progress == nil && rig.look().settings.session == nil)
    #expect(rig.refusal(of: .set(.tempo(Tempo(clamping: 90_000)))) == nil)
    rig.ask(.start)
    #expect(rig.eventually { _ in rig.beat == 3 && rig.playedTempo == 90 })
  }
}
