import Control
import ControlBench
import Files
import Foundation
import MusicTime
import TestNumbers
import Testing

@testable import Sessions

@Suite struct PresetDocumentTests {
  private let path = NSTemporaryDirectory() + "tactus-presets-\(UUID().uuidString)/state.yaml"

  private func read() throws -> Settings { try StateFile(path: path).settings }

  @Test func presetsAreSavedAndReadInTheirOrder() throws {
    defer { try? FileManager.default.removeItem(atPath: folder(of: path)) }
    var random = Generator(seed: 5)
    for _ in 0..<100 {
      var settings = random.settings()
      let names = ["Verse", "~", "null", "ü: #\"'", "1e3", "*a", "on"].shuffled(using: &random)
      for name in names.prefix(4) where Double(name) == nil {
        var preset = random.settings()
        try preset.arrange(.save(name))
        try settings.add(preset.presets.all[0])
      }
      if let last = settings.presets.all.last { try settings.recall(.name(last.name)) }
      try StateFile(path: path).write(settings)
      // The mute is not saved.
      try settings.set(.mute(false))
      #expect(try read() == settings)
    }
  }

  @Test func keysOfANewerVersionAreKeptWithTheirPreset() throws {
    defer { try? FileManager.default.removeItem(atPath: folder(of: path)) }
    PrivateFolder.make(folder(of: path))
    let text = """
      presets:
      - {name: A, tempo: 90, thunder: {loud: 3}}
      - {name: B, meter: 7/8}
      preset: B
      """
    try WholeFile.write(text.utf8, to: path)
    var settings = try read()
    #expect(settings.presets.all.map(\.name) == ["A", "B"] && settings.presets.current == "B")
    try settings.arrange(.move(.name("A"), to: 2))
    try StateFile(path: path).write(settings)
    let saved = try String(contentsOfFile: path, encoding: .utf8)
    #expect(saved.contains("thunder:"))
    #expect(try read() == settings)
  }

  @Test func `A preset is used without the values that are not allowed, and the file is kept as a copy`()
    throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder(of: path)) }
    PrivateFolder.make(folder(of: path))
    let text = """
      presets:
      - {name: A, tempo: 90, meter: 7/0, swing: much}
      - {tempo: 100}
      - {name: C, groups: 4+4, meter: 7/8, tempo: 110}
      """
    try WholeFile.write(text.utf8, to: path)
    guard case .partial(let settings, let reason, let copy?) = StateFile(path: path).read() else {
      Issue.record("must be usable in part")
      return
    }
    #expect(settings.presets.all.map(\.name) == ["A", "C"])
    let (first, last) = (settings.presets.all[0], settings.presets.all[1])
    #expect(
      first[Parameters.tempo.parameter] == .number(90) && last[Parameters.tempo.parameter] == .number(110))
    #expect(reason.contains("presets.0.meter") && reason.contains("presets.1.name"))
    #expect(try String(contentsOfFile: copy, encoding: .utf8) == text)
  }

  @Test func aTempoThatTheProfileForbidsIsReadAsTheNearest() throws {
    defer { try? FileManager.default.removeItem(atPath: folder(of: path)) }
    PrivateFolder.make(folder(of: path))
    let text = "profile: runner\ntempo: 90\npresets: [{name: A, profile: watch, tempo: 200}]\n"
    try WholeFile.write(text.utf8, to: path)
    let settings = try read()
    #expect(settings.tempo.thousandths == 150_000)
    #expect(settings.presets.all.map(\.tempo.thousandths) == [150_000])
  }

  @Test(arguments: [
    ("presets: [{tempo: 90}]", "presets.0.name missing: must be given"),
    ("presets: [{name: A}, {name: A}]", "presets.1.preset 'A': must be a name that no other preset has"),
    ("presets: [{name: A, tempo: 1e9}]", "presets.0.tempo"), ("presets: [{name: 7}]", "presets.0.preset '7'"),
    ("presets: 3", "presets"),
  ])
  func whatIsWrongIsNamed(_ text: String, _ words: String) throws {
    defer { try? FileManager.default.removeItem(atPath: folder(of: path)) }
    PrivateFolder.make(folder(of: path))
    try WholeFile.write(text.utf8, to: path)
    let problem = try #require(StateFile(path: path).problem)
    #expect(problem.contains(words), "\(problem)")
  }

  @Test func allOfTheLargestPresetsCanBeReadAgain() throws {
    defer { try? FileManager.default.removeItem(atPath: folder(of: path)) }
    var settings = Settings()
    let sound = "/" + String(repeating: "ü\"/", count: 2_000)
    for number in 0..<PresetList.limit {
      var preset = Settings()
      try preset.set([.sound("\(sound)\(number)"), .meter(Meter(99, 1)), .tempo(Tempo(clamping: 1_001))])
      try preset.set(.accents(AccentPattern(text: String(repeating: "o", count: 99))))
      for part in Subdivision.all { try preset.set(.subdivision(part, Volume(0.123))) }
      try preset.arrange(.save("\(number)" + String(repeating: "ü", count: 30)))
      try settings.add(preset.presets.all[0])
    }
    try StateFile(path: path).write(settings)
    #expect(try read() == settings)
  }
}
