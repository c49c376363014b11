import Control
import Engine
import MusicTime
import Testing

@testable import Panel

@Suite struct PanelKeysTests {
  @Test func `A letter asks for what an OSC message would`() throws {
    var model = model()
    let updates: [(Character, Update)] = [
      (" ", .toggle), ("t", .tap(seconds: nil)), ("m", .set(.mute(true))), ("n", .go(.next)),
      ("g", .set(.gap(.everyOther))),
      ("p", .go(.previous)), ("N", .go(.nextSong)), ("P", .go(.previousSong)), ("h", .hold(true)),
      ("f", .fade(milliseconds: 5_000)), ("b", .stopAtBar), ("s", .save), ("+", .nudge(thousandths: 1_000)),
      ("-", .nudge(thousandths: -1_000)),
      ("l", .learn(try MIDIAction(.parameter(Parameters.tempo.parameter)))),
    ]
    for (letter, update) in updates { #expect(model.press(.character(letter)) == .update(update)) }
    #expect(model.press(.character("q")) == .quit)
    for letter in "xyz!äß0" { #expect(model.press(.character(letter)) == nil) }
    #expect(model.press(.escape, .backspace) == nil)
    #expect(model.press(.enter) == .update(.advance))
    #expect(model.press(.pageDown) == .update(.go(.next)) && model.press(.pageUp) == .update(.go(.previous)))
    #expect(model.press(.function(3)) == .update(.preset(.recall(.number(3)))))
  }

  @Test func `A key makes a code for a phone; any key closes it, and space also stops`() {
    var model = model()
    #expect(model.press(.character("W")) == .pair)
    let code = Array(repeating: String(repeating: "█", count: 37), count: 19)
    let card = PairingCard(code: code, lines: ["http://192.168.1.5:9700/#t=abc", "PIN 123456"])
    model.pairing = card
    let lines = model.lines(80, 24)
    #expect(lines[1...19].allSatisfy { $0 == String(repeating: " ", count: 21) + code[0] })
    #expect(lines[20] == " http://192.168.1.5:9700/#t=abc" && lines[21] == " PIN 123456")
    // Without room for the code the words stay.
    let few = model.lines(30, 8)
    #expect(
      few[1...4].map(\.self) == [
        " http://192.168.1.5:9700/#t=a", " bc", " PIN 123456", " a window of 37x24 shows the …",
      ])
    #expect(model.press(.character("q")) == nil && model.pairing == nil)
    model.pairing = card
    #expect(model.press(.character(" ")) == .update(.toggle) && model.pairing == nil)
  }

  @Test func `What is on goes off`() throws {
    var model = try model {
      try $0.set(.mute(true))
      try $0.set(.gap(Gap(play: 4, rest: 2)))
      $0.snapshot.learning = try MIDIAction(.tap)
      $0.snapshot.progress = try progress { ($0.isHeld, $0.gap) = (true, .everyOther) }
    }
    #expect(model.press(.character("m")) == .update(.set(.mute(false))))
    #expect(model.press(.character("g")) == .update(.set(.gap(.off))))
    #expect(model.press(.character("l")) == .update(.learn(nil)))
    #expect(model.press(.character("h")) == .update(.hold(false)))
    // It depends on how things stand by then, which the panel need not know yet.
    #expect(model.press(.character(" ")) == .update(.toggle))
  }

  @Test func `Arrows move the tempo by 1 and 10, with shift by 0.1`() {
    var model = model()
    let steps: [(Key.Direction, Bool, Int)] = [
      (.up, false, 1_000), (.down, false, -1_000), (.right, false, 10_000), (.left, false, -10_000),
      (.up, true, 100), (.down, true, -100), (.right, true, 100), (.left, true, -100),
    ]
    for (direction, isShifted, thousandths) in steps {
      #expect(
        model.press(.arrow(direction, isShifted: isShifted)) == .update(.nudge(thousandths: thousandths)))
    }
  }

