import ControlBench
import MIDI
import MusicTime
import Realtime
import TestNumbers
import Testing
import Validation

@testable import Control

/// A surface with bindings, and settings that it changes.
private struct Desk {
  var surface = ControlSurface()
  var now = Snapshot(settings: Settings())

  init(_ rows: (control: String, target: String)...) throws {
    for row in rows { try bind(row.control, row.target) }
  }

  mutating func bind(
    _ control: String, _ target: String, gesture: Gesture = .press, coding: EncoderCoding? = nil,
    range: ClosedRange<Double>? = nil
  ) throws {
    let action = try MIDIAction(MIDITarget(text: target), gesture: gesture, coding: coding, range: range)
    try now.settings.bind(MIDIBinding(MIDISource(text: control), action))
  }

  /// Sends a message and applies the resulting changes of settings.
  @discardableResult
  mutating func send(_ message: MIDIMessage, at time: Instant = 0) throws -> [Update] {
    let moves = surface.handle(message, at: time, now)
    for move in moves {
      if case .set(let setting) = move.update { try now.settings.set(setting) }
      if case .bind(let binding) = move.update { try now.settings.bind(binding) }
    }
    return moves.map(\.update)
  }

  @discardableResult
  mutating func cc(
    _ controller: UInt8, _ value: UInt8, channel: UInt8 = 1, at time: Instant = 0
  ) throws -> [Update] {
    try send(.controlChange(channel: channel, controller: controller, value: value), at: time)
  }
}

@Suite struct ControlSurfaceTests {
  @Test func `With whole tempos on, a knob sets whole beats a minute`() throws {
    for isWhole in [false, true] {
      var desk = try Desk(("cc 1", "tempo"))
      try desk.now.settings.set(Parameters.wholeTempo.setting(isWhole))
      var tempos: [Tempo] = []
      for value: UInt8 in 0...127 {
        for case .set(let setting) in try desk.cc(1, value) {
          if let tempo = setting.value(of: Parameters.tempo) { tempos.append(tempo) }
        }
      }
      #expect(tempos.count > 50)
      #expect(tempos.allSatisfy { $0.thousandths % 1_000 == 0 } == isWhole)
    }
  }

