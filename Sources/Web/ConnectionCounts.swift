import Glibc
import OSC
import Synchronization

/// Counts the connections, and limits them.
///
/// - Thread: any.
final class ConnectionCounts: Sendable {
  private let counts = Mutex<[IPAddress: Int]>([:])
  private let capacity = ConnectionCounts.allowed

  /// At most an eighth of the descriptors that the process may have: JACK needs some, too, and fails badly without them.
  private static var allowed: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return WebLimits.connections
    }
    return min(WebLimits.connections, Int(clamping: limit.rlim_cur) / 8)
  }

  /// Counts a new connection from an address.
  /// - Returns: false if there are too many. The connection is not counted then, and must be closed.
  func add(_ address: IPAddress) -> Bool {
    counts.withLock { counts in
      let all = counts.values.reduce(0, +)
      let remote = counts.reduce(0) { $0 + ($1.key.isLoopback ? 0 : $1.value) }
      guard all < capacity else { return false }
      if !address.isLoopback {
        guard remote < WebLimits.remoteConnections, counts[address, default: 0] < WebLimits.connectionsOfOne
        else { return false }
      }
      counts[address, default: 0] += 1
      return true
    }
  }

  /// Ends the count of a connection that `add` accepted.
  func remove(_ address: IPAddress) {
    counts.withLock { counts in
      let rest = counts[address, default: 1] - 1
      counts[address] = rest > 0 ? rest : nil
    }
  }
}
