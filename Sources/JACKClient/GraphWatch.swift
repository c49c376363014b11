import Engine
import Realtime

/// The supervisor's record of the connections, and of whether the server still runs cycles.
struct GraphWatch {
  /// Seconds from a change until the connections are read: a server that shuts down first disconnects all clients.
  private static let settling = 0.3
  /// Seconds after a change during which failed reconnections are repeated: JACK doesn't notify when a client that has already
  /// registered its ports becomes active.
  private static let patience = 60.0

  private var kept: KeptConnections
  /// Whether lost connections are restored.
  private let restores: Bool
  private var told: PortConnections?
  private var seenChanges = -1
  private var readTime: Double?
  /// The number of changes after which the connections were read last.
  private(set) var readChanges = -1
  private var patienceEnds = 0.0
  /// The server's cycle count at the last change of the graph.
  private var cyclesAtChange: UInt64 = 0

  /// Seconds between two looks at most, where nothing wakes the supervisor.
  private static let interval = 0.5
  /// The longest interval between two looks that counts as stall time. After a longer one the machine was suspended or
  /// overloaded, not the server.
  private static let longestLook = interval + 0.05
  private var lastCycles: UInt64 = 0
  /// Seconds without a process callback, as observed so far.
  private var stalled = 0.0
  private var lastLook = now

  init(_ kept: KeptConnections = KeptConnections(), restores: Bool = true) {
    (self.kept, self.restores) = (kept, restores)
  }

  static var now: Double { Double(monotonicNow()) / 1e9 }

  /// Milliseconds until the next look.
  var wait: Int32 { readTime == nil ? Int32(GraphWatch.interval * 1e3) : 50 }

  /// Whether there has been no process callback for max(1 s, 20 periods).
  /// - Parameters:
  ///   - period: in seconds.
  ///   - time: the time of this look, in seconds.
  mutating func isStalled(cycles: UInt64, period: Double, at time: Double = GraphWatch.now) -> Bool {
    stalled = cycles == lastCycles ? stalled + min(time - lastLook, GraphWatch.longestLook) : 0
    (lastCycles, lastLook) = (cycles, time)
    return stalled > max(1, 20 * period)
  }

  /// Restores missing connections, and reads the connections some time after the last change.
  /// - Returns: the connections, if they have changed.
  mutating func look(_ client: ClientHandle, _ signals: HostSignals) -> PortConnections? {
    let changes = signals.graphChanges.load(ordering: .relaxed)
    if changes != seenChanges {
      (seenChanges, cyclesAtChange) = (changes, lastCycles)
      readTime = GraphWatch.now + GraphWatch.settling
      patienceEnds = GraphWatch.now + GraphWatch.patience
    }
    if restores, GraphWatch.now < patienceEnds { restore(client) }
    // If the server has stopped running cycles, it may be shutting down, so don't read the connections yet.
    guard let due = readTime, GraphWatch.now >= due, lastCycles > cyclesAtChange + 1 else { return nil }
    (readTime, readChanges) = (nil, seenChanges)
    kept.note(
      connected: client.keptConnections, exists: client.exists,
      renewed: client.keptNames(signals.takeRegistered()))
    if restores { restore(client) }
    let connected = Set(client.connections.filter { !$0.value.isEmpty }.keys)
    let connections = PortConnections(kept: kept.names, connected: connected)
    // What is kept is not this program's where another one makes the connections.
    guard restores ? connections != told : connected != told?.connected else { return nil }
    told = connections
    return connections
  }

  /// The ports to which `out` has been connected.
  var outputs: [String] { kept.connected("out") }

  /// Prepares a new client, which gets the connections of the previous one, and the first one those that were asked for.
  mutating func restart(_ client: ClientHandle, isFirst: Bool = false) {
    kept.loseAll()
    patienceEnds = GraphWatch.now + GraphWatch.patience
    (stalled, lastLook, seenChanges) = (0, GraphWatch.now, -1)
    if restores || isFirst { restore(client) }
    // The connections of a new client are reported, even if they are those of the one before: what was sent meanwhile is lost. At
    // the start a session manager has not connected anything yet, which is no news.
    told = isFirst && !restores ? PortConnections(kept: [:], connected: []) : nil
  }

  private mutating func restore(_ client: ClientHandle) {
    kept.restore(
      connect: { client.canConnect($0, to: $1) && client.connect($0, to: $1) }, candidates: client.candidates)
  }
}
