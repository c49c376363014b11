import MIDI
import MusicTime
import Timecode

@testable import Engine

/// A kernel without a device: the test chooses the periods, and receives events and samples.
final class Rig {
  static let largestPeriod = 1 << 16

  private let owned = OwnedChannels()
  var channels: UnsafePointer<Channels> { owned.pointer }
  let sampleRate: Int
  private var kernel: Kernel
  private let memory: UnsafeMutablePointer<Float>
  /// The clock frame of the next period.
  var clock: ClockFrame = 0
  private(set) var events: [Event] = []
  /// The samples of the five ports, if the test records them.
  private(set) var recording = Recording()
  var isRecording = false
  /// The incoming MIDI clock messages in order, and their latency in frames.
  var clockIn: [MIDIEvent] = []
  var clockLatency = 0
  /// The latencies of the ports, in frames.
  var latencies = Cycle.Latencies()
  private var nextClockIn = 0
  private let clockBuffer = MIDIBuffer()
  /// The messages of the MIDI ports by clock frame, if the test records them.
  private(set) var notes: [MIDIEvent] = []
  private(set) var pulses: [MIDIEvent] = []
  private var ports: (clock: MIDIBuffer, notes: MIDIBuffer)?
  /// The voltages of the ports `pulse`, `run` and `reset`, if the test records them.
  private(set) var voltages = (pulse: Voltage(), run: Voltage(), reset: Voltage())
  private var gates: UnsafeMutablePointer<Float>?
  /// The output of the ports `timecode` and `ltc`, if the test records it.
  private(set) var timecode: [(frame: ClockFrame, message: MTCMessage)] = []
  private(set) var linear: [Float] = []
  private var timecodePorts: Outputs.Timecode?
  /// The sample rate of the cycles; nil for the score's.
  var cycleRate: Int?
  /// The state of the Ableton Link session; nil without one.
  var link: Cycle.Link?
  /// Whether each period is rendered in full.
  var rendersFully = false
  /// The periods in which nothing happened.
  private(set) var quietPeriods = 0
  private(set) var published = 1
  private(set) var freed = 0

  struct Recording: Equatable {
    var out: [Float] = []
    var roles: [[Float]] = [[], [], [], []]
  }

  init(_ score: UnsafePointer<Score>, sampleRate: Int = 48_000) {
    self.sampleRate = sampleRate
    kernel = Kernel(owned.pointer, ScoreUpdate.make(change: score))
    memory = .allocate(capacity: 5 * Rig.largestPeriod)
    memory.initialize(repeating: .nan, count: 5 * Rig.largestPeriod)
  }

  deinit {
    collect()
    if let update = channels.pointee.scoreUpdates.take() { ScoreUpdate.free(update) }
    memory.deallocate()
    gates?.deallocate()
    timecodePorts?.linear.deallocate()
  }

  /// Publishes a score that takes effect as soon as its quantisation allows, or at a frame.
  func publish(_ score: UnsafePointer<Score>, at frame: ClockFrame? = nil) {
    publish(
      frame.map { ScoreUpdate.make(change: nil, scheduled: [.init(frame: $0, before: score, after: score)]) }
        ?? ScoreUpdate.make(change: score))
  }

  func publish(_ update: UnsafePointer<ScoreUpdate>) {
    published += 1
    if let replaced = channels.pointee.scoreUpdates.put(update) { release(replaced) }
  }

  /// The number of the last change that the engine has made.
  var changes: Int { channels.pointee.changes.load(ordering: .acquiring) }

  @discardableResult
  func command(_ action: Command.Action, at frame: ClockFrame? = nil, after predecessor: ClockFrame = .never)
    -> Bool
  {
    channels.pointee.commands.push(Command(action, at: frame, after: predecessor))
  }

