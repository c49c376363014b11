import MIDI
import MusicTime
import Testing

@testable import Control

@Suite struct MIDIBindingTests {
  private func fault(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch { return "\(error)" }
  }

  @Test func `A control is written and read`() throws {
    for text in [
      "note 36", "cc 64 channel 1", "cc14 7 channel 16", "program", "program 5", "program channel 2",
      "pitch-bend",
      "pitch-bend channel 3", "start", "stop", "continue",
    ] {
      #expect(try MIDISource(text: text).description == text)
    }
  }

  @Test func `An invalid control is refused with what would be right`() {
    for (text, words) in [
      ("", "note N, cc N"), ("knob 3", "note N, cc N"), ("cc", "0…127"), ("cc 128", "0…127"),
      ("cc -1", "0…127"),
      ("cc14 32", "0…31"), ("start 3", "left out"), ("cc 1 channel 0", "1…16"), ("cc 1 channel 17", "1…16"),
      ("stop channel 1", "left out"), ("note x", "note N, cc N"), ("note 1 2", "note N, cc N"),
      ("pitch-bend 1", "left out"),
    ] {
      #expect(fault { _ = try MIDISource(text: text) }?.contains(words) == true, "\(text)")
    }
  }

  @Test func `One binding is removed, and the others of its target stay`() throws {
    var settings = Settings()
    let bindings = try ["cc 64", "cc 65"].map {
      try MIDIBinding(MIDISource(text: $0), MIDIAction(.toggle))
    }
    for binding in bindings { try settings.bind(binding) }
    try settings.unbind(bindings[0])
    #expect(settings.bindings == [bindings[1]])
    #expect(fault { try settings.unbind(bindings[0]) }?.contains("one that a control has learned") == true)
  }

  @Test func `A target is written and read`() throws {
    for text in [
      "start", "stop", "toggle", "pause", "pause/toggle", "restart", "mute/cue", "voice", "tap", "next",
      "previous", "song/next", "song/previous", "hold",
      "mute", "gap",
      "tempo", "tempo 90.5", "tempo/nudge -0.5", "swing", "volume", "volume/accent", "volume/cue 0.25",
      "subdivision/9", "subdivision/2 1", "song", "song 12", "preset", "preset 3", "preset Verse 2", "go",
      "session gig.yaml", "speed", "speed 80", "stop/bar", "fade", "fade 2.5",
      "preset/next", "goto chorus two", "goto 3",
      "sound /home/me/my kit", "meter 7/8", "beat-unit 3/8", "role lead", "quantise bar", "gap 4+2",
      "accents Xxo",
    ] {
      #expect(try MIDITarget(text: text).description == text)
    }
    #expect(try MIDITarget(text: "/tactus/tap") == .tap)
    #expect(try MIDITarget(text: "tempo/nudge") == .nudge(thousandths: 1_000))
  }

  @Test func `An invalid target is refused with what would be right`() {
    for (text, words) in [
      ("", "toggle"), ("jump", "toggle"), ("start 1", "toggle"), ("tempo fast", "1…999.999"),
      ("tempo 1000", "1…999.999"),
      ("volume 2", "0…1"), ("volume/master", "toggle"), ("volume/", "must be volume, perhaps"),
      ("subdivision/1", "toggle"),
      ("song 0", "1…10000"), ("goto", "toggle"), ("sound", "toggle"), ("tempo/nudge 0", "not 0"),
      ("fade x", "0.1…120 seconds"), ("fade 0", "0.1…120 seconds"),
      ("tempo/nudge 1e9", "beats a minute"), ("tempo nan", "1…999.999"), ("meter", "toggle"),
      ("meter 100/4", "1…99"),
      ("goto " + String(repeating: "x", count: 200), "toggle"), ("speed 9000", "10…400 percent"),
      ("tapp", "must be tap, perhaps"), ("tmepo 90", "must be tempo, perhaps"),
    ] {
      #expect(fault { _ = try MIDITarget(text: text) }?.contains(words) == true, "\(text)")
    }
  }

