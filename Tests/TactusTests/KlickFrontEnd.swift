import Foundation
import OSC
import Synchronization
import TestBench

/// A front end for klick: sends messages, and receives the answers.
final class KlickFrontEnd: Sendable {
  private let server: OSCServer
  private let inbox = Mutex<[OSCMessage]>([])
  private let arrived = TestBench.Event()
  private let peer: OSCPeer

  init(to port: Int) throws {
    peer = OSCPeer(url: "osc.udp://127.0.0.1:\(port)/")!
    var configuration = OSCServer.Configuration()
    configuration.port = 0
    let box = WeakBox<KlickFrontEnd>()
    server = OSCServer(
      configuration,
      onMessages: { messages, _, _ in for message in messages { box.object?.take(message) } },
      onFault: { _, _ in })
    box.object = self
    try server.start()
  }

  var port: Int { Int(server.port ?? 0) }

  private func take(_ message: OSCMessage) {
    inbox.withLock { $0.append(message) }
    arrived.post()
  }

  func send(_ message: OSCMessage) { server.send([message], to: peer) }

  /// Sends a message and returns the answers: at least `count`, and all that arrive before the answer to a check.
  func receive(_ message: OSCMessage, expecting count: Int) -> [OSCMessage] {
    inbox.withLock { $0 = [] }
    send(message)
    let heard = wait { $0.count >= count ? $0 : nil }
    if message.address == "/klick/quit" { return heard ?? [] }
    let fence = OSCMessage("/klick/ready")
    let before = inbox.withLock { $0.count { $0 == fence } }
    send(OSCMessage("/klick/check"))
    let all = wait { messages in messages.count { $0 == fence } > before ? messages : nil } ?? []
    return all.last == fence ? all.dropLast() : all
  }

  /// Waits until it is answered.
  func waitForAnswer(within limit: Duration = .seconds(10)) throws {
    let deadline = ContinuousClock.now + limit
    repeat {
      send(OSCMessage("/klick/ping"))
      if wait(within: .milliseconds(200), { $0.isEmpty ? nil : $0 }) != nil { return }
    } while ContinuousClock.now < deadline
    throw BenchError("nobody answers")
  }

  private func wait(
    within limit: Duration = .seconds(30), _ body: ([OSCMessage]) -> [OSCMessage]?
  ) -> [OSCMessage]? {
    arrived.wait(until: .within(limit)) { body(inbox.withLock { $0 }) }
  }
}
