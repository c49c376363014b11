import Control
import ControlBench
import Engine
import MusicTime
import OSC
import OSCBench
import Testing

@testable import KlickControl

/// External texts that are sent to klick's clients and in answers.
@Suite struct KlickHostileTextTests {
  @Test(arguments: HostileText.all) func `Sounds, titles and errors reach klick's clients as printable text`(
    text: String
  ) throws {
    let test = try RemoteRig(klick: KlickRemoteTests.host)
    _ = test.answers(OSCMessage("/klick/register_client"))
    _ = test.answers(OSCMessage("/tactus/subscribe"))
    HostileText.expectPrintable(
      test.answers(
        OSCMessage("/tactus/sound", .string(text)),
        OSCMessage("/klick/config/set_sound", .string(text), .string(text)),
        OSCMessage("/klick/ping", .string(text))))
    let plan = SectionPlan(
      name: text, length: .bars(4), layout: try BarLayout(meter: Meter(4, 4)),
      tempo: .constant(try Tempo(120)))
    let song = SongPlan(title: text, plans: [plan])
    test.rig.updates.push(
      Request(
        .session(
          Setlist(title: text, songs: [Setlist.Entry(song: song)]), SessionPlace(path: "/" + text))))
    #expect(
      test.rig.reports.wait {
        if case .changed(_, let new) = $0 { new.progress?.title == text } else { false }
      })
    HostileText.expectPrintable(test.answers(OSCMessage("/tactus/query"), OSCMessage("/klick/query")))
  }
}
