import Control
import Engine
import JACKClient
import MusicTime
import Synchronization
import TestBench

/// A conductor, an engine and a JACK client in the test's process. Its clips are single samples, so that an onset is heard on
/// its exact frame.
final class Rig: @unchecked Sendable {
  // `@unchecked`: the channels consist of types that threads may share.
  let conductor: Conductor
  let host: JACKHost
  let channels: UnsafePointer<Channels>
  /// Posted on every report.
  let reported = TestBench.Event()
  private let last = Mutex<Snapshot?>(nil)

  var updates: UpdateQueue { conductor.updates }

  init(server: JACKServer, _ settings: [Setting] = [], song: SongPlan? = nil) throws {
    var initial = Settings()
    for setting in settings { try initial.set(setting) }
    channels = Channels.make()
    var conducting = Conductor.Configuration(
      settings: initial, sampleRate: server.sampleRate, readSound: { name, _, _ in (name, Rig.impulses) },
      save: { _ in })
    conducting.session = song.map {
      (Setlist(title: $0.title, songs: [.init(song: $0)]), SessionPlace(path: "/\($0.title).yaml"))
    }
    conductor = try Conductor(conducting, channels: channels)
    var configuration = JACKHost.Configuration()
    configuration.server = server.name
    configuration.connectsItself = false
    let updates = conductor.updates
    host = JACKHost(
      configuration, kernel: conductor.makeKernel(), channels: channels,
      onConnections: { updates.push(Request(.connections($0))) },
      onNews: { updates.push(Request(.host($0))) })
    conductor.observe { [weak self] report in self?.note(report) }
    try host.start()
    try conductor.start(host: host)
    server.askOnHoldUp { self.channels.pointee.gaps.load(ordering: .relaxed) > 0 }
  }

  private func note(_ report: Report) {
    guard case .changed(_, let new) = report else { return }
    last.withLock { $0 = new }
    reported.post()
  }

  /// Ends the client and the conductor; returns whether both ended in time.
  @discardableResult
  func stop() -> Bool {
    let hasEnded = conductor.stop()
    return host.stop() && hasEnded
  }

  /// Waits until the conductor's snapshot fulfils a condition.
  func wait(_ what: String, within limit: Duration = .seconds(5), for condition: (Snapshot) -> Bool) throws {
    let met = reported.wait(until: .within(limit)) { () -> Bool? in
      last.withLock { $0.map(condition) } == true ? true : nil
    }
    if met == nil { throw BenchError("no \(what) within \(limit)") }
  }

  /// Connects a machine to a MIDI input; returns once Tactus receives MIDI.
  func connect(_ machine: MIDIClient, to port: String) throws {
    try machine.connect(to: port)
    _ = host.takeMIDIActivity()
    let deadline = Deadline.within(.seconds(5))
    // A connection of PipeWire carries messages only some cycles after it was made. Active Sensing has no effect.
    repeat {
      guard !deadline.hasPassed else { throw BenchError("nothing is heard at \(port)") }
      machine.send(0xFE, at: machine.soon)
      try machine.waitUntilSent()
    } while !host.takeMIDIActivity().hasReceived
  }

  static let impulses = ClipSet(
    accent: Clip([1]), beat: Clip([0.75]), subdivision: Clip([0.5]), cue: Clip([0.25]))
}

extension UpdateQueue {
  func set(_ setting: Setting) { push(.set(setting)) }
}
