import JACKClient
import Realtime

@testable import Control
@testable import Engine
@testable import OSC
@testable import OSCControl
@testable import Sessions

/// One life of the program, from its start to its end or crash: the conductor, the JACK host with its process callback and its
/// supervisor, and the OSC remote, in one thread.
final class Program {
  let conductor: Conductor
  let line: OSCLine
  private let owned = OwnedChannels()
  var channels: UnsafePointer<Channels> { owned.pointer }
  private let host: JACKHost
  private var supervisor: Supervisor
  private let server: SimulatedServer
  /// When the supervisor's next step is due.
  private var supervision: UInt64
  /// When the conductor's next turn is due.
  private var deadline: UInt64 = 0
  private var lastTurn: UInt64 = 0
  private var promptUntil: UInt64 = 0
  /// The maximum delay of a turn in nanoseconds.
  private static let longestDelay: UInt64 = 250_000_000
  private let history: SettingsHistory
  /// The fault of the state file at the start; nil if there is none.
  let damage: (reason: String, movedTo: String?)?

  /// The environment in which a program is started.
  struct Surroundings {
    let disk: Disk
    let library: ClipLibrary
    let server: SimulatedServer
    let link: SimulatedLink
    let work: DelayedWork
    let clock: RemoteClock
  }

  /// Starts as `tactus play` does: with the settings and the session of the last run.
  init(in world: Surroundings, at time: UInt64) throws {
    var saved: Settings?
    switch world.disk.file.read() {
    case .none: damage = nil
    case .settings(let settings, _): (saved, damage) = (settings, nil)
    case .damaged(let reason, let movedTo), .partial(_, let reason, let movedTo): damage = (reason, movedTo)
    }
    let settings = saved ?? Settings()
    let documents = OpenableDocuments(
      folder: SessionFolder(path: world.disk.folder + "/documents"), sounds: ["sine", "square", "clave"])
    var configuration = Conductor.Configuration(
      settings: settings, sampleRate: world.server.rate,
      readSound: { [library = world.library] in try library.read($0, $2) },
      save: { [disk = world.disk] in try disk.write($0) })
    configuration.saved = saved
    configuration.makeWorkQueue = { [work = world.work] in work.queue($0) }
    configuration.fallbackSound = "sine"
    configuration.readSession = { try documents.read($0) }
    configuration.link = world.link
    if let place = settings.session, let setlist = try? documents.readAgain(place.path) {
      configuration.session = (setlist, place)
    }
    conductor = try Conductor(configuration, channels: owned.pointer)
    (host, server) = (Program.host(conductor, owned.pointer, settings, world), world.server)
    line = OSCLine(conductor.updates, clock: world.clock)
    history = SettingsHistory(settings, at: time)
    let remote = line.remote
    let history = history
    let observer: Conductor.Observer = { report in
      history.note(report)
      remote.observe(report)
    }
    conductor.observe(needsSubdivisions: { remote.subscriberCount > 0 }, observer)
    conductor.countDroppedAnswers { remote.droppedAnswers }
    history.now = time
    supervisor = try Supervisor(host, at: Instant(nanoseconds: time))
    supervision = time
    conductor.begin(host: host, at: Instant(nanoseconds: time))
    let updates = conductor.updates
    if configuration.session == nil {
      updates.push(Request(.query { if !$0.settings.role.isLed { updates.push(.start) } }))
    }
  }

  private static func host(
    _ conductor: Conductor, _ channels: UnsafePointer<Channels>, _ settings: Settings, _ world: Surroundings
  ) -> JACKHost {
    var configuration = JACKHost.Configuration()
    configuration.server = world.server.name
    configuration.connections = settings.connections
    configuration.layerPorts = LayerPattern.numbers.count
    configuration.link = world.link.line
    var platform = HostPlatform()
    platform.library = SimulatedLibrary.make(isPipeWire: world.server.isPipeWire)
    // libjack counts whole frames, so the time of its answer is the start of the frame.
    platform.now = { [server = world.server] in Instant(nanoseconds: server.frameInstant) }
    platform.calls = ServerCalls(server: world.server)
    platform.patience = .zero
    let updates = conductor.updates
    return JACKHost(
      configuration, kernel: conductor.makeKernel(), channels: channels, platform: platform,
      onConnections: { updates.push(Request(.connections($0))) },
      onNews: { updates.push(Request(.host($0))) })
  }