  @Test func `Arrows move a session's speed within its bounds`() throws {
    var model = try model { $0.snapshot.progress = try progress { $0.speed = 395 } }
    #expect(model.press(.arrow(.up, isShifted: false)) == .update(.speed(percent: 396)))
    #expect(model.press(.arrow(.right, isShifted: false)) == .update(.speed(percent: 400)))
    // With shift the tempo of this song, by a beat a minute.
    #expect(model.press(.arrow(.up, isShifted: true)) == .update(.nudge(thousandths: 1_000)))
    #expect(model.press(.arrow(.left, isShifted: true)) == .update(.nudge(thousandths: -1_000)))
    model.snapshot.progress?.nudge = 1_500
    #expect(model.lines().contains { $0.contains("speed 395 %, +1.5 BPM") })
    model.snapshot.progress?.speed = 12
    #expect(model.press(.arrow(.left, isShifted: false)) == .update(.speed(percent: 10)))
  }

  @Test func `Tab goes through all that arrows move, and back`() throws {
    var model = model()
    var seen: [Parameter] = []
    repeat {
      seen.append(model.focus)
      _ = model.press(.tab)
    } while model.focus != Parameters.tempo.parameter
    #expect(seen.count == 1 + 8 + 1 + model.choices.count + Fader.allCases.count)
    #expect(seen == model.fields)
    _ = model.press(.backTab)
    #expect(model.focus == Parameters.volume(.cue).parameter)
    // A session brings its own pattern.
    model.focus = Parameters.swing.parameter
    model.snapshot.progress = try progress()
    #expect(model.focus == Parameters.tempo.parameter)
    _ = model.press(.tab)
    #expect(model.focus == Parameters.volume(.master).parameter)
  }

  @Test func `A fader moves by percents, and stops at its ends`() throws {
    let third = Parameters.subdivision(try Subdivision(3)).parameter
    var model = model { $0.focus = third }
    func press(_ direction: Key.Direction, shifted: Bool = false) throws -> Double? {
      guard case .update(.set(let setting)) = model.press(.arrow(direction, isShifted: shifted)) else {
        return nil
      }
      try model.set(setting)
      return model.share(of: third)
    }
    var values: [Int?] = []
    values.append(try press(.down).map { Int(($0 * 1_000).rounded()) })
    for direction in [Key.Direction.right, .up, .left] {
      values.append(try press(direction).map { Int(($0 * 1_000).rounded()) })
    }
    values.append(try press(.up, shifted: true).map { Int(($0 * 1_000).rounded()) })
    for _ in 1...12 { _ = try press(.right) }
    values.append(model.share(of: third) == 1 ? 1_000 : nil)
    #expect(values == [0, 100, 110, 10, 11, 1_000])
    #expect(model.press(.character("l")) == .update(.learn(try MIDIAction(.parameter(third)))))
  }

  @Test func `Swing is told and moved in per cent of the pair`() throws {
    var model = model { $0.focus = Parameters.swing.parameter }
    func press(_ direction: Key.Direction, shifted: Bool = false) throws {
      if case .update(.set(let setting)) = model.press(.arrow(direction, isShifted: shifted)) {
        try model.set(setting)
      }
    }
    try model.set(.swing(Swing(text: "62%")))
    #expect(model.lines(80, 24).contains { $0.contains("swing") && $0.contains("62 %") })
    try press(.up)
    #expect(model.snapshot.settings.swing == (try Swing(text: "63%")))
    try press(.right)
    #expect(model.snapshot.settings.swing == (try Swing(text: "73%")))
    try press(.right)
    #expect(model.snapshot.settings.swing == (try Swing(text: "75%")))
    try press(.down, shifted: true)
    #expect(model.snapshot.settings.swing == (try Swing(text: "74.9%")))
    for _ in 1...3 { try press(.left) }
    #expect(model.snapshot.settings.swing == .straight)
  }

