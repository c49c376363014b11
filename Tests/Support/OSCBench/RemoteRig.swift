import Control
import ControlBench
import MusicTime
import OSC
import OSCControl
import Testing

/// A conductor with a simulated host that is controlled by OSC over loopback, and an app that sends to it.
package final class RemoteRig {
  package let rig: Rig
  package let remote: OSCRemote
  package let app = Peer()
  package let port: UInt16

  package init(
    _ change: (inout OSCServer.Configuration) -> Void = { _ in },
    configure: (inout Conductor.Configuration) -> Void = { _ in },
    beside other: ((OSCServer, UpdateQueue) -> any OSCNamespace)? = nil
  ) throws {
    let rig = try Rig(isThreaded: true, configure: configure)
    self.rig = rig
    // The first turn reports the server, before any subscriber exists.
    rig.settle()
    rig.settle()
    var configuration = OSCServer.Configuration()
    configuration.port = 0
    change(&configuration)
    let remote = OSCRemote(
      configuration, updates: rig.updates, beside: other.map { make in { make($0, rig.updates) } })
    self.remote = remote
    rig.conductor.observe(needsForecast: { remote.needsForecast }, { remote.observe($0) })
    try remote.start()
    port = try #require(remote.port)
    app.send(Datagrams.credit, to: port)
    _ = app.receive()
  }

  deinit { remote.stop() }

  package var settings: Settings { rig.settle().settings }

  package func send(_ messages: OSCMessage..., at time: OSCTime? = nil) {
    for datagram in Datagrams.of(messages, at: time) { app.send(datagram, to: port) }
  }

  /// Sends a message and returns the first answer; nil after a minute.
  package func answer(_ address: String, _ arguments: OSCArgument...) -> OSCMessage? {
    send(OSCMessage(address, arguments: arguments))
    return app.receive()?.first
  }

  /// Sends messages, and returns all answers once they have been handled.
  package func answers(_ messages: OSCMessage...) -> [OSCMessage] {
    for message in messages { send(message) }
    let heard = roundTrip(1)
    // The messages have reached the conductor. After this it has answered them, and after one more turn it has sent the current
    // values of refused addresses.
    rig.settle()
    rig.settle()
    return heard + roundTrip(2)
  }

  /// The messages that arrive before the answer to a ping.
  private func roundTrip(_ number: Int32) -> [OSCMessage] {
    send(OSCMessage("/tactus/ping", .string("round trip"), .int32(number)))
    var answers: [OSCMessage] = []
    while let received = app.receive() {
      if received == [OSCMessage("/tactus/pong", .string("round trip"), .int32(number))] { return answers }
      answers += received
    }
    Issue.record("the server does not answer")
    return answers
  }
}

/// Encoded messages.
package enum Datagrams {
  /// A ping so long that its sender has earned all answers that a test asks for.
  package static let credit = of(
    [OSCMessage("/tactus/ping", .string(String(repeating: "-", count: 7_000)))], at: nil)[0]

  package static func of(_ messages: [OSCMessage], at time: OSCTime?) -> [[UInt8]] {
    var datagrams: [[UInt8]] = []
    _ = LibloWriter.datagrams(for: messages, at: time) { datagrams.append(Array($0)) }
    return datagrams
  }
}
