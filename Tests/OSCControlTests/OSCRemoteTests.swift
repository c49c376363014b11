import Control
import ControlBench
import Engine
import MusicTime
import OSC
import OSCBench
import Realtime
import Testing

@testable import OSCControl

/// Tactus as an OSC app sees it, over loopback.
@Suite struct OSCRemoteTests {
  @Test func `A switch takes words as well as numbers`() throws {
    let rig = try EmbeddedRig()
    func voice(_ argument: OSCArgument) -> Bool {
      #expect(rig.answers(OSCMessage("/tactus/voice", arguments: [argument])) == [])
      return rig.settings[Parameters.voice]
    }
    for (off, on) in [("off", "on"), ("no", "yes"), ("false", "true"), ("0", "1")] {
      #expect(!voice(.string(off)))
      #expect(voice(.string(on)))
    }
    #expect(!voice(.int32(0)) && voice(.true) && !voice(.false))
    let answer = rig.answers(OSCMessage("/tactus/voice", .string("loud"))).first
    #expect(answer?.arguments.last?.text == "voice 'loud': must be a number, on or off")
    #expect(rig.answers(OSCMessage("/tactus/mute/beat", .string("on"))) == [])
    #expect(rig.settings[Parameters.mute(.beat)])
  }

  // MARK: Values

  /// An address, arguments that it accepts, and its answer afterwards.
  struct Good: Sendable, CustomTestStringConvertible {
    let address: String
    let given: [OSCArgument]
    let answered: [OSCArgument]
    var testDescription: String { "\(address) \(given)" }

    init(_ address: String, _ given: [OSCArgument], _ answered: [OSCArgument]? = nil) {
      self.address = "/tactus/" + address
      self.given = given
      self.answered = answered ?? given
    }
  }

  static let good: [Good] =
    [
      Good("tempo", [.float(133.7)]), Good("tempo", [.int32(90)], [.float(90)]),
      Good("tempo", [.double(60.5)], [.float(60.5)]), Good("tempo", [.int64(61)], [.float(61)]),
      Good("meter", [.int32(7), .int32(8)]),
      Good("meter", [.float(7), .double(8)], [.int32(7), .int32(8)]),
      Good("beat-unit", [.int32(3), .int32(8)]), Good("beat-unit", [.int32(0), .int32(0)]),
      Good("accents", [.string("Xxo.")]), Good("accents", [.symbol("XxXx")], [.string("XxXx")]),
      Good("accents", [.string("")]), Good("groups", [.string("3+1")]), Good("groups", [.string("")]),
      Good("swing", [.float(0.5)]), Good("swing", [.int32(1)], [.float(1)]),
      Good("gap", [.int32(4), .int32(2)]), Good("gap", [.float(99), .int32(0)], [.int32(99), .int32(0)]),
      Good("gap", [.int32(0), .int32(0)]),
      Good("quantise", [.string("bar")]), Good("role", [.string("follow")]), Good("role", [.string("lead")]),
      Good("role", [.string("lead-if-free")], [.string("lead")]), Good("role", [.string("midi-clock")]),
      Good("clock-in/loss", [.string("stop")]), Good("clock-in/offset", [.float(-12.5)]),
      Good("clock/stopped", [.int32(1)]), Good("clock/stopped", [.true], [.int32(1)]),
      Good("clock/offset", [.float(-12.5)]), Good("clock/offset", [.int32(500)], [.float(500)]),
      Good("notes/channel", [.int32(1)]), Good("notes/length", [.int32(1_000)]),
    ] + Subdivision.all.map { Good("subdivision/\($0.parts)", [.float(0.25)]) }
    + ["accent", "beat", "subdivision", "cue"].map { Good("notes/\($0)", [.int32(60)]) }
    + ["volume", "volume/accent", "volume/beat", "volume/subdivision", "volume/cue"].map {
      Good($0, [.float(0.75)])
    }

