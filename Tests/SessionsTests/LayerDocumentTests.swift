import Control
import Engine
import MusicTime
import Testing

@testable import Sessions

@Suite struct LayerDocumentTests {
  private static let head = "sections:\n  - bars: 4\n"

  private func layers(_ yaml: String) throws -> [[String]] {
    try song(yaml).plan().plans.map { $0.layers.map { "\($0.number): \($0.layer)" } }
  }

  @Test func aSectionHasItsLayersAndTheDefaultsOtherwise() throws {
    let yaml = """
      count-in: {bars: 1}
      defaults: {polyrhythm: 3:4}
      sections:
        - {bars: 2}
        - bars: 2
          layers:
            - {name: five, pulses: 5, over: bar, pattern: Xxxxx, sound: clave, volume: 0.7}
            - {name: three, pulses: 3, over: 2 bars, pattern: X.o, note: 60}
            - {name: seven, every: 1/8, pattern: Xoxoxoo, reset: never}
            - {pulses: 2}
          polyrhythm: 5:4
        - {bars: 2, layers: []}
      """
    #expect(
      try layers(yaml) == [
        [], ["1: 3 over 4 beats, sound clave"],
        [
          "1: 5 over bar, pattern Xxxxx, name five, sound clave",
          "2: 3 over 2 bars, pattern X.o, note 60, name three",
          "3: every 1/8, pattern Xoxoxoo, reset never, name seven", "4: 2 over bar",
          "5: 5 over 4 beats, sound clave",
        ], [],
      ])
    let plan = try song(yaml).plan().plans[2]
    #expect(plan.gains.layers[0] == 0.7 && plan.gains.layers[1] == 1)
    let session = try song(yaml)
    #expect(try song(session.yaml) == session)
  }

  @Test(arguments: [
    ("layers: 5", "3:13 layers '5'"), ("layers: [5]", "3:14 layer '5'"),
    ("layers: [{over: bar}]", "3:14 missing key pulses"), ("layers: [{pulses: 0}]", "3:23 pulses '0'"),
    ("layers: [{pulses: 65}]", "3:23 pulses '65'"), ("layers: [{pulses: 5, over: dawn}]", "3:32 over 'dawn'"),
    ("layers: [{pulses: 5, over: 0 bars}]", "3:32 over '0 bars'"),
    ("layers: [{every: 1/8, pulses: 5}]", "3:27 pulses besides every"),
    ("layers: [{every: 1/500}]", "3:22 every '1/500'"),
    ("layers: [{pulses: 5, pattern: Xyz}]", "3:35 pattern 'Xyz'"),
    ("layers: [{pulses: 5, reset: now}]", "3:33 reset 'now'"),
    ("layers: [{pulses: 5, volume: 2}]", "3:34 volume '2'"),
    ("layers: [{pulses: 5, note: 128}]", "3:32 note '128'"),
    ("layers: [{pulses: 5, name: 'a, b'}]", "3:32 name 'a, b'"),
    ("layers: [{pulses: 5, colour: red}]", "3:26 unknown key 'colour' of layer"),
    ("layers: [{pulses: 2, name: a}, {pulses: 3, name: a}]", "3:36 name 'a' twice"),
    (
      "layers: [{pulses: 2}, {pulses: 2}, {pulses: 2}, {pulses: 2}, {pulses: 2}, {pulses: 2}, {pulses: 2}, {pulses: 2}, {pulses: 2}]",
      "3:13 9 layers"
    ),
    ("polyrhythm: 3", "3:17 polyrhythm '3'"), ("polyrhythm: 0:4", "3:17 polyrhythm 0:4"),
    ("polyrhythm: [3, 4]", "3:17 polyrhythm (a list)"),
  ])
  func eachWrongValueIsSaid(line: String, fault: String) throws {
    let log = try #require(throws: Faults.self) { _ = try song(Self.head + "    " + line + "\n") }
    let first = try #require(log.faults.first)
    #expect("\(first.line):\(first.column) \(first.what)" == fault)
  }

  @Test func layersAreSavedWithTheSettings() throws {
    var settings = Settings()
    try settings.set(.polyrhythm(Polyrhythm(text: "3:4")))
    try settings.set(.layer(2, Layer(text: "5 over 2 bars, pattern X.x, reset bar, sound cowbell")))
    try settings.set(Setting(Parameters.layerVolume(2).parameter, .number(0.25)))
    try settings.arrange(.save("Poly"))
    try settings.set(.polyrhythm(nil))
    let log = FaultLog(file: "")
    let text = try SettingsDocument(settings).yaml()
    let read = try SettingsDocument(try #require(YAMLText.compose(text, log))).settings
    #expect(read == settings)
    var recalled = read
    try recalled.recall(.name("Poly"))
    #expect(
      recalled.layers.map { "\($0.layer)" } == [
        "3 over 4 beats, sound clave", "5 over 2 bars, pattern X.x, reset bar, sound cowbell",
      ])
    #expect(recalled[Parameters.polyrhythm] == (try Polyrhythm(text: "3:4")))
    #expect(!recalled.isPresetChanged)
  }
}
