import Control
import ControlBench
import Files
import Foundation
import MusicTime
import Synchronization
import TestNumbers
import Testing
import TimeCheck

@testable import Sessions

/// A state file in a temporary folder.
private final class StateFolder {
  let folder = NSTemporaryDirectory() + "tactus-state-\(UUID().uuidString)"
  var file: StateFile { StateFile(path: folder + "/tactus/tactus.yaml") }
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder + "/tactus")) ?? []).sorted()
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func put(_ data: some Sequence<UInt8>) throws {
    try FileManager.default.createDirectory(atPath: folder + "/tactus", withIntermediateDirectories: true)
    try writeFile(Array(data), to: file.path)
  }

  /// The reason why a text, or a part of it, can't be used; nil if all of it can.
  func damage(_ text: String) throws -> String? {
    try put(text.utf8)
    return switch file.read() {
    case .none, .settings: nil
    case .partial(_, let reason, _), .damaged(let reason, _): reason
    }
  }
}

extension StateFile.Outcome {
  var settings: Settings? { if case .settings(let settings) = self { settings } else { nil } }
  fileprivate var isDamaged: Bool { if case .damaged = self { true } else { false } }
  fileprivate var isNone: Bool { if case .none = self { true } else { false } }
}

/// The values of a document by their paths.
private struct Keys {
  private(set) var unknown: Set<String> = []

  init(_ text: String) throws {
    let log = FaultLog(file: "state.yaml")
    guard let root = YAMLText.compose(text, log) else { throw Faults(faults: log.sorted) }
    add(root, "")
    unknown = unknown.filter { path in
      ["thunder", "lamp", "theme", "zoom", "quoted"].contains { path.contains($0) }
    }
  }

  private mutating func add(_ node: Node, _ path: String) {
    switch node {
    case .scalar(let scalar): unknown.insert("\(path)=\(scalar.string) \(scalar.isPlain)")
    case .sequence(let list): for (index, item) in list.items.enumerated() { add(item, "\(path)/\(index)") }
    case .mapping(let mapping):
      for (key, value) in zip(mapping.keys, mapping.values) { add(value, "\(path)/\(key.string)") }
    }
  }
}

@Suite struct StateFileTests {
  @Test func whatIsWrittenIsReadBackExactly() throws {
    let state = StateFolder()
    var random = Generator(seed: 11)
    for _ in 0..<300 {
      let settings = random.savedSettings()
      try state.file.write(settings)
      #expect(state.file.read().settings == settings)
    }
    #expect(state.names == ["tactus.yaml"])
  }

  @Test func whereDocumentsWereLeftIsKept() throws {
    let state = StateFolder()
    var settings = Settings()
    for number in 1...70 {
      settings.keep(SessionPlace(path: "/\(number): *.yaml", song: 1, section: number, bar: 7))
    }
    settings.keep(SessionPlace(path: "/70: *.yaml", section: 3, step: 1, bar: 2, lap: 4))
    settings.session = SessionPlace(path: "/open.yaml", section: 1)
    try state.file.write(settings)
    let read = try #require(state.file.read().settings)
    #expect(read.places == settings.places && read.places.count == 64)
    #expect(read.place(in: "/70: *.yaml")?.lap == 4 && read.place(in: "/1: *.yaml") == nil)
    // Who goes back to the start has left no place.
    settings.keep(SessionPlace(path: "/70: *.yaml"))
    #expect(settings.place(in: "/70: *.yaml") == nil)
  }

  @Test func whatWasMeasuredIsKeptWithItsMode() throws {
    let state = StateFolder()
    var settings = Settings()
    for (port, mode) in [("listen-a", ListeningSetup.Mode.mic), ("listen-b", .trigger), ("hits", nil)] {
      settings.keep(
        Calibration(
          port: port, device: "system:capture_1", mode: mode, period: 256, sampleRate: 48_000, offset: 5.5,
          spread: 0.25, bleed: 0.125, click: Calibration.Click(volume: 0.5, sound: "sine")))
    }
    try state.file.write(settings)
    #expect(state.file.read().settings?.calibrations == settings.calibrations)
    // A mode of a newer version fits nothing here, and the file is read.
    let text = try String(contentsOfFile: state.file.path, encoding: .utf8)
    try text.replacing("mode: mic", with: "mode: laser")
      .write(toFile: state.file.path, atomically: true, encoding: .utf8)
    let read = try #require(state.file.read().settings)
    #expect(read.calibrations.map(\.mode) == [.record, .trigger, nil])
  }

