import Control
import Dispatch
import MIDI
import MusicTime
import Realtime
import Synchronization

@testable import Control
@testable import Engine

/// A conductor with a simulated host and a real engine, all in the test's thread and in simulated time: only rendering takes time,
/// as long as the rendered periods last. A test can't fail because the machine is busy.
///
/// If other threads push to the conductor, such as an OSC server's, the conductor can have a thread too. It then uses the system's
/// clock.
package final class Rig {
  package static let sampleRate = 48_000
  package static let period = 64

  package let host = SimulatedHost(sampleRate: Rig.sampleRate)
  package let conductor: Conductor
  package let channels: UnsafePointer<Channels>
  package let reports: Reports
  package let clips: ClipMaker
  package let disk: Disk
  /// The conductor's queues; unused if the conductor has a thread.
  package let work: SimulatedWork
  /// The transport's state in the next periods.
  package var transport = Cycle.Transport()

  /// Frames from pulse to pulse of the incoming MIDI clock; 0 without one.
  package var pulse: Int64 = 0
  private var nextPulse: ClockFrame = 0
  private let clockIn = MIDIBuffer()

  private var kernel: Kernel
  package private(set) var clock: ClockFrame = 0
  private let isThreaded: Bool
  /// When simulated time began, and when the conductor wants its next turn.
  private var hung = Duration.zero
  private static let beginning = Instant(nanoseconds: 1_000_000_000_000)
  private var deadline = Instant.distantPast
  private var savesSeen = 0
  private var hasStopped = false
  private let memory: UnsafeMutablePointer<Float>
  private let outputs: Outputs

  /// - Parameter isThreaded: whether the conductor has a thread of its own and uses the system's clock.
  package init(
    _ settings: Settings = Settings(), bars: Int? = nil, clips: ClipMaker = ClipMaker(), disk: Disk = Disk(),
    work: SimulatedWork = SimulatedWork(), isThreaded: Bool = false,
    configure: (inout Conductor.Configuration) -> Void = { _ in }
  ) throws {
    channels = Channels.make()
    (self.clips, self.disk, self.work, self.isThreaded) = (clips, disk, work, isThreaded)
    var configuration = Conductor.Configuration(
      settings: settings, sampleRate: Rig.sampleRate, bars: bars,
      readSound: { try clips.read($0, $2) }, save: { try disk.write($0) })
    if !isThreaded { configuration.makeWorkQueue = { work.queue($0) } }
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
    host.setClock(0, soundingAt: time)
    conductor.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    if isThreaded { try conductor.start(host: host) } else { conductor.begin(host: host, at: time) }
  }

  deinit {
    _ = stop()
    memory.deallocate()
    // The channels stay: the kernel, which goes last, still refers to them.
  }

  /// Ends the conductor, which saves the settings.
  /// - Returns: whether it ended within a second.
  package func stop() -> Bool {
    guard !isThreaded else { return conductor.stop() }
    if !hasStopped { conductor.end(updates.drain(until: .distantPast), at: time) }
    hasStopped = true
    return true
  }

  /// The present instant of the conductor's clock.
  package var time: Instant {
    guard !isThreaded else { return .now }
    let (seconds, frames) = clock.number.quotientAndRemainder(dividingBy: Int64(Rig.sampleRate))
    let played = Duration.seconds(seconds) + .nanoseconds(frames * 1_000_000_000 / Int64(Rig.sampleRate))
    return Rig.beginning + hung + played
  }

  /// Runs the conductor's turn, and then the work on its queues.
  private func turn(_ drained: (requests: [Request], refused: Int)) {
    conductor.turn(drained, at: time)
    deadline = conductor.deadline(at: time)
    work.run()
  }

  /// Runs the conductor's turn if it is due or something was pushed.
  private func turnIfDue() {
    let drained = updates.drain(until: .distantPast)
    if !drained.requests.isEmpty || drained.refused > 0 || deadline <= time { turn(drained) }
  }

  package var updates: UpdateQueue { conductor.updates }

  package func push(_ updates: Update...) { for update in updates { conductor.updates.push(update) } }

  /// Pushes an update and returns the reason why it was refused; nil if it was accepted.
  package func refusal(of update: Update) -> String? {
    let reason = Mutex<String?>(nil)
    let box = Box(reason)
    updates.push(Request(.update(update), refuse: { text in box.value.withLock { $0 = text } }))
    _ = settle()
    return box.value.withLock { $0 }
  }

  /// Lets the conductor handle everything that was pushed, and returns the snapshot. Takes no simulated time.
  @discardableResult
  package func settle() -> Snapshot {
    let answer = Box(Mutex<Snapshot?>(nil))
    let answered = DispatchSemaphore(value: 0)
    let query = Request(
      .query { snapshot in
        answer.value.withLock { $0 = snapshot }
        answered.signal()
      }, refuse: { _ in answered.signal() })
    repeat {
      // A full queue drops the query; the loop asks again.
      updates.push(query)
      if !isThreaded { turn(updates.drain(until: .distantPast)) }
      precondition(answered.wait(timeout: .now() + 30) == .success, "the conductor does not answer")
    } while answer.value.withLock { $0 == nil }
    return answer.value.withLock { $0! }
  }

  /// Renders one period, after the conductor's turn if that is due, and returns whether the mix is silent.
  @discardableResult
  package func render() -> Bool {
    if !isThreaded { turnIfDue() }
    // A transport that starts rolls when the engine lets it, as JACK's does.
    let mayRoll =
      transport.isStarting && kernel.letsTransportRoll(at: clock + Int64(Rig.period), from: transport.frame)
    var cycle = Cycle(clock: clock, frames: Rig.period, transport: transport)
    sendPulses()
    cycle.clockIn = clockIn
    kernel.render(cycle, into: outputs)
    clockIn.clear()
    clock += Int64(Rig.period)
    if mayRoll { (transport.isStarting, transport.isRolling) = (false, true) }
    if transport.isRolling {
      transport.frame &+= UInt32(Rig.period)
      if host.leads { _ = kernel.barBeatTick(at: transport.frame) }
    }
    return (0..<Rig.period).allSatisfy { memory[$0] == 0 }
  }

  /// Receives a MIDI clock's message at the start of the next period.
  package func sendClock(_ message: MIDIMessage) { _ = clockIn.append(message, at: 0) }

  private func sendPulses() {
    guard pulse > 0 else { return }
    nextPulse = max(nextPulse, clock)
    while nextPulse < clock + Int64(Rig.period) {
      _ = clockIn.append(.clock, at: Int(nextPulse - clock))
      nextPulse += pulse
    }
  }

  /// Lets time pass in which the engine misses its cycles; the conductor has its turns.
  package func miss(_ duration: Duration) {
    let end = time + duration
    while time < end {
      turnIfDue()
      clock += Int64(Rig.period)
    }
  }

  /// Lets time pass while the clock frame stands still, as when the server hangs.
  package func hang(_ duration: Duration) {
    let end = time + duration
    while time < end {
      turnIfDue()
      hung = hung + .milliseconds(1)
    }
  }

  /// Renders until the period that reaches a clock frame.
  package func render(until frame: ClockFrame) { while clock < frame { render() } }

  /// The tempo of the score that the engine plays.
  package var playedTempo: Double { kernel.playback.playhead.buffer.notesPerMinute }

  /// The last beat that was reported, from 1; 0 before the first.
  package var bar: Int { reports.lastBeat?.bar ?? 0 }
  package var beat: Int { reports.lastBeat?.beat ?? 0 }

  /// The largest sample of the last period's mix.
  package var peak: Float { (0..<Rig.period).map { abs(memory[$0]) }.max()! }

  /// Renders for some time.
  package func pass(_ duration: Duration) {
    let end = time + duration
    while time < end { render() }
  }

  /// Renders, and lets the conductor have its turns, until something holds; false after a minute.
  package func eventually(_ condition: (Snapshot) -> Bool) -> Bool {
    let limit = time + .seconds(60)
    while time < limit {
      if condition(settle()) { return true }
      render()
    }
    return false
  }

  /// Renders until a matching report exists, including earlier ones; false after a minute.
  package func hears(_ isIt: (Report) -> Bool) -> Bool {
    eventually { _ in reports.all.contains(where: isIt) }
  }

  /// Renders until the settings have been saved once more; false after a minute.
  package func saves() -> Bool {
    savesSeen += 1
    return eventually { _ in disk.saves.count >= savesSeen }
  }
}

