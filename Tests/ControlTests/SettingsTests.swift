import ControlBench
import Engine
import MusicTime
import TestNumbers
import Testing
import Validation

@testable import Control

@Suite struct SettingsTests {
  @Test func settingsAreValidAsAWholeAfterAnyChanges() throws {
    var random = Generator(seed: 1)
    var settings = Settings()
    for _ in 0..<5_000 {
      let before = settings
      do { try settings.set(random.setting()) } catch { #expect(settings == before) }
      #expect(throws: Never.self) { try settings.layout }
    }
  }

  @Test func aValueThatDoesNotFitTheBarChangesNothing() throws {
    var settings = Settings()
    try settings.set(.meter(Meter(7, 8)))
    let before = settings
    let accents = try AccentPattern(text: "Xxxx")
    let groups = try Groups(text: "2+2")
    #expect(throws: InvalidValue("accents", "'Xxxx'", allowed: "7 long, one for each beat of the bar")) {
      try settings.set(.accents(accents))
    }
    #expect(throws: InvalidValue("groups", "2+2", allowed: "a sum of 7, the beats of the bar")) {
      try settings.set(.groups(groups))
    }
    #expect(settings == before)
  }

  @Test func aMeterDropsTheAccentsAndGroupsThatDoNotFitIt() throws {
    var settings = Settings()
    try settings.set(.accents(AccentPattern(text: "XxXx")))
    try settings.set(.groups(Groups(text: "2+2")))
    try settings.set(.meter(Meter(4, 8)))
    #expect(settings.accents?.description == "XxXx")
    #expect(settings.groups?.description == "2+2")
    try settings.set(.beatUnit(BeatUnit(1, 4)))
    #expect(settings.accents == nil)
    #expect(settings.groups == nil)
  }

  @Test func everySettingIsReadBackAsItWasSet() throws {
    var settings = Settings()
    try settings.set(.tempo(Tempo(133.7)))
    try settings.set(.meter(Meter(5, 3)))
    try settings.set(.beatUnit(BeatUnit(1, 3)))
    for subdivision in Subdivision.all {
      try settings.set(.subdivision(subdivision, Volume(Double(subdivision.parts) / 10)))
    }
    try settings.set(.accents(AccentPattern(text: "Xxo.X")))
    try settings.set(.groups(Groups(text: "3+2")))
    try settings.set(.swing(Swing(0.667)))
    try settings.set(.gap(Gap(play: 4, rest: 2)))
    for (index, fader) in Fader.allCases.enumerated() {
      try settings.set(.volume(fader, Volume(Double(index) / 8)))
    }
    try settings.set(.sound("clave"))
    try settings.set(.quantise(.bar))
    try settings.set(.role(.lead))
    try settings.set(.clockRunsWhileStopped(true))
    try settings.set(.clockOffset(ClockOffset(-12.5)))
    for role in ClickRole.allCases {
      try settings.set(Parameters.note(role).setting(60 + Int(role.rawValue)))
    }
    try settings.set(Parameters.noteChannel.setting(16))
    try settings.set(Parameters.noteLength.setting(5_000))
    #expect(settings.tempo.thousandths == 133_700)
    #expect("\(settings.meter)" == "5/3")
    #expect(settings.beatUnit?.description == "1/3")
    for subdivision in Subdivision.all {
      #expect(settings.volume(subdivision).gain == Float(Double(subdivision.parts) / 10))
    }
    #expect(settings.accents?.description == "Xxo.X")
    #expect(settings.groups?.description == "3+2")
    #expect(settings.swing.thousandths == 667)
    #expect((settings.gap.play, settings.gap.rest) == (4, 2))
    for (index, fader) in Fader.allCases.enumerated() {
      #expect(settings.volume(fader).gain == Float(index) / 8)
    }
    #expect(settings.sound == "clave")
    #expect(settings.quantise == .bar)
    #expect(settings.role == .lead)
    #expect(settings.clock.runsWhileStopped && settings.clock.offset == -12.5)
    #expect(ClickRole.allCases.map { settings.notes.numbers[$0] } == [60, 61, 62, 63])
    #expect(settings.notes.channel == 16 && settings.notes.length == 5_000)
    #expect(settings.gains.buses.beat == 0.25)
  }

  @Test(arguments: [
    (Parameters.note(.cue), 128, "notes/cue 128: must be 0…127"),
    (Parameters.note(.accent), -1, "notes/accent -1: must be 0…127"),
    (Parameters.noteChannel, 0, "notes/channel 0: must be 1…16"),
    (Parameters.noteChannel, 17, "notes/channel 17: must be 1…16"),
    (Parameters.noteLength, 0, "notes/length 0: must be 1…5000 ms"),
    (Parameters.noteLength, .max, "notes/length \(Int.max): must be 1…5000 ms"),
  ])
  func whatMIDICannotSayIsRefused(_ parameter: TypedParameter<Int>, _ value: Int, _ reason: String) throws {
    let error = #expect(throws: InvalidValue.self) { try parameter.setting(value) }
    #expect(error?.description == reason)
  }

  @Test func aVolumeOfZeroTurnsASubdivisionOff() throws {
    var settings = Settings()
    try settings.set(.subdivision(Subdivision(3), Volume(0.5)))
    try settings.set(.subdivision(Subdivision(3), .off))
    #expect(settings == Settings())
  }

  @Test(arguments: [-0.001, 1.001, .nan, .infinity, -.infinity])
  func aVolumeOutsideOfZeroToOneIsRefused(_ gain: Double) {
    #expect(throws: InvalidValue.self) { try Volume(gain) }
  }
}
