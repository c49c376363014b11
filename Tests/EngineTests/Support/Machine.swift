import MIDI
import MusicTime

/// A machine that follows a MIDI clock: it counts pulses, and records messages that must never be sent.
struct Machine {
  struct Pulse: Equatable {
    let index: Int64
    let frame: ClockFrame
  }

  private(set) var isRunning = false
  /// Pulses while it played.
  private(set) var pulses: [Pulse] = []
  /// The frames of pulses while it was stopped.
  private(set) var idle: [ClockFrame] = []
  /// All other messages in short form.
  private(set) var orders: [String] = []
  private(set) var faults: [String] = []
  private var next: Int64 = 0
  private var last = ClockFrame.earliest
  /// The frame of a start whose pulse has not come yet.
  private var entry: ClockFrame?

  mutating func follow(_ events: some Sequence<MIDIEvent>) {
    for event in events { follow(event) }
  }

  private mutating func follow(_ event: MIDIEvent) {
    if event.frame < last { faults.append("\(event) after \(last)") }
    last = event.frame
    if let entry, event.message != .clock || event.frame != entry { faults.append("\(event) after a start") }
    entry = nil
    switch event.message {
    case .clock where isRunning:
      pulses.append(Pulse(index: next, frame: event.frame))
      next += 1
    case .clock: idle.append(event.frame)
    case .start:
      next = 0
      enter(event)
    case .continue: enter(event)
    case .stop:
      if !isRunning { faults.append("\(event) at a stand") }
      isRunning = false
      orders.append("stop")
    case .songPosition(let position):
      if isRunning { faults.append("\(event) while running") }
      next = position.pulse
      orders.append("position \(position.sixteenths)")
    default: faults.append("\(event)")
    }
  }

  private mutating func enter(_ event: MIDIEvent) {
    if isRunning { faults.append("\(event) while running") }
    (isRunning, entry) = (true, event.frame)
    orders.append(event.message == .start ? "start" : "continue")
  }
}
