import Control
import MusicTime
import Testing
import TimeCheck

@testable import Engine
@testable import Panel

@Suite struct StageViewTests {
  private func stage(_ change: (inout PanelModel) throws -> Void = { _ in }) throws -> PanelModel {
    try model {
      $0.snapshot.progress = try progress()
      $0.light = PanelModel.Light(bar: 20, beat: 3, isFresh: false)
      $0.show(.stage)
      try change(&$0)
    }
  }

  /// How many rows of the screen a text takes, at the size in which it is found; 0 if it is not there.
  private func size(of text: String, in lines: [String]) -> Int {
    for size in LargeText.Size.all {
      let rows = LargeText.rows(text, size, unicode).map { row in row.reversed().drop { $0 == " " }.reversed()
      }
      let first = String(rows[0])
      if lines.contains(where: { !first.isEmpty && $0.contains(first) }) { return size.rows }
    }
    return 0
  }

  @Test(arguments: [(20, 5), (40, 12), (80, 24), (120, 40), (200, 60)])
  func `Tempo, beat, section, bars and time left, song and next song are large on stage`(
    columns: Int, rows: Int
  ) throws {
    let lines = try stage().lines(columns, rows)
    let sizes = ["90  3", "Verse", "13 bars  1:05", "2/3 Blue Rondo", "then Chorus"].map {
      size(of: $0, in: lines)
    }
    #expect(sizes[0] > 0)
    guard rows >= 12 else { return }
    #expect(sizes.allSatisfy { $0 > 0 }, "\(sizes) at \(columns)x\(rows)")
    // Half the rows and more are letters from 80x24 on.
    if rows >= 24 { #expect(sizes.reduce(0, +) * 2 >= rows, "\(sizes)") }
    if rows >= 40 { #expect(sizes.prefix(3).allSatisfy { $0 >= 5 }, "\(sizes)") }
  }

  @Test func `Without a server the stage says in large letters that nothing sounds`() throws {
    let lines = try stage {
      ($0.lostReason, $0.light) = ("the JACK server has gone", nil)
      $0.snapshot.isPlaying = true
      $0.snapshot.progress?.isCountIn = true
    }.lines(80, 24)
    #expect(size(of: "no sound", in: lines) >= 5, "\(lines)")
    #expect(size(of: "Verse", in: lines) > 0 && size(of: "2/3 Blue Rondo", in: lines) > 0)
    #expect(lines[0].contains("no sound") && lines[0].contains("waiting for it"))
  }

  @Test func `No size is too small or too odd`() throws {
    for view in [PanelModel.View.stage, .list] {
      for model in [try stage { $0.show(view) }, model { $0.show(view) }] {
        for columns in stride(from: 0, through: 130, by: 3) {
          for rows in [0, 1, 2, 3, 4, 5, 7, 11, 23, 50] {
            let lines = model.lines(columns, rows)
            #expect(lines.count == rows)
          }
        }
      }
    }
  }

  @Test func `The list shows where it is and what comes`() throws {
    let sections = ["Intro", "Verse", "Chorus", "End"].map {
      SessionOutline.Section(name: $0, bars: 8, isCountIn: false)
    }
    let model = try stage {
      $0.show(.list)
      $0.snapshot.progress?.outline = SessionOutline(
        songs: ["One", "Blue Rondo", "Three"], sections: sections)
      $0.snapshot.progress?.sectionNumber = 2
    }
    let lines = model.lines(80, 24)
    let marked = lines.dropFirst().filter { $0.contains("▶") }
    #expect(marked.count == 2 && marked.first?.contains("2  Blue Rondo") == true)
    #expect(marked.last?.contains("Verse, 8 bars") == true)
    #expect(lines.contains { $0.contains("Chorus, 8 bars") } && lines.contains { $0.contains("3  Three") })
    // A practice view with room shows the same below.
    var practice = model
    practice.show(.practice)
    #expect(practice.lines(120, 40).contains { $0.contains("Chorus, 8 bars") })
    #expect(!practice.lines(80, 24).contains { $0.contains("Chorus, 8 bars") })
  }

  @Test func `The list is scrolled to where it is`() throws {
    let sections = (1...500).map { SessionOutline.Section(name: "Part \($0)", bars: 1, isCountIn: false) }
    for (number, rows) in [(1, 24), (250, 24), (500, 24), (250, 8)] {
      let model = try stage {
        $0.show(.list)
        $0.snapshot.progress?.outline = SessionOutline(songs: ["One"], sections: sections)
        $0.snapshot.progress?.song = 1
        $0.snapshot.progress?.sectionNumber = number
      }
      #expect(model.lines(80, rows).contains { $0.contains("▶ Part \(number), 1 bar") })
    }
  }

  @Test func `Without a session the list is that of the presets`() throws {
    var model = model { $0.show(.list) }
    #expect(model.lines().joined().contains("No presets yet"))
    try model.snapshot.settings.arrange(.save("Verse"))
    #expect(model.lines().contains { $0.contains("▶ 1  Verse, 120 in 4/4") })
  }

  @Test func `A silent bar looks silent and says how many are left`() throws {
    var model = try model { try $0.set(.gap(Gap(play: 2, rest: 3))) }
    func sound(_ bar: Int, _ silence: BarSilence) {
      model.sound(
        Event.Beat(
          frame: ClockFrame(Int64(bar * 10)), bar: bar, beat: 1, section: 0, sectionBar: bar, role: .beat,
          strength: silence == .none ? 1 : 0, silence: silence))
    }
    sound(2, .none)
    let loud = model.lines()
    for (left, text) in [(3, "3 bars"), (2, "2 bars"), (1, "1 bar")] {
      sound(3, .bars(left))
      #expect(model.lines().contains { $0.contains("SILENT, \(text) left") })
    }
    #expect(!loud.contains { $0.contains("SILENT") })
    // The fresh light of a sounding beat is filled; that of a silent one is not.
    #expect(loud.contains { $0.contains("█◆ 1█") })
    #expect(
      model.lines().contains { $0.contains("┃◆ 1┃") } && !model.lines().contains { $0.contains("█◆ 1█") })
    // With the setting, no light tells the beat.
    try model.set(Parameters.silentLights.setting(false))
    #expect(model.shownLight == nil && !model.lines().contains { $0.contains("┏") })
    sound(9, .none)
    #expect(model.shownLight != nil && !model.lines().contains { $0.contains("SILENT") })
  }

  @Test func `A session's silent bars are counted too, in both views`() throws {
    var model = try stage {
      $0.snapshot.progress?.section = ""
      $0.light = PanelModel.Light(bar: 20, beat: 3, isFresh: false, silence: .bars(3))
    }
    #expect(size(of: "silent, 3 left", in: model.lines(80, 24)) > 0)
    model.show(.practice)
    #expect(model.lines(80, 24).contains { $0.contains("SILENT, 3 bars left") })
  }

  @Test(arguments: [(40, 12), (80, 24), (130, 40)])
  func `Bars that repeat are large, and no section follows them`(columns: Int, rows: Int) throws {
    let lines = try stage {
      $0.snapshot.progress?.loop = SessionBars(.init(section: 1, bar: 2), through: .init(section: 1, bar: 4))
    }.lines(columns, rows)
    for text in ["bar 4 of 16", "loop 2–4"] {
      #expect(size(of: text, in: lines) >= (columns < 80 ? 1 : 3), "\(text)")
    }
    #expect(size(of: "then Chorus", in: lines) == 0)
  }

  @Test(arguments: [(20, 5), (80, 24), (120, 40)])
  func `A mute and a volume of 0 are told`(columns: Int, rows: Int) throws {
    let muted = try stage { try $0.set(.mute(true)) }
    let off = try stage { try $0.set(.volume(.master, .off)) }
    #expect(try size(of: "muted", in: stage().lines(columns, rows)) == 0)
    #expect(size(of: "muted", in: muted.lines(columns, rows)) >= (columns < 80 ? 1 : 3))
    #expect(size(of: "volume 0 %", in: off.lines(columns, rows)) >= (columns < 80 ? 1 : 3))
    // The metronome's, too.
    #expect(
      try size(
        of: "muted",
        in: stage {
          $0.snapshot.progress = nil
          try $0.set(.mute(true))
        }.lines(80, 24)) >= 3)
  }

