import CJack
import Engine
import Link
import MIDI
import MusicTime
import Synchronization

/// The data of the process callback: the kernel, the client's ports, and the clock, which outlives clients.
///
/// It has a fixed address. While a client is active, only the audio thread uses its non-atomic properties; between two clients,
/// only the supervisor does.
struct ProcessContext: ~Copyable {
  var kernel: Kernel
  /// The channels to the conductor. Controllers' messages bypass the kernel.
  private let channels: UnsafePointer<Channels>
  /// libjack's functions, for the callbacks. The context owns this memory.
  let jack: UnsafePointer<JACKLibrary>
  var client: OpaquePointer?
  var ports = Ports()
  /// The transport's frame in this cycle; nil if it does not roll.
  private(set) var rollingFrame: UInt32?
  /// Whether timebase positions arrive one cycle late, as on PipeWire.
  private let isPipeWire: Bool
  /// Whether `PipeWireTick` knows how this PipeWire rounds ticks.
  private let knowsTicks: Bool
  /// The state of a PipeWire transport that waits for the engine.
  private var waiting = WaitingTransport()

  /// This cycle, and between two cycles the last one; the callback fills in the transport and the Link session. It is kept, because
  /// building it in each period costs more. Its clock continues when the server changes.
  var cycle = Cycle(clock: 0, frames: 0)
  /// JACK's time at its start; nil before the client's first cycle.
  private var time: (frame: UInt32, microseconds: UInt64)?

  /// The data shared with Ableton Link; nil without Link.
  let link: UnsafePointer<LinkLine>?
  /// Link's clock minus JACK's, in microseconds; nil before the first comparison.
  var linkOffset: Int64?

  /// Receives the player's audio and notes; nil if Tactus does not listen.
  let capture: UnsafePointer<Capture>?
  /// Receives the player's audio and the click for recording; nil if nothing is recorded.
  let recording: UnsafePointer<Capture>?

  /// The data that other threads may read while the callback runs.
  let shared: UnsafePointer<SharedClock>

  /// The cycle's MIDI messages.
  let control: MIDIBuffer
  let clockIn: MIDIBuffer
  let clockOut: MIDIBuffer
  let notes: MIDIBuffer
  let feedback: MIDIBuffer
  let hits: MIDIBuffer
  let timecode = MTCBuffer()
  /// The memory of these messages.
  private let messages = MIDIBuffers(6)
  /// The buffers of the time check's inputs.
  let listened = UnsafeMutablePointer<UnsafePointer<Float>?>.allocate(capacity: Capture.limit)
  /// The buffers of the layers' ports.
  let layers = UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>.allocate(capacity: 8)

  /// The client's ports.
  struct Ports: BitwiseCopyable {
    var out: OpaquePointer?
    var accent: OpaquePointer?
    var beat: OpaquePointer?
    var subdivision: OpaquePointer?
    var cue: OpaquePointer?
    var control: OpaquePointer?
    var clockIn: OpaquePointer?
    var clock: OpaquePointer?
    var notes: OpaquePointer?
    var feedback: OpaquePointer?
    /// The layers' ports; the first `layerCount` are valid.
    var layers = InlineArray<8, OpaquePointer?>(repeating: nil)
    var layerCount = 0
    /// The time check's inputs: audio, and the notes of an e-drum.
    var listen = InlineArray<8, OpaquePointer?>(repeating: nil)
    var hits: OpaquePointer?
    var pulses: PulsePorts?
    var timecode: TimecodePorts?
  }

  /// The ports `pulse`, `run` and `reset`: the clock as voltage.
  struct PulsePorts: BitwiseCopyable {
    let pulse: OpaquePointer
    let run: OpaquePointer
    let reset: OpaquePointer
  }

  /// The ports `timecode` and `ltc`.
  struct TimecodePorts: BitwiseCopyable {
    let midi: OpaquePointer
    let audio: OpaquePointer
  }

