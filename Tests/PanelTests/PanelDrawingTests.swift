import Control
import MusicTime
import Testing
import TimeCheck

@testable import Engine
@testable import Panel

@Suite struct PanelDrawingTests {
  static let sizes = [
    (20, 5), (20, 40), (30, 8), (40, 12), (59, 24), (60, 18), (80, 15), (80, 24), (250, 90),
  ]

  @Test(arguments: sizes)
  func `Every size from 20 by 5 on tells state, tempo, meter, beat and JACK`(columns: Int, rows: Int) throws {
    let model = try model {
      try $0.set(.tempo(Tempo(133.7)))
      try $0.set(.meter(Meter(7, 8)))
      $0.light = PanelModel.Light(bar: 3, beat: 2, isFresh: false)
      $0.status.load = 12.3
    }
    for glyphs in [unicode, .ascii] {
      let text = model.lines(columns, rows, glyphs).joined(separator: "\n")
      #expect(text.contains("playing"))
      #expect(text.contains("7/8"))
      #expect(text.contains("3.2") || text.contains("bar 3  beat 2"))
      #expect(text.contains("JACK 12 %"))
      let isLarge = text.contains("██") || text.contains("##") || text.contains("▀▀")
      #expect(text.contains("133.7") || isLarge)
      #expect(glyphs == unicode || text.utf8.allSatisfy { $0 < 128 })
    }
  }

  @Test func `While a pre-roll is counted the panel says so`() {
    var shown = model { $0.light = PanelModel.Light(bar: 0, beat: 2, isFresh: false) }
    (shown.snapshot.isPlaying, shown.snapshot.isPreRoll) = (true, true)
    for (columns, rows) in PanelDrawingTests.sizes {
      #expect(shown.lines(columns, rows).joined().contains("counting in"))
    }
  }