  @Test func `The smallest window has tempo, beat, section and lights on stage`() throws {
    let lines = try stage().lines(20, 5)
    #expect(lines[1].contains("90  3") && lines[2].contains("Verse") && lines[3].contains("○"))
  }

  @Test func `A warning in the smallest window leaves tempo and beat on stage`() throws {
    let warning =
      "12 xruns so far: the server missed its deadline, a longer period or fewer programs would avoid that"
    var model = try stage {
      $0.window = (20, 5)
      $0.note = PanelModel.Note(text: warning, isWarning: true, isLoss: true)
    }
    var read: [Substring] = []
    for _ in 1...20 {
      let lines = model.lines(20, 5)
      #expect(lines[1].contains("90  3"), "\(lines)")
      read += lines[2..<4].joined(separator: " ").split(separator: " ")
      guard lines[4].contains("down: more") else { break }
      #expect(model.press(.arrow(.down, isShifted: false)) == nil)
    }
    #expect(read.joined().hasSuffix(warning.filter { $0 != " " }))
  }

  @Test func `A coached section that is repeated is not coached, which the stage says`() throws {
    let lines = try stage {
      $0.snapshot.progress?.coaching = CoachProgress(
        goal: TimingGoal(bars: 8, spread: 12), step: 2, steps: 16, patience: 3, next: .tempo(nil))
      $0.snapshot.progress?.isHeld = true
      $0.snapshot.timing = TimingState()
    }.lines(80, 24)
    #expect(size(of: "repeating: no coaching", in: lines) > 0, "\(lines)")
  }

