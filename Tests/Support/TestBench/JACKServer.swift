import CJack
import Glibc
import Synchronization

/// A JACK server of a test's own, without a sound card and with a name that nobody else uses.
///
/// libjack keeps one server's shared memory in globals of the process, so a process can talk to one server
/// at a time: `run` is the only way to start one, and lets one test after the other have it.
///
/// Once the server was killed, close every client of this process before `restart`: libjack crashes when a
/// client opens while one of the dead server is left. A program that should survive it runs as `Subprocess`.
public final class JACKServer: Sendable {
  public struct Settings: Sendable, Equatable {
    public var sampleRate: Int
    public var period: Int
    public var realtime: Bool
  }

  private struct State {
    var settings: Settings
    var process: Subprocess?
    /// Keeps its place as long as the server runs. libjack misses the removal of another client while it opens one: a
    /// player that reconnects just then would for ever wake the one that has gone, instead of the next in its place.
    /// It is active, so that it is told of xruns.
    var first: BenchClient?
    /// What the clocks showed when it had started: its frame time, and microseconds.
    var beginning: (frame: UInt32, time: UInt64)?
    /// Ask whether what plays here has missed cycles.
    var witnesses: [@Sendable () -> Bool] = []
    /// A killed server keeps one of the machine's eight places for servers, until one with its name starts.
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

  /// A server that somebody else runs and ends.
  public init(running name: String) {
    self.name = name
    // Nobody asks: a client knows its rate and period.
    state = Mutex(State(settings: Settings(sampleRate: 0, period: 0, realtime: false)))
  }

  /// Starts a server, runs `body` with it, and ends it, whatever happened.
  ///
  /// Waits, without holding a thread, until no other test of this process has a server.
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

  /// Has a program that can't be told the server's name use it.
  public var environment: [String: String] { ["JACK_DEFAULT_SERVER": name, "PIPEWIRE_REMOTE": name] }

  /// What the server printed, for messages of failure.
  public var report: String { state.withLock { $0.process?.report } ?? "\(name): not started" }

  /// Ends the server as a user would (SIGTERM), and as a last resort by SIGKILL.
  public func stop() {
    // Nobody asks the client from here on. A server that hangs would keep it from closing; one that has ended doesn't.
    let first = state.withLock { $0.first.take() }
    let process = state.withLock { $0.process.take() }
    if let first, process?.isRunning == true { JACKServer.finishRequests(first) }
    process?.signal(SIGTERM)
    let hasEnded = (try? process?.waitForExit(within: .seconds(5))) != nil
    first?.close()
    if process != nil, !hasEnded { state.withLock { $0.holdsPlace = true } }
    if state.withLock({ $0.holdsPlace }) { giveBackPlace() }
  }

  /// Waits until jackd has dealt with clients that have just died. Ended in the middle of that, it may leave its database of
  /// metadata locked, which all servers of a user share: a client was seen to wait for ever for that lock when it closed.
  ///
  /// jackd serves one request after the other, and looks for dead clients between them. A server that hangs is waited for briefly.
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

  /// Ends the server by SIGKILL: its clients lose it without a word.
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

  /// A client of this process has been told of one, or has missed cycles.
  func noteXrun() { xruns.add(1, ordering: .relaxed) }

  /// How often a client of this process was told that somebody was late for a cycle, or was late itself.
  var xrunCount: Int { xruns.load(ordering: .relaxed) }

  /// How often the server reported that a client was late, since it started.
  public var reportedXruns: Int { state.withLock { $0.first }?.xrunCount ?? 0 }

  /// Has a program's part that plays in this process say whether it has missed cycles.
  public func askOnHoldUp(_ witness: @escaping @Sendable () -> Bool) {
    state.withLock { $0.witnesses.append(witness) }
  }

  /// Whether somebody in this process missed cycles, as far as anybody knows.
  var hasMissedCycles: Bool { xrunCount > 0 || state.withLock { $0.witnesses }.contains { $0() } }

  /// Seconds by which its frames have fallen behind the time since it started; nil where it doesn't run.
  var delay: Double? {
    state.withLock { state in
      guard let client = state.first?.handle, let beginning = state.beginning else { return nil }
      let frames = Int32(bitPattern: jack_frame_time(client) &- beginning.frame)
      let passed = Double(jack_get_time() - beginning.time) * 1e-6
      return passed - Double(frames) / Double(state.settings.sampleRate)
    }
  }

  /// Starts the server again under the same name, after `stop` or `kill`, where asked at another rate or period.
  public func restart(sampleRate: Int? = nil, period: Int? = nil) throws {
    stopIfRunning()
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
    // One of a server that ended by itself.
    state.withLock { $0.first.take() }?.close()
    let first = try firstClient(process, .within(.seconds(10)))
    state.withLock { state in
      state.first = first
      state.beginning = (jack_frame_time(first.handle), jack_get_time())
    }
  }

  /// No server says that it is ready, so that only a client can tell. A refused attempt takes 20 ms; the
  /// pause between two ends at once when the server does.
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

/// Has the process of the tests end in any case, and leaves out what libjack would print to their output: they expect some of these
/// errors.
let prepareForLibjack: Void = {
  tactus_jack_skip_exit_handlers()
  if getenv("TACTUS_TEST_LIBJACK") != nil { return }
  jack_set_error_function { _ in }
  jack_set_info_function { _ in }
}()
