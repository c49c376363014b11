import ControlBench
import Dispatch
import MusicTime
import Synchronization
import Testing

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
    // Slowly enough that the conductor sees the moment come.
    for _ in 0..<100 { rig.play(frames: 1_280) }
    #expect(rig.sectionStarts == ["0@0", "1@96000", "0@312000", "1@360000"])
  }

  @Test(arguments: [Update.stop, .pause, .toggle])
  func aStopInThePauseEndsIt(_ update: Update) throws {
    // Long before the start, and when the engine has it already.
    for frame: Int64 in [192_000 + 60_000, 312_000 - 2_000] {
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
    #expect(rig.refusal(of: .go(.nextSong)) == "song 4: must be 1…3")
    rig.ask(.go(.previousSong))
    rig.ask(.start)
    #expect(rig.eventually { $0.bar == 1 && $0.beat == 1 && rig.playedTempo == 240 })
    // The last section's next is the next song.
    rig.push(.go(.next), .go(.next))
    #expect(title(rig) == "three")
  }

  @Test func aHeldSectionIsLetGoWithItsSong() throws {
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

  @Test func aStartBeforeTheSongIsReadyWaitsForItUnlessItIsTakenBack() throws {
    for isTakenBack in [false, true] {
      let gate = DispatchSemaphore(value: 0)
      var list = try evening(.wait)
      list.songs[1].song.plans[0].cue = .speech("go")
      let rig = try Rig(list) { configuration in
        configuration.speak = { _, _, _ in
          gate.wait()
          return Clip([0.5])
        }
      }
      rig.ask(.go(.nextSong))
      rig.ask(.start)
      if isTakenBack { rig.ask(.stop) }
      rig.play(frames: 10_000)
      #expect(rig.heard.isEmpty)
      for _ in 0..<4 { gate.signal() }
      if isTakenBack {
        #expect(rig.eventually { $0.progress?.sectionLeft != nil })
        #expect(!rig.look().isPlaying)
        rig.play(frames: 50_000)
        #expect(rig.heard.isEmpty)
      } else {
        #expect(rig.eventually { $0.beat == 2 && $0.progress?.title == "two" })
      }
    }
  }

  @Test func whatCannotBeSpokenIsAChimeAndSaidOnce() throws {
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
    #expect(rig.reports.warnings == ["no voice"])
  }

  @Test func ofManySessionsThatAreAskedForTheLastIsOpenedOrNone() throws {
    let gate = DispatchSemaphore(value: 0)
    let read = Box(Mutex<[String]>([]))
    let rig = try Rig { configuration in
      configuration.readSession = { path in
        read.value.withLock { $0.append(path) }
        gate.wait()
        guard path.hasPrefix("new") else { throw InvalidValue("session", path, allowed: "new") }
        return (setlist([(path, [try section("N")], .wait)]), SessionPlace(path: path))
      }
    }
    // While the first is read a thousand are asked for, which cost nothing; the one that is asked for last is opened.
    rig.ask(.open(path: "new 0"))
    for number in 1...1_000 { rig.push(.open(path: number == 1_000 ? "new" : "new \(number)")) }
    rig.look()
    for _ in 0..<2 { gate.signal() }
    #expect(rig.eventually { $0.progress?.title == "new" })
    #expect(read.value.withLock { $0 } == ["new 0", "new"])

    // Closing counts too, whatever is still being read.
    rig.ask(.open(path: "new 2"))
    rig.ask(.open(path: "bad"))
    rig.ask(.open(path: ""))
    for _ in 0..<2 { gate.signal() }
    rig.ask(.open(path: "new 3"))
    gate.signal()
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
    #expect(rig.eventually { $0.beat == 3 && rig.playedTempo == 90 })
  }
}