  /// Renders one period and collects nothing.
  @inline(__always)
  func cycle(_ frames: Int, _ transport: Cycle.Transport = Cycle.Transport()) {
    precondition(frames <= Rig.largestPeriod)
    let size = max(frames, 1)
    let outputs = Outputs(
      out: memory, accent: memory + size, beat: memory + 2 * size, subdivision: memory + 3 * size,
      cue: memory + 4 * size, clock: ports?.clock, notes: ports?.notes,
      pulses: gates.map { Outputs.Pulses(pulse: $0, run: $0 + size, reset: $0 + 2 * size) },
      timecode: timecodePorts)
    var cycle = Cycle(clock: clock, frames: frames, sampleRate: cycleRate, transport: transport)
    (cycle.clockIn, cycle.clockLatency) = (clockBuffer, clockLatency)
    cycle.link = link
    cycle.latencies = latencies
    fillClock(until: clock + Int64(frames))
    if rendersFully { kernel.leaveQuiet() }
    let quiet = kernel.quiet
    kernel.render(cycle, into: outputs)
    // A period that is rendered in full makes another span, which hardly ever has the same end.
    if let quiet, let now = kernel.quiet, quiet.end == now.end { quietPeriods += 1 }
    if let ports {
      take(ports.notes, into: &notes)
      take(ports.clock, into: &pulses)
    }
    if let gates {
      voltages.pulse.read(gates, frames, at: clock)
      voltages.run.read(gates + size, frames, at: clock)
      voltages.reset.read(gates + 2 * size, frames, at: clock)
    }
    if let timecodePorts {
      let messages = timecodePorts.messages
      for index in 0..<messages.count {
        timecode.append((clock + Int64(messages[index].offset), messages[index].message))
      }
      linear += UnsafeBufferPointer(start: timecodePorts.linear, count: frames)
    }
    clock += Int64(frames)
    guard isRecording else { return }
    recording.out += UnsafeBufferPointer(start: memory, count: frames)
    for index in 0..<4 {
      recording.roles[index] += UnsafeBufferPointer(start: memory + (index + 1) * size, count: frames)
    }
  }

  /// Forgets what the transport did, as for a new client.
  func forgetTransport() { kernel.forgetTransport() }

  /// Lets cycles pass that the engine misses, with their incoming messages.
  func miss(_ frames: Int) {
    clock += Int64(frames)
    while nextClockIn < clockIn.count, clockIn[nextClockIn].frame < clock { nextClockIn += 1 }
  }

  private func fillClock(until end: ClockFrame) {
    clockBuffer.clear()
    while nextClockIn < clockIn.count, clockIn[nextClockIn].frame < end {
      let event = clockIn[nextClockIn]
      precondition(clockBuffer.append(event.message, at: Int(event.frame - clock)))
      nextClockIn += 1
    }
  }

  /// Records the MIDI ports from now on.
  func recordMIDI() { ports = (MIDIBuffer(), MIDIBuffer()) }

  /// Records the ports `pulse`, `run` and `reset` from now on.
  func recordPulses() {
    gates = .allocate(capacity: 3 * Rig.largestPeriod)
    gates!.initialize(repeating: .nan, count: 3 * Rig.largestPeriod)
    forgetPulses()
  }

  /// Records the ports `timecode` and `ltc` from now on.
  func recordTimecode() {
    timecodePorts = Outputs.Timecode(messages: MTCBuffer(), linear: .allocate(capacity: Rig.largestPeriod))
    timecodePorts!.linear.initialize(repeating: .nan, count: Rig.largestPeriod)
  }

  func forgetTimecode() { (timecode, linear) = ([], []) }

  func forgetPulses() { voltages = (Voltage(), Voltage(), Voltage()) }

  private func take(_ buffer: MIDIBuffer, into events: inout [MIDIEvent]) {
    for index in 0..<buffer.count {
      // JACK refuses messages that are out of order.
      precondition(index == 0 || buffer[index].offset >= buffer[index - 1].offset)
      events.append(MIDIEvent(buffer[index].message, at: clock + Int64(buffer[index].offset)))
    }
  }

  /// Renders one period; returns its events.
  @discardableResult
  func render(_ frames: Int, _ transport: Cycle.Transport = Cycle.Transport()) -> ArraySlice<Event> {
    let before = events.count
    cycle(frames, transport)
    collect()
    return events[before...]
  }

  /// Renders up to a clock frame in periods of one size.
  func render(until end: ClockFrame, period: Int = 1_024) {
    while clock < end { render(Int(min(Int64(period), end - clock))) }
  }

  /// Takes events and spent updates from the rings.
  func collect() {
    while let event = channels.pointee.events.pop() { events.append(event) }
    while let update = channels.pointee.returnedUpdates.pop() { release(update) }
  }

  func barBeatTick(at frame: UInt32) -> BarBeatTick {
    kernel.barBeatTick(at: frame)
  }

  /// Whether a transport that starts may roll at a clock frame.
  func letsTransportRoll(at next: ClockFrame, from frame: UInt32) -> Bool {
    kernel.letsTransportRoll(at: next, from: frame)
  }

  func forgetEvents() { events.removeAll(keepingCapacity: true) }
  func forgetMIDI() { (notes, pulses) = ([], []) }
  func forgetRecording() { recording = Recording() }

  private func release(_ update: UnsafePointer<ScoreUpdate>) {
    ScoreUpdate.free(update)
    freed += 1
  }

  /// All clicks so far.
  var beats: [Event.Beat] {
    events.compactMap { if case .beat(let beat) = $0 { beat } else { nil } }
  }
}
