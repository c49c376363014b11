import Control
import Dispatch
import MIDI
import MusicTime
import Realtime
import Synchronization

@testable import Engine

/// A conductor on its own thread, with a simulated host and a real engine that the test's thread drives.
public final class Rig {
  public static let sampleRate = 48_000
  public static let period = 64

  public let host = SimulatedHost(sampleRate: Rig.sampleRate)
  public let conductor: Conductor
  public let channels: UnsafePointer<Channels>
  public let reports: Reports
  public let clips: ClipMaker
  public let disk: Disk
  /// What the transport does in the periods to come.
  public var transport = Cycle.Transport()

  /// Frames from pulse to pulse of the MIDI clock that comes in; 0 where none does.
  public var pulse: Int64 = 0
  private var nextPulse: Int64 = 0
  private let clockIn = MIDIBuffer()

  private var kernel: Kernel
  public private(set) var clock: Int64 = 0
  private let memory: UnsafeMutablePointer<Float>
  private let outputs: Outputs

  public init(
    _ settings: Settings = Settings(), bars: Int? = nil, clips: ClipMaker = ClipMaker(), disk: Disk = Disk(),
    configure: (inout Conductor.Configuration) -> Void = { _ in }
  ) throws {
    channels = Channels.make()
    (self.clips, self.disk) = (clips, disk)
    var configuration = Conductor.Configuration(
      settings: settings, sampleRate: Rig.sampleRate, bars: bars,
      readSound: { try clips.read($0, $1) }, save: { try disk.write($0) })
    configure(&configuration)
    conductor = try Conductor(configuration, channels: channels)
    kernel = conductor.makeKernel()
    let reports = Reports()
    self.reports = reports
    memory = .allocate(capacity: 5 * Rig.period)
    memory.initialize(repeating: 0, count: 5 * Rig.period)
    outputs = Outputs(
      out: memory, accent: memory + Rig.period, beat: memory + 2 * Rig.period,
      subdivision: memory + 3 * Rig.period, cue: memory + 4 * Rig.period)
    conductor.observe { reports.add($0) }
    host.setClock(0, soundingAt: Monotonic.now)
    conductor.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    conductor.start(host: host)
  }

  deinit {
    _ = conductor.stop()
    memory.deallocate()
    // The channels stay: the kernel, which goes last, still refers to them.
  }

  public var updates: UpdateQueue { conductor.updates }

  public func push(_ updates: Update...) { for update in updates { conductor.updates.push(update) } }

  /// Pushes an update and returns why it was refused; nil where all was well.
  public func refusal(of update: Update) -> String? {
    let reason = Mutex<String?>(nil)
    let box = Box(reason)
    updates.push(Request(.update(update), refuse: { text in box.value.withLock { $0 = text } }))
    _ = settle()
    return box.value.withLock { $0 }
  }

  /// Waits until all that was pushed has been dealt with, and says how things stand.
  @discardableResult
  public func settle() -> Snapshot {
    let answer = Box(Mutex<Snapshot?>(nil))
    let answered = DispatchSemaphore(value: 0)
    let query = Request(
      .query { snapshot in
        answer.value.withLock { $0 = snapshot }
        answered.signal()
      }, refuse: { _ in answered.signal() })
    repeat {
      // Where the queue is full, it is asked again.
      updates.push(query)
      precondition(answered.wait(timeout: .now() + 5) == .success, "the conductor does not answer")
    } while answer.value.withLock { $0 == nil }
    return answer.value.withLock { $0! }
  }

  /// Renders one period and returns whether the mix is silent.
  @discardableResult
  public func render() -> Bool {
    var cycle = Cycle(clock: clock, frames: Rig.period, transport: transport)
    sendPulses()
    cycle.clockIn = clockIn
    kernel.render(cycle, into: outputs)
    clockIn.clear()
    clock += Int64(Rig.period)
    if transport.isRolling {
      transport.frame &+= UInt32(Rig.period)
      if host.leads { _ = kernel.barBeatTick(at: transport.frame) }
    }
    return (0..<Rig.period).allSatisfy { memory[$0] == 0 }
  }

  /// Has a message of a MIDI clock come in at the start of the next period.
  public func sendClock(_ message: MIDIMessage) { _ = clockIn.append(message, at: 0) }

  private func sendPulses() {
    guard pulse > 0 else { return }
    nextPulse = max(nextPulse, clock)
    while nextPulse < clock + Int64(Rig.period) {
      _ = clockIn.append(.clock, at: Int(nextPulse - clock))
      nextPulse += pulse
    }
  }

  /// Renders up to a clock frame, or a little beyond it.
  public func render(until frame: Int64) { while clock < frame { render() } }

