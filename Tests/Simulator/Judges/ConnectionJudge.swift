/// Judges whether the connections that a user has made exist whenever both ports exist, and those that a user has removed do
/// not.
///
/// The program learns of a change when it has read the graph, and keeps it when it has saved it. A change shortly before a loss
/// may therefore be kept or lost; the judge then accepts either.
struct ConnectionJudge {
  struct Pair: Hashable {
    let port: String
    let device: Device
  }

  private var wanted: Set<Pair> = []
  private var uncertain: Set<Pair> = []
  private var changes: [Pair: UInt64] = [:]
  /// Changed pairs that the program may not have read yet, and the time of the graph's last change.
  private var unread: Set<Pair> = []
  private var changedAt: UInt64 = 0
  /// When a port, a client or the server last appeared or disappeared.
  private var eventAt: UInt64 = 0
  private var settledAt: UInt64 = 0
  /// Number of pairs that were judged.
  private(set) var judged = 0

  /// Nanoseconds from the last change of the graph until the program has read it, at most: it reads once no change has come for a while,
  /// and the server has run two cycles; and again, if a connection seems to have been removed.
  private static func reading(_ server: SimulatedServer) -> UInt64 { 900_000_000 + 5 * server.periodTime }

  /// Notes a connection that a user makes or removes.
  mutating func note(_ pair: Pair, isConnected: Bool, _ server: SimulatedServer) {
    noteChange(server)
    if isConnected { wanted.insert(pair) } else { wanted.remove(pair) }
    changes[pair] = server.now
    unread.insert(pair)
    // Shortly after a device has returned, its connections are restored, and a disconnection may seem to belong to its loss.
    if server.now < eventAt + ConnectionJudge.reading(server) {
      uncertain.insert(pair)
    } else {
      uncertain.remove(pair)
    }
  }

  private mutating func noteChange(_ server: SimulatedServer) {
    let reading = ConnectionJudge.reading(server)
    if server.now > changedAt + reading { unread = [] }
    changedAt = max(changedAt, server.now)
    settledAt = max(settledAt, server.now + 500_000_000 + 2 * reading)
  }

  /// Notes that ports or clients appear or disappear.
  /// - Parameter device: the only device concerned; nil: all.
  mutating func noteEvent(of device: Device? = nil, _ server: SimulatedServer) {
    noteChange(server)
    eventAt = server.now
    uncertain.formUnion(unread.filter { device == nil || $0.device == device })
  }

  /// Notes that the server runs no cycles for this number of nanoseconds.
  mutating func noteGap(_ duration: UInt64, _ server: SimulatedServer) {
    changedAt += duration
    settledAt = max(settledAt, server.now) + 2 * duration
  }

  /// Notes a crash of the program, which loses what has not been saved.
  /// - Parameter saving: the maximum time in nanoseconds for saving a change that was read; nil if nothing may have been saved.
  mutating func noteCrash(saving: UInt64?, _ server: SimulatedServer) {
    noteEvent(server)
    guard let saving else {
      uncertain = Set(ConnectionJudge.all)
      return
    }
    let first = server.now - min(server.now, saving + ConnectionJudge.reading(server))
    uncertain.formUnion(changes.filter { $0.value >= first }.keys)
  }

  private static var all: [Pair] {
    Device.allCases.flatMap { device in device.programPorts.map { Pair(port: $0, device: device) } }
  }

  /// - Returns: the fault; nil if there is none.
  mutating func judge(_ server: SimulatedServer) -> String? {
    guard server.now >= settledAt, server.state == .up, server.hasClient, let client = server.client else {
      return nil
    }
    for pair in ConnectionJudge.all {
      guard let peer = server.devices.port(pair.device), let port = client.port(pair.port) else { continue }
      let isConnected = port.peers.contains { $0.name == peer }
      judged += 1
      if uncertain.remove(pair) != nil {
        if isConnected { wanted.insert(pair) } else { wanted.remove(pair) }
      }
      guard isConnected != wanted.contains(pair) else { continue }
      return isConnected
        ? "\(pair.port) is connected to the \(pair.device.rawValue), from which it was disconnected"
        : "\(pair.port) is not connected to the \(pair.device.rawValue), to which it was connected"
    }
    for port in 1...2
    where client.port("out")?.peers.contains(where: { $0.name == "system:playback_\(port)" }) != true {
      return "out is not connected to playback port \(port)"
    }
    return nil
  }
}
