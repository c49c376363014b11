import CJack

/// The transport of a simulated server.
protocol ServerTransport {
  var state: jack_transport_state_t { get }
  /// The position that clients see in this cycle.
  var position: jack_position_t { get }
  /// The state of the program's client, the only one with callbacks; nil without one.
  var follower: TransportFollower? { get set }
  /// For how long the transport waits for slow clients, as the program has set it.
  var syncTimeout: UInt64 { get set }
  /// Number of cycles that another client needs at each start or move.
  var slowCycles: Int { get set }

  // Requests of clients, which take effect in the next cycle.
  mutating func start()
  mutating func stop()
  mutating func locate(to frame: UInt32)
  /// Invalidates the bar and beat, because the leader has gone.
  mutating func forgetTimebase()

  mutating func beginCycle(rate: Int, period: Int)

  /// Notes that the program, or another client, leads now.
  mutating func noteLeader(isProgram: Bool)

  /// Lets the leader publish its position, after the process callbacks.
  /// - Parameters:
  ///   - isProgram: whether the program leads, or another client.
  ///   - fill: completes a position; `isNew` as in JACK's timebase callback.
  mutating func askLeader(isProgram: Bool, _ fill: (_ position: inout jack_position_t, _ isNew: Bool) -> Void)
}

/// The transport's view of a client.
struct TransportFollower {
  var isReady = false
  var mustSync = false
  var mustFillTimebase = false
}