  @Test(arguments: good) func aGoodValueIsTakenAndReadBack(_ good: Good) throws {
    let test = try RemoteRig()
    #expect(test.answers(OSCMessage(good.address, arguments: good.given)).isEmpty)
    #expect(test.answer(good.address) == OSCMessage(good.address, arguments: good.answered))
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    let message: OSCMessage
    let reason: String
    var testDescription: String { "\(message)" }

    init(_ address: String, _ arguments: OSCArgument..., reason: String) {
      message = OSCMessage("/tactus/" + address, arguments: arguments)
      self.reason = reason
    }
  }

  static let bad =
    [
      Bad("tempo", .float(0), reason: "1…999.999"), Bad("tempo", .float(1_000), reason: "1…999.999"),
      Bad("tempo", .string("fast"), reason: "'fast': must be a number"),
      Bad("tempo", .float(1), .float(2), reason: "given as one value of the OSC type f"),
      Bad("tempo", .nil, reason: "a number"),
      Bad("tempo", .true, reason: "a number"),
      Bad("tempo", .blob([1, 2]), reason: "blob of 2 bytes"),
      Bad("tempo/nudge", reason: "given as one value of the OSC type f"),
      Bad("tempo/nudge", .float(1_000), reason: "−999…999"),
      Bad("meter", .int32(4), reason: "given as two integers, or a text such as 4/4"),
      Bad("meter", .int32(0), .int32(4), reason: "1…99"),
      Bad("meter", .int32(4), .int32(100), reason: "1…99"),
      Bad("meter", .float(3.5), .int32(4), reason: "a whole number"),
      Bad("meter", .int64(.max), .int64(.min), reason: "1…99"),
      Bad("beat-unit", .int32(5), .int32(8), reason: "dotted"),
      Bad("beat-unit", .int32(0), .int32(8), reason: "dotted"),
      Bad("accents", .string("Xx"), reason: "4 long"), Bad("accents", .string("Xyzz"), reason: "one of X"),
      Bad("accents", .int32(1), reason: "a text"), Bad("groups", .string("3+2"), reason: "a sum of 4"),
      Bad("groups", .string("3+"), reason: "3+2+2"),
      Bad("gap", .int32(4), reason: "given as two integers, or a text"),
      Bad("gap", .int32(0), .int32(4), reason: "gap 0+4: must be 1…99 bars"),
      Bad("gap", .int32(4), .int32(100), reason: "0…99 that are silent"),
      Bad("gap", .int32(4), .int32(-1), reason: "0…99 that are silent"),
      Bad("gap", .float(1.5), .int32(1), reason: "a whole number"),
      Bad("gap", .string("4+4"), .int32(1), reason: "gap '4+4': must be a whole number"),
      Bad("quantise", .string("soon"), reason: "now, beat, bar"),
      Bad("role", .string("boss"), reason: "free, follow, lead, lead-if-free, midi-clock, link"),
      Bad("clock-in/loss", .string("panic"), reason: "continue, stop"),
      Bad("clock-in/offset", .float(501), reason: "-500…500 milliseconds"),
      Bad("clock-in/offset", .float(.nan), reason: "a finite number"),
      Bad("link", .string("maybe"), reason: "a number, on or off"),
      Bad("link", .int32(1), reason: "built in"),
      Bad("link/peers", .int32(1), reason: "link/peers is read-only"),
      Bad("role", .int32(1), reason: "a text"), Bad("locate", reason: "given as the OSC types i, ii or iif"),
      Bad("locate", .int32(0), reason: "bar '0'"), Bad("locate", .int32(1), .int32(5), reason: "1…4"),
      Bad("locate", .int32(1), .int32(0), reason: "beat '0'"),
      Bad("locate", .int32(1), .int32(1), .float(1), reason: "below 1"),
      Bad("locate", .int32(1), .int32(1), .float(-0.1), reason: "at least 0"),
      Bad("clock/offset", .float(-501), reason: "-500…500 milliseconds"),
      Bad("clock/stopped", .string("x"), reason: "a number"),
      Bad("notes/cue", .int32(128), reason: "notes/cue 128: must be 0…127"),
      Bad("notes/beat", .float(1.5), reason: "a whole number"),
      Bad("notes/channel", .int32(0), reason: "1…16"), Bad("notes/length", .int32(0), reason: "1…5000"),
      Bad("start", .string("now"), reason: "a number"), Bad("stop", .blob([]), reason: "a number"),
      Bad("toggle", .string(""), reason: "a number"), Bad("tap", .string("x"), reason: "a number"),
      Bad("save", .nil, reason: "a number"), Bad("reset", .string("x"), reason: "a number"),
      Bad("leader", .int32(4), reason: "leader is read-only"), Bad("sound", .int32(3), reason: "a text"),
      Bad("subscribe", .string("osc.tcp://127.0.0.1:9/"), reason: "osc.udp://"),
      Bad("subscribe", .int32(70_000), reason: "or a port"),
      Bad("unsubscribe", reason: "one that has subscribed"), Bad("nothing", reason: "no such address"),
      Bad("volume/none", .float(1), reason: "no such address"), Bad("", reason: "no such address"),
      Bad("[", reason: "[ without ]"),
      Bad("tempo/text", .string("fast"), reason: "tempo 'fast'"), Bad("bar", .int32(1), reason: "read-only"),
      Bad("songs", .int32(0), reason: "a number from 1"), Bad("query", .int32(70_000), reason: "or a port"),
      Bad("subscribe", .int32(9_000), .int32(0), reason: "1…3600 seconds"),
      Bad("subscribe", .int32(9_000), .int32(3_601), reason: "1…3600 seconds"),
    ]

