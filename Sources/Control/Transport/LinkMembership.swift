import Engine
import MusicTime
import Realtime
import Validation

/// Whether the music plays in an Ableton Link session, and since when.
struct LinkMembership {
  /// How long a start that nobody else heard is remembered.
  private static let startMemory = Duration.seconds(5)

  /// Whether this build has Link.
  let isAvailable: Bool
  private(set) var isJoined = false
  /// The others in the session.
  private(set) var peers = 0
  /// When a start was asked for while no others were known; nil if none was, or that is settled.
  private var startedAlone: Instant?
  /// When the bar began that plays; nil if the music has moved since.
  private var lastDownbeat: Instant?

  init(isAvailable: Bool) { self.isAvailable = isAvailable }

  mutating func join() { isJoined = true }
  mutating func leave() { (isJoined, peers) = (false, 0) }

  /// A bar began; nil once the music is somewhere else.
  mutating func note(downbeat: Instant?) { lastDownbeat = downbeat }

  /// The start with which a session is joined while the music plays.
  func start(_ settings: Settings) -> LinkStart {
    LinkStart(quantum: settings.quantum, downbeat: lastDownbeat)
  }

  /// Starts or stops the session.
  mutating func run(_ isRunning: Bool, _ state: LinkState, at now: Instant) {
    startedAlone = isRunning && state.peers == 0 ? now : nil
  }

  /// Takes what the session says.
  /// - Returns: whether others have just been found whose session stands, and with it what was started here alone; once.
  mutating func follow(_ state: LinkState, at now: Instant) -> Bool {
    peers = state.peers
    guard let start = startedAlone, now - start < LinkMembership.startMemory, state.peers > 0,
      !state.isPlaying
    else { return false }
    startedAlone = nil
    return true
  }

  /// The nearest tempo that a session can have.
  static func bounded(_ tempo: Tempo) -> Tempo {
    min(max(tempo, Tempo.ofLink.lowerBound), Tempo.ofLink.upperBound)
  }

  /// Link and a session's document exclude each other: both say how fast the music goes.
  static var rules: InvalidValue {
    InvalidValue(
      "link", "with a session's document, which has tempos of its own",
      allowed: "left (/tactus/link 0), or the document closed")
  }
}

extension Tempo {
  /// The tempos that an Ableton Link session can have.
  fileprivate static let ofLink = Tempo(clamping: 20_000)...Tempo(clamping: 999_000)

  /// - Throws: `InvalidValue` if no Ableton Link session can have this tempo.
  package func checkForLink() throws(InvalidValue) {
    guard !Tempo.ofLink.contains(self) else { return }
    let range = "\(Tempo.ofLink.lowerBound)…\(Tempo.ofLink.upperBound) \(Tempo.unit)"
    throw InvalidValue("tempo", "\(self)", allowed: "\(range) with Ableton Link")
  }
}

extension Settings {
  /// Beats in a bar, a short last one by its length.
  var quantum: Double { (meter.barLength / effectiveBeatUnit.length).approximation }
}