  @Test(arguments: [
    ("7/8", Update.set(.meter(try! Meter(7, 8)))), ("12/16", .set(.meter(try! Meter(12, 16)))),
    ("99/99", .set(.meter(try! Meter(99, 99)))), ("5/", .set(.meter(try! Meter(5, 4)))),
    ("133.7", .set(.tempo(Tempo(clamping: 133_700)))), ("9", .set(.tempo(Tempo(clamping: 9_000)))),
    ("999.999", .set(.tempo(Tempo(clamping: 999_999)))), (":sound cowbell", .set(.sound("cowbell"))),
    (":accents Xxox", .set(.accents(try! AccentPattern(text: "Xxox")))), (":accents", .set(.accents(nil))),
    (":swing 62%", .set(.swing(try! Swing(0.48)))), (":save Verse 2", .preset(.save("Verse 2"))),
    (":save  \"Verse\" ", .preset(.save("Verse"))), (":remove A", .preset(.remove(.name("A")))),
    (":volume 50%", .set(.volume(.master, try! Volume(0.5)))), (":meter 7", .set(.meter(try! Meter(7, 4)))),
    (":subdivision/3 40%", .set(.subdivision(try! Subdivision(3), try! Volume(0.4)))),
    (":fade", .fade(milliseconds: 5_000)), (":fade 1.5", .fade(milliseconds: 1_500)),
    (":volume 50 %", .set(.volume(.master, try! Volume(0.5)))),
    (":tempo 96bpm", .set(.tempo(try! Tempo(96)))), (":tempo 96.5 BPM", .set(.tempo(try! Tempo(96.5)))),
    (":click/offset 10 ms", .set(try! Setting(Parameters.clickOffset.parameter, .number(10)))),
    (":click/offset -1.5ms", .set(try! Setting(Parameters.clickOffset.parameter, .number(-1.5)))),
    (":voice/rate 200 wpm", .set(try! Setting(Parameters.voiceRate.parameter, .integer(200)))),
    (":voice off", .set(try! Setting(Parameters.voice.parameter, .flag(false)))),
    (":go", .advance), (":stop/bar", .stopAtBar), (":pause", .pause), (":goto chorus", .go(.named("chorus"))),
    (":song 2", .go(.song(2))), (":restart", .restart), (":tempo/nudge -1", .nudge(thousandths: -1_000)),
    (":mute", .set(.mute(true))),
    (":mute/beat", .set(try! Setting(Parameters.mute(.beat).parameter, .flag(true)))),
    (":learn tap", .learn(try! MIDIAction(.tap))), (":unlearn tap", .unlearn(.tap)),
    (":map lpd8", .load(.lpd8)), (":role lead", .set(.role(.lead))), (":role lead-if-free", .leadIfFree),
    (":bpm 100", .set(.tempo(try! Tempo(100)))), (":meter 7/", .set(.meter(try! Meter(7, 4)))),
    (":open gig.yaml", .open(path: "gig.yaml")),
    (":learn tap hold", .learn(try! MIDIAction(.tap, gesture: .hold))),
    (":learn goto on (hold)", .learn(try! MIDIAction(.goto("on"), gesture: .hold))),
    (":learn goto on hold", .learn(try! MIDIAction(.goto("on hold")))),
    (":learn preset hold", .learn(try! MIDIAction(.preset(.name("hold"))))),
    (":learn tempo/nudge 2 double", .learn(try! MIDIAction(.nudge(thousandths: 2_000), gesture: .double))),
    (
      ":learn /tactus/tempo 80 160",
      .learn(try! MIDIAction(.parameter(Parameters.tempo.parameter), range: 80...160))
    ),
    (":close", .open(path: "")),
    (":learn tempo 80 160", .learn(try! MIDIAction(.parameter(Parameters.tempo.parameter), range: 80...160))),
    (
      ":learn tempo twos-complement",
      .learn(try! MIDIAction(.parameter(Parameters.tempo.parameter), coding: .twosComplement))
    ),
    (":rename Verse to Chorus", .preset(.rename(.name("Verse"), to: "Chorus"))),
    (":rename \"Verse 2\" to \"Last one\"", .preset(.rename(.name("Verse 2"), to: "Last one"))),
    (":rename Verse 2 to Last one", .preset(.rename(.name("Verse 2"), to: "Last one"))),
    (":rename 2 to Intro", .preset(.rename(.number(2), to: "Intro"))),
    (":move Verse 1", .preset(.move(.name("Verse"), to: 1))),
    (":move \"Verse 2\" 1", .preset(.move(.name("Verse 2"), to: 1))),
    (":move Verse 2 11", .preset(.move(.name("Verse 2"), to: 11))),
    (":move 3 1", .preset(.move(.number(3), to: 1))),
    (":preset Verse 2", .preset(.recall(.name("Verse 2")))), (":preset 2", .preset(.recall(.number(2)))),
  ])
  func `Digits type a tempo or a meter, and a colon any parameter`(typed: String, update: Update) {
    var model = model()
    model.type(typed)
    #expect(model.typing.entry?.text == typed)
    #expect(model.lines().joined().contains(typed + "_"))
    #expect(model.press(.enter) == .update(update))
    #expect(model.typing.entry == nil && model.note?.isWarning != true)
  }

