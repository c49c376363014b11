import Engine
import MusicTime
import Realtime

/// The supervisor's record of the connections, and of whether the server still runs cycles.
struct GraphWatch {
  /// The time from a change until the connections are read: a server that shuts down first disconnects all clients.
  private static let settling = Duration.milliseconds(300)
  /// The time after a change during which failed reconnections are repeated: JACK doesn't notify when a client that has already
  /// registered its ports becomes active.
  private static let patience = Duration.seconds(60)

  private var kept: KeptConnections
  /// Whether lost connections are restored.
  private let restores: Bool
  private var reported: PortConnections?
  /// The peers of each port that have been connected again since the last report.
  private var restored: [String: Set<String>] = [:]
  /// Whether a machine was connected to the port `clock` at the last look.
  private var hasMachine = false
  /// The clock frame at which a machine was connected to this port that had none; nil after this was reported.
  private var machineArrival: ClockFrame?
  private var seenChanges = -1
  private var frameAtChange = ClockFrame.earliest
  private var readTime: Instant?
  /// The count of changes at the last reading of the connections.
  private(set) var readChanges = -1
  private var patienceEnds = Instant.distantPast
  /// The server's cycle count at the last change of the graph.
  private var cyclesAtChange: UInt64 = 0

  /// Milliseconds between two looks if nothing wakes the supervisor.
  private static let longestWait: Int32 = 500
  /// The longest interval between two looks that counts as stall time. A longer one means that the machine was suspended or
  /// overloaded, not the server.
  private static let longestLook = Duration.milliseconds(longestWait) + .milliseconds(50)
  private var lastCycles: UInt64 = 0
  /// The observed time without a process callback.
  private var stalled = Duration.zero
  private var lastLook: Instant

  init(_ kept: KeptConnections = KeptConnections(), restores: Bool = true, at now: Instant) {
    (self.kept, self.restores, lastLook) = (kept, restores, now)
  }

  /// Milliseconds until the next look.
  var wait: Int32 { readTime == nil ? GraphWatch.longestWait : 50 }

  /// Whether there has been no process callback for max(1 s, 20 periods).
  mutating func isStalled(cycles: UInt64, period: Duration, at now: Instant) -> Bool {
    stalled = cycles == lastCycles ? stalled + min(now - lastLook, GraphWatch.longestLook) : .zero
    (lastCycles, lastLook) = (cycles, now)
    return stalled > max(.seconds(1), period * 20)
  }

  /// Restores missing connections, and reads the connections some time after the last change.
  /// - Parameter frame: a clock frame from which on the present connections carry messages.
  /// - Returns: the connections if they have changed; nil otherwise.
  mutating func look(
    _ client: ClientHandle, _ signals: HostSignals, frame: () -> ClockFrame, at now: Instant
  ) -> PortConnections? {
    let changes = signals.graphChanges.load(ordering: .relaxed)
    if changes != seenChanges {
      (seenChanges, cyclesAtChange) = (changes, lastCycles)
      noteMachines(client, frame)
      readTime = now + GraphWatch.settling
      patienceEnds = now + GraphWatch.patience
    }
    if restores, now < patienceEnds { restore(client) }
    // If the server has stopped running cycles, it may be shutting down, so don't read the connections yet.
    guard let due = readTime, now >= due, lastCycles > cyclesAtChange + 1 else { return nil }
    let registered = client.keptNames(signals.takeRegistered())
    let isCertain = kept.note(
      connected: client.keptConnections, exists: client.exists, renewed: registered)
    readTime = isCertain ? nil : now + GraphWatch.settling
    if isCertain { readChanges = seenChanges } else { cyclesAtChange = lastCycles }
    if restores { restore(client) }
    let connected = Set(client.connections.filter { !$0.value.isEmpty }.keys)
    var connections = PortConnections(kept: kept.names, connected: connected)
    let renewed = takeRenewed(client, registered)
    // It was away between two looks.
    if renewed.contains("clock"), machineArrival == nil { machineArrival = frameAtChange }
    let arrival = connected.contains("clock") ? machineArrival : nil
    machineArrival = nil
    // If another program makes the connections, the connections to save are not reported.
    let hasChanged = restores ? connections != reported : connected != reported?.connected
    guard hasChanged || !renewed.isEmpty || arrival != nil else { return nil }
    reported = connections
    (connections.renewed, connections.machineArrival) = (renewed, arrival)
    return connections
  }

  /// The ports whose present connections have all been made again since the last call.
  /// - Parameter registered: the peers that have been registered since then.
  private mutating func takeRenewed(_ client: ClientHandle, _ registered: Set<String>) -> Set<String> {
    defer { restored = [:] }
    guard !restored.isEmpty || !registered.isEmpty else { return [] }
    let present = client.keptConnections.filter { !$0.value.isEmpty }
    return Set(present.filter { registered.union(restored[$0.key] ?? []).isSuperset(of: $0.value) }.keys)
  }

  private mutating func noteMachines(_ client: ClientHandle, _ frame: () -> ClockFrame) {
    // jackd answers after the cycle in which the change takes effect has begun, so the frame is read after that.
    let isConnected = client.isConnected("clock")
    frameAtChange = frame()
    if isConnected, !hasMachine { machineArrival = frameAtChange }
    hasMachine = isConnected
  }

  /// The ports to which `out` has been connected.
  var outputs: [String] { kept.connected("out") }

  /// Prepares for a new client. It gets the connections of the previous client; the first one gets the configured connections.
  mutating func restart(_ client: ClientHandle, isFirst: Bool = false, at now: Instant) {
    kept.loseAll()
    patienceEnds = now + GraphWatch.patience
    (stalled, lastLook, seenChanges, restored) = (.zero, now, -1, [:])
    (hasMachine, machineArrival) = (false, nil)
    if restores || isFirst { restore(client) }
    if isFirst {
      // Nothing has been played to the first client.
      hasMachine = client.isConnected("clock")
      restored["clock"] = nil
    }
    // The connections of a new client are reported, even if they are those of the previous one: messages that were sent in between are
    // lost. Where another program makes the connections, it has not made any yet, which is no news.
    reported = restores ? nil : PortConnections(kept: [:], connected: [])
  }

  private mutating func restore(_ client: ClientHandle) {
    var made: [(port: String, peer: String)] = []
    kept.restore(
      connect: { port, peer in
        guard client.canConnect(port, to: peer), client.connect(port, to: peer) else { return false }
        made.append((port, peer))
        return true
      }, candidates: client.candidates)
    for (port, peer) in made { restored[port, default: []].insert(peer) }
  }
}
