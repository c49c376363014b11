/// An Ableton Link session: musicians on one network who share tempo, beats, starts and stops.
///
/// All of it may be called from the conductor's thread at any time.
public protocol LinkSession: AnyObject, Sendable {
  /// Joins the session that is there, whose tempo it takes, or begins one.
  /// - Parameters:
  ///   - tempo: in beats a minute, of a session that begins.
  ///   - start: how it plays here already; nil where it doesn't. The others are not told.
  /// - Returns: false where this machine has no room for it.
  func join(tempo: Double, playing start: LinkStart?) -> Bool
  /// Leaves; the others go on.
  func leave()
  /// Changes everybody's tempo.
  /// - Parameter tempo: in beats a minute, 20…999.
  func set(tempo: Double)
  /// Has everybody play: alone at once, with others from the next bar line.
  func start(_ start: LinkStart)
  func stop()
  var state: LinkState { get }
}

/// What is started with.
public struct LinkStart: Equatable, Sendable {
  /// Beats in a bar.
  public var quantum: Double
  /// A moment at which a bar began, by the monotonic clock; nil where none did.
  public var downbeat: UInt64?

  public init(quantum: Double, downbeat: UInt64? = nil) {
    self.quantum = quantum
    self.downbeat = downbeat
  }
}

/// How a session stands, as far as is known here.
public struct LinkState: Equatable, Sendable {
  /// Beats a minute.
  public var tempo: Double
  /// Whether it plays, or is to from a bar line on.
  public var isPlaying: Bool
  /// The others in it.
  public var peers: Int

  public init(tempo: Double, isPlaying: Bool, peers: Int) {
    self.tempo = tempo
    self.isPlaying = isPlaying
    self.peers = peers
  }
}
