import Control
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
      ("s", .save), ("l", .learn(try MIDIAction(.parameter(Parameters.tempo.parameter)))),
    ]
    for (letter, update) in updates { #expect(model.press(.character(letter)) == .update(update)) }
    #expect(model.press(.character("q")) == .quit)
    for letter in "xyz!äß+-0" { #expect(model.press(.character(letter)) == nil) }
    #expect(model.press(.enter, .escape, .backspace) == nil)
  }

  @Test func `What is on goes off`() throws {
    var model = try model {
      try $0.set(.mute(true))
      try $0.set(.gap(Gap(play: 4, rest: 2)))
      $0.snapshot.learning = try MIDIAction(.tap)
      $0.snapshot.progress = try progress { $0.isHeld = true }
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
    #expect(seen.count == 1 + 8 + 1 + Fader.allCases.count)
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

  @Test(arguments: [
    ("7/8", "7/8"), ("5", "5/4"), ("12/16", "12/16"), ("1/1", "1/1"), ("99/99", "99/99"),
  ])
  func `Digits type a meter`(typed: String, meter: String) throws {
    var model = model()
    model.type(typed)
    #expect(model.entry == typed)
    #expect(model.press(.enter) == .update(.set(.meter(try Meter(text: meter)))))
    #expect(model.entry == nil && model.note == nil)
  }

  @Test(arguments: ["7/", "100/4", "7/0", "1/2/3", "7//"])
  func `A meter that is none is refused with a reason`(typed: String) {
    var model = model()
    model.type(typed)
    #expect(model.press(.enter) == nil)
    #expect(model.entry == nil)
    #expect(model.note?.isWarning == true)
    #expect(model.note?.text.contains("1…99") == true)
  }

  @Test func `What is typed can be taken back, and letters wait meanwhile`() {
    var model = model()
    model.type("7/q8")
    #expect(model.entry == "7/8")
    _ = model.press(.backspace)
    #expect(model.entry == "7/")
    _ = model.press(.backspace, .backspace)
    #expect(model.entry == nil)
    model.type("9")
    #expect(model.press(.escape) == nil)
    #expect(model.entry == nil)
  }

  @Test func `The keys are shown on demand, each of them`() {
    var model = model()
    _ = model.press(.character("?"))
    let text = model.lines(100, 24).joined(separator: "\n")
    for key in [
      "space", "arrows", "tab", "  t ", "0-9 /", "  m ", "  g ", "n p", "N P", "  h ", "  l ", "  s ", "  ? ",
      "  q ",
    ] { #expect(text.contains(key), "\(key)") }
    #expect(model.press(.character(" ")) == nil)
    #expect(!model.showsHelp)
  }
}
