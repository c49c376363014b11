import CJack
import Glibc
import Synchronization

/// A test's own JACK server, without a sound card and with a unique name.
///
/// libjack keeps one server's shared memory in globals of the process, so a process can use only one server at a time. Only `run`
/// starts a server, for one test after the other.
///
/// After the server was killed, close every client of this process before `restart`, which throws otherwise: when a client opens,
/// libjack closes and frees those of a dead server, and their owners would free them a second time. Run a program that must survive
/// this as a `Subprocess`.
public final class JACKServer: Sendable {
  public struct Settings: Sendable, Equatable {
    public var sampleRate: Int
    public var period: Int
    public var realtime: Bool
  }

  private struct State {
    var settings: Settings
    var process: Subprocess?
    /// A client that stays as long as the server runs. libjack misses the removal of a client while it opens another one: a player
    /// that reconnects just then would wake the removed client for ever, instead of the next one in its place. It is active, so
    /// that it receives xruns.
    var first: BenchClient?
    /// The frame time and JACK's time in microseconds when the server had started.
    var beginning: (frame: UInt32, time: UInt64)?
    /// Each returns whether a player in this process has missed cycles.
    var witnesses: [@Sendable () -> Bool] = []
    /// The names of this process's clients.
    var clients: [String] = []
    /// Whether a killed server still occupies one of the machine's eight places for servers. A new server with its name frees it.
    var holdsPlace = false
  }

  public let name: String
  private let state: Mutex<State>

  private let xruns = Atomic<Int>(0)

  private static let turn = Turn()
  private static let counter = Atomic<Int>(0)

  private init(_ settings: Settings) {
    let number = JACKServer.counter.add(1, ordering: .relaxed).newValue
    name = "tactus-test-\(getpid())-\(number)"
    state = Mutex(State(settings: settings))
  }

  /// A running server that another program started and ends.
  public init(running name: String) {
    self.name = name
    // Unused: a client knows the rate and period.
    state = Mutex(State(settings: Settings(sampleRate: 0, period: 0, realtime: false)))
  }

  /// Starts a server, runs `body` with it, and ends it in any case.
  ///
  /// First waits, without blocking a thread, until no other test of this process has a server.
  public static func run<Result>(
    sampleRate: Int = 48_000, period: Int = 1_024, realtime: Bool = false,
    _ body: (JACKServer) async throws -> Result
  ) async throws -> Result {
    await turn.begin()
    let server = JACKServer(Settings(sampleRate: sampleRate, period: period, realtime: realtime))
    do {
      try server.start()
      let watch = ServerWatch(server)
      defer { watch.end() }
      let result = try await body(server)
      server.stop()
      await turn.end()
      return result
    } catch {
      server.stop()
      await turn.end()
      throw error
    }
  }

  public var settings: Settings { state.withLock { $0.settings } }
  public var sampleRate: Int { settings.sampleRate }
  public var period: Int { settings.period }
  public var processID: pid_t? { state.withLock { $0.process?.processID } }
  public var isRunning: Bool { state.withLock { $0.process?.isRunning ?? false } }

  /// Variables that select this server for programs without an option for its name.
  public var environment: [String: String] { ["JACK_DEFAULT_SERVER": name, "PIPEWIRE_REMOTE": name] }

  /// The server's output, for failure messages.
  public var report: String { state.withLock { $0.process?.report } ?? "\(name): not started" }

  /// Ends the server by SIGTERM, as a user would, or else by SIGKILL.
  public func stop() {
    // The client is not used any more. A hanging server would block its closing; a server that has ended does not.
    let first = state.withLock { $0.first.take() }
    let process = state.withLock { $0.process.take() }
    if let first, process?.isRunning == true { JACKServer.finishRequests(first) }
    process?.signal(SIGTERM)
    let hasEnded = (try? process?.waitForExit(within: .seconds(5))) != nil
    first?.close()
    if process != nil, !hasEnded { state.withLock { $0.holdsPlace = true } }
    if state.withLock({ $0.holdsPlace }) { giveBackPlace() }
  }

  /// Waits until jackd has removed clients that have just died. If jackd ends meanwhile, it may leave its metadata database locked,
  /// which all servers of a user share: a closing client was seen to wait for that lock for ever.
  ///
  /// jackd serves one request after the other, and removes dead clients between them. The wait for a hanging server is short.
  private static func finishRequests(_ client: BenchClient) {
    guard ServerKind.current == .jackd else { return }
    let isDone = Event()
    startThread {
      for _ in 0..<2 {
        let port = jack_port_register(
          client.handle, "probe", JACK_DEFAULT_AUDIO_TYPE, UInt(JackPortIsInput.rawValue), 0)
        if let port { jack_port_unregister(client.handle, port) }
      }
      isDone.post()
    }
    isDone.wait(until: .within(.seconds(5)))
  }

