import Control
import Foundation
import MIDI
import MusicTime
import Testing

@testable import Sessions

@Suite struct BindingDocumentTests {
  private let folder = StateFolder()
  private var file: StateFile { folder.file }

  private func read(_ text: String) throws -> StateFile.Outcome {
    try folder.put(text.utf8)
    return file.read()
  }

  @Test func `What controllers have learned is read back exactly`() throws {
    var settings = Settings()
    for map in MIDIMap.allCases { for binding in map.bindings { try settings.bind(binding) } }
    for (control, target) in [
      ("pitch-bend channel 3", "volume/cue"), ("cc14 31 channel 16", "tempo"),
      ("program 4", "goto *chorus: #1"),
      ("continue", "sound ü \"kit\""), ("note 1", "tempo/nudge -0.125"), ("note 2", "tempo 133.7"),
    ] {
      try settings.bind(MIDIBinding(MIDISource(text: control), MIDIAction(MIDITarget(text: target))))
    }
    let encoder = try MIDIAction(
      .parameter(Parameters.tempo.parameter), coding: .binaryOffset, range: 59.999...180)
    try settings.bind(MIDIBinding(MIDISource(text: "cc 99"), encoder))
    try file.write(settings)
    guard case .settings(let read, _) = file.read() else { return #expect(Bool(false), "\(file.read())") }
    #expect(read == settings)
  }

  @Test func `An unknown key stays with its own control and gesture`() throws {
    let text = """
      midi:
      - {control: cc 67, target: tap, lamp: 1}
      - {control: cc 67, gesture: hold, target: next, lamp: 2}
      - {control: cc 67, gestur: double, target: go, lamp: 3}

      """
    try folder.put(text.utf8)
    try file.write(file.settings)
    let saved = try String(contentsOfFile: file.path, encoding: .utf8)
    #expect(saved.contains("lamp: 1") && saved.contains("lamp: 2"))
    #expect(!saved.contains("lamp: 3") && !saved.contains("gestur:"))
  }

  @Test func `As many as there can be fit into the file`() throws {
    var settings = Settings()
    let name = String(repeating: "ü", count: 95)
    for index in 0..<MIDIBinding.limit {
      let source = try MIDISource(.controller, index % 128, channel: 15 + index / 128)
      try settings.bind(MIDIBinding(source, MIDIAction(MIDITarget(text: "goto \(name)"), gesture: .hold)))
    }
    try file.write(settings)
    guard case .settings(let read, _) = file.read() else { return #expect(Bool(false), "\(file.read())") }
    #expect(read == settings)
  }

  @Test func `Muting is over with the program`() throws {
    var settings = Settings()
    try settings.set(.mute(true))
    try file.write(settings)
    guard case .settings(let read, _) = file.read() else { return #expect(Bool(false), "\(file.read())") }
    #expect(read == Settings())
  }

  @Test func `A binding that can't be is named`() throws {
    for (row, reason) in [
      ("{control: cc 200, target: tap}", "midi.0.number of cc 200: must be 0…127"),
      ("{control: cc 2, target: dance}", "midi.0.target 'dance': must be "),
      (
        "{control: cc 2, target: tap, gesture: kick}",
        "midi.0.gesture 'kick': must be one of press, hold, double, latch"
      ),
      ("{control: cc 2, target: tempo, coding: gray}", "midi.0.coding 'gray': must be one of "),
      ("{control: cc 2, target: tempo, low: 5}", "midi.0.low and high 5.0 and nothing: must be "),
      ("{control: cc 2, target: tempo, low: 0, high: 5}", "midi.0.range 0.0…5.0: must be within 1.0…999.999"),
      ("{control: note 2, target: tempo}", "midi.0.control note 2 for tempo: must be "),
    ] {
      guard case .partial(_, let text, _) = try read("midi: [\(row)]") else {
        Issue.record("\(row) was taken")
        continue
      }
      #expect(text.hasPrefix(reason), "\(text)")
    }
  }
}