  @Test(arguments: bad) func aBadMessageIsAnsweredWithAddressAndReasonAndChangesNothing(_ bad: Bad) throws {
    let test = try RemoteRig()
    let before = test.rig.settle()
    // After a refusal by the conductor the value follows a turn later.
    let answers = test.answers(bad.message) + test.answers()
    let truth = AddressSpace.endpoint(bad.message.address).flatMap { endpoint in
      endpoint.answersWithValueAfterRefusal && !bad.message.arguments.isEmpty
        ? endpoint.value.map { endpoint.answer($0(before)) } : nil
    }
    // A fader receives the current value.
    try #require(answers.count == (truth == nil ? 1 : 2))
    if let truth { #expect(answers[1] == truth) }
    #expect(answers[0].address == "/tactus/error")
    #expect(answers[0].arguments.first == .string(bad.message.address))
    #expect(answers[0].arguments.last?.text?.contains(bad.reason) == true, "\(answers[0])")
    #expect(test.rig.settle() == before)
  }

  @Test func `Every address but ping, time and query refuses a blob`() throws {
    let test = try RemoteRig()
    let before = test.rig.settle()
    for endpoint in AddressSpace.endpoints {
      let answers = test.answers(OSCMessage(endpoint.address, .blob([1]), .blob([2])))
      switch endpoint.action {
      case .ping: #expect(answers.count == 1 && answers[0].address.hasSuffix("/pong"))
      case .time: #expect(answers.map(\.address) == ["/tactus/now"])
      case .query: #expect(answers.count == AddressSpace.endpoints.count { $0.value != nil })
      default:
        #expect(answers.count == (endpoint.answersWithValueAfterRefusal ? 2 : 1))
        #expect(answers.first?.arguments.first == .string(endpoint.address))
      }
    }
    #expect(test.rig.settle() == before)
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity]) func whatIsNoNumberIsRefused(_ value: Float) throws {
    let test = try RemoteRig()
    for name in ["tempo", "tempo/nudge", "swing", "volume", "subdivision/3"] {
      test.app.send(message("/tactus/\(name)", "f", word(value.bitPattern)), to: test.port)
      // A fader's value that applies follows the error.
      var error = try #require(test.app.receive()?.first)
      while error.address != "/tactus/error" { error = try #require(test.app.receive()?.first) }
      #expect(error.address == "/tactus/error")
      #expect(error.arguments.first == .string("/tactus/\(name)"))
    }
    #expect(test.settings == Settings())
  }

  @Test func aSoundThatCannotBeReadIsRefusedToItsSender() throws {
    let test = try RemoteRig()
    #expect(
      test.answer("/tactus/sound", .string("bad one"))
        == OSCMessage("/tactus/error", .string("/tactus/sound"), .string("no sound set 'bad one'")))
    #expect(test.settings.sound == "sine")
  }

