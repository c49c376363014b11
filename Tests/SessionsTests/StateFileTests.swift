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
private final class Shelf {
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

  /// The reason why a text is damaged; nil if it is not.
  func damage(_ text: String) throws -> String? {
    try put(text.utf8)
    guard case .damaged(let reason, _) = file.read() else { return nil }
    return reason
  }
}

extension StateFile.Outcome {
  fileprivate var settings: Settings? { if case .settings(let settings) = self { settings } else { nil } }
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
    let shelf = Shelf()
    var random = Generator(seed: 11)
    for _ in 0..<300 {
      let settings = random.savedSettings()
      try shelf.file.write(settings)
      #expect(shelf.file.read().settings == settings)
    }
    #expect(shelf.names == ["tactus.yaml"])
  }

  @Test func whereDocumentsWereLeftIsKept() throws {
    let shelf = Shelf()
    var settings = Settings()
    for number in 1...70 {
      settings.keep(SessionPlace(path: "/\(number): *.yaml", song: 1, section: number, bar: 7))
    }
    settings.keep(SessionPlace(path: "/70: *.yaml", section: 3, step: 1, bar: 2, lap: 4))
    settings.session = SessionPlace(path: "/open.yaml", section: 1)
    try shelf.file.write(settings)
    let read = try #require(shelf.file.read().settings)
    #expect(read.places == settings.places && read.places.count == 64)
    #expect(read.place(in: "/70: *.yaml")?.lap == 4 && read.place(in: "/1: *.yaml") == nil)
    // Who goes back to the start has left no place.
    settings.keep(SessionPlace(path: "/70: *.yaml"))
    #expect(settings.place(in: "/70: *.yaml") == nil)
  }

  @Test func whatWasMeasuredIsKeptWithItsMode() throws {
    let shelf = Shelf()
    var settings = Settings()
    for (port, mode) in [("listen-a", ListeningSetup.Mode.mic), ("listen-b", .trigger), ("hits", nil)] {
      settings.keep(
        Calibration(
          port: port, device: "system:capture_1", mode: mode, period: 256, sampleRate: 48_000, offset: 5.5,
          spread: 0.25, bleed: 0.125, click: Calibration.Click(volume: 0.5, sound: "sine")))
    }
    try shelf.file.write(settings)
    #expect(shelf.file.read().settings?.calibrations == settings.calibrations)
    // A mode of a newer version fits nothing here, and the file is read.
    let text = try String(contentsOfFile: shelf.file.path, encoding: .utf8)
    try text.replacing("mode: mic", with: "mode: laser")
      .write(toFile: shelf.file.path, atomically: true, encoding: .utf8)
    let read = try #require(shelf.file.read().settings)
    #expect(read.calibrations.map(\.mode) == [.record, .trigger, nil])
  }

  @Test func whoIsToldOfEverythingIsKept() throws {
    let shelf = Shelf()
    var settings = Settings()
    for port in 9_000..<9_008 { try settings.feed(.add(url: "osc.udp://192.168.1.7:\(port)/")) }
    try shelf.file.write(settings)
    #expect(shelf.file.read().settings?.feedback.urls == settings.feedback.urls)
    try settings.feed(.remove(url: "osc.udp://192.168.1.7:9000/"))
    try shelf.file.write(settings)
    #expect(shelf.file.read().settings == settings)
  }

  @Test func asterisksAreNoAliases() throws {
    let shelf = Shelf()
    var settings = Settings()
    for number in 0..<64 {
      let action = try MIDIAction(MIDITarget(text: "goto * Verse *\(number)"))
      try settings.bind(MIDIBinding(MIDISource(text: "note \(number)"), action))
    }
    try shelf.file.write(settings)
    #expect(shelf.file.read().settings == settings)
    #expect(
      try shelf.damage("a: &a 1\nb: [\(Array(repeating: "*a", count: 9).joined(separator: ", "))]\n")
        == "line 2, column 5: alias *a: must be written out: no aliases")
  }

  @Test func keysOfANewerVersionAreKept() throws {
    let shelf = Shelf()
    var settings = Settings()
    try settings.bind(MIDIBinding(MIDISource(text: "note 60"), MIDIAction(MIDITarget(text: "tap"))))
    try settings.bind(MIDIBinding(MIDISource(text: "note 61"), MIDIAction(MIDITarget(text: "toggle"))))
    try shelf.file.write(settings)
    let text = try String(contentsOfFile: shelf.file.path, encoding: .utf8)
    let newer =
      text.replacing("volumes:\n", with: "volumes:\n  thunder: 0.3\n").replacing(
        "- control: note 61\n", with: "- control: note 61\n  lamp: {colour: red, levels: [1, '2', ~]}\n")
      + "theme: {name: dark, sizes: [12, 'yes', ''], empty: }\nzoom: 1.50\n'quoted: key': \"1\"\n"
    #expect(newer != text)
    try shelf.put(newer.utf8)
    #expect(shelf.file.read().settings == settings)

    // Several saves, among them one without any binding.
    let kept = try Keys(newer)
    for tempo in [100_000, 101_000] {
      try settings.set(.tempo(Tempo(thousandths: tempo)))
      try shelf.file.write(settings)
      let written = try Keys(String(contentsOfFile: shelf.file.path, encoding: .utf8))
      #expect(written.unknown == kept.unknown && kept.unknown.count > 10)
      #expect(shelf.file.read().settings == settings)
    }
    try settings.unbind(MIDITarget(text: "toggle"))
    try shelf.file.write(settings)
    let left = try Keys(String(contentsOfFile: shelf.file.path, encoding: .utf8))
    #expect(left.unknown == kept.unknown.filter { !$0.contains("lamp") })
  }

  @Test func unknownKeysNeverMakeTheFileTooLargeToBeRead() throws {
    let shelf = Shelf()
    let own = "own: '\(String(repeating: "x", count: StateFile.sizeLimit - 20))'\n"
    try shelf.put(own.utf8)
    #expect(shelf.file.read().settings == Settings())
    try shelf.file.write(Settings())
    #expect(shelf.file.read().settings == Settings())
    #expect(shelf.names == ["tactus.yaml", "tactus.yaml.too-large"])
    #expect(try String(contentsOfFile: shelf.file.path + ".too-large", encoding: .utf8) == own)
  }

  @Test func numbersAreWrittenAsPeopleWriteThem() throws {
    let shelf = Shelf()
    var settings = Settings()
    try settings.set(.swing(Swing(0.667)))
    try settings.set(.volume(.beat, Volume(0.1)))
    try shelf.file.write(settings)
    let lines = try String(contentsOfFile: shelf.file.path, encoding: .utf8).split(separator: "\n")
    for line in ["tempo: 120", "swing: 0.667", "  beat: 0.1", "  accent: 1"] {
      #expect(lines.contains { $0 == line }, "\(line)")
    }
  }

  @Test func everyTempoIsReadBackToTheThousandth() throws {
    let shelf = Shelf()
    var random = Generator(seed: 12)
    for _ in 0..<100 {
      var settings = Settings()
      try settings.set(.tempo(Tempo(clamping: .random(in: 1_000...999_999, using: &random))))
      try shelf.file.write(settings)
      #expect(shelf.file.read().settings == settings)
    }
  }

  @Test func numbersFinerThanTheirStepAreSavedAsTheyWereTaken() throws {
    let shelf = Shelf()
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
      try shelf.file.write(settings)
      #expect(shelf.file.read().settings == settings)
      // The same if they come from a state file.
      try shelf.put(
        "pace: {offset: \(number)}\nclock-in-offset: \(number)\nclock: {offset: \(number)}\n".utf8)
      let read = try #require(shelf.file.read().settings)
      try shelf.file.write(read)
      #expect(shelf.file.read().settings == read)
    }
  }

  @Test func aRunnerIsReadBack() throws {
    let shelf = Shelf()
    var settings = Settings()
    try settings.set(.profile(.runner))
    try settings.set(.tempo(Tempo(clamping: 171_500)))
    try settings.set(.volume(.master, Volume(0.7)))
    for (constant, value) in [(CadenceConstant.height, 1.83), (.offset, -3.5), (.slope, 7)] {
      try settings.set(Parameters.cadence(constant).setting(value))
    }
    try settings.set(.followPace(true))
    try shelf.file.write(settings)
    #expect(shelf.file.read().settings == settings)
    // Ableton Link may have had a tempo that the profile does not allow.
    #expect(try shelf.damage("profile: watch\ntempo: 171.5\n") == nil)
    #expect(shelf.file.read().settings?.tempo.thousandths == 150_000)
  }

  @Test func aFileThatIsMissingIsNoDamage() {
    let shelf = Shelf()
    #expect(shelf.file.read().isNone)
    #expect(shelf.names.isEmpty)
  }

  @Test func aFileCutOffAnywhereIsSetAside() throws {
    let shelf = Shelf()
    var random = Generator(seed: 13)
    try shelf.file.write(random.savedSettings())
    let whole = try Data(contentsOf: URL(fileURLWithPath: shelf.file.path))
    // The last byte is the end of the last line.
    for length in 0..<whole.count - 1 {
      try shelf.put(whole.prefix(length))
      switch shelf.file.read() {
      case .none: Issue.record("it was there")
      case .settings: Issue.record("\(length) of \(whole.count) bytes are read")
      case .damaged(let reason, let movedTo):
        #expect(!reason.isEmpty && !reason.contains("\n"))
        let aside = try #require(movedTo)
        #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == whole.prefix(length))
        try FileManager.default.removeItem(atPath: aside)
      }
    }
  }

  @Test func whoEditsAFileMayLeaveOutTheFirstLineAndWriteAfterTheLast() throws {
    let shelf = Shelf()
    try shelf.file.write(Settings())
    let text = try String(contentsOfFile: shelf.file.path, encoding: .utf8)
    for edited in [text + "own: 1\n", String(text.drop { $0 != "\n" }), "swing: 0.5"] {
      #expect(try shelf.damage(edited) == nil)
    }
  }

  @Test func randomBytesAreSetAsideAndNeverCrash() throws {
    let shelf = Shelf()
    var random = Generator(seed: 14)
    for _ in 0..<1_000 {
      try shelf.put(
        (0..<Int.random(in: 1...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
      if case .damaged(_, let movedTo?) = shelf.file.read() {
        try FileManager.default.removeItem(atPath: movedTo)
      }
    }
  }

  @Test func randomlyChangedFilesGiveValidSettingsOrAreSetAside() throws {
    let shelf = Shelf()
    var random = Generator(seed: 15)
    try shelf.file.write(random.settings())
    let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: shelf.file.path)))
    for _ in 0..<10_000 {
      var bytes = whole
      for _ in 0..<3 {
        bytes[.random(in: bytes.indices, using: &random)] = UInt8.random(in: 32...126, using: &random)
      }
      try shelf.put(bytes)
      switch shelf.file.read() {
      case .none: Issue.record("it was there")
      case .settings(let settings): #expect(throws: Never.self) { try settings.layout }
      case .damaged(_, let movedTo): try FileManager.default.removeItem(atPath: #require(movedTo))
      }
    }
  }

  @Test func eachDamagedFileIsKeptUnderANameOfItsOwn() throws {
    let shelf = Shelf()
    for text in ["[", "{", "tempo: x"] { #expect(try shelf.damage(text) != nil) }
    #expect(
      shelf.names == ["tactus.yaml.damaged", "tactus.yaml.damaged-2", "tactus.yaml.damaged-3"])
  }

  @Test func settingsThatCanNotBeReadAreNotReplaced() throws {
    let shelf = Shelf()
    try FileManager.default.createDirectory(
      atPath: shelf.folder + "/tactus", withIntermediateDirectories: true)
    // A regular file that the system can't read, not even for root.
    #expect(symlink("/proc/self/mem", shelf.file.path) == 0)
    guard case .damaged(let reason, nil) = shelf.file.read() else {
      Issue.record("it is read")
      return
    }
    #expect(reason.hasPrefix("can't be read"))
    let error = #expect(throws: WriteError.self) { try shelf.file.write(Settings()) }
    #expect(error?.reason.contains("can't be read, and are not replaced") == true)
    #expect(shelf.names == ["tactus.yaml"])

    // Once it can be read it is copied, because it was not read before.
    let backup = try #require(shelf.file.backupPath)
    #expect(unlink(shelf.file.path) == 0)
    try shelf.put("tempo: 133\n".utf8)
    try shelf.file.write(Settings(), keepingAs: backup)
    #expect(try String(contentsOfFile: backup, encoding: .utf8) == "tempo: 133\n")
  }

  @Test func aFileThatIsDamagedMeanwhileIsCopiedBeforeItIsReplaced() throws {
    let shelf = Shelf()
    try shelf.put("tempo: fast".utf8)
    try shelf.file.write(Settings())
    #expect(try String(contentsOfFile: shelf.file.path + ".damaged", encoding: .utf8) == "tempo: fast")
    #expect(unlink(shelf.file.path + ".damaged") == 0)
    try shelf.put("tempo: [".utf8)
    try shelf.file.write(Settings())
    #expect(shelf.names == ["tactus.yaml", "tactus.yaml.damaged"])
    #expect(try String(contentsOfFile: shelf.file.path + ".damaged", encoding: .utf8) == "tempo: [")
    #expect(shelf.file.read().settings != nil)
  }

  @Test func `A replaced file is kept once and overwrites nothing`() throws {
    let shelf = Shelf()
    #expect(shelf.file.backupPath == nil)
    for number in 1...3 {
      try shelf.put("tempo: \(90 + number)\n".utf8)
      let backup = try #require(shelf.file.backupPath)
      for _ in 0..<2 { try shelf.file.write(Settings(), keepingAs: backup) }
      #expect(shelf.file.read().settings == Settings())
    }
    let names = ["tactus.yaml.before-fresh", "tactus.yaml.before-fresh-2", "tactus.yaml.before-fresh-3"]
    #expect(shelf.names == ["tactus.yaml"] + names)
    for (index, name) in names.enumerated() {
      let kept = StateFile(path: shelf.folder + "/tactus/" + name).read().settings
      #expect(kept?.tempo.thousandths == 91_000 + 1_000 * index)
    }
  }

  @Test func aReasonNamesTheKeyAndTheValue() throws {
    let shelf = Shelf()
    #expect(try shelf.damage("tempo: 1000.5\n")?.contains("tempo 1000.5: must be 1…999.999") == true)
    #expect(try shelf.damage("tempo: .nan\n")?.contains("tempo '.nan': must be") == true)
    #expect(try shelf.damage("tempo: fast\n") == "tempo 'fast': must be 1…999.999 beats a minute")
    #expect(try shelf.damage("notes: {cue: 128}\n")?.contains("notes.cue 128: must be 0…127") == true)
    #expect(
      try shelf.damage("clock: {offset: 501}\n")?.contains("clock.offset 501.0: must be -500…500") == true)
    #expect(try shelf.damage("meter: [4, 4]\n") == "meter (a list): must be a single value")
    #expect(try shelf.damage("session: /a\nsong: 1.5\n") == "song '1.5': must be a whole number")
    #expect(try shelf.damage("volumes: loud\n") == "volumes 'loud': must be keys and values")
    #expect(
      try shelf.damage("a: 1\ntempo: [1\n")?.hasPrefix("line 3, column 1: { or [ that is not closed") == true)
    #expect(try shelf.damage("meter: 4/0\n")?.contains("meter 4/0") == true)
    #expect(try shelf.damage("meter: 5/4\naccents: Xxx\n")?.contains("accents 'Xxx': must be 5 long") == true)
    #expect(try shelf.damage("subdivisions: {3: 7}\n")?.contains("subdivisions.3 7.0: must be 0…1") == true)
    #expect(try shelf.damage("volumes: {beat: -1}\n")?.contains("volumes.beat -1.0: must be 0…1") == true)
    #expect(try shelf.damage("swing: .inf\n")?.contains("swing '.inf': must be") == true)
    #expect(try shelf.damage("gap: 0+4\n")?.hasPrefix("gap 0+4: must be 1…99 bars") == true)
    #expect(try shelf.damage("quantise: soon\n")?.contains("quantise 'soon'") == true)
    #expect(try shelf.damage("role: boss\n")?.contains("role 'boss'") == true)
  }

  @Test func keysThatAreUnknownOrMissingDoNoHarm() throws {
    let shelf = Shelf()
    try shelf.put("tempo: 90\nlamp: {colour: red}\nvolumes: {horn: 1}\npace: {legs: 2}\n".utf8)
    var expected = Settings()
    try expected.set(.tempo(Tempo(90)))
    #expect(shelf.file.read().settings == expected)
  }

  @Test func aliasesThatMultiplyCostNoTime() throws {
    let shelf = Shelf()
    let begin = ContinuousClock.now
    for place in ["lamp: ", "tempo: ", "sound: ", "volumes: ", "? "] {
      var bomb = "l0: &l0 [x, x, x, x, x, x, x, x, x]\n"
      for level in 1..<40 {
        let last = Array(repeating: "*l\(level - 1)", count: 9).joined(separator: ", ")
        bomb += "l\(level): &l\(level) [\(last)]\n"
      }
      try shelf.put((bomb + place + "*l39\n").utf8)
      _ = shelf.file.read()
    }
    // As many as are read, in the worst order.
    try shelf.put("a: &a [x]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\n? [*c, *c]\n: 1\n".utf8)
    _ = shelf.file.read()
    #expect(ContinuousClock.now - begin < .seconds(5))
  }

  @Test func deepNestingDoesNotCrash() throws {
    let shelf = Shelf()
    for opening in ["[", "{a: ", "- ", "? ", "[{"] {
      #expect(try shelf.damage(String(repeating: opening, count: 60_000 / opening.utf8.count)) != nil)
    }
  }

  @Test func aFileThatIsTooLargeIsNotRead() throws {
    let shelf = Shelf()
    let reason = try shelf.damage("tempo: 90\n" + String(repeating: "#", count: StateFile.sizeLimit))
    #expect(
      reason
        == "file of more than \(StateFile.sizeLimit) bytes: must be at most \(StateFile.sizeLimit) bytes")
  }

  @Test func aFolderInTheFilesPlaceIsSetAside() throws {
    let shelf = Shelf()
    try FileManager.default.createDirectory(atPath: shelf.file.path, withIntermediateDirectories: true)
    #expect(shelf.file.read().isDamaged)
    try shelf.file.write(Settings())
    #expect(shelf.file.read().settings == Settings())
  }

  @Test func `If the folder cannot be written, the error names the path`() throws {
    let shelf = Shelf()
    // Root may write everywhere, but not below a file.
    try FileManager.default.createDirectory(atPath: shelf.folder, withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: shelf.folder + "/tactus"))
    let failure = #expect(throws: WriteError.self) { try shelf.file.write(Settings()) }
    #expect(failure.map { "\($0)" } == "\(shelf.file.path) can't be written: Not a directory")
  }

  @Test func aLinkToTheFileStays() throws {
    let shelf = Shelf()
    try shelf.put([])
    let real = shelf.folder + "/real.yaml"
    try FileManager.default.moveItem(atPath: shelf.file.path, toPath: real)
    try FileManager.default.createSymbolicLink(atPath: shelf.file.path, withDestinationPath: real)
    try shelf.file.write(Settings())
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: shelf.file.path) == real)
    #expect(shelf.file.read().settings == Settings())
    #expect(shelf.names == ["tactus.yaml"])
  }

  @Test(arguments: ["/real.yaml", "/middle.yaml"])
  func aLinkToWhereThereIsNoFileYetStays(target: String) throws {
    let shelf = Shelf()
    let real = shelf.folder + "/real.yaml"
    try FileManager.default.createDirectory(
      atPath: shelf.folder + "/tactus", withIntermediateDirectories: true)
    #expect(symlink("real.yaml", shelf.folder + "/middle.yaml") == 0)
    #expect(symlink("..\(target)", shelf.file.path) == 0)
    #expect(shelf.file.read().isNone)
    try shelf.file.write(Settings())
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: shelf.file.path) == "..\(target)")
    #expect(StateFile(path: real).read().settings == Settings())
    #expect(shelf.names == ["tactus.yaml"])
  }

  @Test func aLinkThatLeadsNowhereIsRefusedAndStays() throws {
    let shelf = Shelf()
    try FileManager.default.createDirectory(
      atPath: shelf.folder + "/tactus", withIntermediateDirectories: true)
    for (target, reason) in [
      (
        "/nowhere/at/all",
        "it is a link to /nowhere/at/all, whose folder does not exist: create it, or remove the link"
      ),
      ("tactus.yaml", "Too many levels of symbolic links"),
    ] {
      #expect(symlink(target, shelf.file.path) == 0)
      let failure = #expect(throws: WriteError.self) { try shelf.file.write(Settings()) }
      #expect(failure?.reason == reason)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: shelf.file.path) == target)
      unlink(shelf.file.path)
    }
  }

  @Test func aPipeInTheFilesPlaceIsSetAside() throws {
    let shelf = Shelf()
    try FileManager.default.createDirectory(
      atPath: shelf.folder + "/tactus", withIntermediateDirectories: true)
    #expect(mkfifo(shelf.file.path, 0o600) == 0)
    guard case .damaged(let reason, .some) = shelf.file.read() else {
      Issue.record("a pipe is no state file")
      return
    }
    #expect(reason == "no regular file: must be a text file, no folder, pipe or device")
    try shelf.file.write(Settings())
    #expect(shelf.names == ["tactus.yaml", "tactus.yaml.damaged"])
  }

  @Test func aLinkThatSomebodyPlantedIsNotWrittenThrough() throws {
    let shelf = Shelf()
    try shelf.put([])
    let victim = shelf.folder + "/victim"
    try writeFile(Array("mine".utf8), to: victim)
    // The temporary name in earlier versions, which could be guessed.
    #expect(symlink(victim, "\(shelf.file.path).\(getpid()).new") == 0)
    try shelf.file.write(Settings())
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "mine")
  }

  @Test(.enabled(if: getuid() != 0)) func aReadOnlyFolderGivesAClearError() throws {
    let shelf = Shelf()
    try shelf.file.write(Settings())
    chmod(shelf.folder + "/tactus", 0o500)
    defer { chmod(shelf.folder + "/tactus", 0o700) }
    let failure = #expect(throws: WriteError.self) { try shelf.file.write(Settings()) }
    #expect(failure.map { "\($0)" } == "\(shelf.file.path) can't be written: Permission denied")
    #expect(shelf.names == ["tactus.yaml"])
  }

  @Test func aReaderNeverSeesHalfAFile() throws {
    let shelf = Shelf()
    let path = shelf.file.path
    var random = Generator(seed: 16)
    let written = (0..<20).map { _ in random.settings() }
    try shelf.file.write(written[0])
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
    #expect(shelf.names == ["tactus.yaml"])
  }

  @Test func namesThatAreNoFileNamesStayInTheFolder() {
    let path = StateFile(client: "../a/b").path
    #expect(path.hasSuffix("/tactus/___a_b.yaml"))
  }
}
