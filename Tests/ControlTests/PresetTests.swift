import ControlBench
import MIDI
import MusicTime
import TestNumbers
import Testing
import Validation

@testable import Control
@testable import Engine

@Suite struct PresetTests {
  @Test func `A preset is found, replaced and renamed whatever its case`() throws {
    var settings = Settings()
    for name in ["Verse", "Chorus"] { try settings.arrange(.save(name)) }
    for (name, found) in [("verse", "Verse"), ("Chorus", "Chorus"), ("CHORUS", "Chorus")] {
      let preset = try settings.recall(.name(name))
      #expect(preset.name == found)
    }
    try settings.arrange(.save("VERSE"))
    #expect(settings.presets.all.map(\.name) == ["VERSE", "Chorus"])
    #expect(throws: InvalidValue.self) { try settings.arrange(.rename(.name("chorus"), to: "verse")) }
    try settings.arrange(.rename(.name("chorus"), to: "CHORUS"))
    #expect(settings.presets.all.map(\.name) == ["VERSE", "CHORUS"])
    // An earlier version could save both.
    var list = PresetList()
    for name in ["Verse", "VERSE"] { try list.append(Preset(name, of: settings)) }
    #expect(throws: InvalidValue.self) { try list.use(.name("verse")) }
    #expect(try list.use(.name("VERSE")).name == "VERSE")
  }

  private func settings(_ changes: Setting...) throws -> Settings {
    var settings = Settings()
    try settings.set(changes)
    return settings
  }

  private func saved(_ names: String..., in settings: Settings = Settings()) throws -> Settings {
    var settings = settings
    for name in names { try settings.arrange(.save(name)) }
    return settings
  }

  @Test func `A preset restores all of the metronome's settings and nothing else`() throws {
    var random = Generator(seed: 41)
    for _ in 0..<300 {
      var kept = random.settings()
      try kept.arrange(.save("A"))
      var other = random.settings()
      try other.add(kept.presets.all[0])
      let before = other
      try other.recall(.name("A"))
      // The sound has to be read first.
      try other.set(.sound(kept.sound))
      for parameter in Parameters.all {
        let expected = parameter.isInPresets ? kept[parameter] : before[parameter]
        // Setting a tempo ends the following of a pace, here as everywhere.
        if parameter == Parameters.followPace.parameter { continue }
        #expect(other[parameter] == expected, "\(parameter.name)")
      }
      #expect(other.bindings == before.bindings && other.connections == before.connections)
      #expect(other.presets.current == "A" && !other.isPresetChanged)
    }
  }

  @Test func aPresetOfAnotherProfileIsRecalled() throws {
    var settings = try settings(.profile(.runner), .tempo(Tempo(clamping: 200_000)))
    try settings.arrange(.save("Run"))
    try settings.set([.profile(.watch), .tempo(Tempo(clamping: 60_000))])
    try settings.recall(.name("Run"))
    #expect(settings.profile == .runner && settings.tempo.thousandths == 200_000)
  }

  @Test func `A tempo from Link that the profile forbids is recalled as the nearest allowed one`() throws {
    var settings = try settings(.profile(.runner))
    settings.follow(Tempo(clamping: 90_000))
    try settings.arrange(.save("With others"))
    // As it would be after a restart.
    #expect(settings.presets.all[0].tempo.thousandths == 150_000)
    try settings.set(.profile(.full))
    try settings.recall(.name("With others"))
    #expect(settings.profile == .runner && settings.tempo.thousandths == 150_000)
  }

  @Test func `A change after a recall is reported, and no longer once it is undone`() throws {
    var settings = try saved("A")
    try settings.set(.tempo(Tempo(clamping: 90_000)))
    #expect(settings.isPresetChanged)
    try settings.set(.tempo(Tempo(clamping: 120_000)))
    #expect(!settings.isPresetChanged)
    // A volume is part of it, the role is not.
    try settings.set(.role(.lead))
    #expect(!settings.isPresetChanged)
    try settings.set(.volume(.beat, Volume(0.5)))
    #expect(settings.isPresetChanged)
  }

  @Test func `Presets are ordered, renamed, replaced and removed`() throws {
    var settings = try saved("A", "B", "C")
    try settings.arrange(.move(.name("C"), to: 1))
    #expect(settings.presets.all.map(\.name) == ["C", "A", "B"])
    #expect(settings.presets.current == "C" && settings.presets.currentNumber == 1)
    try settings.arrange(.rename(.number(2), to: "Verse 2"))
    #expect(settings.presets.all.map(\.name) == ["C", "Verse 2", "B"])
    try settings.set(.tempo(Tempo(clamping: 90_000)))
    try settings.arrange(.save("B"))
    #expect(settings.presets.all.map(\.tempo.thousandths) == [120_000, 120_000, 90_000])
    try settings.arrange(.remove(.name("B")))
    #expect(settings.presets.all.map(\.name) == ["C", "Verse 2"] && settings.presets.current == nil)
  }