  @Test func `The targets that help lists can be learned`() throws {
    for text in MIDITarget.presses + MIDITarget.programs {
      #expect(try !MIDITarget(text: text).followsControl, "\(text)")
    }
    #expect(
      MIDITarget.faders(.standard) == [
        "tempo", "swing", "volume/layer-1…8", "subdivision/2…9", "volume", "volume/accent", "volume/beat",
        "volume/subdivision", "volume/cue", "voice/volume", "listen/threshold", "listen/scan", "listen/mask",
        "listen/retrigger", "speed",
      ])
  }

  @Test func `A binding whose parts do not fit is refused`() throws {
    let tempo = MIDITarget.parameter(Parameters.tempo.parameter)
    for (control, make, words) in [
      ("cc 1", { try MIDIAction(.tap, coding: .signedBit) }, "takes no steps"),
      ("cc 1", { try MIDIAction(tempo, gesture: .hold) }, "follows a control"),
      ("cc 1", { try MIDIAction(.tap, range: 0...1) }, "which has none"),
      ("cc 1", { try MIDIAction(tempo, range: 0...100) }, "within 1.0…999.999"),
      (
        "cc 1", { try MIDIAction(.parameter(Parameters.swing.parameter), range: 0.5...0.5) }, "within 0.0…1.0"
      ),
      ("note 1", { try MIDIAction(tempo) }, "a cc, cc14 or pitch-bend"),
      ("cc14 1", { try MIDIAction(tempo, coding: .signedBit) }, "a cc"),
      ("pitch-bend", { try MIDIAction(.tap) }, "a note or cc"),
      ("program 1", { try MIDIAction(.tap, gesture: .double) }, "press for program 1"),
      ("cc 1", { try MIDIAction(.song(nil)) }, "song N"),
    ] as [(String, () throws -> MIDIAction, String)] {
      let reason = fault { _ = try MIDIBinding(MIDISource(text: control), make()) }
      #expect(reason?.contains(words) == true, "\(control) \(words): \(reason ?? "taken")")
    }
    let binding = try MIDIBinding(
      MIDISource(text: "cc 7"), MIDIAction(tempo, coding: .signedBit, range: 60...180))
    #expect("\(binding)" == "cc 7: tempo (60.0…180.0) (signed-bit)")
  }

  @Test func `A control does one thing for each gesture`() throws {
    var settings = Settings()
    let bind = { (control: String, target: String, gesture: Gesture) in
      try settings.bind(
        MIDIBinding(MIDISource(text: control), MIDIAction(MIDITarget(text: target), gesture: gesture)))
    }
    try bind("cc 64", "tap", .press)
    try bind("cc 64", "next", .hold)
    try bind("cc 64", "toggle", .press)
    #expect(settings.bindings.map(\.description) == ["cc 64: next (hold)", "cc 64: toggle"])
    // A map's control is on every channel.
    try bind("cc 64 channel 3", "stop", .press)
    #expect(settings.bindings.map(\.description) == ["cc 64: next (hold)", "cc 64 channel 3: stop"])
    try bind("cc 39 channel 2", "volume", .press)
    try bind("cc14 7 channel 2", "tempo", .press)
    #expect(settings.bindings.last?.description == "cc14 7 channel 2: tempo")
    #expect(settings.bindings.count == 3)
    try settings.unbind(.next)
    #expect(settings.bindings.count == 2)
    #expect(fault { try settings.unbind(.tap) } == "target 'tap': must be one that a control has learned")
    try settings.unbind(nil)
    #expect(settings.bindings == [])
  }

  @Test func `There are at most 256 bindings`() throws {
    var settings = Settings()
    for index in 0..<256 {
      try settings.bind(
        MIDIBinding(MIDISource(.note, index % 128, channel: 1 + index / 128), MIDIAction(.tap)))
    }
    let last = settings
    #expect(
      fault { try settings.bind(MIDIBinding(MIDISource(.note, 1, channel: 9), MIDIAction(.tap))) } != nil)
    #expect(settings == last)
    // A binding that replaces another one needs no room.
    try settings.bind(MIDIBinding(MIDISource(.note, 1, channel: 1), MIDIAction(.stop)))
    #expect(settings.bindings.count == 256)
  }

  @Test(arguments: MIDIMap.allCases) func `A ready-made map is sound`(map: MIDIMap) throws {
    var settings = Settings()
    for binding in map.bindings { try settings.bind(binding) }
    // No row replaces another one.
    #expect(settings.bindings == map.bindings)
  }
}
