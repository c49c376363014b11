import Control
import Dispatch
import Files
import Glibc
import NSM
import Realtime
import Sessions
import Synchronization
import Validation

/// Tactus as a client of a session manager (NSM): one run after the other, each in a session that the manager opens.
///
/// The settings are stored in the session's folder, and are saved when the manager requests it. The manager restores
/// connections.
final class ManagedRun: Sendable {
  /// How long the manager may take to answer.
  private static let patience = Duration.seconds(5)

  /// A run: its files, the queue for its updates, and the functions that write its settings and end it.
  struct Run: Sendable {
    let place: ManagedPlace
    let updates: UpdateQueue
    let write: @Sendable (Settings) throws -> Void
    let end: @Sendable () -> Void
  }

  private struct State {
    /// The session to open next; nil if the program ends after the current run.
    var next: NSMSession?
    /// The settings that were last saved or read; nil before.
    var saved: Settings?
    /// The current run; nil if there is none.
    var run: Run?
  }

  private let client: NSMClient
  private let state = Mutex(State())
  private let hasSession = MonotonicSemaphore()
  private let files = DispatchQueue(label: "tactus.nsm")

  private init(_ client: NSMClient) { self.client = client }

  /// Announces Tactus to the session manager in `NSM_URL`. Returns nil if there is none, or if it does not answer within five
  /// seconds.
  /// - Throws: `CommandError` if the manager refuses.
  static func announce() throws -> ManagedRun? {
    guard let url = environmentValue("NSM_URL"), !url.isEmpty else { return nil }
    let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "tactus"
    do {
      let client = try NSMClient(url: url)
      try client.announce(program: program, process: getpid(), within: patience)
      return ManagedRun(client)
    } catch NSMClient.ManagerError.refused(let reason) {
      throw CommandError("\(NSMClient.ManagerError.refused(reason))", code: .unavailable)
    } catch {
      StandardError.write("\(error): playing without a session manager", prefix: "tactus: ")
      return nil
    }
  }

  /// Plays in each session that the manager opens, until a signal arrives.
  /// - Parameter options: as given; the manager gives the client's name.
  func play(_ options: Play, _ signals: EndSignals) throws {
    signals.report { [hasSession] in hasSession.signal() }
    client.receiveOrders { [weak self] in self?.handle($0) }
    hasSession.wait()
    defer { client.close() }
    while !signals.haveCome, let session = state.withLock({ $0.next.take() }) {
      do {
        let place = ManagedPlace(session, self)
        var options = options
        options.jack.name = place.clientName
        options.stopped = true
        try PlaySession(options, signals, place).run()
      } catch {
        client.refuse(.open(session), .launchFailed, "\(error)")
        throw error
      }
      // Wait until this run's settings are saved.
      files.sync {}
      state.withLock { ($0.run, $0.saved) = (nil, nil) }
    }
  }

  /// Notes a run that has its ports, and confirms to the manager that the session is open.
  func begin(_ run: Run) {
    let isLeft = state.withLock { state in
      state.run = run
      return state.next != nil
    }
    client.report(isDirty: false)
    client.confirm(.open(run.place.session), "ready")
    if isLeft { run.end() }
  }

  /// Shows a warning in the manager.
  func show(_ warning: String) { client.show(warning, priority: 2) }

  /// Notes settings that a run without a manager would save now.
  func note(_ settings: Settings) {
    let isDirty = state.withLock { !ManagedRun.areSame($0.saved, settings) }
    client.report(isDirty: isDirty)
  }

  /// Whether settings are equal except for the position in the song: a new position alone need not be saved.
  private static func areSame(_ saved: Settings?, _ settings: Settings) -> Bool {
    guard var saved else { return false }
    if saved.session?.path == settings.session?.path { saved.session = settings.session }
    return saved == settings
  }

  /// Notes the settings with which a run begins.
  func noteFirst(_ settings: Settings) { state.withLock { $0.saved = settings } }

  /// Handles an order of the manager.
  /// - Thread: the NSM client's
  private func handle(_ order: NSMOrder) {
    switch order {
    case .open(let session):
      let end = state.withLock { state in
        state.next = session
        return state.run?.end
      }
      hasSession.signal()
      end?()
    case .save: save(order)
    }
  }

  private func save(_ order: NSMOrder) {
    let (run, isLeaving) = state.withLock { ($0.run, $0.next != nil) }
    guard let run, !isLeaving else {
      return client.refuse(order, .notNow, "save: the session is not open")
    }
    run.updates.push(
      Request(
        .query { [self] snapshot in files.async { self.write(snapshot.settings, run, order) } },
        refuse: { [client] in client.refuse(order, .notNow, $0) }))
  }

  private func write(_ settings: Settings, _ run: Run, _ order: NSMOrder) {
    do {
      try run.write(settings)
      let saved = state.withLock { state in
        defer { state.saved = settings }
        return state.saved
      }
      run.place.links.update(from: saved?.session?.path, to: settings.session?.path)
      client.report(isDirty: false)
      client.confirm(order, "saved")
    } catch {
      client.refuse(order, .createFailed, "\(error)")
    }
  }
}

/// The files of a run under a session manager: a folder with the settings, and with links to documents in other folders.
struct ManagedPlace: Sendable {
  let session: NSMSession
  let run: ManagedRun
  let stateFile: StateFile
  let links: DocumentLinks

  /// The longest name of a JACK client, in bytes.
  private static let nameLimit = 32

  init(_ session: NSMSession, _ run: ManagedRun) {
    (self.session, self.run) = (session, run)
    stateFile = StateFile(path: session.path + "/settings.yaml")
    links = DocumentLinks(folder: session.path)
  }

  /// The name of the JACK client, derived from the session manager's client ID.
  var clientName: String {
    let name = session.clientID.map { $0 == ":" || $0 == "/" || !$0.isASCII ? "_" : $0 }
    return String(name.prefix(ManagedPlace.nameLimit))
  }
}
