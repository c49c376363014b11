/// What drives the engine: a JACK client, or in tests a simulated one.
///
/// All of it may be called from the conductor's thread at any time, also while there is no server; it never waits longer
/// than a call to the server takes. Times are nanoseconds of the system's monotonic clock.
public protocol AudioHost: AnyObject, Sendable {
  /// Rolls, stops or moves the transport.
  func startTransport()
  func stopTransport()
  func locateTransport(to frame: UInt32)
  /// Takes a role on the transport.
  /// - Parameter conditional: lead only if nobody else does.
  /// - Returns: false where another client leads.
  func take(_ role: TransportRole, conditional: Bool) -> Bool
  /// Tells the transport's followers of a change while the transport stands still.
  /// - Returns: false where another client leads meanwhile.
  func announceTimebase() -> Bool
  /// The engine's clock frame whose sound leaves the speakers at a time; nil while there is no server.
  func clockFrame(soundingAt time: UInt64) -> Int64?
  /// When the sound of a clock frame leaves the speakers; nil while there is no server.
  func soundingTime(of clockFrame: Int64) -> UInt64?
  /// When a clock frame is rendered and its MIDI is read; nil while there is no server.
  func time(of clockFrame: Int64) -> UInt64?
  /// Times since the start that the server has said that somebody was late.
  var xruns: Int { get }
}

/// News from the audio host.
public enum HostNews: Sendable, Equatable {
  /// There is a server; frames a second.
  case connected(sampleRate: Int)
  /// The server has gone; the reason as it says it.
  case lost(String)
}
