import OSC
import OSCControl
import Synchronization

@testable import Web

/// Records all calls.
final class FakeBackend: WebBackend {
  struct Log: Sendable {
    var datagrams: [[UInt8]] = []
    var peers: [OSCPeer] = []
    var listening: [String] = []
    var forgotten: [OSCPeer] = []
    var asked: [String] = []
  }

  private let state = Mutex(Log())
  var log: Log { state.withLock { $0 } }

  func receive(_ bytes: [UInt8], from peer: OSCPeer) {
    state.withLock {
      $0.datagrams.append(bytes)
      $0.peers.append(peer)
    }
  }

  func listen(_ peer: OSCPeer, to address: String) -> Bool {
    state.withLock { $0.listening.append(address) }
    return true
  }

  func ignore(_ peer: OSCPeer, _ address: String) {
    state.withLock { $0.listening.removeAll { $0 == address } }
  }

  func forget(_ peer: OSCPeer) { state.withLock { $0.forgotten.append(peer) } }

  func describe(
    path: String, attribute: String?,
    _ answer: @escaping @Sendable ((@Sendable () -> OSCQueryTree.Answer)?) -> Void
  ) {
    state.withLock { $0.asked.append(path + (attribute.map { "?" + $0 } ?? "")) }
    answer { OSCQueryTree.Answer(status: 200, json: "{}") }
  }
}
