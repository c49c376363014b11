import MusicTime

/// The audio server that drives the engine: a JACK client, or in tests a simulated one.
///
/// All methods may be called from the conductor's thread at any time, also without a server or while it hangs. None waits
/// longer than 0.2 s.
package protocol AudioHost: AnyObject, Sendable {
  /// Starts the transport rolling.
  func startTransport()
  /// Stops the transport at its current frame.
  func stopTransport()
  /// Moves the transport to a frame.
  func locateTransport(to frame: UInt32)
  /// Makes the transport wait for the engine at each start from now on, for the pre-roll.
  func holdTransport()
  /// Makes a transport that waits for the engine wait longer. Without this, some servers let it roll after five seconds.
  func renewHold()
  /// Becomes the timebase leader or ceases to be it, depending on the role.
  /// - Parameter conditional: lead only if no other client does.
  /// - Returns: false if another client leads; true if the server takes too long to answer.
  func take(_ role: SyncMode, conditional: Bool) -> Bool
  /// Publishes a change of the score to the transport's followers while the transport does not roll.
  /// - Returns: false if another client leads meanwhile; true if the server takes too long to answer.
  func announceTimebase() -> Bool
  /// Reads the engine's clock as it stands now; nil without a server, or before its first cycle.
  func readClock() -> HostClock?
  /// Xruns reported since the start.
  var xruns: Int { get }
}

/// The connections of the host's ports.
package struct PortConnections: Equatable, Sendable {
  /// The connections to restore: the full names of each port's peers, by the port's short name. A missing port has no
  /// connections; if `out` is missing, the host chooses its connections.
  package var kept: [String: [String]]
  /// The ports that have any connection now.
  package var connected: Set<String>
  /// Those of them whose connections have all been made again since the last report: they may have had none for a moment.
  package var renewed: Set<String>
  /// The clock frame at which a machine was connected to the port `clock` that had none, if this was since the last report.
  package var machineArrival: ClockFrame?

  package init(
    kept: [String: [String]], connected: Set<String>, renewed: Set<String> = [],
    machineArrival: ClockFrame? = nil
  ) {
    (self.kept, self.connected, self.renewed) = (kept, connected, renewed)
    self.machineArrival = machineArrival
  }
}

/// A change of the connection to the audio server.
package enum HostNews: Sendable, Equatable {
  /// Connected to a server, with its sample rate in frames per second.
  case connected(sampleRate: Int)
  /// The server has gone, with the reason it gave.
  case lost(String)
}