  @Test func `A moving control is reported with each press and its binding`() throws {
    var controllers = Controllers()
    let snapshot = Snapshot(settings: Settings())
    #expect(controllers.moved == nil)
    var reported: [String] = []
    for message: MIDIMessage in [
      .controlChange(channel: 1, controller: 64, value: 127),
      .controlChange(channel: 1, controller: 64, value: 0),
      .noteOn(channel: 10, note: 36, velocity: 9), .clock, .noteOff(channel: 10, note: 36, velocity: 0),
      .programChange(channel: 2, program: 5), .pitchBend(channel: 1, value: 16_383), .start,
    ] {
      _ = controllers.handle(message, at: 0, snapshot)
      let moved = try #require(controllers.moved)
      reported.append("\(moved.source) \(moved.isDown ? 1 : 0)")
    }
    #expect(
      reported == [
        "cc 64 channel 1 1", "cc 64 channel 1 0", "note 36 channel 10 1", "note 36 channel 10 1",
        "note 36 channel 10 0", "program 5 channel 2 1", "pitch-bend channel 1 1", "start 1",
      ])
    let moved = try #require(MovedControl(.controlChange(channel: 3, controller: 7, value: 1)))
    for (control, target, isMoved) in [
      ("cc 7", "volume", true), ("cc 7 channel 3", "volume", true), ("cc 7 channel 4", "volume", false),
      ("cc14 7", "volume", true), ("cc 8", "volume", false), ("note 7", "tap", false),
    ] {
      let binding = try MIDIBinding(MIDISource(text: control), MIDIAction(MIDITarget(text: target)))
      #expect(moved.moves(binding) == isMoved, "\(control)")
    }
    let program = try MIDIBinding(MIDISource(text: "program"), MIDIAction(.song(nil)))
    #expect(MovedControl(.programChange(channel: 1, program: 9))?.moves(program) == true)
  }

  @Test func `A note triggers when it begins, on its own channel or any`() throws {
    var desk = try Desk(("note 36 channel 10", "start"), ("note 37", "stop"))
    #expect(try desk.send(.noteOn(channel: 10, note: 36, velocity: 1)) == [.start])
    #expect(try desk.send(.noteOff(channel: 10, note: 36, velocity: 1)) == [])
    #expect(try desk.send(.noteOn(channel: 9, note: 36, velocity: 1)) == [])
    #expect(try desk.send(.noteOn(channel: 3, note: 37, velocity: 1)) == [.stop])
    #expect(try desk.send(.noteOn(channel: 3, note: 38, velocity: 1)) == [])
  }

  @Test func `Each trigger makes its update`() throws {
    let table: [(String, Update)] = [
      ("start", .start), ("stop", .stop), ("toggle", .toggle), ("pause", .pause), ("resume", .start),
      ("pause/toggle", .playPause), ("restart", .restart),
      ("mute/beat", .set(try Setting(Parameters.mute(.beat).parameter, .flag(true)))),
      ("voice", .set(try Setting(Parameters.voice.parameter, .flag(false)))),
      ("tap", .tap(seconds: nil)),
      ("next", .go(.next)), ("previous", .go(.previous)), ("song/next", .go(.nextSong)),
      ("song/previous", .go(.previousSong)), ("hold", .hold(true)), ("mute", .set(.mute(true))),
      ("gap", .set(.gap(.everyOther))),
      ("song 3", .go(.song(3))), ("goto chorus", .go(.named("chorus"))), ("goto 2", .go(.named("2"))),
      ("sound beep", .set(.sound("beep"))), ("tempo/nudge -2.5", .nudge(thousandths: -2_500)),
      ("tempo 90", .set(.tempo(Tempo(clamping: 90_000)))),
      ("volume/cue 0.5", .set(.volume(.cue, try Volume(0.5)))),
      ("swing 1", .set(.swing(try Swing(1)))),
      ("subdivision/3 0", .set(.subdivision(try Subdivision(3), .off))),
    ]
    for (target, update) in table {
      var desk = try Desk(("note 1", target))
      #expect(try desk.send(.noteOn(channel: 1, note: 1, velocity: 100)) == [update], "\(target)")
    }
  }

  @Test func `A second press of mute lets it sound again`() throws {
    var desk = try Desk(("cc 60", "mute"))
    #expect(try desk.cc(60, 127) == [.set(.mute(true))])
    #expect(desk.now.settings.gains.master == 0)
    #expect(try desk.cc(60, 0) == [])
    #expect(try desk.cc(60, 127) == [.set(.mute(false))])
    #expect(desk.now.settings.gains.master == 1)
  }

  @Test func `A controller as a switch is pressed once on its way down`() throws {
    var desk = try Desk(("cc 64", "toggle"))
    #expect(try [0, 30, 64, 90, 127, 100, 63, 0, 127].flatMap { try desk.cc(64, $0) } == [.toggle, .toggle])
  }

  @Test func `A program change picks a song`() throws {
    var desk = try Desk(("program", "song"), ("program 9 channel 2", "stop"))
    #expect(try desk.send(.programChange(channel: 1, program: 0)) == [.go(.song(1))])
    #expect(try desk.send(.programChange(channel: 2, program: 9)) == [.go(.song(10)), .stop])
  }

  @Test func `A machine's start and stop can be bound`() throws {
    var desk = try Desk(("start", "start"), ("stop", "stop"), ("continue", "toggle"))
    #expect(try desk.send(.start) == [.start])
    #expect(try desk.send(.stop) == [.stop])
    #expect(try desk.send(.continue) == [.toggle])
    #expect(try desk.send(.clock) == [])
  }

  @Test func `A fader picks its parameter up before it moves it`() throws {
    var desk = try Desk(("cc 7", "volume"))
    #expect(try desk.cc(7, 0) == [])
    #expect(try desk.cc(7, 100) == [])
    // The volume is full: the fader meets it at its top.
    #expect(try desk.cc(7, 127) == [.set(.volume(.master, .full))])
    #expect(try desk.cc(7, 0) == [.set(.volume(.master, .off))])
    // OSC changes the value: the fader must be picked up again.
    try desk.now.settings.set(.volume(.master, Volume(0.5)))
    #expect(try desk.cc(7, 10) == [])
    #expect(try desk.cc(7, 63).count == 1)
  }

  @Test func `A fader that must be picked up reports its value until it is picked up`() throws {
    var desk = try Desk(("cc 7", "volume"))
    try desk.bind("cc 1", "tempo", range: 100...227)
    let volume = MIDITarget.parameter(Parameters.volume(.master).parameter)
    #expect(desk.surface.pickUp == nil)
    try desk.cc(7, 0)
    #expect(desk.surface.pickUp == PickUp(volume, wanted: 0, value: 1, range: 0...1))
    try desk.cc(7, 100)
    #expect(desk.surface.pickUp == PickUp(volume, wanted: 100.0 / 127, value: 1, range: 0...1))
    // The fader that was moved last is reported.
    try desk.cc(1, 10)
    let tempo = MIDITarget.parameter(Parameters.tempo.parameter)
    #expect(desk.surface.pickUp == PickUp(tempo, wanted: 110, value: 120, range: 100...227))
    try desk.cc(1, 20)
    #expect(desk.surface.pickUp == nil)
    try desk.cc(7, 100)
    #expect(desk.surface.pickUp?.target == volume)
    try desk.cc(7, 127)
    #expect(desk.surface.pickUp == nil)
    // Without its binding it no longer waits.
    try desk.now.settings.set(.volume(.master, Volume(0.5)))
    try desk.cc(7, 120)
    #expect(desk.surface.pickUp != nil)
    try desk.now.settings.unbind(volume)
    try desk.cc(7, 120)
    #expect(desk.surface.pickUp == nil)
  }

  @Test func `A fader goes over the range that it was given`() throws {
    var desk = try Desk()
    try desk.bind("cc 1", "tempo", range: 100...227)
    #expect(try desk.cc(1, 0) == [])
    #expect(try desk.cc(1, 20) == [.set(.tempo(Tempo(clamping: 120_000)))])
    #expect(try desk.cc(1, 127) == [.set(.tempo(Tempo(clamping: 227_000)))])
    #expect(try desk.cc(1, 0) == [.set(.tempo(Tempo(clamping: 100_000)))])
  }

  @Test func `Fine controllers have 14 bits`() throws {
    var desk = try Desk(("cc14 1", "swing"), ("pitch-bend", "volume/cue"))
    #expect(try desk.cc(1, 0).count == 1)
    #expect(try desk.cc(33, 127).count == 1)
    #expect(desk.now.settings.swing.thousandths == 8)
    #expect(try desk.cc(1, 64).count == 1)
    #expect(try desk.cc(33, 0).count == 1)
    #expect(desk.now.settings.swing.thousandths == 500)
    #expect(try desk.send(.pitchBend(channel: 1, value: 16_383)) == [.set(.volume(.cue, .full))])
    #expect(try desk.send(.pitchBend(channel: 1, value: 0)) == [.set(.volume(.cue, .off))])
  }

  @Test func `An encoder steps from where the parameter is, up to the range's end`() throws {
    for (coding, right, left) in [
      (EncoderCoding.twosComplement, UInt8(1), UInt8(127)), (.signedBit, 1, 65), (.binaryOffset, 65, 63),
    ] {
      var desk = try Desk()
      try desk.bind("cc 1", "tempo", coding: coding, range: 60...121)
      #expect(try desk.cc(1, right) == [.set(.tempo(Tempo(clamping: 121_000)))])
      #expect(try desk.cc(1, right) == [.set(.tempo(Tempo(clamping: 121_000)))])
      #expect(try desk.cc(1, left) == [.set(.tempo(Tempo(clamping: 120_000)))])
    }
    var desk = try Desk()
    try desk.bind("cc 1", "tempo/nudge 0.1", coding: .binaryOffset)
    try desk.bind("cc 2", "volume", coding: .binaryOffset)
    #expect(try desk.cc(1, 59) == [.nudge(thousandths: -500)])
    #expect(try desk.cc(1, 64) == [])
    #expect(try desk.cc(2, 54) == [.set(.volume(.master, try Volume(0.9)))])
  }

  @Test func `A footswitch's gestures do different things, each at its own time`() throws {
    func ms(_ count: UInt64) -> Instant { Instant(nanoseconds: count * 1_000_000) }
    var desk = try Desk(("cc 67", "tap"))
    try desk.bind("cc 67", "next", gesture: .hold)
    try desk.bind("cc 67", "mute", gesture: .double)
    let send = { (value: UInt8, time: Instant) in
      let message = MIDIMessage.controlChange(channel: 1, controller: 67, value: value)
      return desk.surface.handle(message, at: time, desk.now)
    }
    #expect(send(127, ms(1_000)) == [])
    #expect(send(0, ms(1_100)) == [])
    #expect(desk.surface.deadline == ms(1_350))
    #expect(desk.surface.update(at: ms(1_349), desk.now) == [])
    // The tap has the time of its MIDI message.
    let tap = ControlSurface.Move(update: .tap(seconds: nil), time: ms(1_000))
    #expect(desk.surface.update(at: ms(1_400), desk.now) == [tap])
    #expect(desk.surface.deadline == .never)
    // An action that was due before a message comes first.
    _ = send(127, ms(2_000))
    _ = send(0, ms(2_100))
    #expect(send(127, ms(5_000)) == [.init(update: .tap(seconds: nil), time: ms(2_000))])
    #expect(desk.surface.update(at: ms(5_600), desk.now) == [.init(update: .go(.next), time: ms(5_600))])
    #expect(send(0, ms(5_700)) == [])
    _ = send(127, ms(7_000))
    _ = send(0, ms(7_100))
    #expect(send(127, ms(7_200)) == [.init(update: .set(.mute(true)), time: ms(7_200))])
  }

  // MARK: Learning

  @Test func `A further gesture learned for a map's switch delays its press too`() throws {
    var desk = try Desk(("cc 64", "toggle"))
    try desk.bind("cc 64 channel 1", "mute", gesture: .double)
    #expect(try desk.cc(64, 127, at: 0) == [])
    #expect(try desk.cc(64, 0, at: 100_000_000) == [])
    #expect(try desk.cc(64, 127, at: 200_000_000) == [.set(.mute(true))])
    #expect(try desk.cc(64, 0, at: 300_000_000) == [])
    #expect(desk.surface.update(at: 2_000_000_000, desk.now) == [])
  }

  @Test func `The next control that is moved is learned, and does nothing else then`() throws {
    var desk = try Desk(("note 40 channel 1", "start"))
    desk.surface.learner.action = try MIDIAction(.tap)
    // Clock messages and the release of a switch are not learned.
    #expect(try desk.send(.clock) == [])
    #expect(try desk.cc(64, 0) == [])
    #expect(try desk.send(.noteOff(channel: 1, note: 40, velocity: 0)) == [])
    let learned = try MIDIBinding(MIDISource(text: "note 40 channel 2"), MIDIAction(.tap))
    #expect(try desk.send(.noteOn(channel: 2, note: 40, velocity: 9)) == [.bind(learned)])
    #expect(desk.surface.learner.action == nil)
    #expect(try desk.send(.noteOn(channel: 1, note: 40, velocity: 9)) == [.start])
  }

  @Test func `A control that cannot do the target is not learned`() throws {
    var desk = try Desk()
    desk.surface.learner.action = try MIDIAction(.parameter(Parameters.tempo.parameter), range: 60...200)
    #expect(try desk.send(.noteOn(channel: 1, note: 1, velocity: 9)) == [])
    #expect(try desk.send(.programChange(channel: 1, program: 1)) == [])
    #expect(try desk.cc(5, 3).count == 1)
    #expect(desk.now.settings.bindings.map(\.description) == ["cc 5 channel 1: tempo (60.0…200.0)"])
    desk.surface.learner.action = try MIDIAction(.song(nil))
    #expect(try desk.send(.programChange(channel: 4, program: 17)).count == 1)
    #expect(desk.now.settings.bindings.last?.description == "program channel 4: song")
    desk.surface.learner.action = try MIDIAction(.song(2))
    #expect(try desk.send(.programChange(channel: 4, program: 17)).count == 1)
    #expect(desk.now.settings.bindings.last?.description == "program 17 channel 4: song 2")
  }

  @Test func `A controller whose fine half follows is learned as a pair`() throws {
    var desk = try Desk()
    desk.surface.learner.action = try MIDIAction(.parameter(Parameters.tempo.parameter))
    _ = try desk.cc(3, 10, at: 1_000)
    _ = try desk.cc(35, 77, at: 1_500)
    #expect(desk.now.settings.bindings.map(\.description) == ["cc14 3 channel 1: tempo"])
    desk.surface.learner.action = try MIDIAction(.parameter(Parameters.swing.parameter))
    _ = try desk.cc(4, 10, at: 1_000)
    _ = try desk.cc(36, 77, at: 100_001_000)
    #expect(desk.now.settings.bindings.last?.description == "cc 4 channel 1: swing")
  }

  @Test func `Any messages make updates of the bindings alone`() throws {
    var random = Generator(seed: 21)
    var desk = try Desk()
    for map in MIDIMap.allCases { for binding in map.bindings { try desk.now.settings.bind(binding) } }
    for step in 0..<100_000 {
      let bytes = (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) }
      guard
        let message = (1...3).lazy.compactMap({ MIDIMessage(bytes[0], bytes[1], bytes[2], length: $0) }).first
      else { continue }
      for update in try desk.send(message, at: Instant(nanoseconds: UInt64(step) * 100_000)) {
        // No map binds start, stop and continue; a due hold or tap may come with the message.
        switch message {
        case .noteOn, .noteOff, .controlChange, .programChange: break
        default: #expect(update == .go(.next) || update == .tap(seconds: nil), "\(message)")
        }
      }
    }
  }

  @Test func `A switch that sends no releases is pressed each time`() throws {
    var desk = try Desk(("cc 64", "toggle"))
    #expect(try desk.cc(64, 127, at: 0) == [.toggle])
    // The other half of a bouncing contact.
    #expect(try desk.cc(64, 127, at: 20_000_000) == [])
    #expect(try desk.cc(64, 127, at: 700_000_000) == [.toggle])
    #expect(try desk.cc(64, 127, at: 1_400_000_000) == [.toggle])
    // A moving pedal sends other values.
    #expect(try desk.cc(64, 0, at: 2_000_000_000) == [])
    var moves: [Update] = []
    for (index, value) in [70, 90, 110, 120].enumerated() {
      moves += try desk.cc(
        64, UInt8(value), at: Instant(nanoseconds: 3_000_000_000 + UInt64(index) * 100_000_000))
    }
    #expect(moves == [.toggle])
    // It has sent a release since then: repeated values while it is down are not presses.
    #expect(try desk.cc(64, 120, at: 4_000_000_000) == [])
  }

  @Test func `A latching switch is pressed with each change`() throws {
    var desk = try Desk()
    try desk.bind("cc 64", "toggle", gesture: .latch)
    var moves: [[Update]] = []
    for (index, value) in [127, 0, 127, 127, 0, 0].enumerated() {
      moves.append(try desk.cc(64, UInt8(value), at: Instant(nanoseconds: UInt64(index) * 1_000_000_000)))
    }
    #expect(moves == [[.toggle], [.toggle], [.toggle], [], [.toggle], []])
    // The press from which it has learned has switched it on: the next one switches it off.
    var learning = try Desk()
    learning.surface.learner.action = try MIDIAction(.toggle, gesture: .latch)
    guard case .bind? = try learning.cc(64, 127, at: 0).first else {
      Issue.record("it has not learned")
      return
    }
    try learning.bind("cc 1", "tempo")
    #expect(try learning.cc(64, 0, at: 1_000_000_000) == [.toggle])
    #expect(try learning.cc(64, 127, at: 2_000_000_000) == [.toggle])
    #expect(throws: InvalidValue.self) { try desk.bind("note 3", "toggle", gesture: .latch) }
  }

  @Test func `A fader and an encoder change a session's speed, and nothing without one`() throws {
    var desk = try Desk(("cc 1", "speed"))
    try desk.bind("cc 2", "speed", coding: .twosComplement)
    #expect(try desk.cc(1, 127) == [])
    let layout = try BarLayout(meter: .common)
    desk.now.progress = SessionProgress(layout: layout)
    // 64 is the position of 100 %: from there on the fader has picked the speed up.
    #expect(try desk.cc(1, 64) == [.speed(percent: 100)])
    #expect(try desk.cc(1, 127) == [.speed(percent: 150)])
    #expect(try desk.cc(2, 3) == [.speed(percent: 103)])
    #expect(try desk.cc(2, 127) == [.speed(percent: 99)])
  }
}