/// A reference to a mutex that a closure can hold.
package final class Box<Value>: Sendable {
  package let value: Mutex<Value>

  package init(_ value: consuming sending Mutex<Value>) { self.value = value }
}

/// Collects the conductor's reports, and waits for them.
package final class Reports: Sendable {
  private let reports = Mutex<[Report]>([])
  private let arrived = MonotonicSemaphore()

  func add(_ report: Report) {
    reports.withLock { $0.append(report) }
    arrived.signal()
  }

  package var all: [Report] { reports.withLock { $0 } }

  package var warnings: [String] { all.compactMap { if case .warning(let text) = $0 { text } else { nil } } }
  package var beats: [Event.Beat] { all.compactMap { if case .beat(let beat, _) = $0 { beat } else { nil } } }

  /// The last beat, without subdivisions.
  package var lastBeat: Event.Beat? {
    reports.withLock { reports in
      for case .beat(let beat, _) in reports.reversed() where beat.role != .subdivision { return beat }
      return nil
    }
  }

  /// The number of changes reported so far.
  package var changes: Int { all.count { if case .changed = $0 { true } else { false } } }

  /// Waits for a matching report, including earlier ones; false after a minute.
  package func wait(for isIt: (Report) -> Bool) -> Bool {
    let deadline = Instant.now + .seconds(60)
    while !all.contains(where: isIt) {
      if !waitForNext(until: deadline) { return false }
    }
    return true
  }

  /// Waits until a report has arrived since the last wait.
  /// - Returns: whether one came in time.
  package func waitForNext(until deadline: Instant) -> Bool { arrived.wait(until: deadline) }
}

