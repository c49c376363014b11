import Engine
import MusicTime
import Realtime
import TimeCheck

/// A message to the conductor: an update, a query, or news.
package struct Request: Sendable {
  package enum Content: Sendable {
    case update(Update)
    /// Asks for the state after everything that was pushed before. Called on the conductor's thread; it must not wait.
    case query(@Sendable (Snapshot) -> Void)
    /// Asks for the documents of the session folder. Called on a queue for work that takes long.
    case documents(@Sendable ([DocumentSummary]) -> Void)
    /// The documents have been listed.
    case listed
    /// News from the audio host.
    case host(HostNews)
    /// The connections have changed.
    case connections(PortConnections)
    /// A sound set has been read, or could not be.
    case clips(LoadedClips)
    /// The sound set of a layer has been read, or could not be.
    case layerSound(LoadedLayerSound)
    /// A song of the session is ready to be played.
    case song(PreparedSong, index: Int)
    /// A session's document has been read, or could not be.
    case opened(LoadedSession)
    /// A song's nudge has been written into its document, or could not be.
    case keptNudge(KeptNudge)
    /// Opens a session that has been read elsewhere.
    case session(Setlist, SessionPlace)
    /// The settings could not be saved, for the reason given; nil: they could be saved again after that.
    case saving(failure: String?)
    /// Strokes that were heard.
    case hits([Hit])
    /// A warning for the observers.
    case problem(String)
    /// A warning of which only the outline is for everybody (see `Report.guarded`).
    case guardedProblem(String, outline: String)
  }

  /// Where a request comes from.
  package struct Origin: Equatable, Sendable {
    /// The sender. Limits for each sender count by this.
    package let owner: String
    /// The address or name by which the sender asked.
    package let name: String

    package init(owner: String, name: String) {
      self.owner = owner
      self.name = name
    }
  }

  package let content: Content
  /// When it is to take effect; nil for at once.
  package let time: Instant?
  /// When it happened; nil for the instant of the turn that handles it.
  package let arrival: Instant?
  /// nil: from this program itself.
  package let origin: Origin?
  /// Called with the reason if the request is refused, on any thread. It must not wait.
  package let refuse: (@Sendable (_ reason: String) -> Void)?

  package init(
    _ content: Content, at time: Instant? = nil, arrival: Instant? = nil,
    origin: Origin? = nil, refuse: (@Sendable (_ reason: String) -> Void)? = nil
  ) {
    self.content = content
    self.time = time
    self.arrival = arrival
    self.origin = origin
    self.refuse = refuse
  }

  /// The kinds of requests that still find room when the queue is full.
  enum Reserve: Hashable {
    /// Starts and stops.
    case transport
    /// News of the host and results of the workers, of which there are never many.
    case news
    /// Values of faders and knobs: only the last one counts.
    case value(Parameter)

    /// The number of requests of the kind that are kept: the newest ones.
    var capacity: Int {
      switch self {
      case .transport, .news: 64
      case .value: 1
      }
    }
  }

  /// nil if the request is refused when the queue is full.
  var reserve: Reserve? {
    switch content {
    case .update(.start), .update(.stop), .update(.toggle), .update(.play), .update(.playPause),
      .update(.restart), .update(.advance), .update(.fade), .update(.stopAtBar):
      .transport
    case .host, .connections, .clips, .layerSound, .song, .opened, .keptNudge, .session, .saving, .listed:
      .news
    case .update(.set(let setting)) where time == nil && setting.parameter.control != nil:
      .value(setting.parameter)
    case .update, .query, .documents, .hits, .problem, .guardedProblem: nil
    }
  }
}
