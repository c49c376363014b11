import Realtime

/// Finds machines that are connected to the port `clock` while music plays. They have missed its start, and would stand still until
/// the next one.
struct MachineArrival {
  /// The host reports a connection some tenths of a second after it was made. If the music started in this time, the machine may
  /// have received the start.
  private static let delay = Duration.seconds(1)

  private var isConnected = false
  /// When the music started; nil while none plays.
  private var start: Instant?

  /// Notes whether music plays, and whether there is a server. Call it in each turn.
  mutating func note(isPlaying: Bool, hasServer: Bool, at now: Instant) {
    if isPlaying != (start != nil) { start = isPlaying ? now : nil }
    // What is sent before the next server has all connections is lost.
    if !hasServer { isConnected = false }
  }

  /// Notes whether the port `clock` is connected. A second machine does not count: to place it would interrupt the first.
  /// - Parameter isRenewed: whether the connections have ended and been restored since the last call.
  /// - Returns: whether a machine has missed the start of the music.
  mutating func note(isConnected: Bool, isRenewed: Bool, at now: Instant) -> Bool {
    defer { self.isConnected = isConnected }
    guard isConnected, !self.isConnected || isRenewed, let start else { return false }
    return now >= start + MachineArrival.delay
  }
}
