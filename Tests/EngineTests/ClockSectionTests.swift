import Engine
import Glibc
import MIDI
import MusicTime
import TestNumbers
import Testing

/// A score's pulses, computed directly from the definitions of tempo, meter and ramp, in floating-point quarters.
private struct Quarters {
  struct Part {
    let tempo: TempoCurve
    /// Quarters in a beat.
    let beat: Double
    /// Frames, and quarters.
    var length = 0.0
    var quarters = 0.0

    /// Frames from the part's start to a beat.
    func time(_ beats: Double, of all: Double) -> Double {
      let minute = 60.0 * 48_000
      switch tempo {
      case .constant(let tempo): return beats * minute / tempo.beatsPerMinute
      case .ramp(let from, let to):
        let slope = (to.beatsPerMinute - from.beatsPerMinute) / all
        return minute / slope * log1p(slope * beats / from.beatsPerMinute)
      case .beats(let tempos):
        let whole = min(Int(beats), tempos.count - 1)
        let before = tempos.prefix(whole).reduce(0) { $0 + minute / $1.beatsPerMinute }
        return before + (beats - Double(whole)) * minute / tempos[whole].beatsPerMinute
      }
    }
  }

  let parts: [Part]
  let loop: Int?

  /// The frame of a pulse, and nil after the end.
  func time(ofPulse pulse: Int) -> Double? {
    var (place, start, index) = (Double(pulse) / 24, 0.0, 0)
    while place >= parts[index].quarters - 1e-9 {
      place -= parts[index].quarters
      start += parts[index].length
      index += 1
      if index == parts.count {
        guard let loop else { return nil }
        index = loop
      }
    }
    let part = parts[index]
    return start + part.time(place / part.beat, of: part.quarters / part.beat)
  }
}

@Suite("MIDI clock of sections")
struct ClockSectionTests {
  /// A random section, and the reference for its pulses.
  private func part(_ numbers: inout Generator) throws -> (SectionPlan, Quarters.Part) {
    let unit = [1, 2, 3, 4, 5, 7, 8, 16][numbers.number(0...7)]
    let meter = try Meter(numbers.number(1...9), unit)
    let bars = numbers.number(1...6)
    func tempo() throws -> Tempo { try Tempo(thousandths: numbers.number(20_000...999_999)) }
    let curve: TempoCurve =
      switch numbers.number(1...3) {
      case 1: .constant(try tempo())
      case 2: .ramp(from: try tempo(), to: try tempo())
      default: .beats(try (0..<(bars * meter.count)).map { _ in try tempo() })
      }
    var part = Quarters.Part(tempo: curve, beat: 4 / Double(unit))
    var beats = Double(bars * meter.count)
    var length = SectionLength.bars(bars)
    if case .constant(let tempo) = curve, numbers.oneIn(2) {
      let milliseconds = numbers.number(100...5_000)
      length = .milliseconds(milliseconds)
      beats = Double(milliseconds) * tempo.beatsPerMinute / 60_000
    }
    part.quarters = beats * part.beat
    part.length = part.time(beats, of: beats)
    return (SectionPlan(length: length, layout: try BarLayout(meter: meter), tempo: curve), part)
  }

