import Engine
import MusicTime

/// Something that is asked of the conductor.
public struct Request: Sendable {
  public enum Content: Sendable {
    case update(Update)
    /// Asks how things stand, after all that was asked before.
    case query(@Sendable (Snapshot) -> Void)
    /// News from the audio host.
    case host(HostNews)
    /// A sound set has been read, or could not be.
    case clips(LoadedClips)
    /// A song of the session is ready to be played.
    case song(PreparedSong, index: Int)
    /// A session's document has been read, or could not be.
    case opened(LoadedSession)
    /// Opens a session that has been read elsewhere.
    case session(Setlist, SessionPlace)
    /// Something went wrong elsewhere that the observers should hear of.
    case problem(String)
  }

  public let content: Content
  /// When it is to take effect; nil for at once. In nanoseconds of the monotonic clock (`Monotonic`).
  public let time: UInt64?
  /// When it happened, by the monotonic clock.
  public let arrival: UInt64
  /// Told what was wrong, on any thread; not called where all is well. It must not wait.
  public let refuse: (@Sendable (_ reason: String) -> Void)?

  public init(
    _ content: Content, at time: UInt64? = nil, arrival: UInt64 = Monotonic.now,
    refuse: (@Sendable (_ reason: String) -> Void)? = nil
  ) {
    self.content = content
    self.time = time
    self.arrival = arrival
    self.refuse = refuse
  }

  /// For whose sake a request gets through when the queue is full.
  enum Reserve: Hashable {
    /// Starts and stops.
    case transport
    /// What the host and the sound loader say; there is never much of it.
    case news
    /// Where the last value wins: what faders and knobs send.
    case tempo, swing
    case subdivision(Subdivision)
    case volume(Fader)

    /// How many requests of the kind are kept, the newest; of a value one is enough.
    var capacity: Int {
      switch self {
      case .transport, .news: 64
      case .tempo, .swing, .subdivision, .volume: 1
      }
    }
  }

  /// nil: it is turned away when the queue is full.
  var reserve: Reserve? {
    switch content {
    case .update(.start), .update(.stop), .update(.toggle): .transport
    case .host, .clips, .song, .opened, .session: .news
    case .update(.set(let setting)) where time == nil:
      switch setting {
      case .tempo: .tempo
      case .swing: .swing
      case .subdivision(let subdivision, _): .subdivision(subdivision)
      case .volume(let fader, _): .volume(fader)
      default: nil
      }
    case .update, .query, .problem: nil
    }
  }
}
