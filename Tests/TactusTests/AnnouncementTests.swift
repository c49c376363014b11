import Control
import MusicTime
import Testing

@testable import tactus

@Suite struct AnnouncementTests {
  private func lines(isHeard: Bool?, _ settings: Settings = Settings()) -> [String] {
    Announcement(
      settings: settings, isRestored: false, isOfferedAgain: false, takesKeys: true,
      connection: Connection(client: "tactus", server: "tactus-1", osc: "UDP port 9700", port: 9_700),
      privateServer: isHeard.map { ($0 ? "ALSA" : "dummy driver", $0) }, sampleRate: 48_000, outputs: []
    ).lines
  }

  @Test func `Without a sound card the first line says that nothing will be heard`() {
    #expect(lines(isHeard: false).first == "nothing will be heard: this machine has no sound card")
    #expect(!lines(isHeard: true).joined().contains("nothing will be heard"))
    // The user's own server may play elsewhere.
    #expect(!lines(isHeard: nil).joined().contains("nothing will be heard"))
  }

  @Test func `Who begins a session anew hears where it was left`() {
    var announcement = Announcement(
      settings: Settings(), isRestored: false, isOfferedAgain: false, takesKeys: true,
      connection: Connection(client: "tactus", server: "tactus-1", osc: "UDP port 9700", port: 9_700),
      sampleRate: 48_000, outputs: [])
    #expect(!announcement.lines.joined().contains("--resume"))
    announcement.placeLeft = "bar 3 of Verse"
    #expect(
      announcement.lines.last
        == "it starts from the beginning; the last run left it at bar 3 of Verse: --resume continues there")
  }

  @Test(arguments: [true, false])
  func `Keys are named only in a run that takes keys`(takesKeys: Bool) {
    var announcement = Announcement(
      settings: Settings(), isRestored: true, session: ("Gig", "/gig.yaml"), isOfferedAgain: true,
      isTransportLeft: true, takesKeys: takesKeys,
      connection: Connection(client: "tactus", server: "tactus-1", osc: "UDP port 9700", port: 9_700),
      sampleRate: 48_000, outputs: [])
    for isAtStart in [true, false] {
      announcement.isAtStart = isAtStart
      let text = announcement.lines.joined(separator: "\n")
      #expect(text.contains("/tactus/start"))
      #expect(text.contains("space") == takesKeys && text.contains(":close") == takesKeys)
    }
  }

  @Test func `A gap and accents that were left there are told`() throws {
    var settings = Settings()
    #expect(lines(isHeard: true).first == "120 in 4/4, role free")
    try settings.set(.accents(AccentPattern(text: "Xxox")))
    try settings.set(.gap(Gap(text: "2+1")))
    #expect(lines(isHeard: true, settings).first == "120 in 4/4, accents Xxox, gap 2+1, role free")
  }
}