  @Test(arguments: [(80, 24, 3), (120, 40, 5), (200, 60, 5)])
  func `The boxes of the beats grow with the window`(columns: Int, rows: Int, least: Int) throws {
    for view in [PanelModel.View.practice, .stage] {
      let lines = try stage { $0.show(view) }.lines(columns, rows)
      let top = try #require(lines.firstIndex { $0.contains("┌") })
      let bottom = try #require(lines.firstIndex { $0.contains("└") })
      #expect(bottom - top + 1 >= least, "\(view)")
      #expect(lines[(top + bottom) / 2].contains("2"))
    }
  }

  @Test func `Beside large digits section and song are large too`() throws {
    let lines = try stage { $0.show(.practice) }.lines(120, 40)
    #expect(size(of: "Verse", in: lines) >= 3 && size(of: "Blue Rondo", in: lines) >= 3)
  }

  @Test func `A beat that the pattern leaves out is no silent bar`() throws {
    var model = try model { try $0.set(.accents(AccentPattern(text: "Xx.x"))) }
    for (beat, strength) in [(1, Float(1)), (2, 1), (3, 0)] {
      model.sound(
        Event.Beat(
          frame: ClockFrame(Int64(beat)), bar: 1, beat: beat, section: 0, sectionBar: 1, role: .beat,
          strength: strength))
    }
    #expect(model.light?.isSilent == false)
    // In a gap it is: the first beat of a silent bar gives nothing away.
    try model.set(.accents(AccentPattern(text: ".xXx")))
    model.sound(
      Event.Beat(
        frame: 9, bar: 2, beat: 1, section: 0, sectionBar: 2, role: .beat, strength: 0, silence: .bars(1)))
    #expect(model.light?.isSilent == true)
  }

  @Test func `The whole screen flashes only where that is set`() throws {
    let lit = model { $0.light = PanelModel.Light(bar: 1, beat: 2, isFresh: true) }
    func styles(_ model: PanelModel) -> [Style] {
      let canvas = PanelDrawing.draw(model, columns: 80, rows: 24, unicode)
      return (0..<24).flatMap { canvas[$0].map(\.style) }
    }
    func isInverted(_ model: PanelModel) -> Bool { styles(model).count { $0 == .header } > 80 * 20 }
    #expect(!isInverted(lit))
    var flashing = lit
    try flashing.set(Parameters.flash.setting(.beat))
    #expect(isInverted(flashing))
    flashing.light?.isFresh = false
    #expect(!isInverted(flashing))
    try flashing.set(Parameters.flash.setting(.downbeat))
    flashing.light?.isFresh = true
    #expect(!isInverted(flashing))
    flashing.light?.beat = 1
    #expect(isInverted(flashing))
  }

  @Test func `Messages are whole, and learning is told in each size`() throws {
    let text =
      "preset 'Bridge': must be one of 2: 1 'Verse', 2 'Chorus' and nothing else whatsoever, not today"
    let model = model { $0.note = PanelModel.Note(text: text, isWarning: true) }
    let shown = model.lines(40, 12).suffix(5).joined(separator: " ")
    for word in text.split(separator: " ") { #expect(shown.contains(word), "\(word)") }
    var learning = model
    (learning.note, learning.snapshot.learning) = (nil, try MIDIAction(.tap))
    for (columns, rows) in [(20, 5), (40, 12), (80, 24), (120, 40)] {
      #expect(learning.lines(columns, rows).joined().contains("move a control"), "\(columns)x\(rows)")
      // Losses may be reported every second.
      var late = learning
      _ = late.receive(.losses("1 xrun"))
      #expect(late.lines(columns, rows).joined().contains("move a control"), "\(columns)x\(rows)")
    }
  }

  @Test(arguments: 0...5)
  func `A long warning is readable on a stage of few rows`(rows: Int) throws {
    let lines = try stage {
      $0.note = PanelModel.Note(text: String(repeating: "long ", count: 100), isWarning: true)
    }.lines(20, rows)
    #expect(lines.count == rows)
    if rows >= 2 {
      #expect(lines.contains { $0.contains("long") } && lines.contains { $0.contains("down: more") })
    }
  }
}
