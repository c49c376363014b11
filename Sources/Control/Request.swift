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
    /// Other ports are connected.
    case connections(PortConnections)
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
    /// The same, in words of which only the outline is for everybody (see `Report.guarded`).
    case guardedProblem(String, outline: String)
  }

  /// Where a request comes from.
  public struct Origin: Equatable, Sendable {
    /// Who asked: what is bounded for each of many is bounded for each owner.
    public let owner: String
    /// What they asked for, as they named it.
    public let name: String

    public init(owner: String, name: String) {
      self.owner = owner
      self.name = name
    }
  }

  public let content: Content
  /// When it is to take effect; nil for at once. In nanoseconds of the monotonic clock (`Monotonic`).
  public let time: UInt64?
  /// When it happened, by the monotonic clock; nil for the instant of the turn that handles it.
  public let arrival: UInt64?
  /// nil: from this program itself.
  public let origin: Origin?
  /// Told what was wrong, on any thread; not called where all is well. It must not wait.
  public let refuse: (@Sendable (_ reason: String) -> Void)?

  public init(
    _ content: Content, at time: UInt64? = nil, arrival: UInt64? = nil,
    origin: Origin? = nil, refuse: (@Sendable (_ reason: String) -> Void)? = nil
  ) {
    self.content = content
    self.time = time
    self.arrival = arrival
    self.origin = origin
    self.refuse = refuse
  }

  /// For whose sake a request gets through when the queue is full.
  enum Reserve: Hashable {
    /// Starts and stops.
    case transport
    /// What the host and the sound loader say; there is never much of it.
    case news
    /// Where the last value wins: what faders and knobs send.
    case value(Parameter)

    /// How many requests of the kind are kept, the newest; of a value one is enough.
    var capacity: Int {
      switch self {
      case .transport, .news: 64
      case .value: 1
      }
    }
  }

  /// nil: it is turned away when the queue is full.
  var reserve: Reserve? {
    switch content {
    case .update(.start), .update(.stop), .update(.toggle), .update(.play): .transport
    case .host, .connections, .clips, .song, .opened, .session: .news
    case .update(.set(let setting)) where time == nil && setting.parameter.control != nil:
      .value(setting.parameter)
    case .update, .query, .problem, .guardedProblem: nil
    }
  }
}
