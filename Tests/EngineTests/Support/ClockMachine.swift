import Engine
import MIDI
import MusicTime
import TestNumbers

/// A machine that sends a MIDI clock. Its beats are known exactly; its pulses are early or late by an evenly distributed jitter, and
/// some may be missing.
struct ClockMachine {
  /// Everything that it sends, in order.
  private(set) var events: [MIDIEvent] = []
  /// The exact times of its quarters since the last start, in frames.
  private(set) var quarters: [Double] = []
  /// The exact time of the next pulse, in frames.
  private(set) var time: Double
  /// The largest amount by which a pulse is early or late, in milliseconds.
  var jitter = 0.0
  /// The share (0…1) of pulses from which on one to four are missing.
  var dropOuts = 0.0

  private var generator: Generator
  private var pulse = 0
  private var missing = 0
  /// Messages that are sent just before the next pulse.
  private var waiting: [MIDIMessage] = []
  private var lastFrame: ClockFrame = 0

  init(at time: Double = 10_000, jitter: Double = 0, dropOuts: Double = 0, seed: UInt64 = 1) {
    (self.time, self.jitter, self.dropOuts) = (time, jitter, dropOuts)
    generator = Generator(seed: seed)
  }

  private mutating func unit() -> Double { Double(generator.next() >> 11) * 0x1p-53 }

  /// Sends a message together with the next pulse; a start or song position moves the count of quarters.
  mutating func send(_ message: MIDIMessage) {
    waiting.append(message)
    switch message {
    case .start: (pulse, quarters) = (0, [])
    case .songPosition(let position): (pulse, quarters) = (Int(position.pulse), [])
    default: break
    }
  }

  /// Sends a message at once, a pulse and a half after the last.
  mutating func sendAlone(_ message: MIDIMessage) {
    append(message, at: time)
    send(message)
    waiting.removeLast()
  }

  /// Sends pulses.
  mutating func play(_ pulses: Int, beatsPerMinute tempo: Double) {
    for _ in 0..<pulses {
      if pulse % 24 == 0 { quarters.append(time) }
      let stray = (2 * unit() - 1) * jitter * 48
      if missing == 0, pulse > 96, unit() < dropOuts { missing = 1 + Int(unit() * 4) }
      for message in waiting { append(message, at: time + stray) }
      waiting = []
      if missing > 0 { missing -= 1 } else { append(.clock, at: time + stray) }
      pulse += 1
      time += 48_000 * 60 / (24 * tempo)
    }
  }

  /// Plays on without sending a pulse.
  mutating func fallSilent(_ pulses: Int, beatsPerMinute tempo: Double) {
    let before = events.count
    play(pulses, beatsPerMinute: tempo)
    events.removeSubrange(before...)
  }

  /// Keeps the messages in order, whatever the jitter.
  private mutating func append(_ message: MIDIMessage, at time: Double) {
    lastFrame = max(lastFrame, ClockFrame(Int64(time.rounded())))
    events.append(MIDIEvent(message, at: lastFrame))
  }
}

/// Compares the clicks of a metronome with the quarters of the machine that it follows.
struct ClockHearing {
  /// How late each quarter's click is, in milliseconds.
  private(set) var strays: [Double] = []
  /// Descriptions of clicks that were lost, doubled, or had a wrong number.
  private(set) var faults: [String] = []

  /// - Parameters:
  ///   - first: the number of the first quarter, from 0, in bars of four.
  init(_ beats: [Event.Beat], quarters: [Double], first: Int = 0) {
    for (index, beat) in beats.enumerated() {
      let number = first + index
      if beat.bar != number / 4 + 1 || beat.beat != number % 4 + 1 {
        faults.append("click \(index) is \(beat.bar).\(beat.beat)")
      }
    }
    if beats.count != quarters.count { faults.append("\(beats.count) clicks for \(quarters.count) quarters") }
    strays = zip(beats, quarters).map { (Double($0.frame.number) - $1) / 48 }
  }

  func largest(from quarter: Int) -> Double { strays.dropFirst(quarter).map(abs).max() ?? 0 }

  func rms(_ range: Range<Int>) -> Double {
    let chosen = strays[range.clamped(to: strays.indices)]
    return (chosen.reduce(0) { $0 + $1 * $1 } / Double(max(chosen.count, 1))).squareRoot()
  }

  /// The first quarter from which on every click is within so many milliseconds.
  func settled(within milliseconds: Double) -> Int {
    (strays.lastIndex { abs($0) >= milliseconds } ?? -1) + 1
  }
}

extension Rig {
  /// A metronome that follows a clock, in 4/4 unless the pattern says otherwise.
  static func following(
    _ pattern: Pattern = Pattern(), stopsWhenLost: Bool = false, advance: Int = 0
  ) throws -> Rig {
    var policy = MIDIClockPolicy()
    (policy.stopsWhenLost, policy.advance) = (stopsWhenLost, advance)
    return Rig(try Score.make(pattern, role: .midiClock, clockIn: policy))
  }

  /// Plays everything that a machine has sent, and a little more.
  func play(_ machine: ClockMachine, period: Int = 256) {
    clockIn = machine.events
    render(until: ClockFrame(Int64(machine.time) - 100), period: period)
  }

  /// The clicks on beats.
  var quarters: [Event.Beat] { beats.filter { $0.role != .subdivision } }
}
