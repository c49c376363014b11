import Realtime

/// A change between two roles or between two servers that is not complete yet.
struct Handover {
  /// The time after a change of role in which a stop is due to that change.
  private static let surprise = Duration.seconds(2)
  /// The time within which a started transport rolls unless a client delays it, and the longest wait before jackd is left
  /// to itself.
  private static let rollingPatience = Duration.milliseconds(300)
  private static let longestPatience = Duration.seconds(3)

  /// A transport that has been started and is to roll.
  private struct RollingOn {
    let frame: UInt32
    /// When to look next, and the time since the previous look.
    var time: Instant
    var patience: Duration
  }

  /// The change with which the lead is given up; nil if none is being given up.
  private var release: Int?
  /// Until when a stop is due to the change of role.
  private var playedUntil = Instant.distantPast
  /// Where the transport was when its server was lost: the frame, and frames per second.
  private var place: (frame: Int64, sampleRate: Int)?
  /// Nil once the new server's transport rolls, or others control it.
  private var rollingOn: RollingOn?
  /// Whether the engine ran when it last reported.
  private var engineRuns = false

  /// Whether the lead is being given up.
  var isUnderWay: Bool { release != nil }

  // MARK: Roles

  /// The role changes.
  /// - Parameter wasPlaying: whether the music played by its own time and goes by the transport or a MIDI clock from now on.
  mutating func leaveOwnTime(wasPlaying: Bool, at time: Instant) {
    playedUntil = wasPlaying ? time + Handover.surprise : .distantPast
  }

  /// Gives the lead up once the engine has made a change.
  mutating func giveLeadUp(with change: Int) { release = change }

  /// The lead is taken again.
  mutating func keepLead() { release = nil }

  /// - Returns: whether the lead is to be given up now.
  mutating func finish(made change: Int, isServerLost: Bool) -> Bool {
    guard let release, release == change || isServerLost else { return false }
    self.release = nil
    return true
  }

  mutating func noteEngine(runs: Bool) {
    engineRuns = runs
    if runs { rollingOn = nil }
  }

  /// The music has stopped.
  /// - Returns: whether that is due to the change of role; once.
  mutating func takeStop(at time: Instant) -> Bool {
    defer { if time < playedUntil { playedUntil = .distantPast } }
    return time < playedUntil
  }

  // MARK: Servers

  /// - Parameter frame: where the transport of the lost server was; nil if it was not used.
  mutating func noteLoss(at frame: Int64?, sampleRate: Int) {
    place = frame.map { ($0, sampleRate) }
    rollingOn = nil
  }

  /// Whether it is known where the transport of a lost server was, and whether a new one is to roll on from there.
  var hasPlace: Bool { place != nil }
  var isRollingOn: Bool { rollingOn != nil }

  /// A new server's transport is to roll from where the old one was.
  /// - Returns: the frame; nil if no server was lost.
  mutating func rollOn(at sampleRate: Int, time: Instant) -> UInt32? {
    guard let place = place.take() else { return nil }
    let seconds = Double(place.frame) / Double(place.sampleRate)
    // A transport that has wrapped begins anew.
    let frame = UInt32(exactly: (seconds * Double(sampleRate)).rounded()) ?? 0
    let patience = Handover.rollingPatience
    rollingOn = RollingOn(frame: frame, time: time + patience, patience: patience)
    return frame
  }

  /// Somebody stops or moves the transport: it is not rolled on.
  mutating func leaveTransport() { rollingOn = nil }

  /// - Returns: the frame to which the transport is located once more, because it still does not roll; nil if it is not time.
  mutating func takeNudge(at time: Instant, leads: Bool) -> UInt32? {
    guard var rolling = rollingOn, time >= rolling.time else { return nil }
    rollingOn = nil
    guard leads, !engineRuns else { return nil }
    rolling.patience *= 2
    rolling.time = rolling.time + rolling.patience
    if rolling.patience <= Handover.longestPatience { rollingOn = rolling }
    return rolling.frame
  }
}