  @Test func `Layers that are on have faders, which take the place of subdivisions that are off`() throws {
    var shown = try model {
      try $0.set(.polyrhythm(Polyrhythm(text: "3:4")))
      try $0.set(.layer(4, Layer(text: "5 over 2 bars, name five")))
      try $0.set(.subdivision(Subdivision(9), .full))
    }
    let text = shown.lines(80, 24, unicode).joined(separator: "\n")
    #expect(
      text.contains("3:4") && text.contains("five") && text.contains("9 a beat") && text.contains("swing"))
    #expect(!text.contains("8 a beat"))
    #expect(shown.fields.count { Parameters.layer(ofVolume: $0) != nil } == 2)
    shown.focus = try #require(shown.fields.first { $0.label == "8 a beat" })
    #expect(shown.lines(80, 24, unicode).joined().contains("8 a beat"))
  }

  @Test func `The layers of a section have faders beside its progress`() throws {
    let shown = try model {
      $0.snapshot.progress = try progress {
        $0.layers = (1...3).map { LayerPlan($0, try! Layer(text: "\($0 + 3) over bar, name l\($0)")) }
      }
    }
    #expect(shown.fields.count { Parameters.layer(ofVolume: $0) != nil } == 3)
    let text = shown.lines(80, 24).joined(separator: "\n")
    #expect(text.contains("l1") && text.contains("l2") && text.contains("bar 4 of 16"))
    var focused = shown
    while focused.label(of: focused.focus) != "l3" { _ = focused.press(.tab) }
    #expect(focused.lines(80, 24).joined(separator: "\n").contains("› l3"))
    #expect(focused.lines(40, 12).joined(separator: "\n").contains("› l3"))
    #expect(focused.press(.arrow(.down, isShifted: false)) != nil)
  }

  @Test(arguments: [(40, 12), (80, 24), (120, 40), (200, 60)])
  func `What a coach asks, how far the player is and what comes next is seen in every view`(
    columns: Int, rows: Int
  ) throws {
    var shown = try model {
      $0.snapshot.progress = try progress {
        ($0.section, $0.bars, $0.sectionLeft, $0.sectionLength) = ("Paradiddles", 0, nil, nil)
        $0.coaching = CoachProgress(
          goal: TimingGoal(bars: 8, spread: 12, missed: 2), step: 2, steps: 16, patience: 3, next: .tempo(84))
      }
      var timing = TimingState()
      var standing = Coach.Standing()
      (standing.bars, standing.failures) = (2, 1)
      standing.trial = Trial(hits: 30, missed: 0, mean: 1, spread: 15.2)
      timing.trial = standing
      $0.snapshot.timing = timing
    }
    let text = shown.lines(columns, rows).joined(separator: "\n")
    for words in [
      "goal 8 bars: spread 12 ms, missed 2 %", "bar 3/8: spread 15.2 ms!, missed 0 %",
      "then 84 BPM, step 2/16, failed 1/3",
    ] {
      #expect(text.contains(words), "\(words)\n\(text)")
    }
    shown.show(.stage)
    let stage = shown.lines(columns, rows).joined(separator: "\n")
    #expect(columns > 80 || stage.contains("bar 3/8") || stage.contains("█") || stage.contains("▀"))
    // Without anything that listens it says so.
    shown.show(.practice)
    shown.snapshot.timing = nil
    #expect(
      shown.lines(columns, rows).joined(separator: "\n").contains("no inputs: --listen or --hits"))
  }

  @Test func `No size is too small or too odd`() throws {
    let models = [
      model(), try model { $0.snapshot.progress = try progress() },
      try model { try $0.set(.meter(Meter(99, 4))) },
      model { $0.showsHelp = true }, model { $0.lostReason = "the JACK server has gone" },
      model { $0.note = PanelModel.Note(text: String(repeating: "long ", count: 100), isWarning: true) },
      model {
        $0.show(.stage)
        $0.note = PanelModel.Note(text: String(repeating: "long ", count: 100), isWarning: true)
      },
    ]
    for model in models {
      for columns in 0...90 {
        let canvas = Canvas(columns: 0, rows: 0, unicode)
        for rows in [0, 1, 2, 3, 4, 6, 11, 23, 50] {
          let lines = model.lines(columns, rows)
          #expect(lines.count == rows)
          #expect(lines.allSatisfy { canvas.width(of: $0) <= columns })
        }
      }
    }
  }

  @Test func `A section without a number of bars shows its bar alone`() throws {
    let model = try model { $0.snapshot.progress = try progress { $0.bars = 0 } }
    let text = model.lines(80, 24).joined(separator: "\n")
    #expect(text.contains("bar 4 ") && !text.contains("bar 4 of") && !text.contains("bar 4,"))
  }

  @Test func `A section that has not begun tells its length`() throws {
    var model = try model { $0.snapshot.progress = try progress { $0.bar = 0 } }
    #expect(model.lines().contains { $0.contains("Verse · 16 bars") })
    model.snapshot.progress?.bars = 1
    #expect(model.lines().contains { $0.contains("Verse · 1 bar ") })
    model.snapshot.progress?.bars = 0
    #expect(!model.lines().joined().contains("bar 0"))
  }

  @Test(arguments: [(20, 5), (40, 12), (80, 24), (120, 40), (200, 60)])
  func `A fader that waits to be picked up is told in every view, until it has been`(columns: Int, rows: Int)
    throws
  {
    let volume = MIDITarget.parameter(Parameters.volume(.master).parameter)
    for view in PanelModel.View.allCases {
      var model = model { $0.show(view) }
      let isShown = model.show(PickUp(volume, wanted: 0.35, value: 0.8, range: 0...1))
      #expect(isShown)
      #expect(
        model.lines(columns, rows).map { $0.filter { $0 != " " } }.joined().contains(
          "volume:moveupto80%(at35%)"))
      #expect(!model.show(nil) && model.note == nil)
      model.note = PanelModel.Note(text: "text", isWarning: true)
      #expect(!model.show(nil) && model.note != nil)
    }
  }

  @Test func `A pick-up is told in the target's own terms`() throws {
    func text(_ target: MIDITarget, _ wanted: Double, _ value: Double, _ range: ClosedRange<Double> = 0...1)
      -> String
    {
      PickUp(target, wanted: wanted, value: value, range: range).text
    }
    #expect(
      text(.parameter(Parameters.tempo.parameter), 132, 120.5, 40...240)
        == "tempo: move down to 120.5 (at 132)")
    #expect(
      text(.parameter(Parameters.tempo.parameter), 132, 90, 100...227)
        == "tempo is 90: this control covers 100 to 227")
    #expect(text(.parameter(Parameters.swing.parameter), 0, 0.48) == "swing: move up to 62 % (at 50 %)")
    #expect(text(.speed(nil), 50, 100, 50...150) == "speed: move up to 100 % (at 50 %)")
  }

  @Test(arguments: [(20, 5), (40, 12), (80, 24), (120, 40), (200, 60)])
  func `After the last song the panel says that the set is over`(columns: Int, rows: Int) throws {
    var model = try model {
      $0.snapshot.isPlaying = false
      $0.snapshot.progress = try progress {
        ($0.song, $0.isFinished, $0.bar) = (3, true, 0)
        $0.outline = SessionOutline(
          songs: ["One", "Two", "Blue Rondo"], sections: [.init(name: "Verse", bars: 8, isCountIn: false)])
      }
    }
    for view in PanelModel.View.allCases {
      model.show(view)
      let text = model.lines(columns, rows).joined(separator: "\n")
      #expect(text.contains("finished"), "\(view)")
      #expect(!text.contains("▶ Verse") && !text.contains("bar 0 of"), "\(view)")
    }
    model.show(.practice)
    #expect(columns < 80 || model.lines(columns, rows).contains { $0.contains("the set is over") })
    model.snapshot.progress?.songs = 1
    #expect(columns < 80 || model.lines(columns, rows).contains { $0.contains("the song is over") })
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude])
  func `A load that is no percentage is shown as unknown`(load: Float) {
    let text = model { $0.status.load = load }.lines(80, 24).joined(separator: "\n")
    #expect(text.contains("JACK ? %"))
  }

  @Test func `In the pause before a song that starts by itself a countdown stands in place of the old beat`()
    throws
  {
    let waiting = try model {
      $0.snapshot.progress = try progress { ($0.startsIn, $0.song, $0.songs, $0.title) = (63, 2, 3, "Next") }
      $0.light = PanelModel.Light(bar: 8, beat: 4, isFresh: false)
    }
    for (columns, rows) in [(20, 5), (40, 12), (80, 24), (120, 40)] {
      let text = waiting.lines(columns, rows).joined(separator: "\n")
      #expect(text.contains("starts in 1:03"), "\(columns)×\(rows)")
      #expect(!text.contains("beat 4") && !text.contains("8.4"), "\(columns)×\(rows)")
    }
    var stage = waiting
    stage.show(.stage)
    #expect(stage.lines(20, 5).joined().contains("in 1:03"))
    #expect(waiting.progress?.countdown == "2/3 Next · starts in 1:03")
    var playing = waiting
    playing.snapshot.progress?.startsIn = nil
    #expect(playing.lines(80, 24).joined().contains("beat 4"))
    #expect(playing.progress?.countdown == nil)
  }

  @Test func `An end that is under way is shown`() {
    #expect(model { $0.snapshot.isFading = true }.lines(80, 24)[0].contains("fading out"))
    #expect(model { $0.snapshot.stopsAtBar = true }.lines(80, 24)[0].contains("to the bar's end"))
  }

  @Test func `What is large stays as long as there is room`() {
    let model = model()
    let layout = { PanelLayout(model, columns: $0, rows: $1, unicode) }
    #expect(layout(80, 24).gap == 1)
    #expect(layout(80, 24).body == .columns)
    #expect(layout(80, 21).gap == 0 && layout(80, 21).tempo == .times(1))
    #expect(layout(80, 18).tempo == .halved && layout(80, 18).lights != nil)
    #expect(layout(80, 16).body == .columns && layout(80, 16).lights == nil)
    #expect(layout(80, 12).body == .stack(5))
    #expect(layout(20, 5).body == .stack(1) && layout(20, 5).tempo == .text)
    #expect(layout(40, 40).body == .stack(17))
  }

  @Test func `Nothing is said by style alone`() throws {
    let plain = try model { try $0.set(.accents(AccentPattern(text: "Xxo."))) }
    var shown: Set<[String]> = [plain.lines()]
    let changes: [(inout PanelModel) throws -> Void] = [
      { $0.snapshot.isPlaying = false },
      { try $0.set(.mute(true)) },
      { $0.focus = Parameters.swing.parameter },
      { $0.light = PanelModel.Light(bar: 1, beat: 1, isFresh: true) },
      { $0.light = PanelModel.Light(bar: 1, beat: 1, isFresh: false) },
      { try $0.set(.accents(AccentPattern(text: "xxxx"))) },
      { try $0.set(.accents(AccentPattern(text: "Xoo."))) },
      { try $0.set(.subdivision(Subdivision(3), Volume(0.4))) },
      { $0.lostReason = "the JACK server has gone" },
      { $0.note = PanelModel.Note(text: "text", isWarning: true) },
      { $0.note = PanelModel.Note(text: "text", isWarning: false) },
      { $0.snapshot.health.xruns = 1 },
      { $0.status.oscPeers = 1 },
      { $0.snapshot.learning = try MIDIAction(.tap) },
      { try $0.set(.role(.lead)) },
      { $0.typing.entry = PanelEntry(text: "7/", isInSession: false) },
      { try $0.set(.gap(.everyOther)) },
      { try $0.set(.gap(Gap(play: 4, rest: 2))) },
      { $0.status.receivesMIDI = true },
      { $0.status.sendsMIDI = true },
      { try $0.set(.role(.link)) },
      {
        try $0.set(.role(.link))
        $0.snapshot.peers = 1
      },
      { try $0.set(.role(.midiClock)) },
    ]
    for change in changes {
      var other = plain
      try change(&other)
      #expect(shown.insert(other.lines()).inserted)
    }
    #expect(shown.count == changes.count + 1)
  }

  @Test func `In each size the light that is lit and what has the focus can be told`() throws {
    for (columns, rows) in PanelDrawingTests.sizes {
      for glyphs in [unicode, .ascii] {
        var model = model { $0.light = PanelModel.Light(bar: 1, beat: 2, isFresh: false) }
        let second = model.lines(columns, rows, glyphs)
        model.light?.beat = 3
        #expect(model.lines(columns, rows, glyphs) != second)
        for field in model.fields {
          model.focus = field
          let pointed = model.lines(columns, rows, glyphs).filter { $0.contains(glyphs.pointer + " ") }
          #expect(pointed.count >= 1, "\(field) at \(columns)x\(rows)")
        }
      }
    }
  }

  @Test func `The target of a jump replaces what comes next`() throws {
    let model = try model { $0.snapshot.progress = try progress { $0.isJumping = true } }
    let lines = model.lines(80, 24)
    #expect(
      lines.contains { $0.contains("goes to Chorus") } && !lines.contains { $0.contains("then Chorus") })
  }

  @Test func `A session tells its section, bar, time left and what comes next`() throws {
    let model = try model { $0.snapshot.progress = try progress { $0.isHeld = true } }
    let text = model.lines(80, 24).joined(separator: "\n")
    for word in [
      "Verse · bar 4 of 16 · held", "song 2:10 left", "then Chorus",
      "0:15 of 1:20 · song 1:00 of 3:10",
      "2/3  Blue Rondo", "speed 100 %",
      "3/4",
    ] { #expect(text.contains(word)) }
    #expect(!text.contains("2 a beat"))
    #expect(model.lines(20, 5).joined().contains("Verse"))
    // A quarter of the section.
    let gauge = try #require(text.split(separator: "\n").first { $0.contains("█░") })
    #expect(gauge.prefix { $0 != "░" }.count { $0 == "█" } == 9)
  }

  @Test func `A section with a length in time fills its bar as time goes, and rounds are counted`() throws {
    let model = try model {
      $0.snapshot.progress = try progress {
        ($0.bars, $0.sectionElapsed, $0.cycle, $0.cycles) = (0, 20, 2, 5)
      }
    }
    let text = model.lines(80, 24).joined(separator: "\n")
    #expect(text.contains("Verse · bar 4 · cycle 2 of 5") && text.contains("0:20 of 1:20"))
    let gauge = try #require(text.split(separator: "\n").first { $0.contains("█░") })
    #expect(gauge.prefix { $0 != "░" }.count { $0 == "█" } == 9)
  }

  @Test func `A tempo that moves is told as it sounds`() throws {
    var model = try model { $0.snapshot.progress = try progress { $0.tempo = nil } }
    #expect(model.tempo == "-")
    for (beat, frame) in [(1, 0), (2, 24_000), (3, 46_000)] {
      model.sound(
        Event.Beat(
          frame: ClockFrame(Int64(frame)), bar: 1, beat: beat, section: 0, sectionBar: 1, role: .beat,
          strength: 1))
    }
    #expect(model.tempo == "130.9")
  }

  @Test func `A stopped transport's bar is shown, on stage too`() throws {
    for view in [PanelModel.View.practice, .stage] {
      let model = try model {
        $0.show(view)
        ($0.snapshot.isPlaying, $0.snapshot.standing) = (false, BeatPlace(bar: 17, beat: 3))
        try $0.set(.role(.lead))
      }
      #expect(model.lines(40, 8).joined().contains("bar 17"), "\(model.lines(40, 8))")
    }
  }

  @Test func `A leader's meter and tempo are what plays`() throws {
    let model = try model {
      try $0.set(.role(.follow))
      $0.snapshot.leader = Event.Leader(count: 5, unit: 8, notesPerMinute: 98.76)
    }
    #expect(model.tempo == "98.8")
    #expect(model.beats.count == 5)
    #expect(model.lines().joined().contains("follows a leader"))
  }

  @Test func `A gap is told beside the mute, and not in a session, which has its own`() throws {
    var model = try model { try $0.set(.gap(Gap(play: 4, rest: 2))) }
    for (columns, rows) in [(250, 90), (80, 24), (80, 18), (40, 12), (30, 8)] {
      #expect(model.lines(columns, rows).contains { $0.contains("gap 4+2") }, "\(columns)x\(rows)")
    }
    try model.set(.mute(true))
    #expect(model.lines().contains { $0.contains("MUTED · gap 4+2") })
    // It explains the silence, so the bar yields to it.
    try model.set(.tempo(Tempo(106.616)))
    model.light = PanelModel.Light(bar: 119, beat: 4, isFresh: false)
    #expect(model.lines(40, 12).contains { $0.contains("MUTED") })
    model.snapshot.progress = try progress()
    #expect(model.lines().contains { $0.contains("MUTED") })
    #expect(!model.lines().contains { $0.contains("gap") })
  }

  @Test func `The MIDI clock that is followed and the others in Ableton Link are told`() throws {
    var model = try model { try $0.set(.role(.midiClock)) }
    #expect(model.lines()[0].contains("waits for a MIDI clock"))
    model.snapshot.leader = Event.Leader(count: 0, unit: 4, notesPerMinute: 98.76)
    #expect(model.lines()[0].contains("follows a MIDI clock"))
    #expect(model.tempo == "98.8")
    // As beats are counted, here dotted quarters.
    try model.set(.meter(Meter(6, 8)))
    try model.set(.beatUnit(BeatUnit(3, 8)))
    #expect(model.tempo == "65.8")
    // A session's document has a tempo of its own, by which nothing plays now.
    model.snapshot.progress = try progress()
    #expect(model.tempo == "98.8")
    model.snapshot.leader = nil
    try model.set(.role(.link))
    for (peers, text) in [(0, "link, 0 peers"), (1, "link, 1 peer "), (2, "link, 2 peers")] {
      model.snapshot.peers = peers
      #expect(model.lines()[0].contains(text))
    }
  }

  @Test func `Lights tell that MIDI comes and goes`() throws {
    var model = model()
    #expect(model.lines().contains { $0.contains("0 learned, in ○ out ○") })
    model.status.receivesMIDI = true
    #expect(model.lines().contains { $0.contains("in ● out ○") })
    (model.status.receivesMIDI, model.status.sendsMIDI) = (false, true)
    #expect(model.lines(80, 24, .ascii).contains { $0.contains("in o out #") })
  }
}
