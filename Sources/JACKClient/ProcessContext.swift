import CJack
import Engine
import Link
import MIDI
import Synchronization

/// What the process callback works on: the kernel, the client's ports, and the clock that outlives clients.
///
/// It lives at a fixed address for as long as the process. While a client is active the audio thread alone touches what
/// is not atomic; between two clients the supervisor does.
struct ProcessContext: ~Copyable {
  var kernel: Kernel
  var client: OpaquePointer?
  var ports = Ports()
  /// The transport's frame in this cycle, where it rolls.
  private(set) var rollingFrame: UInt32?
  /// Whether positions come a cycle late, as they do on PipeWire.
  private let isPipeWire = JACKHost.usesPipeWire

  /// The first frame of the next cycle if none is missed, by the engine's clock. It goes on from one server to the next.
  private var nextClock: Int64 = 0
  /// The clock frame of the last cycle, and JACK's time of it; nil before a client's first.
  private var lastClock: Int64 = 0
  private var lastTime: (frame: UInt32, microseconds: UInt64)?

  /// The way to Ableton Link; nil where there is none.
  let link: UnsafePointer<LinkLine>?
  /// Microseconds of Link's clock ahead of JACK's; nil before they were first compared.
  var linkOffset: Int64?

  /// What other threads may read while the callback runs.
  let shared: UnsafePointer<SharedClock>

  /// Through these pass the MIDI of a cycle.
  let control = MIDIBuffer()
  let clockIn = MIDIBuffer()
  let clockOut = MIDIBuffer()
  let notes = MIDIBuffer()

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
  }

  init(kernel: consuming Kernel, clock: UnsafePointer<SharedClock>, link: UnsafePointer<LinkLine>?) {
    self.kernel = kernel
    shared = clock
    self.link = link
  }

  /// A new client starts to count frames anew.
  mutating func resetFrameTime() { lastTime = nil }

  /// Notes how the transport stands. What a leader says without an offset is of the cycle before, on PipeWire, if that rolled.
  /// - Thread: audio
  @_noLocks
  mutating func look(at transport: inout Cycle.Transport, _ frames: UInt32) {
    if isPipeWire, let last = rollingFrame, transport.leader?.offset == 0 {
      transport.leader!.offset = Int(min(transport.frame &- last, frames))
    }
    rollingFrame = transport.isRolling ? transport.frame : nil
  }

  /// Renders a cycle of JACK's.
  ///
  /// The clock follows JACK's frame time, which wraps after 2³² frames and jumps where cycles were missed.
  /// - Parameter time: of the cycle's start.
  /// - Thread: audio
  @_noLocks
  mutating func run(
    time: (frame: UInt32, microseconds: UInt64), frames: UInt32, transport: Cycle.Transport,
    link: Cycle.Link?,
    outputs: Outputs
  ) {
    let rate = shared.pointee.sampleRate.load(ordering: .relaxed)
    let clock = nextClock + missedFrames(before: time, rate)
    lastTime = time
    lastClock = clock
    nextClock = clock + Int64(frames)
    shared.pointee.phase.store(UInt32(truncatingIfNeeded: clock) &- time.frame, ordering: .relaxed)
    var cycle = Cycle(clock: clock, frames: Int(frames), sampleRate: rate, transport: transport)
    cycle.control = control
    cycle.clockIn = clockIn
    cycle.clockLatency = shared.pointee.clockLatency.load(ordering: .relaxed)
    cycle.link = link
    kernel.render(cycle, into: outputs)
    shared.pointee.period.store(Int(frames), ordering: .relaxed)
    shared.pointee.cycles.wrappingAdd(1, ordering: .relaxed)
  }

  /// By how much the frame time is ahead of where the last cycle ended.
  ///
  /// A frame time that goes back a little is a clock that was set anew, not a day gone by; and one that goes on by more than
  /// there was time for is another clock: PipeWire changes them with the device that drives the client.
  @_noLocks
  private func missedFrames(before time: (frame: UInt32, microseconds: UInt64), _ rate: Int) -> Int64 {
    guard let lastTime else { return 0 }
    let elapsed = time.frame &- lastTime.frame
    let missed = lastClock + Int64(elapsed) - nextClock
    guard elapsed < 1 << 31, missed != 0 else { return 0 }
    // Twice the time, and some more: servers that were held up are not exact in this.
    let passed = Double(Int64(bitPattern: time.microseconds &- lastTime.microseconds)) * 1e-6 * Double(rate)
    return Double(missed) <= 2 * passed + 0.2 * Double(rate) ? missed : 0
  }
}

/// The engine's clock as other threads see it. It lives as long as the process.
struct SharedClock: ~Copyable, Sendable {
  /// Cycles since the start, for the watchdog.
  let cycles = Atomic<UInt64>(0)
  /// What must be added to JACK's frame time for the clock, modulo 2³².
  let phase = Atomic<UInt32>(0)
  /// Frames in the last cycle.
  let period = Atomic<Int>(0)
  /// The server's frames a second.
  let sampleRate = Atomic<Int>(0)
  /// Frames from a message at the machine that sends a MIDI clock, through here, to the speakers.
  let clockLatency = Atomic<Int>(0)
  /// Frames from a sample in the `out` port to the speakers.
  let latency = Atomic<Int>(0)

  static func make() -> UnsafePointer<SharedClock> {
    let clock = UnsafeMutablePointer<SharedClock>.allocate(capacity: 1)
    clock.initialize(to: SharedClock())
    return UnsafePointer(clock)
  }
}
