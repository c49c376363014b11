import Realtime

/// Warns of ports that are needed but not connected for a second: once for each port, until it has been connected. Then it says
/// so, because the panel may still show the warning.
struct UnconnectedPorts {
  /// The connected ports; nil while they are unknown.
  private var connected: Set<String>?
  private var warned: Set<String> = []
  /// Since when the ports that are needed have not been connected.
  private var missing: [String: Instant] = [:]
  /// The host reads connections up to half a second after they were made.
  private static let patience = Duration.seconds(1)
  /// The inputs of the time check that have been connected. If they are disconnected later, the time check reports it.
  private var connectedBefore: Set<String> = []

  mutating func note(connected ports: Set<String>) { connected = ports }

  /// - Parameters:
  ///   - isPlaying: whether the music plays on a server.
  ///   - unconnected: the inputs of the time check to which nothing is connected.
  /// - Returns: new warnings, and the end of earlier ones.
  mutating func warnings(
    _ settings: Settings, isPlaying: Bool, unconnected: [String], at now: Instant
  ) -> [String] {
    guard var connected else { return [] }
    var warnings = warned.intersection(connected).sorted().map { "the port '\($0)' is connected now" }
    // Any output may be the one that is used: `out`, a part of it, or MIDI.
    if !connected.allSatisfy(UnconnectedPorts.carriesNoMusic) { connected.insert("out") }
    warned.subtract(connected)
    connectedBefore.formUnion(connected)
    if mustWarn("out", isNeeded: isPlaying, connected, at: now) {
      warnings.append("nothing is connected to the port 'out': no click is heard until something is")
    }
    let controls = settings.bindings.count
    if mustWarn("control", isNeeded: controls > 0, connected, at: now) {
      let bound =
        controls == 1 ? "the one control that is bound does" : "the \(controls) controls that are bound do"
      warnings.append("no MIDI controller is connected to the port 'control': \(bound) nothing until one is")
    }
    if mustWarn("clock-in", isNeeded: settings.role == .midiClock, connected, at: now) {
      warnings.append("no MIDI clock is connected to the port 'clock-in': the click waits until one is")
    }
    for port in unconnected
    where mustWarn(port, isNeeded: !connectedBefore.contains(port), connected, at: now) {
      warnings.append(
        "nothing is connected to the port '\(port)': what you play is not heard until something is")
    }
    return warnings
  }

  /// Whether a port is an input, or lights the lamps of controllers.
  private static func carriesNoMusic(_ port: String) -> Bool {
    ["control", "clock-in", "feedback", "hits"].contains(port) || port.hasPrefix("listen")
  }

  private mutating func mustWarn(
    _ port: String, isNeeded: Bool, _ connected: Set<String>, at now: Instant
  ) -> Bool {
    guard isNeeded, !connected.contains(port) else {
      missing[port] = nil
      return false
    }
    let since = missing[port] ?? now
    missing[port] = since
    return now - since >= UnconnectedPorts.patience && warned.insert(port).inserted
  }
}
