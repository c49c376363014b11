import Control
import MusicTime
import OSC
import Testing
import Validation

@testable import OSCControl
@testable import Panel
@testable import Sessions
@testable import tactus

/// A parameter that no code knows, declared as any other is.
@Suite struct NewParameterTests {
  private static let glow = TypedParameter<Double>(
    "lamp/glow", .number(0...10, parts: 100), unit: "candela", standard: 2.5, savedAs: ["lamp", "glow"],
    sectionKey: "glow", control: .init(range: 1...5, detent: 0.5), label: "glow", "Light of the lamp.")
  private let parameter = NewParameterTests.glow.parameter
  private let table = ParameterTable(Parameters.all + [NewParameterTests.glow.parameter])

  @Test func `It has an OSC address that sets and tells it`() throws {
    let endpoint = try #require(AddressSpace.endpoints(of: table).first { $0.name == "lamp/glow" })
    #expect((endpoint.types, endpoint.range, endpoint.standard) == ("f", "0…10 candela", "2.5"))
    guard case .set(let update) = endpoint.action else { return #expect(Bool(false), "can't be set") }
    let set = try update(OSCArguments(name: endpoint.name, arguments: [.float(7.125)]))
    guard case .set(let setting) = set else { return #expect(Bool(false), "\(set)") }
    var snapshot = Snapshot(settings: Settings())
    try snapshot.settings.set(setting)
    #expect(endpoint.value?(snapshot) == [.float(7.13)])
    #expect(throws: InvalidValue.self) {
      try update(OSCArguments(name: endpoint.name, arguments: [.float(10.5)]))
    }
  }

  @Test func `Address patterns and queries reach it`() throws {
    let all = AddressSpace.endpoints(of: table)
    func reached(_ pattern: String, _ arguments: OSCArgument...) throws -> [String] {
      let exchange = OSCExchange(with: .anonymous, owner: "", at: .distantPast) { _, _, _ in }
      let message = OSCMessage(pattern, arguments: arguments)
      return try AddressSpace.endpoints(for: message, exchange, among: all).map(\.name)
    }
    #expect(try reached("/tactus/la*/gl*", .float(3)) == ["lamp/glow"])
    #expect(try reached("/tactus/{lamp,light}/g?ow") == ["lamp/glow"])
    #expect(
      OSCRemote.values(of: all, Snapshot(settings: Settings())).contains(
        OSCMessage("/tactus/lamp/glow", .float(2.5))))
  }

  @Test func `OSCQuery describes it`() {
    let snapshot = Snapshot(settings: Settings())
    let node = OSCQueryTree.answer(path: "/tactus/lamp/glow", attribute: nil, snapshot, among: table)
    #expect(
      node.json.hasPrefix(
        #"{"FULL_PATH":"/tactus/lamp/glow","TYPE":"f","ACCESS":3,"RANGE":[{"MIN":0,"MAX":10}],"CLIPMODE":["none"],"#
          + #""UNIT":["candela"],"DESCRIPTION":"Light of the lamp.","VALUE":[2.5]"#))
    let tree = OSCQueryTree.answer(path: "/", attribute: nil, snapshot, among: table)
    #expect(tree.json.contains(#""FULL_PATH":"/tactus/lamp/glow/norm""#))
  }

  @Test func `The layouts for OSC apps have a fader for it`() throws {
    let pages = Surface.pages(of: table)
    let page = try #require(pages.first { $0.name == "Pattern" })
    #expect(page.widgets.last?.endpoint.address == "/tactus/lamp/glow/norm")
    #expect(OpenStageControlLayout.text(of: pages).contains("/tactus/lamp/glow/norm"))
    #expect(TouchOSCLayout.xml(of: pages).contains("/tactus/lamp/glow/norm"))
  }

  @Test func `The reference lists it`() {
    #expect(
      ReferenceTable.markdown(table).contains(
        "| `/tactus/lamp/glow` ⟳ | `f` | 0…10 candela | 2.5 | Light of the lamp. |"))
  }

