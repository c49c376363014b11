import ControlBench
import Engine
import MusicTime
import Synchronization
import Testing

@testable import Control

/// A document that is edited and read again while it plays.
@Suite struct ReloadTests {
  /// What the file contains at the moment.
  private final class File: Sendable {
    let content = Mutex<Setlist?>(nil)
    struct Fault: Error, CustomStringConvertible { let description = "line 3, column 1: must be a section" }
    func read() throws -> Setlist {
      guard let list = content.withLock({ $0 }) else { throw Fault() }
      return list
    }
  }

  private func rig(_ list: Setlist, _ file: File) throws -> Rig {
    file.content.withLock { $0 = list }
    return try Rig(list, place: SessionPlace(path: "/gig.yaml")) { configuration in
      configuration.readSession = { (try file.read(), SessionPlace(path: $0)) }
    }
  }

  private func song(_ sections: (String, Int)...) throws -> Setlist {
    setlist([("song", try sections.map { try section($0.0, .bars($0.1)) }, .wait)])
  }

  @Test func `Later sections change, and no beat is lost or doubled`() throws {
    let file = File()
    let rig = try rig(song(("A", 2), ("B", 4)), file)
    rig.ask(.start)
    rig.pass(.milliseconds(2_300))
    file.content.withLock { $0 = try? song(("A", 2), ("C", 1), ("D", 1)) }
    rig.ask(.reload)
    rig.pass(.milliseconds(9_000))
    // Two beats a second, from the first to the last.
    let beats = rig.heard
    let frames = beats.map(\.frame)
    #expect(zip(frames, frames.dropFirst()).allSatisfy { $1 - $0 == 24_000 })
    #expect(rig.sectionStarts.map { $0.prefix(1) } == ["0", "1", "2"])
    #expect(beats.count == 16)
    #expect(rig.look().progress?.isFinished == true)
  }

  @Test func `In a longer section the music stays at its bar`() throws {
    let file = File()
    let rig = try rig(song(("A", 2), ("B", 2)), file)
    rig.ask(.start)
    rig.pass(.milliseconds(3_000))
    file.content.withLock { $0 = try? song(("A", 4), ("B", 2)) }
    rig.ask(.reload)
    rig.pass(.milliseconds(100))
    let progress = try #require(rig.look().progress)
    #expect((progress.section, progress.bar, progress.bars) == ("A", 2, 4))
    rig.pass(.milliseconds(5_200))
    #expect(rig.look().progress?.section == "B")
  }

  /// A section of so many steps of a bar each.
  private func ladder(_ steps: Int) throws -> Setlist {
    let plans = try (0..<steps).map { try section("Ladder", .bars(1), tempo: 240_000 + $0 * 1_000) }
    return setlist([("song", plans, .wait)])
  }

  @Test(arguments: [false, true])
  func `A ladder may lose the step that plays`(pauses: Bool) throws {
    let file = File()
    let rig = try rig(ladder(10), file)
    rig.ask(.start)
    rig.pass(.milliseconds(7_400))
    #expect(rig.look().progress?.section == "Ladder")
    if pauses { rig.ask(.pause) }
    file.content.withLock { $0 = try? ladder(2) }
    rig.ask(.reload)
    rig.pass(.milliseconds(500))
    #expect(rig.look().progress?.title == "song")
    rig.ask(.stop)
    rig.ask(.start)
    rig.pass(.milliseconds(2_500))
    #expect(rig.look().progress?.isFinished == true)
  }

  @Test func `If the section was moved, the change waits for the stop, and the next start begins there`()
    throws
  {
    let file = File()
    let rig = try rig(song(("A", 1), ("B", 4)), file)
    rig.ask(.start)
    rig.pass(.milliseconds(3_000))
    file.content.withLock { $0 = try? song(("Intro", 1), ("A", 1), ("B", 8)) }
    rig.ask(.reload)
    rig.pass(.milliseconds(100))
    #expect(rig.look().progress?.section == "B" && rig.look().progress?.bars == 4)
    #expect(rig.reports.warnings.count == 1)
    #expect(rig.reports.warnings.first?.contains("the change comes with") == true)
    rig.ask(.pause)
    rig.pass(.milliseconds(500))
    let progress = try #require(rig.look().progress)
    #expect((progress.section, progress.bars, progress.sectionNumber) == ("B", 8, 3))
    let beats = rig.heard.count
    rig.ask(.start)
    rig.pass(.milliseconds(1_000))
    #expect(rig.heard[beats].section == 2)
  }