  /// The tempo of the score that the engine plays.
  public var playedTempo: Double { kernel.playhead.buffer.notesPerMinute }

  /// The largest sample of the last period's mix.
  public var peak: Float { (0..<Rig.period).map { abs(memory[$0]) }.max()! }

  /// Renders, and lets the conductor have its turns, until something holds; false after five seconds.
  public func eventually(_ condition: (Snapshot) -> Bool) -> Bool {
    let deadline = Monotonic.now + 5_000_000_000
    while Monotonic.now < deadline {
      if condition(settle()) { return true }
      render()
    }
    return false
  }
}

/// A reference to a mutex that a closure can hold.
public final class Box<Value>: Sendable {
  public let value: Mutex<Value>

  public init(_ value: consuming sending Mutex<Value>) { self.value = value }
}

/// What the conductor reported, to be waited for.
public final class Reports: Sendable {
  private let reports = Mutex<[Report]>([])
  private let arrived = MonotonicSemaphore()

  func add(_ report: Report) {
    reports.withLock { $0.append(report) }
    arrived.signal()
  }

  public var all: [Report] { reports.withLock { $0 } }

  public var warnings: [String] { all.compactMap { if case .warning(let text) = $0 { text } else { nil } } }
  public var beats: [Event.Beat] { all.compactMap { if case .beat(let beat, _) = $0 { beat } else { nil } } }

  /// Waits for a report, also among those that came before; false after five seconds.
  public func wait(for isIt: (Report) -> Bool) -> Bool {
    let deadline = Monotonic.now + 5_000_000_000
    while !all.contains(where: isIt) {
      if !waitForNext(until: deadline) { return false }
    }
    return true
  }

  /// Waits for a report that was not waited for before.
  /// - Parameter deadline: by `Monotonic`.
  /// - Returns: whether one came in time.
  public func waitForNext(until deadline: UInt64) -> Bool { arrived.wait(until: deadline) }
}

/// Makes sound sets of a constant level, and knows which of them are alive.
public final class ClipMaker: Sendable {
  private struct Weak: @unchecked Sendable {
    // `@unchecked`: only looked at under the mutex.
    weak var clip: Clip?
  }

  public struct Unknown: Error, CustomStringConvertible {
    public let description: String
  }

  private let state = Mutex<(made: [Weak], asked: [String])>(([], []))
  private let gate: DispatchSemaphore?
  private let length: Int
  private let failsAfter: Int

  /// - Parameters:
  ///   - length: of each clip, in frames.
  ///   - gate: where given, each set but the first waits for it.
  ///   - failsAfter: how many sets can be read.
  public init(length: Int = 100, gate: DispatchSemaphore? = nil, failsAfter: Int = .max) {
    self.length = length
    self.gate = gate
    self.failsAfter = failsAfter
  }

  /// Sets that are alive.
  public var alive: Int { state.withLock { state in state.made.count { $0.clip != nil } } }

  /// What was read, as `name@rate`.
  public var asked: [String] { state.withLock { $0.asked } }

  public func read(_ name: String, _ sampleRate: Int) throws -> (name: String, clips: ClipSet) {
    let count = state.withLock { state in
      state.asked.append("\(name)@\(sampleRate)")
      return state.asked.count
    }
    if count > 1 { _ = gate?.wait(timeout: .now() + 5) }
    if name.hasPrefix("bad") || count > failsAfter { throw Unknown(description: "no sound set '\(name)'") }
    // The level tells the name and the rate: the number in the name, and tenths of it at another rate.
    let level = (Float(name.filter(\.isNumber)) ?? 1) / 1_000 * (sampleRate == Rig.sampleRate ? 1 : 10)
    let clip = Clip([Float](repeating: level, count: length))
    state.withLock { state in
      state.made.removeAll { $0.clip == nil }
      state.made.append(Weak(clip: clip))
    }
    return (name, ClipSet(repeating: clip))
  }
}

/// Where settings are saved, or where they can't be.
public final class Disk: Sendable {
  public struct Full: Error, CustomStringConvertible {
    public var description: String { "no space left" }
  }

  private let written = Mutex<[Settings]>([])
  private let full: Atomic<Bool>
  private let arrived = DispatchSemaphore(value: 0)

  public init(isFull: Bool = false) { full = Atomic(isFull) }

  public var saves: [Settings] { written.withLock { $0 } }

  public var isFull: Bool {
    get { full.load(ordering: .relaxed) }
    set { full.store(newValue, ordering: .relaxed) }
  }

  func write(_ settings: Settings) throws {
    if isFull { throw Full() }
    written.withLock { $0.append(settings) }
    arrived.signal()
  }

  /// Waits for the next save; false after five seconds.
  public func waitForSave() -> Bool { arrived.wait(timeout: .now() + 5) == .success }
}