  init(
    kernel: consuming Kernel, channels: UnsafePointer<Channels>, clock: UnsafePointer<SharedClock>,
    link: UnsafePointer<LinkLine>?, library: JACKLibrary = .system, capture: UnsafePointer<Capture>? = nil,
    recording: UnsafePointer<Capture>? = nil
  ) {
    self.kernel = kernel
    let jack = UnsafeMutablePointer<JACKLibrary>.allocate(capacity: 1)
    jack.initialize(to: library)
    self.jack = UnsafePointer(jack)
    (isPipeWire, knowsTicks) = (library.isPipeWire, library.countsFromBarZero)
    self.channels = channels
    shared = clock
    self.link = link
    (self.capture, self.recording) = (capture, recording)
    (control, clockIn, clockOut) = (messages[0], messages[1], messages[2])
    (notes, feedback, hits) = (messages[3], messages[4], messages[5])
    cycle.clockIn = clockIn
    listened.initialize(repeating: nil, count: Capture.limit)
  }

  deinit {
    timecode.free()
    jack.deallocate()
    listened.deallocate()
    layers.deallocate()
  }

  /// Prepares for a new client, whose frame time starts again, and whose transport may be another server's.
  mutating func beginClient() {
    (time, waiting) = (nil, WaitingTransport())
    kernel.forgetTransport()
  }

  /// Completes the state of the transport. On PipeWire, a leader's position without an offset belongs to the previous cycle if
  /// the transport rolled in it.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func completeTransport() {
    if isPipeWire { completePipeWireTransport() }
    rollingFrame = cycle.transport.isRolling ? cycle.transport.frame : nil
  }

  @_noLocks
  @inline(never)
  private mutating func completePipeWireTransport() {
    if let last = rollingFrame, cycle.transport.leader?.offset == 0 {
      cycle.transport.leader!.offset = min(Int(cycle.transport.frame &- last), cycle.frames)
    }
    if let leader = cycle.transport.leader {
      cycle.transport.leader = PipeWireTick.corrected(leader, isKnown: knowsTicks)
    }
    if !cycle.transport.isStarting { waiting = WaitingTransport() }
  }

  /// Whether a starting transport may roll in the next cycle.
  /// - Parameters:
  ///   - frame: the transport's frame from which it would roll.
  ///   - time: the frame time and microseconds at this cycle's start.
  /// - Thread: audio
  @_noLocks
  mutating func letsTransportRoll(
    from frame: UInt32, _ time: (frame: UInt32, microseconds: UInt64)
  ) -> Bool {
    let next = clock(at: time) + Int64(shared.pointee.period.load(ordering: .relaxed))
    return kernel.letsTransportRoll(at: next, from: frame)
  }

  /// Whether a transport that waits for the engine must be located to the frame that it shows, so that it rolls from there.
  /// - Thread: audio
  @_noLocks
  mutating func mustLocate(to frame: UInt32) -> Bool { isPipeWire && waiting.mustLocate(to: frame) }

  /// Begins a cycle, but for its transport and its Link session.
  /// - Parameter time: the frame time and microseconds at its start.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func begin(at time: (frame: UInt32, microseconds: UInt64), frames: UInt32) {
    cycle.clock = clock(at: time)
    cycle.frames = Int(frames)
    cycle.sampleRate = shared.pointee.sampleRate.load(ordering: .relaxed)
    cycle.clockLatency = shared.pointee.clockLatency.load(ordering: .relaxed)
    shared.pointee.readLatencies(into: &cycle.latencies)
    self.time = time
    shared.pointee.phase.store(
      UInt32(truncatingIfNeeded: cycle.clock.number) &- time.frame, ordering: .relaxed)
  }

  /// Renders the cycle.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func render(into outputs: Outputs) {
    channels.pointee.receive(control, from: cycle.clock)
    channels.pointee.takeFeedback(into: feedback)
    kernel.render(cycle, into: outputs)
    shared.pointee.period.store(cycle.frames, ordering: .relaxed)
    shared.pointee.cycles.wrappingAdd(1, ordering: .relaxed)
  }

  /// The clock frame of a cycle that begins at this frame time, which wraps after 2³² frames and jumps if cycles were missed.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  func clock(at time: (frame: UInt32, microseconds: UInt64)) -> ClockFrame {
    let next = cycle.clock + Int64(cycle.frames)
    guard let last = self.time, cycle.clock + Int64(time.frame &- last.frame) != next else { return next }
    return next + missedFrames(from: last, to: time, shared.pointee.sampleRate.load(ordering: .relaxed))
  }

  /// The frames missed since the end of the last cycle.
  ///
  /// A small step backwards means that the clock was set, not that 2³² frames have passed. A jump by more frames than the
  /// elapsed time contains means another clock: PipeWire's clock changes with the device that drives the client.
  @_noLocks
  @inline(never)
  private func missedFrames(
    from last: (frame: UInt32, microseconds: UInt64), to time: (frame: UInt32, microseconds: UInt64),
    _ rate: Int
  ) -> Int64 {
    let elapsed = time.frame &- last.frame
    let missed = Int64(elapsed) - Int64(cycle.frames)
    guard elapsed < 1 << 31 else { return 0 }
    // Allow twice the elapsed time and a margin, since an overloaded server is not exact. Cycles that were missed before a change
    // of the sample rate have the rate before.
    let highest = Double(max(rate, cycle.sampleRate ?? 0))
    let passed = Double(Int64(bitPattern: time.microseconds &- last.microseconds)) * 1e-6 * highest
    return Double(missed) <= 2 * passed + 0.2 * highest ? missed : 0
  }
}

