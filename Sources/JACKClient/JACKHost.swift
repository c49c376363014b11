import CJack
import Engine
import Files
import Link
import MusicTime
import Realtime
import Synchronization

/// The JACK client that drives the engine. It survives restarts of the server.
///
/// One supervisor thread opens and closes clients, one at a time. When the server disappears, it closes the old client,
/// waits for a server, opens a new client and restores its connections. The engine, its clock and its position continue.
package final class JACKHost: @unchecked Sendable {
  // `@unchecked`: the pointers are constant; the types of the pointees document which thread may use them.

  /// How the client is opened and connected.
  package struct Configuration: Sendable {
    /// The client's name; the server may change it to make it unique.
    package var name = "tactus"
    /// The server's name; nil for the default one.
    package var server: String?
    /// Ports to connect `out` to; if empty, the physical outputs.
    package var connect: [String] = []
    /// Whether Tactus makes connections and saves them; false for `--no-connect`. Connections that other programs make are
    /// restored in that case, too.
    package var connectsItself = true
    /// The connections of the last run: the full names of each port's peers.
    package var connections: [String: [String]] = [:]
    /// Whether another program makes the connections. Tactus then neither restores nor saves them.
    package var leavesConnectionsAlone = false
    /// The number of layers with ports of their own, 0…8.
    package var layerPorts = 0
    /// Whether to register the ports `pulse`, `run` and `reset`.
    package var hasPulsePorts = false
    /// Whether to register the ports `timecode` and `ltc`.
    package var hasTimecodePorts = false
    /// The names of the time check's audio inputs, and whether to receive notes of an e-drum. Both have no effect without a
    /// capture.
    package var listening: [String] = []
    package var hasHits = false
    /// Receives the player's audio and notes; nil if Tactus does not listen.
    package var capture: UnsafePointer<Capture>? {
      get { captured?.pointer }
      set { captured = newValue.map { Captured(pointer: $0) } }
    }
    private var captured: Captured?
    /// Receives the player's audio for recording, with the click as the last input; nil if nothing is recorded.
    package var recording: UnsafePointer<Capture>? {
      get { recorded?.pointer }
      set { recorded = newValue.map { Captured(pointer: $0) } }
    }
    private var recorded: Captured?
    /// The data that the process callback shares with the Ableton Link peer; nil without Link.
    package var link: UnsafePointer<LinkLine>? {
      get { linked?.pointer }
      set { linked = newValue.map { Linked(pointer: $0) } }
    }
    private var linked: Linked?

    package init() {}

    private struct Linked: @unchecked Sendable {
      // `@unchecked`: its members are atomic or constant, and it is never freed.
      let pointer: UnsafePointer<LinkLine>
    }

    private struct Captured: @unchecked Sendable {
      // `@unchecked`: `Capture` documents which thread may use which member, and it is never freed.
      let pointer: UnsafePointer<Capture>
    }
  }

  let configuration: Configuration
  let context: UnsafeMutablePointer<ProcessContext>
  let channels: UnsafePointer<Channels>
  let clock: UnsafePointer<SharedClock>
  /// Whether JACK may call back: from before a client is activated until it has been closed.
  let mayBeCalled = Atomic<Bool>(false)
  let signals = HostSignals()
  /// The client, for threads that call the server. They may hold this lock as long as the server hangs, so the conductor never
  /// waits for it, and the supervisor only when it closes or connects a client.
  let active = Mutex<ActiveClient?>(nil)
  /// The client's clock, for threads that only need times.
  let clientClock = Mutex<ClientClock?>(nil)
  let platform: HostPlatform
  var jack: JACKLibrary { platform.library }
  /// Number of calls that have timed out and not returned yet.
  let overdue = Atomic<Int>(0)
  let isStopping = Atomic<Bool>(false)
  /// Whether the server has stopped calling back and has not been reached again. Calls to it may never return.
  let hasStalled = Atomic<Bool>(false)
  /// The cycle count at which the engine has certainly read `isEnding`.
  private let lastCycle = Atomic<UInt64>(0)
  /// The count of graph changes at the last report of the connections; −1 before the first.
  let readGraphChanges = Atomic<Int>(-1)
  private let hasEnded = MonotonicSemaphore()
  /// The first client; nil: the supervisor opens one.
  let first: OpenClient?
  let onNews: @Sendable (HostNews) -> Void
  let onConnections: @Sendable (PortConnections) -> Void
  let revive: @Sendable () -> Void
  let attend: @Sendable () -> Void

  /// The active client, for other threads.
  struct ActiveClient: @unchecked Sendable {
    // `@unchecked`: used only under the mutex, or by the supervisor, which alone replaces it.
    let handle: ClientHandle
    var leads = false
    /// Whether the transport waits for the engine when it starts.
    var holds = false
  }

  /// - Parameters:
  ///   - first: the first client, on the configuration's server; nil: the supervisor opens one.
  ///   - platform: the real platform or a simulated one.
  ///   - revive: called on the supervisor's thread between attempts to reach a lost server; restarts a private server.
  ///   - attend: called on the supervisor's thread at least twice a second while there is a server.
  ///   - onConnections: called on the supervisor's thread when connections change.
  ///   - onNews: called on the supervisor's thread when the server appears or disappears.
  package init(
    _ configuration: Configuration, first: OpenClient? = nil, kernel: consuming Kernel,
    channels: UnsafePointer<Channels>, platform: HostPlatform = HostPlatform(),
    revive: @escaping @Sendable () -> Void = {},
    attend: @escaping @Sendable () -> Void = {},
    onConnections: @escaping @Sendable (PortConnections) -> Void = { _ in },
    onNews: @escaping @Sendable (HostNews) -> Void
  ) {
    self.configuration = configuration
    self.first = first
    self.channels = channels
    self.platform = platform
    self.onNews = onNews
    self.onConnections = onConnections
    self.revive = revive
    self.attend = attend
    clock = UnsafePointer(SharedClock.make())
    context = .allocate(capacity: 1)
    context.initialize(
      to: ProcessContext(
        kernel: kernel, channels: channels, clock: clock, link: configuration.link, library: platform.library,
        capture: configuration.capture, recording: configuration.recording))
    JACKLibrary.silence()
  }

  /// The length of a cycle; zero before the first cycle.
  /// - Thread: any
  package var period: Duration {
    let rate = clock.pointee.sampleRate.load(ordering: .relaxed)
    let frames = Int64(clock.pointee.period.load(ordering: .relaxed))
    return rate == 0 ? .zero : .nanoseconds(frames * 1_000_000_000 / Int64(rate))
  }

  /// A clock frame from which on connections carry messages that exist now. PipeWire reports them a little earlier.
  /// - Thread: any
  var nextFrame: ClockFrame {
    let period = Int64(clock.pointee.period.load(ordering: .relaxed))
    return channels.pointee.clock.load(ordering: .relaxed) + (platform.library.isPipeWire ? period : 0)
  }

  deinit {
    // If the server may still call back, the client could not be closed: the memory of the callbacks is kept.
    guard !mayBeCalled.load(ordering: .acquiring) else {
      _ = Unmanaged.passRetained(signals)
      return
    }
    context.deinitialize(count: 1)
    context.deallocate()
    UnsafeMutablePointer(mutating: clock).deinitialize(count: 1)
    clock.deallocate()
  }

  /// Starts the supervisor, which opens the first client.
  /// - Parameter work: runs on the calling thread while the server is being opened.
  /// - Returns: the ports to which `out` has been connected.
  /// - Throws: `JACKError` if there is no server, if it does not answer within four seconds, or if a port to connect to does
  ///   not exist. The host is then unusable.
  @discardableResult
  package func start(while work: () -> Void = {}) throws(JACKError) -> [String] {
    let opening = BoundedCall<[String]>()
    do throws(NamedThread.StartError) {
      try NamedThread("supervisor") { [self] in runSupervisor(opening) }
    } catch {
      throw .noThread(error)
    }
    work()
    return try opening.wait(for: configuration.server)
  }

  private func runSupervisor(_ opening: BoundedCall<[String]>) {
    var supervisor: Supervisor
    do throws(JACKError) {
      supervisor = try Supervisor(self, at: platform.now())
      opening.give(.success(supervisor.outputs))
    } catch {
      return opening.give(.failure(error))
    }
    supervisor.namePorts()
    while !isStopping.load(ordering: .acquiring) {
      signals.wakeup.wait(milliseconds: supervisor.wait)
      if isStopping.load(ordering: .acquiring) { break }
      supervisor.step(at: platform.now())
    }
    supervisor.end()
    hasEnded.signal()
  }

  /// Starts no more clips, even if the transport rolls. Sounding clips play to their end.
  /// - Thread: any
  package func stopNewClips() {
    lastCycle.store(clock.pointee.cycles.load(ordering: .relaxed) + 3, ordering: .relaxed)
    channels.pointee.isEnding.store(true, ordering: .releasing)
  }

  /// After `stopNewClips`: whether the last clip has been delivered to the server, or there is no server.
  package var hasFallenSilent: Bool {
    // Does not wait for the lock: a server that hangs must not delay the end.
    if active.withLockIfAvailable({ $0 == nil }) == true { return true }
    // One cycle reads `isEnding`, and two more deliver the last samples.
    return clock.pointee.cycles.load(ordering: .relaxed) >= lastCycle.load(ordering: .relaxed)
      && channels.pointee.sounding.load(ordering: .relaxed) == 0
  }

  /// Whether a change of connections has not been reported yet. JACK reports changes that a server's end causes like all
  /// others, so the supervisor waits before it reads them.
  package var hasUnreadConnections: Bool {
    !configuration.leavesConnectionsAlone
      && readGraphChanges.load(ordering: .acquiring) != signals.graphChanges.load(ordering: .relaxed)
  }

  /// Whether the server runs but does not answer. The supervisor may then wait for it without end.
  package var isServerHung: Bool { hasStalled.load(ordering: .acquiring) }

  /// Closes the client and stops the supervisor.
  /// - Returns: false if the supervisor has not ended within `patience`.
  /// - Thread: any but the supervisor
  package func stop(within patience: Duration = .seconds(3)) -> Bool {
    isStopping.store(true, ordering: .releasing)
    signals.wakeup.post()
    return hasEnded.wait(for: patience)
  }

  /// Makes the process end without the exit handlers of libraries. They could wait forever for a lock that a cancelled thread
  /// of libjack held. Call it before everything else.
  /// - Thread: main
  package static func skipExitHandlers() { tactus_jack_skip_exit_handlers() }

  /// Closes the first client, if no supervisor has taken it.
  package func abandon() { first?.close() }

  // MARK: Properties

  /// The name of the server if the user names none: the environment's, or the standard one.
  package static var defaultServerName: String {
    environmentValue(usesPipeWire ? "PIPEWIRE_REMOTE" : "JACK_DEFAULT_SERVER") ?? standardServerName
  }

  /// The name of the server if neither the user nor the environment names one.
  package static var standardServerName: String { usesPipeWire ? "PipeWire" : "default" }

  /// The name and version of the loaded libjack.
  package static var libraryVersion: String { "JACK " + String(cString: jack_get_version_string()) }

  /// Whether libjack is PipeWire's replacement.
  package static var usesPipeWire: Bool { JACKLibrary.system.isPipeWire }

  /// The client's name, which the server may have changed to make it unique; nil without a server.
  package var clientName: String? { clientClock.withLock { $0?.name } }
  /// Frames per second; 0 without a server.
  package var sampleRate: Int { clientClock.withLock { $0?.sampleRate ?? 0 } }
  /// Cycles since the start.
  package var cycles: UInt64 { clock.pointee.cycles.load(ordering: .relaxed) }
  /// The server's DSP load in percent; nil without a server, or while another thread uses the client.
  package var load: Float? {
    active.withLockIfAvailable { $0.map { jack.load($0.handle.client) } } ?? nil
  }

  /// Whether MIDI was received and sent since the last call. Only one caller may use it, because each call resets the flags.
  /// - Thread: any
  package func takeMIDIActivity() -> (hasReceived: Bool, hasSent: Bool) {
    (
      channels.pointee.hasReceivedMIDI.exchange(false, ordering: .relaxed),
      channels.pointee.hasSentMIDI.exchange(false, ordering: .relaxed)
    )
  }

  package var xruns: Int { signals.xruns.load(ordering: .relaxed) }
}
