import Control
import ControlBench
import OSC
import OSCControl
import Realtime
import Synchronization

/// A conductor, an engine and an OSC remote in one thread and in simulated time. Datagrams go in and out without sockets.
package final class EmbeddedRig {
  package let rig: Rig
  package let remote: OSCRemote
  /// An app of this machine.
  package let app = OSCPeer(url: "osc.udp://127.0.0.1:9000")!

  private let osc: EmbeddedOSC
  private let instant: SimulatedInstant
  /// Receives datagrams to other peers than the app.
  package var carry: (EmbeddedOSC.Datagram) -> Void = { _ in }
  /// Messages to the app that it has not read yet.
  private var received: [OSCMessage] = []

  /// The parts from which a further namespace beside `/tactus` is made.
  package typealias Surroundings = (
    server: OSCServer, updates: UpdateQueue, clock: RemoteClock, work: SimulatedWork
  )

  package init(
    configure: (inout Conductor.Configuration) -> Void = { _ in },
    beside other: ((Surroundings) -> any OSCNamespace)? = nil
  ) throws {
    let rig = try Rig(configure: configure)
    self.rig = rig
    let instant = SimulatedInstant(rig.time)
    self.instant = instant
    let remote = OSCRemote(
      OSCServer.Configuration(), updates: rig.updates, clock: instant.clock,
      beside: other.map { make in { make(($0, rig.updates, instant.clock, rig.work)) } })
    self.remote = remote
    osc = remote.embed(at: OSCPeer(url: "osc.udp://127.0.0.1:9700")!)
    rig.conductor.observe(needsForecast: { remote.needsForecast }, { remote.observe($0) })
    _ = osc.run([.init(Datagrams.credit, app)], at: rig.time)
  }

  deinit { remote.stop() }

  package var settings: Settings { settle().settings }

  /// Sends a message from another peer.
  package func send(_ message: OSCMessage, from peer: OSCPeer) {
    for bytes in Datagrams.of([message], at: nil) { exchange([.init(bytes, peer)]) }
  }

  /// Sends messages, each on its own, or in a bundle if a time is given.
  package func send(_ messages: OSCMessage..., at time: OSCTime? = nil) {
    for bytes in Datagrams.of(messages, at: time) { exchange([.init(bytes, app)]) }
  }

  /// Sends messages, lets them take effect, and returns the answers. Takes no simulated time.
  package func answers(_ messages: OSCMessage...) -> [OSCMessage] {
    answers { for message in messages { send(message) } }
  }

  /// Sends messages in one bundle, lets them take effect, and returns the answers.
  package func answers(_ messages: [OSCMessage], at time: OSCTime) -> [OSCMessage] {
    answers { for bytes in Datagrams.of(messages, at: time) { exchange([.init(bytes, app)]) } }
  }

  private func answers(to send: () -> Void) -> [OSCMessage] {
    received = []
    send()
    settle()
    defer { received = [] }
    return received
  }

  /// Lets the conductor handle everything that was sent, and returns the snapshot. Takes no simulated time.
  @discardableResult
  package func settle() -> Snapshot {
    rig.settle()
    // klick's remote pushes further updates once the conductor has carried out the first ones.
    let snapshot = rig.settle()
    exchange([])
    return snapshot
  }

  /// Renders one period.
  package func render() {
    rig.render()
    exchange([])
  }

  /// Renders for some time.
  package func pass(_ duration: Duration) {
    let end = rig.time + duration
    while rig.time < end { render() }
  }

  /// Renders for some time, and returns the messages that arrive meanwhile.
  package func heard(during duration: Duration) -> [OSCMessage] {
    received = []
    pass(duration)
    defer { received = [] }
    return received
  }

  private func exchange(_ datagrams: [EmbeddedOSC.Datagram]) {
    instant.set(rig.time)
    for datagram in osc.run(datagrams, at: rig.time) {
      if datagram.peer == app {
        received += (try? OSCDatagram(datagram.bytes).messages) ?? []
      } else {
        carry(datagram)
      }
    }
  }
}

/// A rig's instant, for closures that read it.
private final class SimulatedInstant: Sendable {
  private let time: Atomic<UInt64>

  init(_ time: Instant) { self.time = Atomic(time.nanoseconds) }

  func set(_ time: Instant) { self.time.store(time.nanoseconds, ordering: .relaxed) }

  /// The wall clock's distance from the monotonic clock, in nanoseconds.
  private static let wallClockOffset: Int64 = 1_750_000_000_000_000_000

  var clock: RemoteClock {
    RemoteClock(
      now: { Instant(nanoseconds: self.time.load(ordering: .relaxed)) },
      wallClock: { Int64(bitPattern: $0.nanoseconds) + SimulatedInstant.wallClockOffset },
      instant: { Instant(nanoseconds: UInt64(max(0, $0 - SimulatedInstant.wallClockOffset))) })
  }
}
