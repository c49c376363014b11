import Engine

/// Warns of inputs that are needed but not connected: once for each input, until it has been connected.
struct UnconnectedInputs {
  /// The connected ports; nil while they are unknown.
  private var connected: Set<String>?
  private var warned: Set<String> = []
  /// The inputs of the time check that have been connected. If they are disconnected later, the time check reports it.
  private var heard: Set<String> = []

  mutating func note(connected ports: Set<String>) { connected = ports }

  /// - Parameter unconnected: the inputs of the time check to which nothing is connected.
  /// - Returns: new warnings.
  mutating func warnings(_ settings: Settings, unconnected: [String]) -> [String] {
    guard let connected else { return [] }
    warned.subtract(connected)
    heard.formUnion(connected)
    var warnings: [String] = []
    let controls = settings.bindings.count
    if controls > 0, warn("control", connected) {
      let bound =
        controls == 1 ? "the one control that is bound does" : "the \(controls) controls that are bound do"
      warnings.append("no MIDI controller is connected to the port 'control': \(bound) nothing until one is")
    }
    if settings.role == .midiClock, warn("clock-in", connected) {
      warnings.append("no MIDI clock is connected to the port 'clock-in': the click waits until one is")
    }
    for port in unconnected where !heard.contains(port) && warn(port, connected) {
      warnings.append(
        "nothing is connected to the port '\(port)': what you play is not heard until something is")
    }
    return warnings
  }

  private mutating func warn(_ port: String, _ connected: Set<String>) -> Bool {
    !connected.contains(port) && warned.insert(port).inserted
  }
}