  @Test func `A nudge moves the tempo and reports the bound at which it stops`() throws {
    let test = try RemoteRig()
    #expect(test.answers(OSCMessage("/tactus/tempo/nudge", .float(-0.5))).isEmpty)
    #expect(test.settings.tempo.thousandths == 119_500)
    let error = test.answer("/tactus/tempo/nudge", .float(-200))
    #expect(error?.arguments.last == .string("the tempo stops at 1, the lowest"))
  }

  @Test func tapsByTheSendersClockSetTheTempo() throws {
    let test = try RemoteRig()
    for tap in 0..<4 { test.send(OSCMessage("/tactus/tap", .double(100 + Double(tap) * 0.4))) }
    #expect(test.answer("/tactus/tempo") == OSCMessage("/tactus/tempo", .float(150)))
  }

  @Test func tapsInBundlesCountByTheirTimeTags() throws {
    let test = try RemoteRig()
    let origin = OSCTime.now.unixNanoseconds - 3_000_000_000
    for tap in 0..<4 {
      test.send(
        OSCMessage("/tactus/tap"), at: OSCTime(unixNanoseconds: origin + Int64(tap) * 400_000_000))
    }
    guard case .float(let tempo)? = test.answer("/tactus/tempo")?.arguments.first else {
      Issue.record("no tempo")
      return
    }
    // The two clocks are read one after the other.
    #expect(abs(tempo - 150) < 1)
  }

  // MARK: Triggers

  @Test(arguments: [.float(0), .int32(0), .false] as [OSCArgument])
  func aButtonThatIsLetGoTriggersNothing(_ release: OSCArgument) throws {
    let test = try RemoteRig()
    for name in ["start", "save", "reset", "tap", "query", "subscribe", "unsubscribe"] {
      #expect(test.answers(OSCMessage("/tactus/\(name)", release)).isEmpty)
    }
    #expect(!test.rig.settle().isPlaying)
    #expect(test.rig.disk.saves.isEmpty)
    test.rig.push(.start)
    #expect(test.answers(OSCMessage("/tactus/stop", release)).isEmpty)
    #expect(test.rig.settle().isPlaying)
  }

  @Test(arguments: [[], [.float(1)], [.int32(1)], [.true]] as [[OSCArgument]])
  func aButtonThatIsPressedTriggers(_ press: [OSCArgument]) throws {
    let test = try RemoteRig()
    #expect(test.answers(OSCMessage("/tactus/start", arguments: press)).isEmpty)
    #expect(test.rig.settle().isPlaying)
    #expect(test.answers(OSCMessage("/tactus/stop", arguments: press)).isEmpty)
    #expect(!test.rig.settle().isPlaying)
    #expect(!test.answers(OSCMessage("/tactus/subscribe", arguments: press)).isEmpty)
  }

  @Test(arguments: [.float(1), .int32(1), .true] as [OSCArgument])
  func toggleTakesAValue(_ press: OSCArgument) throws {
    let test = try RemoteRig()
    for _ in 0..<2 {
      #expect(test.answers(OSCMessage("/tactus/toggle", press)).isEmpty)
      #expect(test.rig.settle().isPlaying)
    }
    for release: OSCArgument in [.float(0), .int32(0), .false] {
      #expect(test.answers(OSCMessage("/tactus/toggle", release)).isEmpty)
      #expect(!test.rig.settle().isPlaying)
    }
  }

  @Test func toggleWithoutAValueTurnsRound() throws {
    let test = try RemoteRig()
    #expect(test.answers(OSCMessage("/tactus/toggle")).isEmpty)
    #expect(test.rig.settle().isPlaying)
    #expect(test.answers(OSCMessage("/tactus/toggle")).isEmpty)
    #expect(!test.rig.settle().isPlaying)
  }

  // MARK: Patterns, bundles, queries

