import ControlBench
import Engine
import MusicTime
import Testing

@testable import Control

/// A song's tempo that the player nudges, and saves in its document on request.
@Suite struct NudgeKeepingTests {
  private func rig(_ disk: Disk) throws -> Rig {
    try Rig(try disk.read()) { configuration in
      configuration.readSession = { (try disk.read(), SessionPlace(path: $0)) }
      configuration.writeNudge = { try disk.write(nudge: $1, to: $0) }
    }
  }

  private func tempo(_ rig: Rig) -> Double? { rig.look().progress?.tempo?.beatsPerMinute }
  private func nudge(_ rig: Rig) -> Int? { rig.look().progress?.nudge }

  @Test func `Saving a nudge during play keeps the tempo, loses no beat, and changes the document`() throws {
    let disk = Disk()
    let rig = try rig(disk)
    rig.ask(.start)
    rig.ask(.nudge(thousandths: 2_000))
    rig.pass(.milliseconds(2_200))
    #expect((tempo(rig), nudge(rig)) == (122, 2_000))
    #expect(disk.nudges.isEmpty)
    rig.ask(.keepNudge)
    rig.pass(.milliseconds(100))
    #expect(disk.nudges == ["/one.yaml": 2_000])
    #expect((tempo(rig), nudge(rig)) == (122, 0))
    rig.pass(.milliseconds(4_000))
    let frames = rig.heard.dropFirst().map(\.frame)
    let length = 60 * 48_000 / 122.0
    #expect(zip(frames, frames.dropFirst()).allSatisfy { abs(Double($1 - $0) - length) <= 1 })
    #expect(rig.heard.map(\.beat).prefix(9) == [1, 2, 3, 4, 1, 2, 3, 4, 1])
    // Moved once more and saved: the document has both.
    rig.ask(.nudge(thousandths: -3_000))
    rig.ask(.keepNudge)
    rig.pass(.milliseconds(100))
    #expect(disk.nudges == ["/one.yaml": -1_000])
    #expect((tempo(rig), nudge(rig)) == (119, 0))
  }

  @Test func `A nudge belongs to its song, and never applies to another one`() throws {
    let disk = Disk()
    let rig = try rig(disk)
    rig.ask(.nudge(thousandths: 5_000))
    rig.ask(.keepNudge)
    rig.pass(.milliseconds(50))
    rig.ask(.go(.nextSong))
    rig.pass(.milliseconds(50))
    #expect((tempo(rig), nudge(rig)) == (100, 0))
    rig.ask(.nudge(thousandths: 1_000))
    rig.ask(.go(.previousSong))
    rig.pass(.milliseconds(50))
    #expect((tempo(rig), nudge(rig)) == (125, 0))
    rig.ask(.go(.nextSong))
    rig.pass(.milliseconds(50))
    #expect((tempo(rig), nudge(rig)) == (100, 0))
    #expect(disk.nudges == ["/one.yaml": 5_000])
  }

  @Test func `At another speed the sounding tempo stays, too`() throws {
    let disk = Disk()
    let rig = try rig(disk)
    rig.ask(.speed(percent: 50))
    rig.ask(.nudge(thousandths: 4_000))
    #expect(tempo(rig) == 64)
    rig.ask(.keepNudge)
    rig.pass(.milliseconds(50))
    #expect((tempo(rig), nudge(rig)) == (64, 0))
    #expect(disk.nudges == ["/one.yaml": 8_000])
    #expect(rig.refusal(of: .keepNudge) == "this song's tempo was not moved: there is nothing to save")
    // Of a speed at which it is no whole thousandth, the tempo moves by less than one.
    rig.ask(.speed(percent: 90))
    rig.ask(.nudge(thousandths: 1_000))
    let before = try #require(tempo(rig))
    rig.ask(.keepNudge)
    rig.pass(.milliseconds(50))
    #expect(nudge(rig) == 0)
    #expect(disk.nudges == ["/one.yaml": 9_111])
    #expect(abs(try #require(tempo(rig)) - before) < 0.001_5)
  }

  @Test func `An edit of the document counts in full`() throws {
    let disk = Disk()
    let rig = try rig(disk)
    disk.nudges["/one.yaml"] = 3_000
    rig.ask(.reload)
    rig.pass(.milliseconds(50))
    #expect((tempo(rig), nudge(rig)) == (123, 0))
  }

  @Test func `A failed save is reported, and the tempo stays nudged`() throws {
    let disk = Disk()
    let rig = try rig(disk)
    #expect(rig.refusal(of: .keepNudge) == "this song's tempo was not moved: there is nothing to save")
    disk.isFull = true
    rig.ask(.nudge(thousandths: 1_000))
    rig.ask(.keepNudge)
    rig.pass(.milliseconds(50))
    #expect(rig.reports.warnings.contains("no space left"))
    #expect((tempo(rig), nudge(rig)) == (121, 1_000))
    let map = try Rig([try section("A", .bars(1))])
    map.ask(.nudge(thousandths: 1_000))
    #expect(map.refusal(of: .keepNudge)?.contains("tactus import") == true)
    #expect(try Rig().refusal(of: .keepNudge)?.contains("session") == true)
  }
}

extension Disk {
  /// The documents of two songs, each with the nudge that was written.
  fileprivate func read() throws -> Setlist {
    var list = Setlist(title: "set", songs: [])
    for (name, tempo) in [("one", 120_000), ("two", 100_000)] {
      let nudge = nudges["/\(name).yaml"] ?? 0
      var plans = [
        try section("A", .bars(8), tempo: tempo + nudge), try section("B", .bars(8), tempo: tempo + nudge),
      ]
      plans[1].source = 1
      var song = SongPlan(title: name, plans: plans)
      song.nudge = nudge
      list.songs.append(Setlist.Entry(song: song, path: "/\(name).yaml"))
    }
    return list
  }
}