  @Test func `In the pause between two songs the next one may gain a count-in, and lose it again`() throws {
    let file = File()
    let pause = AfterSong.pause(milliseconds: 3_000)
    var countIn = try section("Count-in", .bars(1))
    countIn.isCountIn = true
    let (one, two) = (("one", [try section("A", .bars(1))], pause), try section("B", .bars(1)))
    let plain = setlist([one, ("two", [two], .wait)])
    let counted = setlist([one, ("two", [countIn, two], .wait)])
    for edits in [[counted], [counted, plain]] {
      let rig = try rig(plain, file)
      rig.ask(.start)
      rig.pass(.milliseconds(2_500))
      #expect(rig.look().progress?.title == "two")
      for edit in edits {
        file.content.withLock { $0 = edit }
        rig.ask(.reload)
        rig.pass(.milliseconds(500))
      }
      #expect(rig.reports.warnings.isEmpty)
      rig.pass(.milliseconds(7_000))
      // The song of 96 000 frames, and a pause of 144 000.
      let heard = rig.heard.filter { $0.frame >= 96_000 }
      let bars = edits.count == 1 ? 2 : 1
      #expect(heard.map(\.frame.number) == (0..<Int64(4 * bars)).map { 240_000 + $0 * 24_000 })
      #expect(rig.look().progress?.isFinished == true)
    }
  }

  @Test func `A song that gains a count-in before it begins is counted in`() throws {
    let file = File()
    let rig = try rig(song(("A", 1)), file)
    var list = try song(("Count-in", 1), ("A", 1))
    list.songs[0].song.plans[0].isCountIn = true
    file.content.withLock { $0 = list }
    rig.ask(.reload)
    rig.pass(.milliseconds(500))
    rig.ask(.start)
    rig.pass(.milliseconds(4_500))
    #expect(rig.sectionStarts.map { $0.prefix(1) } == ["0", "1"])
  }

  @Test(arguments: [false, true])
  func `A document that is read again just before a song's end does not delay the next song`(changes: Bool)
    throws
  {
    let after = AfterSong.pause(milliseconds: 0)
    let songs = try ["one", "two", "three"].map { ($0, [try section("A", .bars(1))], after) }
    let list = setlist(songs)
    var other = list
    other.songs[2].song.title = "encore"
    for frame in stride(from: Int64(94_000), to: 97_000, by: 192) {
      let file = File()
      let rig = try rig(list, file)
      rig.ask(.start)
      rig.render(until: ClockFrame(frame))
      file.content.withLock { $0 = changes ? other : list }
      rig.push(.reload)
      rig.render(until: ClockFrame(frame + 500))
      rig.push(.reload)
      rig.render(until: 300_000)
      #expect(rig.heard.map(\.frame.number) == (0..<12).map { 24_000 * $0 }, "\(frame)")
    }
  }

  @Test func `Songs are added and put in another order while one plays`() throws {
    let file = File()
    let list = setlist(try ["one", "two", "three"].map { ($0, [try section("A", .bars(4))], .wait) })
    let rig = try rig(list, file)
    rig.ask(.go(.song(2)))
    rig.ask(.start)
    rig.pass(.milliseconds(2_600))
    var next = list
    next.songs = [list.songs[2], list.songs[1], list.songs[0], list.songs[2]]
    next.songs[3].song.title = "encore"
    file.content.withLock { $0 = next }
    rig.ask(.reload)
    rig.pass(.milliseconds(100))
    var progress = try #require(rig.look().progress)
    #expect((progress.title, progress.song, progress.songs, progress.bar) == ("two", 2, 4, 2))
    #expect(rig.look().isPlaying && progress.outline?.songs == ["three", "two", "one", "encore"])
    rig.ask(.go(.nextSong))
    progress = try #require(rig.look().progress)
    #expect(progress.title == "one")
  }

  @Test func `A song that was taken out while it plays is followed by the one that has its place`() throws {
    let file = File()
    let list = setlist(try ["one", "two", "three"].map { ($0, [try section("A", .bars(2))], .wait) })
    let rig = try rig(list, file)
    rig.ask(.start)
    rig.pass(.milliseconds(2_000))
    var next = list
    next.songs.removeFirst()
    file.content.withLock { $0 = next }
    rig.ask(.reload)
    rig.pass(.milliseconds(100))
    #expect(rig.look().isPlaying && rig.look().progress?.title == "one")
    rig.pass(.milliseconds(3_000))
    #expect(rig.look().progress?.title == "two")
  }

  @Test func `A song that has another title while it plays stays the same song`() throws {
    let file = File()
    let list = setlist(try ["one", "two"].map { ($0, [try section("A", .bars(2))], .wait) })
    let rig = try rig(list, file)
    rig.ask(.start)
    rig.pass(.milliseconds(1_000))
    var next = list
    next.songs[0].song.title = "One"
    file.content.withLock { $0 = next }
    rig.ask(.reload)
    rig.pass(.milliseconds(100))
    let progress = try #require(rig.look().progress)
    #expect((progress.title, progress.song, progress.songs) == ("One", 1, 2))
  }

  @Test func `A document with faults is refused, and the old one plays on`() throws {
    let file = File()
    let rig = try rig(song(("A", 8)), file)
    rig.ask(.start)
    rig.pass(.milliseconds(1_000))
    file.content.withLock { $0 = nil }
    let reasons = Reasons()
    rig.updates.push(Request(.update(.reload), refuse: { reasons.add($0) }))
    rig.pass(.milliseconds(1_000))
    #expect(reasons.all.contains { $0.contains("line 3") })
    #expect(rig.look().isPlaying && rig.look().progress?.section == "A")
  }

  @Test func `Without a session there is nothing to read`() throws {
    #expect(try Rig().refusal(of: .reload)?.contains("session") == true)
  }
}
