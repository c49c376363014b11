import Realtime

/// The supervisor's memory: who was connected, and whether the server still calls.
struct GraphWatch {
  /// Seconds after a change until the connections are read: a server that goes disconnects everybody first.
  private static let settling = 0.3
  /// Seconds for which connections to ports that have not come back are tried again.
  private static let patience = 60.0

  /// What each port was connected to when all was well; nil before that is known.
  private(set) var connections: [String: [String]]?

  private var seenChanges = -1
  private var readTime: Double?
  private var missing: [(port: String, target: String)] = []
  private var patienceEnds = 0.0

  /// The longest time between two looks that counts, a little more than the supervisor waits at most. Beyond that the machine
  /// was held up, not the server.
  private static let longestLook = 0.3
  private var lastCycles: UInt64 = 0
  /// Seconds for which the callback has not been called, as far as somebody looked.
  private var stalled = 0.0
  private var lastLook = now

  static var now: Double { Double(monotonicNow()) / 1e9 }

  /// Whether something is due before a quarter of a second has passed.
  var needsSoon: Bool { readTime != nil }

  /// Whether the process callback has not been called for max(1 s, 20 periods).
  /// - Parameters:
  ///   - period: seconds.
  ///   - time: of this look.
  mutating func isStalled(cycles: UInt64, period: Double, at time: Double = GraphWatch.now) -> Bool {
    stalled = cycles == lastCycles ? stalled + min(time - lastLook, GraphWatch.longestLook) : 0
    (lastCycles, lastLook) = (cycles, time)
    return stalled > max(1, 20 * period)
  }

  /// Keeps the connections in mind, some time after they last changed.
  mutating func look(_ client: ClientHandle, changes: Int) {
    if changes != seenChanges {
      seenChanges = changes
      readTime = GraphWatch.now + GraphWatch.settling
      reconnect(client)
    }
    guard let due = readTime, GraphWatch.now >= due else {
      // Nothing tells when a client whose ports are there becomes active.
      if !missing.isEmpty { reconnect(client) }
      return
    }
    readTime = nil
    var connections = client.connections
    for (port, target) in missing { connections[port, default: []].append(target) }
    self.connections = connections
  }

  /// A new client has come: its connections are to be those of the last.
  mutating func restart(_ client: ClientHandle) {
    missing = (connections ?? [:]).flatMap { port, targets in targets.map { (port, $0) } }
    patienceEnds = GraphWatch.now + GraphWatch.patience
    (stalled, lastLook) = (0, GraphWatch.now)
    reconnect(client)
  }

  private mutating func reconnect(_ client: ClientHandle) {
    if GraphWatch.now > patienceEnds { missing = [] }
    missing.removeAll { client.hasInput($0.target) && client.connect($0.port, to: $0.target) }
  }
}