  @Test func `A meter without a note keeps the note`() throws {
    for typed in ["5/", ":meter 5/", ":meter 5"] {
      var model = try model { try $0.set(.meter(Meter(7, 8))) }
      model.type(typed)
      #expect(model.press(.enter) == .update(.set(.meter(try Meter(5, 8)))))
    }
  }

  @Test func `A name with a to is renamed where there is a preset of that name`() throws {
    var model = try model { try $0.snapshot.settings.arrange(.save("Verse to chorus")) }
    for typed in [":rename verse to chorus to B to C", ":rename \"Verse to chorus\" to \"B to C\""] {
      model.type(typed)
      guard case .update(.preset(.rename(.name(let old), let new))) = model.press(.enter) else {
        Issue.record("no renaming: \(typed)")
        continue
      }
      #expect(old.lowercased() == "verse to chorus" && new == "B to C")
    }
    model.type(":rename A to B")
    #expect(model.press(.enter) == .update(.preset(.rename(.name("A"), to: "B"))))
  }

  @Test func `The end of a long command is seen in a small window`() {
    var model = model()
    model.type(":rename Verse to Chorus")
    #expect(model.lines(20, 5).contains { $0.contains("Verse to Chorus_") })
    #expect(model.lines(40, 12).contains { $0.contains(":rename Verse to Chorus_") })
  }

  @Test func `Control and space start and stop whatever is typed, asked or shown`() throws {
    for prepare: (inout PanelModel) -> Void in [
      { _ in }, { $0.type("12") }, { $0.type(":save A") }, { _ = $0.press(.character("?")) },
      { _ = $0.press(.character("q")) }, { $0.show(.stage) }, { $0.show(.list) },
      {
        _ = $0.press(.character("L"))
        $0.type("tap")
      },
      { $0.note = PanelModel.Note(text: String(repeating: "long ", count: 1_000), isWarning: true) },
    ] {
      var model = try model { $0.snapshot.progress = try progress() }
      prepare(&model)
      let before = model
      #expect(model.press(.controlSpace) == .update(.toggle))
      #expect(model == before)
    }
    // Nothing begins with a space.
    var model = model()
    model.type(":")
    #expect(model.press(.character(" ")) == .update(.toggle) && model.typing.entry == nil)
  }

  @Test func `Saving a song's tempo says when it is in the document`() throws {
    var model = try model { $0.snapshot.progress = try progress { $0.nudge = 2_000 } }
    #expect(model.press(.character("S")) == .update(.keepNudge))
    #expect(model.note == .savingNudge)
    model.snapshot.progress?.bar += 1
    #expect(model.note == .savingNudge)
    model.snapshot.progress?.nudge = 0
    #expect(model.note == .savedNudge)
    // A nudge that is taken back saves nothing.
    model.note = nil
    model.snapshot.progress?.nudge = 1_000
    model.snapshot.progress?.nudge = 0
    #expect(model.note == nil)
  }

  @Test func `In a session digits type its speed`() throws {
    var model = try model { $0.snapshot.progress = try progress() }
    model.type("85")
    #expect(model.press(.enter) == .update(.speed(percent: 85)))
    model.type("8.5")
    #expect(model.press(.enter) == nil && model.typing.entry?.text == "8.5")
    #expect(model.note?.text == "speed '8.5': must be whole, 10…400 percent")
    _ = model.press(.escape)
    #expect(model.press(.character("+")) == .update(.speed(percent: 101)))
    #expect(model.press(.character("l")) == .update(.learn(try MIDIAction(.speed(nil)))))
  }