  /// Ends the server by SIGKILL: its clients receive no message.
  public func kill() {
    guard let process = state.withLock({ $0.process.take() }) else { return }
    let first = state.withLock { state in
      state.holdsPlace = true
      return state.first.take()
    }
    process.signal(SIGKILL)
    _ = try? process.waitForExit(within: .seconds(5))
    first?.close()
  }

  func noteOpened(_ client: String) { state.withLock { $0.clients.append(client) } }

  func noteClosed(_ client: String) {
    state.withLock { state in state.clients.firstIndex(of: client).map { _ = state.clients.remove(at: $0) } }
  }

  /// Counts an xrun that a client of this process received, or cycles that it missed.
  func noteXrun() { xruns.add(1, ordering: .relaxed) }

  /// The number of xruns that clients of this process received, and of their own missed cycles.
  var xrunCount: Int { xruns.load(ordering: .relaxed) }

  /// The number of xruns that the server has reported since its start.
  public var reportedXruns: Int { state.withLock { $0.first }?.xrunCount ?? 0 }

  /// Registers a player in this process; `witness` returns whether it has missed cycles.
  public func askOnHoldUp(_ witness: @escaping @Sendable () -> Bool) {
    state.withLock { $0.witnesses.append(witness) }
  }

  /// Whether any client or player in this process is known to have missed cycles.
  var hasMissedCycles: Bool { xrunCount > 0 || state.withLock { $0.witnesses }.contains { $0() } }

  /// Seconds by which the server's frames are behind the time since its start; nil if it does not run.
  var delay: Double? {
    state.withLock { state in
      guard let client = state.first?.handle, let beginning = state.beginning else { return nil }
      let frames = Int32(bitPattern: jack_frame_time(client) &- beginning.frame)
      let passed = Double(jack_get_time() - beginning.time) * 1e-6
      return passed - Double(frames) / Double(state.settings.sampleRate)
    }
  }

  /// Restarts the server under the same name, after `stop` or `kill`; nil keeps the rate or period.
  /// - Throws: `BenchError` if a client of this process is open, or the server does not start.
  public func restart(sampleRate: Int? = nil, period: Int? = nil) throws {
    stopIfRunning()
    // The client of a server that ended by itself.
    state.withLock { $0.first.take() }?.close()
    let clients = state.withLock { $0.clients }
    guard clients.isEmpty else { throw BenchError("close the lost server's clients first: \(clients)") }
    state.withLock {
      $0.settings.sampleRate = sampleRate ?? $0.settings.sampleRate
      $0.settings.period = period ?? $0.settings.period
    }
    try start()
  }

  private func stopIfRunning() {
    if isRunning { stop() }
  }

  private func giveBackPlace() {
    if (try? start()) != nil { stop() }
  }

  private func start() throws {
    let (command, environment) = try ServerKind.current.command(name, settings)
    let process = try Subprocess(command, environment: environment, deathSignal: "TERM")
    state.withLock {
      $0.process = process
      $0.holdsPlace = false
    }
    let first = try firstClient(process, .within(.seconds(10)))
    state.withLock { state in
      state.first = first
      state.beginning = (jack_frame_time(first.handle), jack_get_time())
    }
  }

  /// Servers do not report that they are ready: opening a client is the only test. A refused attempt takes 20 ms; the pause between
  /// two attempts ends at once if the server ends.
  private func firstClient(_ process: Subprocess, _ deadline: Deadline) throws -> BenchClient {
    while true {
      if let client = try? BenchClient(server: self, name: "first") {
        try client.activate()
        return client
      }
      guard process.isRunning, !deadline.hasPassed else {
        throw BenchError("the JACK server doesn't accept clients\n\(process.report)")
      }
      process.child.changed.wait(until: deadline.earlier(of: .milliseconds(10)))
    }
  }
}

/// Makes sure that the test process can end, and suppresses libjack's messages: the tests cause some of these errors on purpose.
let prepareForLibjack: Void = {
  tactus_jack_skip_exit_handlers()
  if getenv("TACTUS_TEST_LIBJACK") != nil { return }
  jack_set_error_function { _ in }
  jack_set_info_function { _ in }
}()
