import Engine
import MusicTime
import Validation

/// Whether the music plays in an Ableton Link session, and since when.
struct LinkMembership {
  /// Nanoseconds for which a start that nobody else heard is remembered.
  private static let startMemory: UInt64 = 5_000_000_000

  private(set) var isJoined = false
  /// When a start was asked for while no others were known; nil if none was, or that is settled.
  private var startedAlone: UInt64?
  /// When the bar began that plays, by the monotonic clock.
  private(set) var lastDownbeat: UInt64?

  mutating func join() { isJoined = true }
  mutating func leave() { isJoined = false }
  mutating func note(downbeat time: UInt64?) { lastDownbeat = time }

  /// Starts or stops the session, which has a number of others at that time.
  mutating func run(_ isRunning: Bool, peers: Int, at time: UInt64) {
    startedAlone = isRunning && peers == 0 ? time : nil
  }

  /// - Returns: whether others have just been found whose session stands, and with it what was started here alone; once.
  mutating func takeLostStart(_ state: LinkState, at time: UInt64) -> Bool {
    guard let start = startedAlone, time - start < LinkMembership.startMemory, state.peers > 0,
      !state.isPlaying
    else { return false }
    startedAlone = nil
    return true
  }
}

/// Playing with an Ableton Link session.
extension ConductorCore {
  var isLinked: Bool { linkMembership.isJoined }

  /// Notes when a bar began; nil once the music is somewhere else.
  func noteDownbeat(at time: UInt64?) { linkMembership.note(downbeat: time) }

  /// The nearest tempo that can be played as things stand.
  func bounded(_ tempo: Tempo) -> Tempo {
    now.settings.role == .link ? ConductorCore.bounded(tempo) : tempo
  }

  private static func bounded(_ tempo: Tempo) -> Tempo {
    min(max(tempo, Tempo.ofLink.lowerBound), Tempo.ofLink.upperBound)
  }

  /// Joins a session, whose tempo counts from then on.
  /// - Throws: `InvalidValue` with why that can't be.
  func joinLink() throws(InvalidValue) {
    guard let link else {
      throw InvalidValue("link", "missing", allowed: "built in: with Debian's ableton-link-dev installed")
    }
    guard playback == nil else { throw ConductorCore.linkRules }
    // The music goes on from where it is, until others are there, who have bars of their own.
    let start = LinkStart(quantum: now.settings.quantum, downbeat: linkMembership.lastDownbeat)
    let tempo = ConductorCore.bounded(now.settings.tempo)
    guard link.join(tempo: tempo.beatsPerMinute, playing: now.isPlaying ? start : nil) else {
      throw InvalidValue("link", "without threads", allowed: "joined where the system has some left")
    }
    linkMembership.join()
  }

  /// Why Link and a session's document exclude each other: both say how fast the music goes.
  static var linkRules: InvalidValue {
    InvalidValue(
      "link", "with a session's document, which has tempos of its own",
      allowed: "left (/tactus/link 0), or the document closed")
  }

  /// Leaves the session. The music goes on, or begins where it was about to.
  func leaveLink() {
    linkMembership.leave()
    link?.leave()
    now.peers = 0
    if now.settings.role == .free { send(Command(now.isPlaying ? .start : .stop)) }
  }

  func runLink(_ isRunning: Bool) {
    // Whoever plays already would be told to start once more.
    guard let link, link.state.isPlaying != isRunning else { return }
    if isRunning { link.start(LinkStart(quantum: now.settings.quantum)) } else { link.stop() }
    linkMembership.run(isRunning, peers: link.state.peers, at: time)
    now.isPlaying = isRunning
  }

  /// - Throws: `InvalidValue` for a tempo that no session can have.
  func checkLink(_ tempo: Tempo) throws(InvalidValue) {
    if isLinked { try tempo.checkForLink() }
  }

  /// Makes the tempo that is set everybody's.
  func publishTempo() {
    if isLinked { link?.set(tempo: now.settings.tempo.beatsPerMinute) }
  }

  /// Takes what the others have changed. The engine has it from Link itself.
  func followLink() {
    guard isLinked, var state = link?.state else { return }
    if linkMembership.takeLostStart(state, at: time) {
      link?.start(LinkStart(quantum: now.settings.quantum))
      state.isPlaying = true
    }
    (now.isPlaying, now.peers) = (state.isPlaying, state.peers)
    guard let tempo = try? Tempo(state.tempo), tempo != now.settings.tempo,
      // Tempos travel as whole microseconds a beat: a fast one comes back a little other than it was set.
      (60e6 / state.tempo).rounded() != (60e6 / now.settings.tempo.beatsPerMinute).rounded()
    else { return }
    // It is theirs, whatever a profile says, and set by hand.
    now.settings.follow(tempo)
    try? now.settings.set(.followPace(false))
  }
}

extension Tempo {
  /// The tempos that an Ableton Link session can have.
  fileprivate static let ofLink = Tempo(clamping: 20_000)...Tempo(clamping: 999_000)

  /// - Throws: `InvalidValue` where no Ableton Link session can have this tempo.
  public func checkForLink() throws(InvalidValue) {
    guard !Tempo.ofLink.contains(self) else { return }
    throw InvalidValue("tempo", "\(self)", allowed: "20…999 beats a minute with Ableton Link")
  }
}

extension Settings {
  /// Beats in a bar, a short last one by its length.
  fileprivate var quantum: Double { (meter.barLength / effectiveBeatUnit.length).approximation }
}
