import Engine

/// Warns of inputs that are needed but not connected: once for each, until it has been connected.
struct UnconnectedInputs {
  /// The ports that are connected; nil before that is known.
  private var connected: Set<String>?
  private var warned: Set<String> = []
  /// The inputs to listen to that have been connected: if they no longer are, the time check says so.
  private var heard: Set<String> = []

  mutating func note(connected ports: Set<String>) { connected = ports }

  /// - Parameter unconnected: the inputs to listen to that nothing is connected to.
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
