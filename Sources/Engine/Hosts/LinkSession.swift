import Realtime

/// An Ableton Link session: musicians on one network share tempo, beats, starts and stops.
///
/// All methods may be called from the conductor's thread at any time.
package protocol LinkSession: AnyObject, Sendable {
  /// Joins the existing session and takes its tempo, or begins a session.
  /// - Parameters:
  ///   - tempo: the tempo of a new session, in beats per minute.
  ///   - start: the local start, if the music already plays; otherwise nil. The peers are not notified.
  /// - Returns: false if there is not enough memory.
  func join(tempo: Double, playing start: LinkStart?) -> Bool
  /// Leaves the session; the peers continue.
  func leave()
  /// Changes the session's tempo.
  /// - Parameter tempo: in beats per minute, 20…999.
  func set(tempo: Double)
  /// Starts the session: without peers immediately, with peers at the next bar line.
  func start(_ start: LinkStart)
  func stop()
  var state: LinkState { get }
}

/// The parameters of a start.
package struct LinkStart: Equatable, Sendable {
  /// Beats in a bar.
  package var quantum: Double
  /// An instant at which a bar began; nil if none did.
  package var downbeat: Instant?

  package init(quantum: Double, downbeat: Instant? = nil) {
    self.quantum = quantum
    self.downbeat = downbeat
  }
}

/// The state of a session, as known to this peer.
package struct LinkState: Equatable, Sendable {
  /// Beats per minute.
  package var tempo: Double
  /// Whether it plays, or will play from a bar line on.
  package var isPlaying: Bool
  /// The number of other peers.
  package var peers: Int

  package init(tempo: Double, isPlaying: Bool, peers: Int) {
    self.tempo = tempo
    self.isPlaying = isPlaying
    self.peers = peers
  }
}
