import Control
import MusicTime
import Testing

@testable import tactus

@Suite struct RoleEventTests {
  private func lines(_ old: Snapshot, _ new: Snapshot) -> [String] {
    EventLine.events(of: .changed(from: old, to: new)) { preconditionFailure("no connection is reported") }
      .compactMap(\.line)
  }

  @Test func `A change of role is an event with the role, and with the wanted one while Tactus has another`()
    throws
  {
    var settings = Settings()
    try settings.set(.role(.lead))
    let leading = Snapshot(settings: settings)
    var demoted = leading
    demoted.role = .follow
    #expect(
      lines(leading, demoted) == [
        #"{"event":"state","meter":"4/4","playing":false,"role":"follow","settable":["tempo","meter","pattern"],"state":"idle","tempo":120,"wantedRole":"lead"}"#
      ])
    #expect(
      lines(demoted, leading) == [
        #"{"event":"state","meter":"4/4","playing":false,"role":"lead","settable":["tempo","meter","pattern"],"state":"idle","tempo":120}"#
      ])
  }

  @Test func `What may be set is told, and when it changes`() throws {
    let free = Snapshot(settings: Settings())
    var session = free
    session.progress = SessionProgress(layout: try BarLayout(meter: Meter(4, 4)))
    let line = try #require(lines(free, session).first)
    #expect(line.contains(#""settable":[]"#) && line.contains(#""event":"state""#))
  }

  @Test func `The times of the section and the song are reported with the section and each second`() throws {
    var before = Snapshot(settings: Settings())
    before.isPlaying = true
    var progress = SessionProgress(layout: try BarLayout(meter: Meter(4, 4)))
    (progress.section, progress.sectionElapsed, progress.sectionLeft, progress.sectionLength) = ("A", 0, 8, 8)
    (progress.songElapsed, progress.songLeft, progress.songLength) = (10, 20, 30)
    var after = before
    after.progress = progress
    let times =
      #""sectionElapsed":0,"sectionLeft":8,"sectionLength":8,"song":1,"songElapsed":10,"songLeft":20,"songLength":30"#
    let sections = lines(before, after).filter { $0.contains(#""event":"section""#) }
    #expect(sections.count == 1 && sections[0].contains(times))
    var second = after
    second.progress?.bar = 1
    #expect(lines(after, second) == [])
    (progress.bar, progress.sectionElapsed, progress.songElapsed) = (1, 1, 11)
    (progress.sectionLeft, progress.songLeft) = (7, 19)
    second.progress = progress
    #expect(
      lines(after, second) == [
        #"{"bar":1,"event":"progress","section":"A","sectionElapsed":1,"sectionLeft":7,"sectionLength":8,"song":1,"songElapsed":11,"songLeft":19,"songLength":30}"#
      ])
    second.isPlaying = false
    #expect(lines(after, second).allSatisfy { !$0.contains("progress") })
  }
}