  @Test func `A MIDI control can learn it`() throws {
    #expect(try MIDITarget(text: "lamp/glow", among: table) == .parameter(parameter))
    #expect(
      try MIDITarget(text: "lamp/glow 3", among: table) == .set(Setting(parameter, .number(3))))
    #expect(throws: InvalidValue.self) { try MIDITarget(text: "lamp/glow 11", among: table) }
  }

  @Test func `The panel lists it among what a control can learn`() {
    let all = Learnable.all(Snapshot(settings: Settings()), table, sounds: [])
    #expect(all.contains(Learnable(.parameter(parameter), "Light of the lamp.")))
  }

  @Test func `Help and messages about MIDI targets name it`() throws {
    let learning = try #require(AddressSpace.endpoints(of: table).first { $0.name == "midi/learn" })
    #expect(learning.summary.contains("`lamp/glow`"))
    let refusal = #expect(throws: InvalidValue.self) { try MIDITarget(text: "lamp/glwo", among: table) }
    #expect(refusal?.allowed.contains("lamp/glow") == true)
  }

  @Test func `The state file keeps it`() throws {
    var settings = Settings()
    try settings.set(NewParameterTests.glow.setting(9.25))
    let yaml = try SettingsDocument(settings, table).yaml()
    #expect(yaml.contains("lamp:\n  glow: 9.25\n"))
    let root = try #require(YAMLText.compose(yaml, FaultLog(file: "")))
    #expect(try SettingsDocument(root, table).settings == settings)
  }

  private func sections(_ yaml: String) throws -> (sections: [SectionStyle], yaml: String, faults: [Fault]) {
    let log = FaultLog(file: "")
    let content = DocumentContent(yaml, folder: "", sounds: [], table: table, log)
    guard case .song(let session, _)? = content else { return ([], "", log.faults) }
    let styles = session.parts.compactMap { part -> SectionStyle? in
      if case .section(let section) = part { section.style.over(session.defaults) } else { nil }
    }
    return (styles, session.yaml, log.faults)
  }

  @Test func `Sections of documents set it`() throws {
    let song = try sections("defaults: {glow: 7.125}\nsections: [{bars: 1}, {bars: 1, glow: 3 candela}]")
    #expect(song.faults.isEmpty)
    #expect(song.sections.map { $0[NewParameterTests.glow] } == [7.13, 3])
    #expect(try sections(song.yaml).sections == song.sections)
    let refused = try sections("sections: [{bars: 1, glow: 11}]")
    #expect(refused.sections.isEmpty && refused.faults.map(\.allowed) == ["0…10 candela"])
  }

  @Test func `The JSON Schema of documents describes it`() throws {
    let definitions = DocumentSchema.definitions(sounds: [], table)
    for name in ["style", "section"] {
      guard case .keys(let keys, let schemas, _, _)? = definitions[name] else {
        return #expect(Bool(false), "\(name) has no keys")
      }
      #expect(keys.contains("glow") && schemas["glow"] != nil)
    }
    #expect(try DocumentSchema.json(sounds: [], table).contains("Light of the lamp. (0…10 candela)"))
  }

  @Test func `The panel has a fader for it`() throws {
    let model = PanelModel(Snapshot(settings: Settings()), table)
    #expect(model.fields.contains(parameter) && model.share(of: parameter) == 0.25)
  }

  @Test func `The command line sets it`() throws {
    #expect(try SettingOption("lamp/glow=4", among: table).setting == Setting(parameter, .number(4)))
    #expect(throws: InvalidValue.self) { try SettingOption("lamp/glow=-1", among: table) }
    #expect(Completions.settings(of: table).contains("lamp/glow="))
  }

  @Test func `An option for it has its help`() {
    #expect(parameter.help() == "Light of the lamp. (0…10 candela)")
  }
}