/// The engine's clock for other threads. The host frees it after its client is closed, because JACK may call the process
/// callback until then.
struct SharedClock: ~Copyable, @unchecked Sendable {
  // `@unchecked`: all its members, and the pointee of `delays`, are atomic.

  /// Cycles since the start, for the supervisor.
  let cycles = Atomic<UInt64>(0)
  /// The clock frame minus JACK's frame time, modulo 2³².
  let phase = Atomic<UInt32>(0)
  /// Frames in the last cycle.
  let period = Atomic<Int>(0)
  /// The server's sample rate in frames per second.
  let sampleRate = Atomic<Int>(0)
  /// Frames from the start of a MIDI clock message at its source to the speakers.
  let clockLatency = Atomic<Int>(0)
  /// Frames from the engine to the speakers, on the longest connected path.
  let latency = Atomic<Int>(0)
  /// Frames by which each audio port is delayed, in the order of `PortDelays`; and whether any port is.
  private let delays: UnsafeMutablePointer<Atomic<Int>>
  private let hasDelays = Atomic<Bool>(false)
  /// Frames from a message in the ports `clock` and `notes` until it is played.
  let sentClockLatency = Atomic<Int>(0)
  let notesLatency = Atomic<Int>(0)
  /// Frames from a sample in the port `pulse` until it is received.
  let pulseLatency = Atomic<Int>(0)
  /// Frames from a message in the port `timecode`, and from a sample in the port `ltc`, until it is received.
  let timecodeLatency = Atomic<Int>(0)
  let ltcLatency = Atomic<Int>(0)

  /// - Thread: audio
  @_noLocks
  @inline(__always)
  func readLatencies(into latencies: inout Cycle.Latencies) {
    latencies.out = latency.load(ordering: .relaxed)
    latencies.clock = sentClockLatency.load(ordering: .relaxed)
    latencies.notes = notesLatency.load(ordering: .relaxed)
    latencies.pulse = pulseLatency.load(ordering: .relaxed)
    latencies.timecode = timecodeLatency.load(ordering: .relaxed)
    latencies.ltc = ltcLatency.load(ordering: .relaxed)
    if hasDelays.load(ordering: .acquiring) || latencies.delays.isAny { readDelays(into: &latencies.delays) }
  }

  @_noLocks
  @inline(never)
  private func readDelays(into values: inout PortDelays) {
    values = PortDelays()
    for port in 0..<PortDelays.count { values[port] = delays[port].load(ordering: .relaxed) }
  }

  private init() {
    delays = .allocate(capacity: PortDelays.count)
    for port in 0..<PortDelays.count { (delays + port).initialize(to: Atomic(0)) }
  }

  /// Sets the delays of the audio ports.
  /// - Thread: supervisor
  func hold(_ frames: [Int]) {
    for (port, frames) in frames.enumerated() { delays[port].store(frames, ordering: .relaxed) }
    hasDelays.store(frames.contains { $0 > 0 }, ordering: .releasing)
  }

  deinit { delays.deallocate() }

  static func make() -> UnsafeMutablePointer<SharedClock> {
    let clock = UnsafeMutablePointer<SharedClock>.allocate(capacity: 1)
    clock.initialize(to: SharedClock())
    return clock
  }
}
