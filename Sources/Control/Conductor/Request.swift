import Engine
import MusicTime
import Realtime
import TimeCheck

/// A message to the conductor: an update, a query, or news.
package struct Request: Sendable {
  package enum Content: Sendable {
    case update(Update)
    /// Asks for the state after all earlier requests. The closure is called on the conductor's thread and must not block.
    case query(@Sendable (Snapshot) -> Void)
    /// Asks for the documents of the session folder. The closure is called on a work queue.
    case documents(@Sendable ([DocumentSummary]) -> Void)
    /// The documents have been listed.
    case listed
    /// News from the audio host.
    case host(HostNews)
    /// The port connections have changed.
    case connections(PortConnections)
    /// A sound set has been read, or could not be.
    case clips(LoadedClips)
    /// The sound set of a layer has been read, or could not be.
    case layerSound(LoadedLayerSound)
    /// A song of the session has been prepared.
    case song(PreparedSong, index: Int)
    /// A session's document has been read, or could not be.
    case opened(LoadedSession)
    /// A song's nudge has been written into its document, or could not be.
    case keptNudge(KeptNudge)
    /// Opens a session that has already been read.
    case session(Setlist, SessionPlace)
    /// The settings could not be saved, for this reason; nil: saving works again.
    case saving(failure: String?)
    /// Hits that the time check has detected.
    case hits([Hit])
    /// A warning for the observers.
    case problem(String)
    /// A warning whose text only the user's terminal shows; all others get the outline (see `Report.guarded`).
    case guardedProblem(String, outline: String)
  }

  /// Where a request comes from.
  package struct Origin: Equatable, Sendable {
    /// The sender. Limits per sender count by this value.
    package let owner: String
    /// The OSC address or other name that the sender used.
    package let name: String

    package init(owner: String, name: String) {
      self.owner = owner
      self.name = name
    }
  }

  package let content: Content
  /// When the request takes effect; nil: at once.
  package let time: Instant?
  /// When it happened: when its message arrived, or its control was moved; nil: the instant of the turn that handles it.
  package let arrival: Instant?
  /// nil: this program itself.
  package let origin: Origin?
  /// Called with the reason if the request is refused, on any thread. It must not block.
  package let refuse: (@Sendable (_ reason: String) -> Void)?
  /// Called with a warning about the request, which takes effect nevertheless. On any thread. It must not block.
  package let warn: (@Sendable (_ warning: String) -> Void)?
  /// Whether the sender is the user's own terminal. Then the reason of a refusal may quote files.
  package let isOfTerminal: Bool

  package init(
    _ content: Content, at time: Instant? = nil, arrival: Instant? = nil,
    origin: Origin? = nil, refuse: (@Sendable (_ reason: String) -> Void)? = nil,
    warn: (@Sendable (_ warning: String) -> Void)? = nil, isOfTerminal: Bool = false
  ) {
    self.content = content
    self.time = time
    self.arrival = arrival
    self.origin = origin
    self.refuse = refuse
    self.warn = warn
    self.isOfTerminal = isOfTerminal
  }

  /// The kinds of requests for which a full queue still has room.
  enum Reserve: Hashable {
    /// Starts and stops.
    case transport
    /// News of the host and results of the workers; there are never many.
    case news
    /// Values of faders and knobs: only the latest one counts.
    case value(Parameter)

    /// The number of requests of this kind that are kept. The oldest ones are dropped.
    var capacity: Int {
      switch self {
      case .transport, .news: 64
      case .value: 1
      }
    }
  }

  /// nil: a full queue refuses the request.
  var reserve: Reserve? {
    switch content {
    case .update(let update) where update.startsOrStops: .transport
    case .host, .connections, .clips, .layerSound, .song, .opened, .keptNudge, .session, .saving, .listed:
      .news
    case .update(.set(let setting)) where time == nil && setting.parameter.control != nil:
      .value(setting.parameter)
    case .update, .query, .documents, .hits, .problem, .guardedProblem: nil
    }
  }
}
