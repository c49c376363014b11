import Control
import ControlBench
import Engine
import MusicTime
import OSC
import OSCBench
import Testing
import Validation

@testable import OSCControl

/// External texts that are sent to subscribers and in answers.
@Suite struct HostileTextTests {
  @Test(arguments: HostileText.all) func `Sounds, labels, titles and errors reach others as printable text`(
    text: String
  ) throws {
    let test = try RemoteRig()
    _ = test.answers(OSCMessage("/tactus/subscribe"))
    let plan = SectionPlan(
      name: text, colour: text, label: text, length: .bars(4), layout: try BarLayout(meter: Meter(4, 4)),
      tempo: .constant(try Tempo(120)))
    let song = SongPlan(title: text, plans: [plan])
    HostileText.expectPrintable(
      test.answers(
        OSCMessage("/tactus/sound", .string(text)), OSCMessage("/tactus/sound", .string("bad" + text)),
        OSCMessage("/tactus/tempo", .string(text)), OSCMessage("/tactus/session", .string(text)),
        OSCMessage("/tactus/goto", .string(text)), OSCMessage("/tactus/midi/learn", .string("goto " + text)),
        OSCMessage("/tactus/" + String(text.unicodeScalars.prefix(20))),
        OSCMessage("/tactus/subscribe", .string(text))))
    test.rig.updates.push(
      Request(
        .session(
          Setlist(title: text, songs: [Setlist.Entry(song: song), Setlist.Entry(song: song)]),
          SessionPlace(path: "/" + text))))
    #expect(
      test.rig.reports.wait {
        if case .changed(_, let new) = $0 { new.progress?.title == text } else { false }
      })
    HostileText.expectPrintable(test.answers(OSCMessage("/tactus/query")))
    for report in test.rig.reports.all {
      guard case .warning(let warning) = report else { continue }
      #expect(warning.unicodeScalars.allSatisfy { $0.isPrintable })
    }
  }

  @Test func `Who asks for a sound learns nothing of what lies there, but the terminal does`() throws {
    struct Secret: GuardedError {
      let description = "/home/me/secret: is not a sound file"
      let outline = "sound: must be another"
    }
    let test = try RemoteRig(configure: { configuration in
      configuration.readSound = { [read = configuration.readSound] name, voice, rate in
        guard name != "secret" else { throw Secret() }
        return try read(name, voice, rate)
      }
    })
    _ = test.answers(OSCMessage("/tactus/subscribe"))
    let heard = test.answers(OSCMessage("/tactus/sound", .string("secret")))
    _ = test.rig.eventually { _ in !guarded(test).isEmpty }
    let all = heard + test.answers()
    #expect(
      all.contains {
        $0 == OSCMessage("/tactus/error", .string("/tactus/sound"), .string("sound: must be another"))
      })
    #expect(!all.contains { "\($0)".contains("secret:") })
    #expect(guarded(test) == ["/home/me/secret: is not a sound file"])
  }

  private func guarded(_ test: RemoteRig) -> [String] {
    test.rig.reports.all.compactMap { if case .guarded(let text, _) = $0 { text } else { nil } }
  }
}
