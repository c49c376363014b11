import CJack
import Engine
import Files
import Link
import Realtime
import Synchronization

/// The JACK client that drives the engine. It survives restarts of the server.
///
/// One supervisor thread opens and closes clients, one at a time. When the server disappears, it closes the old client,
/// waits for a server, opens a new client and restores its connections. The engine, its clock and its position continue.
package final class JACKHost: @unchecked Sendable {
  // `@unchecked`: the pointers are constant; the pointees' types document which thread may use them.

  /// How the client is opened and connected.
  package struct Configuration: Sendable {
    /// The client's name; the server may change it to make it unique.
    package var name = "tactus"
    /// The server's name; nil for the default one.
    package var server: String?
    /// Ports to connect `out` to; if empty, the physical outputs.
    package var connect: [String] = []
    /// Whether Tactus makes connections and saves them; false for `--no-connect`. Those that others make are restored then, too.
    package var connectsItself = true
    /// The connections of the last run: the full names of each port's peers.
    package var connections: [String: [String]] = [:]
    /// Whether another program makes the connections. Tactus then neither restores nor saves them.
    package var leavesConnectionsAlone = false
    /// How many layers have ports of their own, 0…8.
    package var layerPorts = 0
    /// Whether there are the ports `pulse`, `run` and `reset`.
    package var hasPulsePorts = false
    /// Whether there are the ports `timecode` and `ltc`.
    package var hasTimecodePorts = false
    /// The audio inputs that are listened to, and whether notes of an e-drum are; nothing without a capture.
    package var listening: [String] = []
    package var hasHits = false
    /// Where the player's audio and notes go; nil if Tactus does not listen.
    package var capture: UnsafePointer<Capture>? {
      get { captured?.pointer }
      set { captured = newValue.map { Captured(pointer: $0) } }
    }
    private var captured: Captured?
    /// Where the player's audio goes to be recorded, with the click as the last input; nil if nothing is recorded.
    package var recording: UnsafePointer<Capture>? {
      get { recorded?.pointer }
      set { recorded = newValue.map { Captured(pointer: $0) } }
    }
    private var recorded: Captured?
    /// What the process callback shares with the Ableton Link peer; nil without Link.
    package var link: UnsafePointer<LinkLine>? {
      get { linked?.pointer }
      set { linked = newValue.map { Linked(pointer: $0) } }
    }
    private var linked: Linked?

    package init() {}

    private struct Linked: @unchecked Sendable {
      // `@unchecked`: everything in it is atomic or constant, and it is never freed.
      let pointer: UnsafePointer<LinkLine>
    }

    private struct Captured: @unchecked Sendable {
      // `@unchecked`: a capture says which thread may use what of it, and is never freed.
      let pointer: UnsafePointer<Capture>
    }
  }

  let configuration: Configuration
  let context: UnsafeMutablePointer<ProcessContext>
  let channels: UnsafePointer<Channels>
  let clock: UnsafePointer<SharedClock>
  /// Whether JACK may call back: from before a client is activated until it is closed.
  let mayBeCalled = Atomic<Bool>(false)
  let signals = HostSignals()
  /// The client, for threads that call the server. They may hold this lock as long as the server hangs, so neither the
  /// conductor nor the watchdog waits for it.
  let active = Mutex<ActiveClient?>(nil)
  /// The client's clock, for threads that only need times.
  let clientClock = Mutex<ClientClock?>(nil)
  let platform: HostPlatform
  var jack: JACKLibrary { platform.library }
  /// The number of calls that have timed out and not returned yet.
  let overdue = Atomic<Int>(0)
  let isStopping = Atomic<Bool>(false)
  /// Whether the server stopped calling and has not been reached again: calls to it may never return.
  let hasStalled = Atomic<Bool>(false)
  /// The cycle count by which the engine has seen `isEnding`.
  private let lastCycle = Atomic<UInt64>(0)
  /// The changes of the graph after which the connections were reported last.
  let readGraphChanges = Atomic<Int>(-1)
  private let hasEnded = MonotonicSemaphore()
  /// The first client; nil to open one.
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
  ///   - first: the first client, on the configuration's server; nil to open one at the start.
  ///   - platform: the system's, or a simulated one.
  ///   - revive: called between attempts to reach a lost server; restarts a private server.
  ///   - attend: called at least twice a second while there is a server.
  ///   - onConnections: called on the supervisor's thread when connections change.
  ///   - onNews: called on the supervisor's thread when the server appears and disappears.
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
    // Tactus reports errors itself. libjack may call these from any thread, so they do nothing.
    jack_set_error_function { _ in }
    jack_set_info_function { _ in }
  }

  deinit {
    // The memory of callbacks that a server might still call stays: their client could not be closed.
    guard !mayBeCalled.load(ordering: .acquiring) else { return }
    context.deinitialize(count: 1)
    context.deallocate()
    UnsafeMutablePointer(mutating: clock).deinitialize(count: 1)
    clock.deallocate()
  }

  /// Starts the supervisor, and the first client.
  /// - Parameter work: what the caller does meanwhile: most of the time the server is waited for.
  /// - Returns: the ports to which `out` has been connected.
  /// - Throws: `JACKError` if there is no server, it doesn't answer within four seconds, or a port to connect to doesn't
  ///   exist. The host is then unusable.
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
  package func stopNewClips() {
    lastCycle.store(clock.pointee.cycles.load(ordering: .relaxed) + 3, ordering: .relaxed)
    channels.pointee.isEnding.store(true, ordering: .releasing)
  }

  /// Whether, after `stopNewClips`, the last clip has been delivered to the server, or there is no server.
  package var hasFallenSilent: Bool {
    // Don't wait for the lock: a server that hangs must not delay the end.
    if active.withLockIfAvailable({ $0 == nil }) == true { return true }
    // One cycle sees `isEnding`, and two more deliver its end.
    return clock.pointee.cycles.load(ordering: .relaxed) >= lastCycle.load(ordering: .relaxed)
      && channels.pointee.sounding.load(ordering: .relaxed) == 0
  }

  /// Whether a change of connections is not reported yet: JACK tells of changes that a server's end brings about like others, so
  /// the supervisor waits before it reads them.
  package var hasUnreadConnections: Bool {
    !configuration.leavesConnectionsAlone
      && readGraphChanges.load(ordering: .acquiring) != signals.graphChanges.load(ordering: .relaxed)
  }

  /// Whether the server runs but does not answer, so that the supervisor may wait for it without end.
  package var isServerHung: Bool { hasStalled.load(ordering: .acquiring) }

  /// Closes the client and stops the supervisor.
  /// - Returns: false after a timeout.
  package func stop(within patience: Duration = .seconds(3)) -> Bool {
    isStopping.store(true, ordering: .releasing)
    signals.wakeup.post()
    return hasEnded.wait(for: patience)
  }

  /// Has the process end without the exit handlers of libraries, which could wait for ever for a lock that a thread of libjack held when
  /// it was cancelled. To be called before all else.
  /// - Thread: main
  package static func skipExitHandlers() { tactus_jack_skip_exit_handlers() }

  /// Closes the first client, if it has not been started.
  package func abandon() { first?.close() }

  // MARK: Facts

  /// The name of the server that is used if none is named.
  package static var defaultServerName: String {
    environmentValue(usesPipeWire ? "PIPEWIRE_REMOTE" : "JACK_DEFAULT_SERVER") ?? standardServerName
  }

  /// The name of the server that is used if nobody names one.
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
  /// The server's DSP load in percent; nil without a server, or while another thread uses it.
  package var load: Float? {
    active.withLockIfAvailable { $0.map { jack.load($0.handle.client) } } ?? nil
  }

  /// Whether MIDI was received and sent since the last call. For one caller only, as each call resets the flags.
  /// - Thread: any
  package func takeMIDIActivity() -> (hasReceived: Bool, hasSent: Bool) {
    (
      channels.pointee.hasReceivedMIDI.exchange(false, ordering: .relaxed),
      channels.pointee.hasSentMIDI.exchange(false, ordering: .relaxed)
    )
  }

  package var xruns: Int { signals.xruns.load(ordering: .relaxed) }
}
