import JACKClient
import Realtime

@testable import Control
@testable import Engine
@testable import OSC
@testable import OSCControl
@testable import Sessions

/// One life of the program, from its start to its end or its crash: the conductor, the JACK host with its process callback and its
/// supervisor, and the OSC remote in one thread.
final class Program {
  let conductor: Conductor
  let line: OSCLine
  private let owned = OwnedChannels()
  var channels: UnsafePointer<Channels> { owned.pointer }
  private let host: JACKHost
  private var supervisor: Supervisor
  private let server: SimulatedServer
  /// When the supervisor wants its next step.
  private var supervision: UInt64
  /// When the conductor wants its next turn.
  private var deadline: UInt64 = 0
  private var lastTurn: UInt64 = 0
  private var promptUntil: UInt64 = 0
  /// Nanoseconds by which a turn comes late at most.
  private static let longestDelay: UInt64 = 250_000_000
  private let history: SettingsHistory
  /// What was wrong with the state file at the start; nil for nothing.
  let damage: (reason: String, movedTo: String?)?

  /// The outside world that a program is started in.
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
    case .settings(let settings): (saved, damage) = (settings, nil)
    case .damaged(let reason, let movedTo): damage = (reason, movedTo)
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
    platform.library = SimulatedLibrary.make()
    // libjack counts whole frames: the time that belongs to its answer is that of the frame's start.
    platform.now = { [server = world.server] in Instant(nanoseconds: server.frameInstant) }
    platform.calls = ServerCalls(server: world.server)
    platform.patience = .zero
    let updates = conductor.updates
    return JACKHost(
      configuration, kernel: conductor.makeKernel(), channels: channels, platform: platform,
      onConnections: { updates.push(Request(.connections($0))) },
      onNews: { updates.push(Request(.host($0))) })
  }

  /// Calls of the conductor to the server, which wait while it hangs.
  private struct ServerCalls: WorkQueue {
    let server: SimulatedServer
    func run(_ work: @escaping @Sendable () -> Void) { server.call(work) }
    func finish() {}
  }

  /// The settings that observers have been told, with times.
  var told: SettingsHistory { history }

  // MARK: Turns

  /// When the conductor is to have a turn.
  ///
  /// For some seconds after something has happened it gets its turns when it wants them. In a quiet stretch it is late, as on a
  /// busy machine: it gets four a second. That makes simulated time run faster.
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

  /// Something was pushed: the conductor's thread wakes at once.
  func wake() {
    deadline = 0
    history.hasNews = true
  }

  /// Something has happened: the conductor's thread gets its turns in time for a while.
  func bePrompt(until time: UInt64) { promptUntil = max(promptUntil, time) }

  /// Whether something may have been sent since this was asked last.
  func takeNews() -> Bool {
    defer { history.hasNews = false }
    return history.hasNews
  }

  /// Starts no more clips.
  func stopNewClips() { host.stopNewClips() }

  /// Whether the last clip has been delivered, or there is no server.
  var hasFallenSilent: Bool { host.hasFallenSilent }

  /// Whether a change of the connections was not read yet.
  var hasUnreadConnections: Bool { host.hasUnreadConnections }

  /// Ends the program: saves the settings and closes the client.
  func end(at time: UInt64) {
    history.now = time
    conductor.end(conductor.updates.drain(until: .distantPast), at: Instant(nanoseconds: time))
    supervisor.end()
  }

  /// The program dies. What waits in the queue may refer to its senders, and these to the queue.
  func die() {
    _ = conductor.updates.drain(until: .distantPast)
    supervisor.end()
  }

  // MARK: The supervisor

  /// When the supervisor is to have a step.
  var nextSupervision: UInt64 { server.holdsProgram ? .max : supervision }

  /// The server has reported something: the supervisor's thread wakes.
  func wakeSupervisor() { supervision = 0 }

  /// The supervisor has a step.
  func supervise(at time: UInt64) {
    supervisor.step(at: Instant(nanoseconds: time))
    supervision = time + UInt64(supervisor.wait) * 1_000_000
    wake()
  }

  /// The frame of the engine's clock that comes next.
  var clock: Int64 { channels.pointee.clock.load(ordering: .relaxed).number }
}

/// The settings that observers were told, and when.
final class SettingsHistory: @unchecked Sendable {
  // `@unchecked`: the simulator has one thread.

  var now: UInt64 = 0
  /// Whether something was told since this was looked at.
  var hasNews = false
  private(set) var entries: [(time: UInt64, settings: Settings)]

  init(_ settings: Settings, at time: UInt64) { entries = [(time, settings)] }

  func note(_ report: Report) {
    hasNews = true
    guard case .changed(_, let new) = report, new.settings != entries.last?.settings else { return }
    entries.append((now, new.settings))
    // What was told a minute ago is saved, or will be found missing.
    if entries.count > 64, entries[1].time + 60_000_000_000 < now {
      let old = entries.lastIndex { $0.time + 60_000_000_000 < now } ?? 0
      entries.removeFirst(max(0, old))
    }
  }

  var last: Settings { entries.last!.settings }

  /// Whether settings were told at some time since an instant.
  func hold(_ settings: Settings, since time: UInt64) -> Bool {
    let first = entries.lastIndex { $0.time <= time } ?? 0
    return entries[first...].contains { $0.settings.saved == settings.saved }
  }
}

extension Settings {
  /// What of them comes back when the program starts again: muting does not, and of a tempo of Ableton Link's that the profile
  /// does not allow the nearest one that it does.
  var saved: Settings {
    var saved = self
    try? saved.set(.mute(false))
    saved.follow(profile.clamped(tempo))
    // Nobody is told of the bar with the settings.
    saved.session = saved.session?.sectionStart
    return saved
  }
}
