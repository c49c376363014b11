import Engine
import MIDI
import MusicTime
import TestNumbers
import Testing

/// A synthesiser at the port `notes`.
struct Synthesiser {
  private var sounding: [Int: ClockFrame] = [:]
  private(set) var faults: [String] = []
  private(set) var lengths: [Int64] = []
  private var last = ClockFrame.earliest

  var isSilent: Bool { sounding.isEmpty }

  mutating func play(_ events: [MIDIEvent]) {
    for event in events {
      if event.frame < last { faults.append("\(event) after \(last)") }
      last = event.frame
      switch event.message {
      case .noteOn(let channel, let note, let velocity):
        if velocity == 0 { faults.append("\(event)") }
        if sounding.updateValue(event.frame, forKey: Int(channel) << 8 | Int(note)) != nil {
          faults.append("\(event) sounds")
        }
      case .noteOff(let channel, let note, _):
        guard let begin = sounding.removeValue(forKey: Int(channel) << 8 | Int(note)) else {
          faults.append("\(event) doesn't sound")
          continue
        }
        lengths.append(event.frame - begin)
      default: faults.append("\(event)")
      }
    }
  }
}

@Suite("Notes")
struct NoteTests {
  private func ons(_ rig: Rig) -> [MIDIEvent] {
    rig.notes.filter { if case .noteOn = $0.message { true } else { false } }
  }

  @Test("Each click is a note on its frame, as loud as it is, that ends after its length")
  func clicks() throws {
    let layout = try BarLayout(
      meter: Meter(4, 4), subdivisions: [Subdivision(3): 0.5], accents: AccentPattern(text: "Xxo."))
    let plan = SectionPlan(layout: layout, tempo: try Tempo(133.7), bars: 4)
    let cue = Clip([1])
    var gains = Gains()
    (gains.buses.accent, gains.buses.subdivision) = (0.5, 0.75)
    let rig = Rig(Score.make([plan], cues: [0: cue], gains: gains))
    rig.recordMIDI()
    rig.command(.start, at: 1_000)
    rig.render(until: 480_000, period: 333)

    let heard = rig.beats.filter { $0.strength > 0 }
    #expect(heard.count == 1 + 4 * (3 + 8))
    let expected = heard.map { beat in
      let (note, velocity): (UInt8, UInt8) =
        switch beat.role {
        case .accent: (76, 64)
        case .beat: (77, beat.strength == 1 ? 127 : 64)
        case .subdivision: (42, 48)
        case .cue: (56, 127)
        }
      return MIDIEvent(.noteOn(channel: 10, note: note, velocity: velocity), at: beat.frame)
    }
    #expect(ons(rig) == expected)
    var synthesiser = Synthesiser()
    synthesiser.play(rig.notes)
    #expect(synthesiser.faults == [] && synthesiser.isSilent)
    #expect(Set(synthesiser.lengths) == [2_400])
  }

  @Test("Notes have the numbers that are set, and the mute silences them")
  func settings() throws {
    var notes = NoteOutput()
    (notes.numbers.accent, notes.numbers.beat, notes.channel, notes.length) = (0, 127, 16, 1)
    var gains = Gains()
    gains.buses.beat = 0
    let rig = Rig(try Score.make(Pattern(), gains: gains, notes: notes))
    rig.recordMIDI()
    rig.command(.start, at: 0)
    rig.render(until: 100_000)
    #expect(
      rig.notes == [
        MIDIEvent(.noteOn(channel: 16, note: 0, velocity: 127), at: 0),
        MIDIEvent(.noteOff(channel: 16, note: 0, velocity: 64), at: 48),
        MIDIEvent(.noteOn(channel: 16, note: 0, velocity: 127), at: 96_000),
        MIDIEvent(.noteOff(channel: 16, note: 0, velocity: 64), at: 96_048),
      ])
    gains.master = 0
    rig.publish(try Score.make(Pattern(), gains: gains, notes: notes))
    rig.render(until: 300_000)
    #expect(rig.notes.count == 4)
  }

  @Test("A repeated note ends the sounding one first; two equal notes on one frame are one")
  func again() throws {
    var notes = NoteOutput()
    (notes.numbers, notes.length) = (PerRole(repeating: 60), 600)
    let plan = try Pattern().plan(bars: 1)
    let cue = Clip([1])
    let rig = Rig(Score.make([plan], cues: [0: cue], notes: notes))
    rig.recordMIDI()
    rig.command(.start, at: 0)
    rig.render(until: 200_000)
    let on = MIDIMessage.noteOn(channel: 10, note: 60, velocity: 127)
    let off = MIDIMessage.noteOff(channel: 10, note: 60, velocity: 64)
    #expect(
      rig.notes == [
        MIDIEvent(on, at: 0), MIDIEvent(off, at: 24_000), MIDIEvent(on, at: 24_000),
        MIDIEvent(off, at: 48_000), MIDIEvent(on, at: 48_000), MIDIEvent(off, at: 72_000),
        MIDIEvent(on, at: 72_000), MIDIEvent(off, at: 100_800),
      ])
  }

  @Test("In a storm of changes no note hangs, and no audible note is missing", arguments: [1, 2, 3])
  func storm(seed: UInt64) throws {
    var numbers = Generator(seed: seed)
    func score() throws -> UnsafePointer<Score> {
      var pattern = Pattern(thousandths: numbers.number(30_000...999_999))
      for parts in 2...9 where numbers.oneIn(4) { pattern.subdivisions[parts] = 0.5 }
      var notes = NoteOutput()
      for role in ClickRole.allCases { notes.numbers[role] = UInt8(numbers.number(0...127)) }
      notes.channel = UInt8(numbers.number(1...16))
      notes.length = numbers.number(1...500)
      return try Score.make(pattern, notes: notes, quantise: Quantise.allCases[numbers.number(0...2)])
    }
    let rig = Rig(try score())
    rig.recordMIDI()
    while rig.clock.number < 60 * 48_000 {
      if numbers.oneIn(20) { rig.publish(try score()) }
      if numbers.oneIn(10) {
        let action: Command.Action =
          switch numbers.number(1...6) {
          case 1: .stop
          case 2: .pause
          case 3: .locate(Position(bar: numbers.number(1...9), beat: 1))
          default: .start
          }
        rig.command(action, at: numbers.oneIn(2) ? nil : rig.clock + Int64(numbers.number(0...1_000)))
      }
      // Cycles are missed.
      if numbers.oneIn(100) { rig.clock += Int64(numbers.number(1...10_000)) }
      rig.render(numbers.number(1...384))
    }
    // Two roles may have one note; those that fall on one frame and note are one.
    #expect(ons(rig).map(\.frame) == rig.beats.map(\.frame))
    // A stop in the middle of a note.
    rig.command(.start)
    rig.command(.locate(.start))
    rig.render(16)
    rig.command(.stop)
    rig.render(16)
    #expect(rig.channels.pointee.sounding.load(ordering: .relaxed) > 0)
    rig.render(until: rig.clock + 24_000)
    #expect(rig.channels.pointee.sounding.load(ordering: .relaxed) == 0)
    var synthesiser = Synthesiser()
    synthesiser.play(rig.notes)
    #expect(synthesiser.faults == [] && synthesiser.isSilent)
    #expect(synthesiser.lengths.count > 500)
  }
}