  @Test func `Next and previous wrap around`() throws {
    var settings = try saved("A", "B", "C")
    var names: [String?] = []
    for choice: PresetChoice in [.next, .next, .previous, .previous, .previous] {
      try settings.recall(choice)
      names.append(settings.presets.current)
    }
    #expect(names == ["A", "B", "A", "C", "B"])
  }

  @Test(arguments: [
    "", " a", "a ", "7", "-3", "next", "previous", "a\nb", "\u{202E}a", String(repeating: "ü", count: 33),
  ])
  func aNameThatCouldBeTakenForSomethingElseIsRefused(_ name: String) throws {
    var settings = try saved("A")
    let before = settings
    #expect(throws: InvalidValue.self) { try settings.arrange(.save(name)) }
    #expect(throws: InvalidValue.self) { try settings.arrange(.rename(.name("A"), to: name)) }
    #expect(settings == before)
  }

  @Test func `A missing preset is refused with the names of those that exist`() throws {
    var settings = try saved("A", "B")
    let before = settings
    for choice: PresetChoice in [.name("C"), .number(0), .number(3), .number(.min), .number(.max)] {
      for update: PresetUpdate in [
        .recall(choice), .remove(choice), .rename(choice, to: "C"), .move(choice, to: 1),
      ] {
        #expect(throws: InvalidValue("preset", "\(choice)", allowed: "one that was saved: 1 'A', 2 'B'")) {
          try settings.arrange(update)
        }
      }
    }
    for place in [0, 3, .min, .max] {
      #expect(throws: InvalidValue.self) { try settings.arrange(.move(.name("A"), to: place)) }
    }
    #expect(throws: InvalidValue.self) { try settings.arrange(.rename(.name("A"), to: "B")) }
    #expect(settings == before)
    var none = Settings()
    #expect(throws: InvalidValue("preset", "next", allowed: "one that was saved; there is none yet")) {
      try none.recall(.next)
    }
  }

  @Test func `There is room for one preset for each program`() throws {
    var settings = Settings()
    for number in 1...PresetList.limit { try settings.arrange(.save("P\(number)")) }
    #expect(throws: InvalidValue.self) { try settings.arrange(.save("One more")) }
    try settings.arrange(.save("P1"))
    #expect(settings.presets.all.count == 128)
  }

  // MARK: Through the conductor

  @Test func `A preset is recalled during play together with its sound`() throws {
    let rig = try Rig()
    rig.push(.set(.sound("cowbell")), .set(.tempo(Tempo(clamping: 90_000))))
    #expect(rig.eventually { $0.settings.sound == "cowbell" })
    rig.push(.preset(.save("Chorus")), .set(.sound("sine")), .set(.tempo(Tempo(clamping: 200_000))), .start)
    #expect(rig.eventually { $0.settings.sound == "sine" && rig.playedTempo == 200 })
    #expect(rig.refusal(of: .preset(.recall(.name("Chorus")))) == nil)
    #expect(rig.eventually { $0.settings.sound == "cowbell" && rig.playedTempo == 90 && $0.isPlaying })
    #expect(rig.saves() && rig.disk.saves.last?.presets.current == "Chorus")
  }

  @Test func ofTwoPresetsInARowTheLastHasItsSound() throws {
    var settings = try saved("Sine")
    try settings.set(.sound("cowbell"))
    try settings.arrange(.save("Bell"))
    try settings.set(.sound("sine"))
    let rig = try Rig(settings)
    // Both come before the first one's sound has been read.
    rig.push(.preset(.recall(.name("Bell"))), .preset(.recall(.name("Sine"))))
    #expect(rig.eventually { $0.settings.presets.current == "Sine" })
    rig.pass(.seconds(1))
    let now = rig.settle().settings
    #expect(now.sound == "sine" && !now.isPresetChanged)
  }

  @Test func `A reset keeps the presets`() throws {
    let rig = try Rig(try saved("A", in: settings(.tempo(Tempo(clamping: 90_000)))))
    rig.push(.reset)
    let now = rig.settle().settings
    #expect(now.tempo.thousandths == 120_000 && now.presets.all.map(\.name) == ["A"])
  }

  @Test func `A program change recalls the preset with its number`() throws {
    var settings = try saved("A", "B", "C")
    let action = try MIDIAction(MIDITarget(text: "preset"))
    try settings.bind(MIDIBinding(MIDISource(text: "program"), action))
    #expect(throws: InvalidValue("target", "preset", allowed: "preset N, for all but program changes")) {
      try MIDIBinding(MIDISource(text: "note 3"), action)
    }
    var surface = ControlSurface()
    let moves = surface.handle(
      .programChange(channel: 0, program: 1), at: .distantPast, Snapshot(settings: settings))
    #expect(moves.map(\.update) == [.preset(.recall(.number(2)))])
  }
}
