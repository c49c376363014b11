import Control
import ControlBench
import MusicTime
import TestNumbers
import Testing
import TimeCheck

@testable import Sessions

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

@Suite struct SettingsDocumentTests {
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
    settings.dropPlace(in: "/70: *.yaml")
    settings.keep(SessionPlace(path: "/70: *.yaml", section: 3, step: 1, bar: 2, lap: 4))
    settings.session = SessionPlace(path: "/open.yaml", section: 1)
    try state.file.write(settings)
    let read = try #require(state.file.read().settings)
    #expect(read.places == settings.places && read.places.count == 64)
    #expect(read.place(in: "/70: *.yaml")?.lap == 4 && read.place(in: "/1: *.yaml") == nil)
    // Who begins it again can return.
    settings.keep(SessionPlace(path: "/70: *.yaml", bar: 9))
    #expect(settings.place(in: "/70: *.yaml")?.section == 3)
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

  @Test func whoEditsAFileMayLeaveOutTheFirstLineAndWriteAfterTheLast() throws {
    let state = StateFolder()
    try state.file.write(Settings())
    let text = try String(contentsOfFile: state.file.path, encoding: .utf8)
    for edited in [text + "own: 1\n", String(text.drop { $0 != "\n" }), "swing: 0.5"] {
      #expect(try state.damage(edited) == nil)
    }
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
      #expect(reason.hasPrefix("role 'conductor': must be"), "\(reason)")
      #expect(reason.contains("; midi.1.target") && reason.contains("; presets.1.meter"), "\(reason)")
      #expect(settings.tempo == (try Tempo(97)) && settings.role == .free)
      #expect(settings.bindings.map { "\($0.source)" } == ["cc 2"])
      #expect(settings.presets.all.map(\.name) == ["slow", "odd"])
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

  @Test func aReasonNamesTheKeyAndTheValue() throws {
    let state = StateFolder()
    #expect(try state.damage("tempo: 1000.5\n")?.contains("tempo '1000.5': must be 1…999.999") == true)
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
    #expect(try state.damage("subdivisions: {3: 7}\n")?.contains("subdivisions.3 7: must be 0…1") == true)
    #expect(try state.damage("volumes: {beat: -1}\n")?.contains("volumes.beat '-1': must be 0…1") == true)
    #expect(try state.damage("swing: .inf\n")?.contains("swing '.inf': must be") == true)
    #expect(try state.damage("gap: 0+4\n")?.hasPrefix("gap 0+4: must be 1…99 bars") == true)
    #expect(try state.damage("quantise: soon\n")?.contains("quantise 'soon'") == true)
    #expect(try state.damage("role: boss\n")?.contains("role 'boss'") == true)
  }

  @Test func `A misspelled key is told, with the right one`() throws {
    let state = StateFolder()
    for (text, advice) in [
      ("tmepo: 90\n", "unknown key 'tmepo': tempo, perhaps"),
      ("tempo: 90\nvolumes: {beats: 1}\n", "unknown key 'volumes.beats': volumes.beat, perhaps"),
      ("Meter: 3/4\n", "unknown key 'Meter': meter, perhaps"),
      (
        "tmepo: 90\nvolumes: {mastr: 1}\nmidi: [{control: cc 1, gestur: hold, target: tap}]\n"
          + "presets: [{name: a, swng: 0}]\n",
        "unknown key 'tmepo': tempo, perhaps; unknown key 'volumes.mastr': volumes.master, perhaps; "
          + "unknown key 'midi.0.gestur': gesture, perhaps; and 1 more"
      ),
      ("tempo: 90\ntempi: 80\nthunder: 7\n3: x\n", nil),
    ] {
      try state.put(text.utf8)
      guard case .settings(_, let told) = state.file.read() else {
        Issue.record("\(text) is not read")
        return
      }
      #expect(told == advice)
    }
    #expect(
      try state.damage("tmepo: 90\nrole: boss\n")?.hasSuffix("; unknown key 'tmepo': tempo, perhaps") == true)
  }

  @Test func `Of two bindings of one control and gesture the first is used, and the file is kept as a copy`()
    throws
  {
    let state = StateFolder()
    try state.put(
      "midi:\n- {control: cc 67, target: tap}\n- {control: cc 67, gestur: hold, target: next}\n".utf8)
    guard case .partial(let settings, let reason, let copy) = state.file.read() else {
      Issue.record("it is read whole, or not at all")
      return
    }
    #expect(settings.bindings.map { "\($0.action.target)" } == ["tap"] && copy != nil)
    #expect(
      reason == "midi.1.control 'cc 67': must be bound once for each gesture; "
        + "unknown key 'midi.1.gestur': gesture, perhaps")
  }

  @Test func `A peer that is no name costs no other peer`() throws {
    let state = StateFolder()
    try state.put("connections: {out: ['system:playback_1', [], 'b:in']}\n".utf8)
    guard case .partial(let settings, let reason, _) = state.file.read() else {
      Issue.record("it is read whole, or not at all")
      return
    }
    #expect(settings.connections == ["out": ["system:playback_1", "b:in"]])
    #expect(reason == "connections.out (a list): must be a single value")
    // Without a valid peer the port is not one that the user has disconnected.
    for (peers, names) in [("[[]]", nil), ("[]", [])] as [(String, [String]?)] {
      try state.put("connections: {out: \(peers)}\n".utf8)
      #expect(try state.file.settings.connections["out"] == names)
    }
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
}