  @Test func whoIsToldOfEverythingIsKept() throws {
    let state = StateFolder()
    var settings = Settings()
    for port in 9_000..<9_008 { try settings.feed(.add(url: "osc.udp://192.168.1.7:\(port)/")) }
    try state.file.write(settings)
    #expect(state.file.read().settings?.feedback.urls == settings.feedback.urls)
    try settings.feed(.remove(url: "osc.udp://192.168.1.7:9000/"))
    try state.file.write(settings)
    #expect(state.file.read().settings == settings)
  }

  @Test func asterisksAreNoAliases() throws {
    let state = StateFolder()
    var settings = Settings()
    for number in 0..<64 {
      let action = try MIDIAction(MIDITarget(text: "goto * Verse *\(number)"))
      try settings.bind(MIDIBinding(MIDISource(text: "note \(number)"), action))
    }
    try state.file.write(settings)
    #expect(state.file.read().settings == settings)
    #expect(
      try state.damage("a: &a 1\nb: [\(Array(repeating: "*a", count: 9).joined(separator: ", "))]\n")
        == "line 2, column 5: alias *a: must be written out: no aliases")
  }

  @Test func keysOfANewerVersionAreKept() throws {
    let state = StateFolder()
    var settings = Settings()
    try settings.bind(MIDIBinding(MIDISource(text: "note 60"), MIDIAction(MIDITarget(text: "tap"))))
    try settings.bind(MIDIBinding(MIDISource(text: "note 61"), MIDIAction(MIDITarget(text: "toggle"))))
    try state.file.write(settings)
    let text = try String(contentsOfFile: state.file.path, encoding: .utf8)
    let newer =
      text.replacing("volumes:\n", with: "volumes:\n  thunder: 0.3\n").replacing(
        "- control: note 61\n", with: "- control: note 61\n  lamp: {colour: red, levels: [1, '2', ~]}\n")
      + "theme: {name: dark, sizes: [12, 'yes', ''], empty: }\nzoom: 1.50\n'quoted: key': \"1\"\n"
    #expect(newer != text)
    try state.put(newer.utf8)
    #expect(state.file.read().settings == settings)

    // Several saves, among them one without any binding.
    let kept = try Keys(newer)
    for tempo in [100_000, 101_000] {
      try settings.set(.tempo(Tempo(thousandths: tempo)))
      try state.file.write(settings)
      let written = try Keys(String(contentsOfFile: state.file.path, encoding: .utf8))
      #expect(written.unknown == kept.unknown && kept.unknown.count > 10)
      #expect(state.file.read().settings == settings)
    }
    try settings.unbind(MIDITarget(text: "toggle"))
    try state.file.write(settings)
    let left = try Keys(String(contentsOfFile: state.file.path, encoding: .utf8))
    #expect(left.unknown == kept.unknown.filter { !$0.contains("lamp") })
  }

  @Test func unknownKeysNeverMakeTheFileTooLargeToBeRead() throws {
    let state = StateFolder()
    let own = "own: '\(String(repeating: "x", count: StateFile.sizeLimit - 20))'\n"
    try state.put(own.utf8)
    #expect(state.file.read().settings == Settings())
    try state.file.write(Settings())
    #expect(state.file.read().settings == Settings())
    #expect(state.names == ["tactus.yaml", "tactus.yaml.too-large"])
    #expect(try String(contentsOfFile: state.file.path + ".too-large", encoding: .utf8) == own)
  }

  @Test func numbersAreWrittenAsPeopleWriteThem() throws {
    let state = StateFolder()
    var settings = Settings()
    try settings.set(.swing(Swing(0.667)))
    try settings.set(.volume(.beat, Volume(0.1)))
    try state.file.write(settings)
    let lines = try String(contentsOfFile: state.file.path, encoding: .utf8).split(separator: "\n")
    for line in ["tempo: 120", "swing: 0.667", "  beat: 0.1", "  accent: 1"] {
      #expect(lines.contains { $0 == line }, "\(line)")
    }
  }

  @Test func everyTempoIsReadBackToTheThousandth() throws {
    let state = StateFolder()
    var random = Generator(seed: 12)
    for _ in 0..<100 {
      var settings = Settings()
      try settings.set(.tempo(Tempo(clamping: .random(in: 1_000...999_999, using: &random))))
      try state.file.write(settings)
      #expect(state.file.read().settings == settings)
    }
  }

  @Test func numbersFinerThanTheirStepAreSavedAsTheyWereTaken() throws {
    let state = StateFolder()
    for number in [1e-200, .leastNonzeroMagnitude, 1e-7, 0.123456789] {
      var settings = Settings()
      for (constant, value) in [
        (CadenceConstant.offset, -number), (.slope, number), (.referenceSpeed, number),
      ] {
        try settings.set(Parameters.cadence(constant).setting(value))
      }
      try settings.set(.clockInOffset(ClockOffset(number)))
      try settings.set(.clockOffset(ClockOffset(-number)))
      try settings.set(.swing(Swing(number)))
      try settings.set(.volume(.beat, Volume(number)))
      let action = try MIDIAction(MIDITarget(text: "volume"), range: number...0.5)
      try settings.bind(MIDIBinding(MIDISource(text: "cc 1"), action))
      try settings.bind(
        MIDIBinding(MIDISource(text: "note 1"), MIDIAction(MIDITarget(text: "volume \(number)"))))
      try state.file.write(settings)
      #expect(state.file.read().settings == settings)
      // The same if they come from a state file.
      try state.put(
        "pace: {offset: \(number)}\nclock-in-offset: \(number)\nclock: {offset: \(number)}\n".utf8)
      let read = try #require(state.file.read().settings)
      try state.file.write(read)
      #expect(state.file.read().settings == read)
    }
  }

  @Test func aRunnerIsReadBack() throws {
    let state = StateFolder()
    var settings = Settings()
    try settings.set(.profile(.runner))
    try settings.set(.tempo(Tempo(clamping: 171_500)))
    try settings.set(.volume(.master, Volume(0.7)))
    for (constant, value) in [(CadenceConstant.height, 1.83), (.offset, -3.5), (.slope, 7)] {
      try settings.set(Parameters.cadence(constant).setting(value))
    }
    try settings.set(.followPace(true))
    try state.file.write(settings)
    #expect(state.file.read().settings == settings)
    // Ableton Link may have had a tempo that the profile does not allow.
    #expect(try state.damage("profile: watch\ntempo: 171.5\n") == nil)
    #expect(state.file.read().settings?.tempo.thousandths == 150_000)
  }

  @Test func aFileThatIsMissingIsNoDamage() {
    let state = StateFolder()
    #expect(state.file.read().isNone)
    #expect(state.names.isEmpty)
  }

  @Test func aFileCutOffAnywhereIsSetAside() throws {
    let state = StateFolder()
    var random = Generator(seed: 13)
    try state.file.write(random.savedSettings())
    let whole = try Data(contentsOf: URL(fileURLWithPath: state.file.path))
    // The last byte is the end of the last line.
    for length in 0..<whole.count - 1 {
      try state.put(whole.prefix(length))
      switch state.file.read() {
      case .none: Issue.record("it was there")
      case .settings, .partial: Issue.record("\(length) of \(whole.count) bytes are read")
      case .damaged(let reason, let movedTo):
        #expect(!reason.isEmpty && !reason.contains("\n"))
        let aside = try #require(movedTo)
        #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == whole.prefix(length))
        try FileManager.default.removeItem(atPath: aside)
      }
    }
  }

  @Test func whoEditsAFileMayLeaveOutTheFirstLineAndWriteAfterTheLast() throws {
    let state = StateFolder()
    try state.file.write(Settings())
    let text = try String(contentsOfFile: state.file.path, encoding: .utf8)
    for edited in [text + "own: 1\n", String(text.drop { $0 != "\n" }), "swing: 0.5"] {
      #expect(try state.damage(edited) == nil)
    }
  }

  @Test func randomBytesAreSetAsideAndNeverCrash() throws {
    let state = StateFolder()
    var random = Generator(seed: 14)
    for _ in 0..<1_000 {
      try state.put(
        (0..<Int.random(in: 1...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
      switch state.file.read() {
      case .damaged(_, let copy?), .partial(_, _, let copy?):
        try FileManager.default.removeItem(atPath: copy)
      default: break
      }
    }
  }

  @Test func randomlyChangedFilesGiveValidSettingsOrAreSetAside() throws {
    let state = StateFolder()
    var random = Generator(seed: 15)
    try state.file.write(random.settings())
    let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: state.file.path)))
    for _ in 0..<10_000 {
      var bytes = whole
      for _ in 0..<3 {
        bytes[.random(in: bytes.indices, using: &random)] = UInt8.random(in: 32...126, using: &random)
      }
      try state.put(bytes)
      switch state.file.read() {
      case .none: Issue.record("it was there")
      case .settings(let settings): #expect(throws: Never.self) { try settings.layout }
      case .partial(let settings, _, let copy):
        #expect(throws: Never.self) { try settings.layout }
        try FileManager.default.removeItem(atPath: #require(copy))
      case .damaged(_, let movedTo): try FileManager.default.removeItem(atPath: #require(movedTo))
      }
    }
  }

  @Test func eachDamagedFileIsKeptUnderANameOfItsOwn() throws {
    let state = StateFolder()
    for text in ["[", "{", "]"] { #expect(try state.damage(text) != nil) }
    #expect(
      state.names == ["tactus.yaml.damaged", "tactus.yaml.damaged-2", "tactus.yaml.damaged-3"])
  }

  @Test func `Values that this version does not know are left out, and all else is used and kept`() throws {
    let state = StateFolder()
    let text = """
      tempo: 97
      role: conductor
      midi:
        - {control: cc 2, target: tap}
        - {control: cc 3, target: dance}
      presets:
        - {name: slow, tempo: 50}
        - {name: odd, meter: x/4}
      thunder: 7

      """
    try state.put(text.utf8)
    for _ in 0..<2 {
      guard case .partial(let settings, let reason, let copy) = state.file.read() else {
        Issue.record("it is read whole, or not at all")
        return
      }
      #expect(reason.hasPrefix("role 'conductor': must be") && reason.hasSuffix("; and 2 more"), "\(reason)")
      #expect(settings.tempo == (try Tempo(97)) && settings.role == .free)
      #expect(settings.bindings.map { "\($0.source)" } == ["cc 2"])
      #expect(settings.presets.all.map(\.name) == ["slow"])
      #expect(try String(contentsOfFile: #require(copy), encoding: .utf8) == text)
      #expect(state.names == ["tactus.yaml", "tactus.yaml.damaged"])
    }
    let settings = try state.file.settings
    try state.file.write(settings)
    #expect(state.file.read().settings == settings)
    #expect(try String(contentsOfFile: state.file.path, encoding: .utf8).contains("thunder: 7"))
    #expect(state.names == ["tactus.yaml", "tactus.yaml.damaged"])
  }

  @Test func `Of values that do not fit each other the first are used`() throws {
    let state = StateFolder()
    try state.put("tempo: 88\nmeter: 5/4\naccents: Xxx\nlisten: loud\n".utf8)
    guard case .partial(let settings, _, _) = state.file.read() else {
      Issue.record("it is read whole, or not at all")
      return
    }
    #expect(settings.tempo == (try Tempo(88)))
    #expect(settings.meter == (try Meter(text: "5/4")))
    try state.file.write(settings)
    #expect(state.file.read().settings == settings)
  }

  @Test func settingsThatCanNotBeReadAreNotReplaced() throws {
    let state = StateFolder()
    try FileManager.default.createDirectory(
      atPath: state.folder + "/tactus", withIntermediateDirectories: true)
    // A regular file that the system can't read, not even for root.
    #expect(symlink("/proc/self/mem", state.file.path) == 0)
    guard case .damaged(let reason, nil) = state.file.read() else {
      Issue.record("it is read")
      return
    }
    #expect(reason.hasPrefix("can't be read"))
    let error = #expect(throws: WriteError.self) { try state.file.write(Settings()) }
    #expect(error?.reason.contains("can't be read, and are not replaced") == true)
    #expect(state.names == ["tactus.yaml"])

    // Once it can be read it is copied, because it was not read before.
    let backup = try #require(state.file.backupPath)
    #expect(unlink(state.file.path) == 0)
    try state.put("tempo: 133\n".utf8)
    try state.file.write(Settings(), keepingAs: backup)
    #expect(try String(contentsOfFile: backup, encoding: .utf8) == "tempo: 133\n")
  }

  @Test func aFileThatIsDamagedMeanwhileIsCopiedBeforeItIsReplaced() throws {
    let state = StateFolder()
    try state.put("tempo: fast".utf8)
    try state.file.write(Settings())
    #expect(try String(contentsOfFile: state.file.path + ".damaged", encoding: .utf8) == "tempo: fast")
    #expect(unlink(state.file.path + ".damaged") == 0)
    try state.put("tempo: [".utf8)
    try state.file.write(Settings())
    #expect(state.names == ["tactus.yaml", "tactus.yaml.damaged"])
    #expect(try String(contentsOfFile: state.file.path + ".damaged", encoding: .utf8) == "tempo: [")
    #expect(state.file.read().settings != nil)
  }

  @Test func `A replaced file is kept once and overwrites nothing`() throws {
    let state = StateFolder()
    #expect(state.file.backupPath == nil)
    for number in 1...3 {
      try state.put("tempo: \(90 + number)\n".utf8)
      let backup = try #require(state.file.backupPath)
      for _ in 0..<2 { try state.file.write(Settings(), keepingAs: backup) }
      #expect(state.file.read().settings == Settings())
    }
    let names = ["tactus.yaml.before-fresh", "tactus.yaml.before-fresh-2", "tactus.yaml.before-fresh-3"]
    #expect(state.names == ["tactus.yaml"] + names)
    for (index, name) in names.enumerated() {
      let kept = StateFile(path: state.folder + "/tactus/" + name).read().settings
      #expect(kept?.tempo.thousandths == 91_000 + 1_000 * index)
    }
  }

  @Test func aReasonNamesTheKeyAndTheValue() throws {
    let state = StateFolder()
    #expect(try state.damage("tempo: 1000.5\n")?.contains("tempo 1000.5: must be 1…999.999") == true)
    #expect(try state.damage("tempo: .nan\n")?.contains("tempo '.nan': must be") == true)
    #expect(try state.damage("tempo: fast\n") == "tempo 'fast': must be 1…999.999 beats a minute")
    #expect(try state.damage("notes: {cue: 128}\n")?.contains("notes.cue 128: must be 0…127") == true)
    #expect(
      try state.damage("clock: {offset: 501}\n")?.contains("clock.offset 501.0: must be -500…500") == true)
    #expect(try state.damage("meter: [4, 4]\n") == "meter (a list): must be a single value")
    #expect(try state.damage("session: /a\nsong: 1.5\n") == "song '1.5': must be a whole number")
    #expect(try state.damage("volumes: loud\n") == "volumes 'loud': must be keys and values")
    #expect(
      try state.damage("a: 1\ntempo: [1\n")?.hasPrefix("line 3, column 1: { or [ that is not closed") == true)
    #expect(try state.damage("meter: 4/0\n")?.contains("meter 4/0") == true)
    #expect(try state.damage("meter: 5/4\naccents: Xxx\n")?.contains("accents 'Xxx': must be 5 long") == true)
    #expect(try state.damage("subdivisions: {3: 7}\n")?.contains("subdivisions.3 7.0: must be 0…1") == true)
    #expect(try state.damage("volumes: {beat: -1}\n")?.contains("volumes.beat -1.0: must be 0…1") == true)
    #expect(try state.damage("swing: .inf\n")?.contains("swing '.inf': must be") == true)
    #expect(try state.damage("gap: 0+4\n")?.hasPrefix("gap 0+4: must be 1…99 bars") == true)
    #expect(try state.damage("quantise: soon\n")?.contains("quantise 'soon'") == true)
    #expect(try state.damage("role: boss\n")?.contains("role 'boss'") == true)
  }

  @Test func keysThatAreUnknownOrMissingDoNoHarm() throws {
    let state = StateFolder()
    try state.put("tempo: 90\nlamp: {colour: red}\nvolumes: {horn: 1}\npace: {legs: 2}\n".utf8)
    var expected = Settings()
    try expected.set(.tempo(Tempo(90)))
    #expect(state.file.read().settings == expected)
  }

  @Test func aliasesThatMultiplyCostNoTime() throws {
    let state = StateFolder()
    let begin = ContinuousClock.now
    for place in ["lamp: ", "tempo: ", "sound: ", "volumes: ", "? "] {
      var bomb = "l0: &l0 [x, x, x, x, x, x, x, x, x]\n"
      for level in 1..<40 {
        let last = Array(repeating: "*l\(level - 1)", count: 9).joined(separator: ", ")
        bomb += "l\(level): &l\(level) [\(last)]\n"
      }
      try state.put((bomb + place + "*l39\n").utf8)
      _ = state.file.read()
    }
    // As many as are read, in the worst order.
    try state.put("a: &a [x]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\n? [*c, *c]\n: 1\n".utf8)
    _ = state.file.read()
    #expect(ContinuousClock.now - begin < .seconds(5))
  }

  @Test func deepNestingDoesNotCrash() throws {
    let state = StateFolder()
    for opening in ["[", "{a: ", "- ", "? ", "[{"] {
      #expect(try state.damage(String(repeating: opening, count: 60_000 / opening.utf8.count)) != nil)
    }
  }

  @Test func aFileThatIsTooLargeIsNotRead() throws {
    let state = StateFolder()
    let reason = try state.damage("tempo: 90\n" + String(repeating: "#", count: StateFile.sizeLimit))
    #expect(
      reason
        == "file of more than \(StateFile.sizeLimit) bytes: must be at most \(StateFile.sizeLimit) bytes")
  }

  @Test func aFolderInTheFilesPlaceIsSetAside() throws {
    let state = StateFolder()
    try FileManager.default.createDirectory(atPath: state.file.path, withIntermediateDirectories: true)
    #expect(state.file.read().isDamaged)
    try state.file.write(Settings())
    #expect(state.file.read().settings == Settings())
  }

  @Test func `If the folder cannot be written, the error names the path`() throws {
    let state = StateFolder()
    // Root may write everywhere, but not below a file.
    try FileManager.default.createDirectory(atPath: state.folder, withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: state.folder + "/tactus"))
    let failure = #expect(throws: WriteError.self) { try state.file.write(Settings()) }
    #expect(failure.map { "\($0)" } == "\(state.file.path) can't be written: Not a directory")
  }

  @Test func aLinkToTheFileStays() throws {
    let state = StateFolder()
    try state.put([])
    let real = state.folder + "/real.yaml"
    try FileManager.default.moveItem(atPath: state.file.path, toPath: real)
    try FileManager.default.createSymbolicLink(atPath: state.file.path, withDestinationPath: real)
    try state.file.write(Settings())
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: state.file.path) == real)
    #expect(state.file.read().settings == Settings())
    #expect(state.names == ["tactus.yaml"])
  }

  @Test(arguments: ["/real.yaml", "/middle.yaml"])
  func aLinkToWhereThereIsNoFileYetStays(target: String) throws {
    let state = StateFolder()
    let real = state.folder + "/real.yaml"
    try FileManager.default.createDirectory(
      atPath: state.folder + "/tactus", withIntermediateDirectories: true)
    #expect(symlink("real.yaml", state.folder + "/middle.yaml") == 0)
    #expect(symlink("..\(target)", state.file.path) == 0)
    #expect(state.file.read().isNone)
    try state.file.write(Settings())
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: state.file.path) == "..\(target)")
    #expect(StateFile(path: real).read().settings == Settings())
    #expect(state.names == ["tactus.yaml"])
  }

  @Test func aLinkThatLeadsNowhereIsRefusedAndStays() throws {
    let state = StateFolder()
    try FileManager.default.createDirectory(
      atPath: state.folder + "/tactus", withIntermediateDirectories: true)
    for (target, reason) in [
      (
        "/nowhere/at/all",
        "it is a link to /nowhere/at/all, whose folder does not exist: create it, or remove the link"
      ),
      ("tactus.yaml", "Too many levels of symbolic links"),
    ] {
      #expect(symlink(target, state.file.path) == 0)
      let failure = #expect(throws: WriteError.self) { try state.file.write(Settings()) }
      #expect(failure?.reason == reason)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: state.file.path) == target)
      unlink(state.file.path)
    }
  }

  @Test func aPipeInTheFilesPlaceIsSetAside() throws {
    let state = StateFolder()
    try FileManager.default.createDirectory(
      atPath: state.folder + "/tactus", withIntermediateDirectories: true)
    #expect(mkfifo(state.file.path, 0o600) == 0)
    guard case .damaged(let reason, .some) = state.file.read() else {
      Issue.record("a pipe is no state file")
      return
    }
    #expect(reason == "no regular file: must be a text file, no folder, pipe or device")
    try state.file.write(Settings())
    #expect(state.names == ["tactus.yaml", "tactus.yaml.damaged"])
  }

  @Test func aLinkThatSomebodyPlantedIsNotWrittenThrough() throws {
    let state = StateFolder()
    try state.put([])
    let victim = state.folder + "/victim"
    try writeFile(Array("mine".utf8), to: victim)
    // The temporary name in earlier versions, which could be guessed.
    #expect(symlink(victim, "\(state.file.path).\(getpid()).new") == 0)
    try state.file.write(Settings())
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "mine")
  }

  @Test(.enabled(if: getuid() != 0)) func aReadOnlyFolderGivesAClearError() throws {
    let state = StateFolder()
    try state.file.write(Settings())
    chmod(state.folder + "/tactus", 0o500)
    defer { chmod(state.folder + "/tactus", 0o700) }
    let failure = #expect(throws: WriteError.self) { try state.file.write(Settings()) }
    #expect(failure.map { "\($0)" } == "\(state.file.path) can't be written: Permission denied")
    #expect(state.names == ["tactus.yaml"])
  }

  @Test func aReaderNeverSeesHalfAFile() throws {
    let state = StateFolder()
    let path = state.file.path
    var random = Generator(seed: 16)
    let written = (0..<20).map { _ in random.settings() }
    try state.file.write(written[0])
    let isOver = Atomic(false)
    let damaged = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 2) { role in
      if role == 0 {
        for round in 0..<100 { try? StateFile(path: path).write(written[round % 20]) }
        isOver.store(true, ordering: .releasing)
      } else {
        while !isOver.load(ordering: .acquiring) {
          guard let settings = StateFile(path: path).read().settings, written.contains(settings) else {
            damaged.add(1, ordering: .relaxed)
            continue
          }
        }
      }
    }
    #expect(damaged.load(ordering: .relaxed) == 0)
    #expect(state.names == ["tactus.yaml"])
  }

  @Test func namesThatAreNoFileNamesStayInTheFolder() {
    let path = StateFile(client: "../a/b").path
    #expect(path.hasSuffix("/tactus/___a_b.yaml"))
  }
}