  @Test(
    "Pulses go on from section to section and from lap to lap, each on its exact frame", arguments: 1...20)
  func sections(seed: UInt64) throws {
    var numbers = Generator(seed: seed)
    let all = try (0..<numbers.number(1...8)).map { _ in try part(&numbers) }
    let loop = numbers.oneIn(2) ? numbers.number(0...all.count - 1) : nil
    let rig = Rig(Score.make(all.map(\.0), loop: loop))
    rig.recordMIDI()
    rig.command(.start, at: 0)
    while rig.clock.number < 60 * 48_000 { rig.render(numbers.number(1...2_048)) }

    let quarters = Quarters(parts: all.map(\.1), loop: loop)
    var machine = Machine()
    machine.follow(rig.pulses)
    #expect(machine.faults == [] && machine.idle == [])
    for pulse in machine.pulses {
      let exact = try #require(quarters.time(ofPulse: Int(pulse.index)))
      #expect(abs(Double(pulse.frame.number) - exact) <= 0.501, "\(pulse)")
    }
    let end = quarters.time(ofPulse: machine.pulses.count)
    if let end { #expect(end >= Double(rig.clock.number) - 0.501) }
    #expect(machine.orders == (end == nil ? ["start", "stop"] : ["start"]))
    // Pulses were there to be looked at.
    #expect(machine.pulses.count > 5)
  }

  @Test("In a storm of starts, stops, pauses and jumps each beat has its own pulse", arguments: [1, 2, 3])
  func storm(seed: UInt64) throws {
    var numbers = Generator(seed: seed)
    let counts = [3, 4, 5, 2]
    func score(_ percent: Int) throws -> UnsafePointer<Score> {
      let plans = try counts.enumerated().map { index, count in
        try Pattern(thousandths: (90_000 + index * 31_000) * percent / 100, meter: (count, 4)).plan(bars: 2)
      }
      return Score.make(plans, loop: 0, piece: 1, timing: percent)
    }
    let rig = Rig(try score(100))
    rig.recordMIDI()
    while rig.clock.number < 200 * 48_000 {
      if numbers.oneIn(40) { rig.publish(try score(numbers.number(50...300))) }
      if numbers.oneIn(20) {
        let action: Command.Action =
          switch numbers.number(1...8) {
          case 1: .stop
          case 2: .pause
          case 3: .locate(Position(bar: numbers.number(1...8), beat: numbers.number(1...2), fraction: 0.3))
          case 4, 5:
            .jump(BarRange.Bar(section: numbers.number(0...3)), Quantise.allCases[numbers.number(0...2)])
          case 6: .repeats(repetition(&numbers))
          default: .start
          }
        rig.command(action, at: numbers.oneIn(2) ? nil : rig.clock + Int64(numbers.number(0...3_000)))
      }
      if numbers.oneIn(200) { rig.clock += Int64(numbers.number(1...20_000)) }
      rig.render(numbers.number(1...1_024))
    }
    var machine = Machine()
    machine.follow(rig.pulses)
    #expect(machine.faults == [] && machine.idle == [])
    // A beat's position in its section must equal that of its pulse.
    let starts = [0, 6, 14, 24]
    let pulses = Dictionary(machine.pulses.map { ($0.frame, $0.index) }) { $1 }
    let wrong = rig.beats.filter { beat in
      let quarters =
        starts[beat.section] + (beat.sectionBar - 1) * counts[beat.section] + beat.beat - 1
      guard let index = pulses[beat.frame] else { return true }
      // In laps of all sections, and of held ones, the count continues.
      return (Int(index) - 24 * quarters) % 24 != 0
    }
    #expect(wrong.isEmpty, "\(wrong.prefix(5))")
    #expect(rig.beats.count > 300)
    #expect(machine.orders.count > 60)
  }

  private func repetition(_ numbers: inout Generator) -> Repetition {
    func bar() -> BarRange.Bar { BarRange.Bar(section: numbers.number(0...3), bar: numbers.number(1...2)) }
    return switch numbers.number(0...3) {
    case 0: .none
    case 1: .section
    default: BarRange(bar(), through: bar()).map { .bars($0) } ?? .none
    }
  }

  @Test("At a section's line, delayed pulses of the section before keep its tempo if the speed changes there")
  func speedAtLine() throws {
    var output = MIDIClockOutput()
    output.offset = 400
    func score(_ percent: Int) throws -> UnsafePointer<Score> {
      let plans = try [60_000, 240_000].map { try Pattern(thousandths: $0 * percent / 100).plan(bars: 2) }
      return Score.make(plans, clock: output, quantise: .bar, piece: 1, timing: percent)
    }
    let rig = Rig(try score(100))
    rig.recordMIDI()
    rig.command(.start, at: 0)
    rig.render(until: 336_000)
    rig.publish(try score(101))
    rig.render(until: 420_000)
    var machine = Machine()
    machine.follow(rig.pulses)
    #expect(machine.faults == [])
    let section = machine.pulses.prefix(24 * 8)
    #expect(section.map(\.frame) == (0..<192).map { ClockFrame(2_000 * $0 + 19_200) })
  }

  @Test("When a section without an end is left, machines are sent to the new position")
  func openSection() throws {
    let pattern = Pattern(thousandths: 120_000, meter: (2, 4))
    let open = SectionPlan(
      length: .open, layout: try pattern.layout(), tempo: .constant(try Tempo(thousandths: 120_000)))
    let rig = Rig(Score.make([try pattern.plan(bars: 2), open, try pattern.plan(bars: 2)]))
    rig.recordMIDI()
    rig.command(.start, at: 0)
    rig.command(.jump(BarRange.Bar(section: 2), .now), at: 500_000)
    rig.render(until: 800_000, period: 512)
    var machine = Machine()
    machine.follow(rig.pulses)
    #expect(machine.faults == [] && machine.idle == [])
    // The section without an end counts as one bar.
    #expect(machine.orders == ["start", "stop", "position 24", "continue", "stop"])
  }

  @Test("In follow the pulses are the leader's")
  func follow() throws {
    for (meter, tempo) in [((4, 4), 121.7), ((7, 8), 201.3), ((6, 16), 300.1)] {
      var following = try Following(SimulatedLeader(meter: meter, beatsPerMinute: tempo))
      following.rig.recordMIDI()
      try following.render(seconds: 20, period: 256)
      var machine = Machine()
      machine.follow(following.rig.pulses)
      #expect(machine.faults == [] && machine.idle == [] && machine.orders == ["start"])
      let length = 60 * 48_000 / tempo * Double(meter.1) / 96
      for pulse in machine.pulses {
        #expect(abs(Double(pulse.frame.number) - Double(pulse.index) * length) <= 1.5, "\(pulse)")
      }
      // If the leader jumps, the machines are sent to the new position.
      following.rig.forgetMIDI()
      following.leader.locate(bar: 17, notes: 0, frame: 1 << 20)
      let clock = following.rig.clock
      try following.render(seconds: 5, period: 256)
      #expect(following.rig.pulses.prefix(3).map(\.frame) == [clock, clock, clock])
      machine = Machine()
      machine.follow(following.rig.pulses.dropFirst())
      #expect(machine.orders == ["position \(256 * meter.0 / meter.1)", "continue"])
    }
  }

  @Test("In lead machines are at the transport's position, and catch up after missed cycles")
  func lead() throws {
    let rig = Rig(try Score.make(Pattern(), role: .lead))
    rig.recordMIDI()
    var transport = LedTransport(rig)
    func run(_ seconds: Int) {
      let end = rig.clock + Int64(seconds * 48_000)
      while rig.clock < end { _ = transport.render(256) }
    }
    let start = rig.clock
    run(1)
    transport.locate(1_000_000)
    let located = rig.clock
    run(1)
    transport.miss(2_560)
    run(1)
    transport.isRolling = false
    let stopped = rig.clock
    run(1)
    transport.locate(48_000)
    run(1)
    transport.isRolling = true
    let resumed = rig.clock
    run(1)

    func position(_ sixteenths: Int64, at frame: ClockFrame) -> MIDIEvent {
      MIDIEvent(.songPosition(SongPosition(sixteenths: sixteenths)!), at: frame)
    }
    #expect(
      rig.pulses.filter { $0.message != .clock } == [
        MIDIEvent(.start, at: start), MIDIEvent(.stop, at: located), position(167, at: located),
        MIDIEvent(.continue, at: located + 2_000), MIDIEvent(.stop, at: stopped), position(8, at: resumed),
        MIDIEvent(.continue, at: resumed),
      ])
    var machine = Machine()
    machine.follow(rig.pulses)
    #expect(machine.faults == [] && machine.idle == [])
    let late = machine.pulses.filter { pulse in
      let isBefore = pulse.frame < stopped
      let origin = pulse.frame < located ? start : isBefore ? located - 1_000_000 : resumed - 48_000
      return pulse.frame != origin + pulse.index * 1_000
    }
    #expect(late.count == 2 && Set(late.map(\.frame)).count == 1)
  }
}