  @Test func aPatternSetsAllThatItMatches() throws {
    let test = try RemoteRig()
    #expect(test.answers(OSCMessage("/tactus/volume/*", .float(0.5))).isEmpty)
    let settings = test.settings
    for fader in Fader.allCases { #expect(settings.volume(fader).gain == (fader == .master ? 1 : 0.5)) }
    let errors = test.answers(OSCMessage("/tactus/subdivision/[2-4]", .string("loud")))
    #expect(errors.map(\.arguments.first) == [.string("/tactus/subdivision/2")])
    #expect(errors.first?.arguments.last?.text?.hasSuffix("a number (and 2 more)") == true)
  }

  @Test func aPatternAsksForValuesAndRunsNoCommand() throws {
    let test = try RemoteRig()
    test.rig.push(.set(.tempo(try Tempo(90))))
    let before = test.rig.settle()
    test.send(
      OSCMessage("/tactus/*"), OSCMessage("/tactus/*/*"), OSCMessage("/tactus/*/*/*"),
      OSCMessage("/tactus/*/*/*/*"))
    // This has a value, and is a command all the same.
    let expected = AddressSpace.endpoints.filter { $0.value != nil && $0.name != "toggle" }.map(\.address)
    var answers: [OSCMessage] = []
    while answers.count < expected.count, let answer = test.app.receive()?.first { answers.append(answer) }
    #expect(Set(expected).subtracting(answers.map(\.address)) == [])
    #expect(Set(answers.map(\.address)).subtracting(expected) == [])
    #expect(answers.contains(OSCMessage("/tactus/midi/learn", .string(""))))
    #expect(test.answers().isEmpty)
    #expect(test.rig.settle() == before)
    #expect(test.remote.subscriberCount == 0)
    #expect(test.answers(OSCMessage("/tactus/tog*", .int32(1))).isEmpty)
    #expect(test.rig.settle().isPlaying)
  }

  @Test(arguments: [
    OSCMessage("/tactus/{start,reset}"), OSCMessage("/tactus/toggl?"), OSCMessage("/tactus/sa*", .int32(1)),
    OSCMessage("/tactus/subs*", .int32(9_000)), OSCMessage("/tactus/midi/lear?", .string("tempo")),
  ]) func aPatternThatMatchesCommandsAloneIsRefused(_ message: OSCMessage) throws {
    let test = try RemoteRig()
    let before = test.rig.settle()
    let answers = test.answers(message)
    #expect(answers.map(\.arguments.first) == [.string(message.address)])
    #expect(answers.first?.arguments.last?.text?.hasSuffix("must be named in full") == true)
    #expect(test.rig.settle() == before)
  }

  @Test func `Every address survives no values, a few and many, of each kind`() throws {
    let values: [OSCArgument] = [.int32(0), .int32(-1), .float(.nan), .string(""), .string("x")]
    let lists = [[]] + values.map { [$0] } + values.map { [$0, $0] } + [values, values + values]
    for endpoint in AddressSpace.endpoints {
      let test = try EmbeddedRig()
      for list in lists { _ = test.answers(OSCMessage(endpoint.address, arguments: list)) }
      #expect(test.answers(OSCMessage("/tactus/ping")).map(\.address) == ["/tactus/pong"])
    }
  }

  @Test func aQueryAnswersEverythingThatHasAValue() throws {
    let test = try RemoteRig()
    test.send(OSCMessage("/tactus/query"))
    let expected = AddressSpace.endpoints.filter { $0.value != nil }.map(\.address)
    let answers = try expected.map { _ in try #require(test.app.receive()?.first) }
    #expect(answers.map(\.address) == expected)
    #expect(answers.contains(OSCMessage("/tactus/tempo", .float(120))))
    #expect(answers.contains(OSCMessage("/tactus/meter", .int32(4), .int32(4))))
  }

  @Test func aBundleIsOneChange() throws {
    let test = try RemoteRig()
    let changes = Reasons()
    test.rig.conductor.observe {
      if case .changed(let old, let new) = $0, old.settings != new.settings {
        changes.add("\(new.settings.meter) \(new.settings.groups?.description ?? "-")")
      }
    }
    for round in 0..<50 {
      let (count, groups) = round.isMultiple(of: 2) ? (7, "3+2+2") : (5, "3+2")
      test.send(
        OSCMessage("/tactus/meter", .int32(Int32(count)), .int32(8)),
        OSCMessage("/tactus/groups", .string(groups)), at: .immediate)
      #expect(test.answers().isEmpty)
    }
    // The changes of a turn are reported at its end, before the next turn answers.
    test.rig.settle()
    #expect(changes.all == (0..<50).map { $0.isMultiple(of: 2) ? "7/8 3+2+2" : "5/8 3+2" })
  }

  @Test func aBundleForLaterWaitsForItsTime() throws {
    let test = try RemoteRig()
    let later = OSCTime(unixNanoseconds: OSCTime.now.unixNanoseconds + 3_600_000_000_000)
    test.send(OSCMessage("/tactus/tempo", .float(99)), OSCMessage("/tactus/start"), at: later)
    let warnings = test.answers()
    // Nothing was refused: the warning names no address, and its text what it is about.
    #expect(warnings.map(\.arguments.first) == [.string("")])
    let text = warnings.first?.arguments.last?.text
    #expect(text?.hasPrefix("/tactus/tempo is taken, but its time is ") == true)
    #expect(text?.hasSuffix("s ahead: see /tactus/scheduled") == true)
    #expect(test.rig.settle().settings == Settings())
    let never = OSCTime(unixNanoseconds: OSCTime.now.unixNanoseconds + 90_000_000_000_000)
    test.send(OSCMessage("/tactus/start"), at: never)
    #expect(test.app.receive()?.first?.arguments.last == .string("its time is more than a day ahead"))
  }

  @Test func whatWaitsIsListedAndClearedByItsSender() throws {
    let test = try RemoteRig()
    let later = OSCTime(unixNanoseconds: OSCTime.now.unixNanoseconds + 3_600_000_000_000)
    test.send(OSCMessage("/tactus/tempo", .float(99)), OSCMessage("/tactus/start"), at: later)
    _ = test.answers()
    let other = Peer()
    for datagram in Datagrams.of([OSCMessage("/tactus/stop")], at: later) {
      other.send(datagram, to: test.port)
    }
    _ = try #require(other.receive())
    // The clocks are read for each message, so that those of one date may come out either way.
    let rows = test.answers(OSCMessage("/tactus/scheduled"))
    let peers = [test.app, test.app, other].map { OSCArgument.string("osc.udp://127.0.0.1:\($0.port)/") }
    #expect(
      Set(rows.map { $0.arguments[1] }) == Set(["tempo", "start", "stop"].map { .string("/tactus/" + $0) }))
    #expect(rows.count == 3 && Set(rows.map { $0.arguments[2] }) == Set(peers))
    #expect(rows.allSatisfy { (3_500...3_600).contains($0.arguments[0].number ?? 0) })
    #expect(test.answers(OSCMessage("/tactus/scheduled/clear", .float(0))).isEmpty)
    #expect(test.answers(OSCMessage("/tactus/scheduled/clear", .string("most"))).count == 1)
    #expect(test.rig.settle().scheduled.count == 3)
    #expect(test.answers(OSCMessage("/tactus/scheduled/clear")).isEmpty)
    #expect(test.answers(OSCMessage("/tactus/scheduled")).map { $0.arguments[2] } == peers.suffix(1))
    #expect(test.answers(OSCMessage("/tactus/scheduled/clear", .string("all"))).isEmpty)
    #expect(test.rig.settle().scheduled.isEmpty)
  }

  // MARK: Multiplying

  @Test func aDatagramIsAnsweredWithOneErrorWhateverIsWrongInIt() throws {
    let test = try RemoteRig()
    let bad = OSCMessage("/tactus/*", .string(String(repeating: "\u{301}", count: 40)))
    test.send(bad, bad, bad, at: .immediate)
    let errors = test.answers()
    #expect(errors.map(\.address) == ["/tactus/error"])
    #expect(errors.first?.arguments.last?.text?.hasSuffix("more)") == true)
    // The conductor's refusals of one datagram cause one error, too.
    test.rig.push(.set(.meter(try Meter(3, 4))))
    let late = OSCMessage("/tactus/accents", .string("Xxxx"))
    test.send(late, late, late, OSCMessage("/tactus/swing", .float(0.5)), at: .immediate)
    #expect(test.answers().map(\.address) == ["/tactus/error", "/tactus/accents"])
    #expect(test.settings.swing.amount == 0.5)
  }

  @Test func aDatagramAsksForAllValuesTwiceAtMost() throws {
    let rig = try EmbeddedRig()
    let count = AddressSpace.endpoints.count { $0.value != nil }
    let query = OSCMessage("/tactus/query")
    let answers = rig.answers([query, query, query, query], at: .immediate)
    #expect(answers.count { $0.address != "/tactus/error" } == count)
    #expect(answers.count { $0.address == "/tactus/error" } == 1)
  }

  @Test func aDatagramHoldsFourPatternsAtMost() throws {
    let test = try RemoteRig()
    let messages = (0..<5).map { OSCMessage("/tactus/volume/*", .float(Float($0) / 10)) }
    for datagram in Datagrams.of(messages, at: .immediate) { test.app.send(datagram, to: test.port) }
    #expect(test.answers().first?.arguments.last?.text?.contains("4 patterns") == true)
    #expect(test.settings.volume(.beat).gain == 0.3)
  }

  @Test func subscribersOverhearAFewErrorsASecond() throws {
    let test = try RemoteRig()
    let other = Peer()
    other.send(message("/tactus/subscribe"), to: test.port)
    for _ in AddressSpace.endpoints.filter({ $0.value != nil }) { _ = try #require(other.receive()) }
    let began = Instant.now
    let errors = (0..<60).flatMap { _ in test.answers(OSCMessage("/tactus/locate", .float(0))) }
    #expect(errors.count == 60)
    other.send(message("/tactus/ping"), to: test.port)
    var overheard = 0
    while let heard = other.receive()?.first, heard.address == "/tactus/error" { overheard += 1 }
    #expect((1...5 + Int((Instant.now - began).components.seconds)).contains(overheard))
  }

  @Test func pingIsAnsweredWithItsArguments() throws {
    let test = try RemoteRig()
    #expect(
      test.answer("/tactus/ping", .int32(7), .string("x"))
        == OSCMessage("/tactus/pong", .int32(7), .string("x")))
  }

  @Test func whatAnotherTactusPushesIsNotAnswered() throws {
    let test = try RemoteRig()
    for address in AddressSpace.pushed {
      #expect(test.answers(OSCMessage(address), OSCMessage(address, .string("x"), .string("y"))).isEmpty)
    }
  }

  @Test func `Two that subscribe to each other come to rest`() throws {
    let (first, second) = (try RemoteRig(), try RemoteRig())
    let firstURL = try #require(first.remote.endpoint)
    let secondURL = try #require(second.remote.endpoint)
    #expect(
      !first.answers(OSCMessage("/tactus/subscribe", .string(secondURL))).contains {
        $0.address == "/tactus/error"
      })
    #expect(
      !second.answers(OSCMessage("/tactus/subscribe", .string(firstURL))).contains {
        $0.address == "/tactus/error"
      })
    // All values, which both now send, must not fill a socket of a busy machine when the tempo follows.
    #expect(comesToRest(first, pinging: second) && comesToRest(second, pinging: first))
    #expect(first.answers(OSCMessage("/tactus/tempo", .float(77))).isEmpty)
    // Each round trip gives the sockets' threads real time, and both conductors a turn.
    #expect(
      second.rig.eventually { _ in
        _ = (first.answers(), second.answers())
        return second.settings.tempo.thousandths == 77_000
      })
    // If messages were sent to and fro, the counts would not come to rest.
    #expect(comesToRest(first, pinging: second))
  }

  /// Whether a remote receives nothing more; the pings to the other one give the sockets' threads real time.
  private func comesToRest(_ one: RemoteRig, pinging other: RemoteRig) -> Bool {
    var before = -1
    return one.rig.eventually { _ in
      defer { before = one.remote.counts.received }
      _ = other.answers()
      return one.remote.counts.received == before
    }
  }
}
