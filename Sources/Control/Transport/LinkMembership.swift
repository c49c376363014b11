import Engine
import MusicTime
import Realtime
import Validation

/// The membership in an Ableton Link session.
struct LinkMembership {
  /// How long a start without peers is remembered.
  private static let startMemory = Duration.seconds(5)

  /// Whether this build has Link.
  let isAvailable: Bool
  private(set) var isJoined = false
  /// Number of other peers in the session.
  private(set) var peers = 0
  /// When the music was started without peers; nil if it was not, or if peers have been found since.
  private var startedAlone: Instant?
  /// When the current bar began; nil if the music has moved since.
  private var lastDownbeat: Instant?

  init(isAvailable: Bool) { self.isAvailable = isAvailable }

  mutating func join() { isJoined = true }
  mutating func leave() { (isJoined, peers) = (false, 0) }

  /// Notes the start of a bar; nil: the music has moved.
  mutating func note(downbeat: Instant?) { lastDownbeat = downbeat }

  /// The start with which a playing metronome joins a session.
  func start(_ settings: Settings) -> LinkStart {
    LinkStart(quantum: settings.quantum, downbeat: lastDownbeat)
  }

  /// Notes that the session is started or stopped from here.
  mutating func run(_ isRunning: Bool, _ state: LinkState, at now: Instant) {
    startedAlone = isRunning && state.peers == 0 ? now : nil
  }

  /// Updates the membership with the session's state.
  /// - Returns: whether peers were found whose session is stopped although the music was started here before; once.
  mutating func follow(_ state: LinkState, at now: Instant) -> Bool {
    peers = state.peers
    guard let start = startedAlone, now - start < LinkMembership.startMemory, state.peers > 0,
      !state.isPlaying
    else { return false }
    startedAlone = nil
    return true
  }

  /// The nearest tempo that a session allows.
  static func bounded(_ tempo: Tempo) -> Tempo {
    min(max(tempo, Tempo.ofLink.lowerBound), Tempo.ofLink.upperBound)
  }

  /// The reason why Link and a session's document exclude each other: both set the tempo.
  static var rules: InvalidValue {
    InvalidValue(
      "link", "with a session's document, which has tempos of its own",
      allowed: "left (/tactus/link 0), or the document closed")
  }
}

extension Tempo {
  /// The range of tempos in an Ableton Link session.
  fileprivate static let ofLink = Tempo(clamping: 20_000)...Tempo(clamping: 999_000)

  /// - Throws: `InvalidValue` if an Ableton Link session does not allow this tempo.
  package func checkForLink() throws(InvalidValue) {
    guard !Tempo.ofLink.contains(self) else { return }
    let range = "\(Tempo.ofLink.lowerBound)…\(Tempo.ofLink.upperBound) \(Tempo.unit)"
    throw InvalidValue("tempo", "\(self)", allowed: "\(range) with Ableton Link")
  }
}

extension Settings {
  /// Link's quantum: the beats in a bar. A short last beat counts by its length.
  var quantum: Double { (meter.barLength / effectiveBeatUnit.length).approximation }
}
