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

  /// The first frame of the next cycle if none is missed, by the engine's clock. It goes on from one server to the next.
  private var nextClock: Int64 = 0
  /// The clock frame of the last cycle, and JACK's frame time of it; nil before a client's first.
  private var lastClock: Int64 = 0
  private var lastFrameTime: UInt32?

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
  mutating func resetFrameTime() { lastFrameTime = nil }

  /// Renders a cycle of JACK's.
  ///
  /// The clock follows JACK's frame time, which wraps after 2³² frames and jumps where cycles were missed.
  /// - Thread: audio
  @_noLocks
  mutating func run(
    frameTime: UInt32, frames: UInt32, transport: Cycle.Transport, link: Cycle.Link?, outputs: Outputs
  ) {
    var clock = nextClock
    if let lastFrameTime {
      let elapsed = frameTime &- lastFrameTime
      // A frame time that goes back a little is a clock that was set anew, not a day gone by.
      clock = elapsed < 1 << 31 ? lastClock + Int64(elapsed) : nextClock
    }
    lastFrameTime = frameTime
    lastClock = clock
    nextClock = clock + Int64(frames)
    shared.pointee.phase.store(UInt32(truncatingIfNeeded: clock) &- frameTime, ordering: .relaxed)
    let rate = shared.pointee.sampleRate.load(ordering: .relaxed)
    var cycle = Cycle(clock: clock, frames: Int(frames), sampleRate: rate, transport: transport)
    cycle.control = control
    cycle.clockIn = clockIn
    cycle.clockLatency = shared.pointee.clockLatency.load(ordering: .relaxed)
    cycle.link = link
    kernel.render(cycle, into: outputs)
    shared.pointee.period.store(Int(frames), ordering: .relaxed)
    shared.pointee.cycles.wrappingAdd(1, ordering: .relaxed)
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