  @Test(arguments: [
    ("100/4", "1…99"), ("7/0", "1…99"), ("1/2/3", "1…99"), ("7//", "1…99"), ("1000", "1…999.999"),
    ("1.2.3", "1…999.999"), (":swing 62", "written 62%"), (":volume 101%", "0…1"), (":volume x%", "0%…100%"),
    (":volume 50", "written 50%"), (":tempo 96 ms", "1…999.999"), (":tempo bpm", "1…999.999"),
    (":map piano", "one of footswitch"), (":learn dance", "must be an action, as"), (":song x", "1…10000"),
    (":tempo +5", "must be without a sign; :tempo/nudge +5"), (":tempo 92,5", "with a point, as 92.5"),
    (":tempo 92,5 bpm", "with a point, as 92.5"), (":click/offset 1,5", "with a point, as 1.5"),
    (":subdivision/2 5", "subdivision/2 5"), (":set tempo 100", "must be :tempo 100, without set"),
    (":loop 1 2", "must be :loop, without a value"), (":role boss", "lead-if-free"),
    (":speed 9000", "10…400 percent"), (":tmepo 90", ":tempo, perhaps"), (":svae A", ":save, perhaps"),
    (":learn tapp", "must be tap, perhaps"), (":learn tempo 160 80", "the lower number first"),
    (":learn tempo 1 2000", "must be within"), (":learn tempo hold", "which follows a control"),
    (":learn speed 50 100", "left out for speed"), (":learn song latch", "which a program change chooses"),
    (":goto", "with a value, as :goto chorus"), (":song", "with a value, as :song 2"),
    (":mute/beat maybe", "must be on or off"),
    (":volume 150 %", "'150%': must be 0…1, or 0%…100%"), (":volume -1", "'-1': must be 0…1"),
    (":rename Verse", ":rename Verse to Chorus"), (":rename to B", ":rename Verse to Chorus"),
    (":move Verse", ":move Verse 1"), (":move 2", ":move Verse 1"), (":move A first", ":move Verse 1"),
    (":fade soon", "0.1…120 seconds"), (":fade 0", "0.1…120 seconds"), (":nothing 3", ":sound cowbell"),
    (":", ":sound cowbell"),
  ])
  func `What can't be is refused with a reason`(typed: String, words: String) {
    var model = model()
    model.type(typed)
    let action = model.press(.enter)
    #expect(action == nil && model.note?.isWarning == true)
    #expect(model.note?.text.contains(words) == true)
    // What was typed stays to be mended, below the reason.
    #expect(model.typing.entry?.text == typed)
    let lines = model.lines(80, 24)
    #expect(lines.contains { $0.hasPrefix("! ") } && lines.contains { $0.contains(typed + "_") })
    #expect((model.note?.text.count ?? 0) <= 240, "\(model.note?.text ?? "")")
    #expect(model.press(.backspace) == nil && model.note == nil)
    #expect(model.typing.entry?.text == (typed.count == 1 ? nil : String(typed.dropLast())))
  }