/// Makes sound sets of a constant level, and counts those that are alive.
package final class ClipMaker: Sendable {
  private struct Weak: @unchecked Sendable {
    // `@unchecked`: read only under the mutex.
    weak var clip: Clip?
  }

  package struct Unknown: Error, CustomStringConvertible {
    package let description: String
  }

  private let state = Mutex<(made: [Weak], asked: [String])>(([], []))
  private let length: Int
  private let failsAfter: Int

  /// - Parameters:
  ///   - length: of each clip, in frames.
  ///   - failsAfter: the number of sets that can be read before each further reading fails.
  package init(length: Int = 100, failsAfter: Int = .max) {
    self.length = length
    self.failsAfter = failsAfter
  }

  /// The number of sets that are alive.
  package var alive: Int { state.withLock { state in state.made.count { $0.clip != nil } } }

  /// The requested sets, as `name@rate`.
  package var asked: [String] { state.withLock { $0.asked } }

  package func read(_ name: String, _ sampleRate: Int) throws -> (name: String, clips: ClipSet) {
    let count = state.withLock { state in
      state.asked.append("\(name)@\(sampleRate)")
      return state.asked.count
    }
    if name.hasPrefix("bad") || count > failsAfter { throw Unknown(description: "no sound set '\(name)'") }
    // The level identifies name and rate: thousandths of the number in the name, hundredths at another rate.
    let level = (Float(name.filter(\.isNumber)) ?? 1) / 1_000 * (sampleRate == Rig.sampleRate ? 1 : 10)
    let clip = Clip([Float](repeating: level, count: length))
    state.withLock { state in
      state.made.removeAll { $0.clip == nil }
      state.made.append(Weak(clip: clip))
    }
    return (name, ClipSet(repeating: clip))
  }
}

/// A simulated disk for settings and the nudges of documents; it may be full.
package final class Disk: Sendable {
  package struct Full: Error, CustomStringConvertible {
    package var description: String { "no space left" }
  }

  private let written = Mutex<[Settings]>([])
  private let writtenNudges = Mutex<[String: Int]>([:])
  private let failed = Atomic<Int>(0)
  private let full: Atomic<Bool>

  package init(isFull: Bool = false) { full = Atomic(isFull) }

  package var saves: [Settings] { written.withLock { $0 } }

  /// The number of failed saves.
  package var failures: Int { failed.load(ordering: .relaxed) }

  package var isFull: Bool {
    get { full.load(ordering: .relaxed) }
    set { full.store(newValue, ordering: .relaxed) }
  }

  /// The nudges of documents, by their paths, in thousandths of a beat a minute.
  package var nudges: [String: Int] {
    get { writtenNudges.withLock { $0 } }
    set { writtenNudges.withLock { $0 = newValue } }
  }

  func write(_ settings: Settings) throws {
    try checkRoom()
    written.withLock { $0.append(settings) }
  }

  package func write(nudge: Int, to path: String) throws {
    try checkRoom()
    writtenNudges.withLock { $0[path] = nudge }
  }

  private func checkRoom() throws {
    guard isFull else { return }
    failed.wrappingAdd(1, ordering: .relaxed)
    throw Full()
  }
}