  /// Calls of the conductor to the server; they wait while it hangs.
  private struct ServerCalls: WorkQueue {
    let server: SimulatedServer
    func run(_ work: @escaping @Sendable () -> Void) { server.call(work) }
    func finish() {}
  }

  /// The settings that observers have received, with times.
  var reported: SettingsHistory { history }

  // MARK: Turns

  /// When to give the conductor a turn.
  ///
  /// For some seconds after an event, the conductor gets its turns on time. In a quiet stretch it is late, as on a busy
  /// machine: it gets four turns per second. This makes simulated time run faster.
  func nextTurn(at time: UInt64) -> UInt64 {
    time < promptUntil || deadline == 0 ? deadline : max(deadline, lastTurn + Program.longestDelay)
  }

  func turn(at time: UInt64) {
    history.now = time
    lastTurn = time
    let now = Instant(nanoseconds: time)
    conductor.turn(conductor.updates.drain(until: .distantPast), at: now)
    deadline = conductor.deadline(at: now).nanoseconds
  }

  /// A request was pushed: the conductor's thread wakes at once.
  func wake() {
    deadline = 0
    history.hasNews = true
  }

  /// An event has happened: the conductor's thread gets its turns on time for a while.
  func bePrompt(until time: UInt64) { promptUntil = max(promptUntil, time) }

  /// Whether the program may have sent something since the last call.
  func takeNews() -> Bool {
    defer { history.hasNews = false }
    return history.hasNews
  }

  /// Starts no more clips.
  func stopNewClips() { host.stopNewClips() }

  /// Whether the last clip has been delivered, or there is no server.
  var hasFallenSilent: Bool { host.hasFallenSilent }

  /// Whether a change of the connections has not been read yet.
  var hasUnreadConnections: Bool { host.hasUnreadConnections }

  /// Ends the program: saves the settings and closes the client.
  func end(at time: UInt64) {
    history.now = time
    conductor.end(conductor.updates.drain(until: .distantPast), at: Instant(nanoseconds: time))
    supervisor.end()
  }

  /// Crashes the program. Requests in the queue may refer to their senders, and these to the queue, so the queue is emptied.
  func die() {
    _ = conductor.updates.drain(until: .distantPast)
    supervisor.end()
  }

  // MARK: The supervisor

  /// When to give the supervisor a step.
  var nextSupervision: UInt64 { server.holdsProgram ? .max : supervision }

  /// The server has sent a notification: the supervisor's thread wakes.
  func wakeSupervisor() { supervision = 0 }

  /// Gives the supervisor a step.
  func supervise(at time: UInt64) {
    supervisor.step(at: Instant(nanoseconds: time))
    supervision = time + UInt64(supervisor.wait) * 1_000_000
    wake()
  }

  /// The next frame of the engine's clock.
  var clock: Int64 { channels.pointee.clock.load(ordering: .relaxed).number }
}

/// The settings that observers have received, and when.
final class SettingsHistory: @unchecked Sendable {
  // `@unchecked`: the simulator has one thread.

  var now: UInt64 = 0
  /// Whether settings have been received since the last look.
  var hasNews = false
  private(set) var entries: [(time: UInt64, settings: Settings)]

  init(_ settings: Settings, at time: UInt64) { entries = [(time, settings)] }

  func note(_ report: Report) {
    hasNews = true
    guard case .changed(_, let new) = report, new.settings != entries.last?.settings else { return }
    entries.append((now, new.settings))
    // Settings that were received a minute ago have been saved, or will be found missing.
    if entries.count > 64, entries[1].time + 60_000_000_000 < now {
      let old = entries.lastIndex { $0.time + 60_000_000_000 < now } ?? 0
      entries.removeFirst(max(0, old))
    }
  }

  var last: Settings { entries.last!.settings }

  /// Whether these settings were reported at some time since an instant.
  func hold(_ settings: Settings, since time: UInt64) -> Bool {
    let first = entries.lastIndex { $0.time <= time } ?? 0
    return entries[first...].contains { $0.settings.saved == settings.saved }
  }
}

extension Settings {
  /// The part of the settings that a restart restores: without mutes; and a tempo of Ableton Link that the profile does not
  /// allow is replaced by the nearest allowed one.
  var saved: Settings {
    var saved = self
    try? saved.set(.mute(false))
    saved.follow(profile.clamped(tempo))
    // The bar is not reported with the settings.
    saved.session = saved.session?.sectionStart
    return saved
  }
}