  @Test func `What the conductor refuses stays to be mended, unless a key was pressed since`() throws {
    var model = try model { $0.snapshot.progress = try progress() }
    model.type(":goto chours")
    #expect(model.press(.enter) == .update(.go(.named("chours"))) && model.typing.entry == nil)
    let sent = model.typing.submitted
    #expect(sent?.text == ":goto chours")
    #expect(model.receive(refusal: "label 'chours': must be chorus", of: sent) == .note)
    #expect(model.typing.entry?.text == ":goto chours" && model.note?.isWarning == true)
    #expect(model.lines(80, 24).contains { $0.contains(":goto chours_") })
    _ = model.press(.backspace)
    #expect(model.typing.entry?.text == ":goto chour")
    // A text that comes back takes no key with which the player plays on.
    for (key, update) in [(.character(" "), .toggle), (.pageDown, .go(.next)), (.pageUp, .go(.previous))]
      as [(Key, Update)]
    {
      _ = model.press(.escape)
      model.type(":goto chours")
      _ = model.press(.enter)
      _ = model.receive(refusal: "label 'chours': must be chorus", of: model.typing.submitted)
      #expect(model.typing.entry != nil)
      #expect(model.press(key) == .update(update) && model.typing.entry == nil)
    }
    // The refusal of another request, and of an older one, brings nothing back.
    model.type(":song 2")
    _ = model.press(.enter)
    #expect(
      model.receive(refusal: "next: must be asked before it", of: nil) == .note && model.typing.entry == nil)
    let old = model.typing.submitted
    _ = model.press(.character("n"))
    #expect(model.receive(refusal: "song 2: must be 1…1", of: old) == .note && model.typing.entry == nil)
    model.type(":song 2")
    _ = model.press(.enter)
    _ = model.point(Mouse(deed: .click, row: 0, column: 0), at: nil)
    #expect(model.receive(refusal: "song 2: must be 1…1", of: old) == .note && model.typing.entry == nil)
  }

  @Test func `A colon after a refusal begins another text`() {
    var model = model()
    model.type(":speed 9000")
    #expect(model.press(.enter) == nil && model.typing.entry?.text == ":speed 9000")
    model.type(":go")
    #expect(model.typing.entry?.text == ":go")
    model.type("to:a")
    #expect(model.typing.entry?.text == ":goto:a")
  }

  @Test func `What a control has learned is told`() throws {
    var model = try model { $0.snapshot.learning = try MIDIAction(.go) }
    let old = model.snapshot
    var new = old
    new.learning = nil
    #expect(model.receive(.changed(from: old, to: new)) == nil && model.note == nil)
    try new.settings.bind(MIDIBinding(MIDISource(text: "cc 64"), MIDIAction(.go)))
    #expect(model.receive(.changed(from: old, to: new)) == .note)
    #expect(model.note?.text == "cc 64: go" && model.note?.isWarning == false)
    // A control that did something else does it no more.
    var (waiting, learned) = (new, new)
    waiting.learning = try MIDIAction(.tap)
    try learned.settings.bind(MIDIBinding(MIDISource(text: "cc 64"), MIDIAction(.tap)))
    _ = model.receive(.changed(from: waiting, to: learned))
    #expect(model.note?.text == "cc 64: tap, no longer go")
  }

  @Test func `Esc ends a learning that was typed`() throws {
    var model = try model { $0.snapshot.learning = try MIDIAction(.go) }
    #expect(model.press(.escape) == .update(.learn(nil)))
  }

  @Test func `A pattern that a new meter takes is told`() throws {
    var old = Snapshot(settings: Settings())
    try old.settings.set(.accents(AccentPattern(text: ".XXo")))
    var (new, fitting) = (old, old)
    try new.settings.set(.meter(Meter(5, 4)))
    try fitting.settings.set(.meter(Meter(4, 8)))
    var model = model()
    #expect(model.receive(.changed(from: old, to: fitting)) == nil && model.note == nil)
    #expect(model.receive(.changed(from: old, to: new)) == .note)
    #expect(model.note?.text == "accents .XXo dropped: they do not fit 5/4")
    // Who sends another pattern with the meter has lost nothing.
    try new.settings.set(.accents(AccentPattern(text: "Xxxxo")))
    model.note = nil
    #expect(model.receive(.changed(from: old, to: new)) == nil && model.note == nil)
  }

  @Test func `A switch that is typed is told, because most are not shown`() throws {
    var model = model()
    let off = try Parameters.silentLights.setting(false)
    model.type(":lights/silent")
    #expect(model.press(.enter) == .update(.set(off)))
    #expect(model.note?.text == "lights/silent: off")
  }

  @Test func `A tempo, a meter and a speed may follow a colon`() throws {
    var model = model()
    for (text, update) in [
      (":133.7", Update.set(.tempo(try Tempo(133.7)))), (":7/8", .set(.meter(try Meter(7, 8)))),
    ] {
      model.type(text)
      #expect(model.press(.enter) == .update(update))
    }
    model.snapshot.progress = try progress()
    for text in [":80", ":speed 80%", ":speed 80 %"] {
      model.type(text)
      #expect(model.press(.enter) == .update(.speed(percent: 80)))
    }
  }

  @Test func `A pedal works while somebody types`() throws {
    var model = try model { $0.snapshot.progress = try progress() }
    model.type(":sound cow")
    #expect(model.press(.pageDown) == .update(.go(.next)) && model.press(.pageUp) == .update(.go(.previous)))
    #expect(model.typing.entry?.text == ":sound cow")
    // In the list they move the cursor, not the music.
    model.show(.list)
    #expect(model.press(.pageDown) == nil && model.typing.entry?.text == ":sound cow")
  }

  @Test func `A tempo that a leader overrides is set, and explained`() throws {
    var model = try model {
      $0.snapshot.leader = Event.Leader(count: 4, unit: 4, notesPerMinute: 120)
      try $0.set(.role(.follow))
    }
    model.type("130")
    #expect(model.press(.enter) == .update(.set(.tempo(try Tempo(130)))))
    #expect(
      model.note?.text.hasPrefix("the leader gives the tempo") == true && model.note?.isWarning == false)
    #expect(model.press(.character("+")) != nil && model.note != nil)
    #expect(model.press(.character("m")) != nil && model.note == nil)
    model.snapshot.leader = nil
    #expect(model.press(.character("+")) != nil && model.note == nil)
    model.snapshot.role = .midiClock
    #expect(model.press(.character("t")) != nil && model.note?.text.hasPrefix("the MIDI clock gives") == true)
  }

  @Test func `What is typed can be taken back, and letters wait meanwhile`() {
    var model = model()
    model.type("7/q8")
    #expect(model.typing.entry?.text == "7/8")
    _ = model.press(.backspace)
    #expect(model.typing.entry?.text == "7/")
    _ = model.press(.backspace, .backspace)
    #expect(model.typing.entry == nil)
    model.type("9")
    #expect(model.press(.escape) == nil)
    #expect(model.typing.entry == nil)
    // Space stops, whatever is being typed, but where it can be part of it.
    model.type("12")
    #expect(model.press(.character(" ")) == .update(.toggle) && model.typing.entry == nil)
    model.type(":save A B")
    #expect(model.typing.entry?.text == ":save A B")
  }

  @Test func `A text can be edited anywhere, but nothing comes before its colon`() {
    let (left, right) = (Key.arrow(.left, isShifted: false), Key.arrow(.right, isShifted: false))
    for (typed, keys, edited) in [
      (":goto chours", [left, .backspace, left, .character("r")], ":goto chorus"),
      (":tmpo 90", [.home, right, .character("e")], ":tempo 90"),
      (":sound beep", [.eraseWord, .character("x")], ":sound x"),
      (":sound beep ", [.eraseWord, .eraseWord], ":"),
      (":sound beep", [left, left, .eraseText, .character("a")], ":aep"),
      (":a", [.home, left, .backspace, .character("b"), .delete, .end, .character("c")], ":bc"),
      ("133", [left, .character("."), right, right, .character("7")], "13.37"), ("7/8", [.eraseText], ""),
      (":e\u{301}x", [left, .character("y"), .delete], ":e\u{301}y"),
      (":ab", [left, .character("\u{301}"), .character("c")], ":a\u{301}cb"),
    ] as [(String, [Key], String)] {
      var model = model()
      model.type(typed)
      for key in keys { _ = model.press(key) }
      #expect(model.typing.entry?.text == edited, "\(typed)")
    }
  }

  @Test func `The cursor of a typed text stays visible`() {
    var model = model()
    model.type(":" + (0..<60).map { "\($0 % 10)" }.joined())
    #expect(model.lines(30, 8).contains { $0.contains("456789_") })
    _ = model.press(.home)
    #expect(model.lines(30, 8).contains { $0.contains(":0123456789") || $0.contains("0123456789") })
    let canvas = PanelDrawing.draw(model, columns: 30, rows: 8, unicode)
    #expect((0..<8).contains { row in canvas[row].contains { $0.style == .header && $0.character == "0" } })
  }

  @Test func `On stage a wrong key does nothing`() throws {
    var model = try model {
      $0.snapshot.progress = try progress()
      $0.show(.stage)
    }
    let before = model
    for key in "tmgapNPhlLs?q:120+-".map(Key.character) + [
      .tab, .escape, .function(1), .arrow(.up, isShifted: false), .pageUp,
    ] {
      #expect(model.press(key) == nil, "\(key)")
      #expect(model == before)
    }
    #expect(model.press(.character(" ")) == .update(.toggle))
    #expect(
      model.press(.character("n")) == .update(.go(.next)) && model.press(.pageDown) == .update(.go(.next)))
    #expect(model.press(.enter) == .update(.advance))
  }

  @Test func `The view for the stage is a setting, and the list is shown instead of it`() throws {
    var model = try model { $0.snapshot.progress = try progress() }
    #expect(model.press(.character("v")) == .update(.set(.stageView(true))))
    try model.set(.stageView(true))
    #expect(model.view == .stage)
    #expect(model.press(.character("v")) == nil && model.view == .list)
    #expect(model.press(.character("v")) == .update(.set(.stageView(false))))
    // A pedal shows the view that it sets, also instead of the list.
    model.list.isShown = true
    try model.set(.stageView(false))
    #expect(model.view == .practice)
    try model.set(.stageView(false))
    #expect(model.view == .practice)
    var settings = Settings()
    try settings.set(.stageView(true))
    #expect(PanelModel(Snapshot(settings: settings)).view == .stage)
  }

  @Test func `A preset that is not the current one is not replaced by a name alone`() throws {
    var model = try model {
      for name in ["Verse", "Chorus"] { try $0.snapshot.settings.arrange(.save(name)) }
    }
    model.type(":save verse")
    #expect(model.press(.enter) == nil)
    #expect(model.lines().joined().contains("The preset verse exists: Enter replaces it"))
    #expect(model.press(.character("x")) == nil && model.question == nil)
    model.type(":save verse")
    #expect(model.press(.enter, .enter) == .update(.preset(.save("verse"))))
    // The current one is saved anew, and a new one added.
    for name in ["Chorus", "Bridge"] {
      model.type(":save \(name)")
      #expect(model.press(.enter) == .update(.preset(.save(name))))
    }
  }

  @Test func `Quitting is asked for while a session plays`() throws {
    var model = try model { $0.snapshot.progress = try progress() }
    #expect(model.press(.character("q")) == nil)
    #expect(model.lines().joined().contains("q or y quits"))
    #expect(model.press(.character("x")) == nil)
    #expect(model.question == nil)
    #expect(model.press(.character("q"), .character(" ")) == .update(.toggle))
    #expect(model.press(.character("q"), .pageDown) == .update(.go(.next)))
    #expect(model.press(.character("q"), .character("n")) == nil && model.question == nil)
    #expect(model.press(.character("q"), .character("N")) == nil && model.question == nil)
    #expect(model.press(.character("q"), .character("q")) == .quit)
    #expect(model.press(.character("q"), .character("y")) == .quit)
    _ = model.press(.character("q"))
    model.snapshot.isPlaying = false
    #expect(model.question == nil)
    #expect(model.press(.character("q")) == .quit)
  }

  @Test func `Space stops under the list of keys too, which scrolls`() {
    var model = model { $0.window = (40, 6) }
    _ = model.press(.character("?"))
    let top = model.lines(40, 6)
    _ = model.press(.arrow(.down, isShifted: false), .pageDown)
    #expect(model.showsHelp && model.lines(40, 6)[0] == top[2])
    for _ in 0..<100 { _ = model.press(.arrow(.down, isShifted: false)) }
    #expect(model.lines(40, 6).contains { $0.contains("quit") })
    #expect(model.press(.character(" ")) == .update(.toggle))
    #expect(!model.showsHelp)
  }

  @Test func `The keys are shown on demand, each of them`() {
    var model = model()
    _ = model.press(.character("?"))
    let text = model.lines(100, 24).joined(separator: "\n")
    for key in [
      "space", "arrows", "tab", "  t ", "0-9", ":", "F1-F12", "enter", "+ -", "f b", "  v ", "m g", "  a ",
      "n p", "  L ", "mouse",
      "N P", "  h B", "  l ", "  s ", "  ? ",
      "  q ",
    ] { #expect(text.contains(key), "\(key)") }
    #expect(model.press(.character("x")) == nil)
    #expect(!model.showsHelp)
  }
}
