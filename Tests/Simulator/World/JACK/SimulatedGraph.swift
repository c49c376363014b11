/// The ports of a simulated server, and their connections.
struct SimulatedGraph {
  private(set) var ports: [UInt32: SimulatedPort] = [:]

  /// Adds a port with the smallest free number.
  mutating func add(_ kind: SimulatedPort.Kind) -> SimulatedPort {
    let id = (1...).first { ports[$0] == nil }!
    let port = SimulatedPort(id: id, kind)
    ports[id] = port
    return port
  }

  mutating func remove(_ port: SimulatedPort) { ports[port.id] = nil }

  /// The port with this name or alias.
  func port(named name: String) -> SimulatedPort? {
    ports.values.first { $0.name == name } ?? ports.values.first { $0.alias == name }
  }

  /// Breaks the reference cycles of connected ports.
  func disconnectAll() { for port in ports.values { port.peers = [] } }

  /// The ports in the order of their numbers.
  var sorted: [SimulatedPort] { ports.values.sorted { $0.id < $1.id } }
}
