import Realtime

/// A change between two roles or two servers that is not complete yet.
struct Handover {
  /// The time after a change of role within which a stop is attributed to that change.
  private static let surprise = Duration.seconds(2)
  /// The time within which a started transport rolls unless a client delays it, and the longest wait before the transport is no
  /// longer relocated.
  private static let rollingPatience = Duration.milliseconds(300)
  private static let longestPatience = Duration.seconds(3)

  /// A transport that has been started and is expected to roll.
  private struct RollingOn {
    let frame: UInt32
    /// When to check next, and the time since the previous check.
    var time: Instant
    var patience: Duration
  }

  /// The number of the change after which the lead is given up; nil if it is not being given up.
  private var release: Int?
  /// Until when a stop is attributed to the change of role.
  private var playedUntil = Instant.distantPast
  /// Where a new server's transport continues: where the lost one was, or where the music was moved since; nil if unknown.
  private var place: Place?
  private struct Place {
    let frame: Int64
    let sampleRate: Int
    /// Whether the music was moved there while the server was away.
    var isMoved = false

    /// The frame at another sample rate; nil if it is out of range.
    func frame(at sampleRate: Int) -> Int64? {
      Int64(exactly: (Double(frame) / Double(self.sampleRate) * Double(sampleRate)).rounded())
    }
  }
  /// nil once the new server's transport rolls, or another client controls it.
  private var rollingOn: RollingOn?
  /// Whether the engine was running in its last report.
  private(set) var engineRuns = false

  /// Whether the lead is being given up.
  var isUnderWay: Bool { release != nil }

  // MARK: Roles

  /// Notes a change of role.
  /// - Parameter wasPlaying: whether the music played in its own time and now follows the transport or a MIDI clock.
  mutating func leaveOwnTime(wasPlaying: Bool, at time: Instant) {
    playedUntil = wasPlaying ? time + Handover.surprise : .distantPast
  }

  /// Gives up the lead as soon as the engine has applied a change.
  mutating func giveLeadUp(with change: Int) { release = change }

  /// Keeps the lead, because the role `lead` is taken again.
  mutating func keepLead() { release = nil }

  /// - Returns: whether to give up the lead now; once.
  mutating func finish(made change: Int, isServerLost: Bool) -> Bool {
    guard let release, release == change || isServerLost else { return false }
    self.release = nil
    return true
  }

  mutating func noteEngine(runs: Bool) {
    engineRuns = runs
    if runs { rollingOn = nil }
  }

  /// Notes that the music has stopped.
  /// - Returns: whether the stop is attributed to the change of role; once.
  mutating func takeStop(at time: Instant) -> Bool {
    defer { if time < playedUntil { playedUntil = .distantPast } }
    return time < playedUntil
  }

  // MARK: Servers

  /// - Parameter frame: the position of the lost server's transport; nil if it was not used.
  mutating func noteLoss(at frame: Int64?, sampleRate: Int) {
    place = frame.map { Place(frame: $0, sampleRate: sampleRate) }
    rollingOn = nil
  }

  /// Sets where a new server's transport continues.
  mutating func move(to frame: Int64, sampleRate: Int) {
    place = Place(frame: frame, sampleRate: sampleRate, isMoved: true)
  }

  /// Whether it is known where a new server's transport continues, and whether that is expected to roll from there.
  var hasPlace: Bool { place != nil }
  var isRollingOn: Bool { rollingOn != nil }

  /// The frame at which a new server's transport continues, at a sample rate; nil if unknown.
  func placeFrame(at sampleRate: Int) -> Int64? { place?.frame(at: sampleRate) }

  /// Makes a new server's transport continue at the old one's position.
  /// - Parameters:
  ///   - rollsOn: whether it is then expected to roll.
  ///   - isAlways: whether a stopped transport is located to frame 0, too.
  /// - Returns: the frame, at the new sample rate; nil if no position is known, or if a stopped transport is there already.
  mutating func restorePlace(at sampleRate: Int, rollsOn: Bool, isAlways: Bool, time: Instant) -> UInt32? {
    guard let place = place.take(), rollsOn || isAlways || place.isMoved || place.frame != 0 else {
      return nil
    }
    // If the position does not fit 32 bits, the transport begins at 0.
    let frame = place.frame(at: sampleRate).flatMap { UInt32(exactly: $0) } ?? 0
    let patience = Handover.rollingPatience
    if rollsOn { rollingOn = RollingOn(frame: frame, time: time + patience, patience: patience) }
    return frame
  }

  /// Forgets the position of a lost server's transport: nothing rolls on from there.
  mutating func forgetPlace() { place = nil }

  /// Stops waiting for the transport to roll, because a client stops or moves it.
  mutating func leaveTransport() { rollingOn = nil }

  /// - Returns: the frame to which to locate a transport that still does not roll; nil if no check is due.
  mutating func takeRelocation(at time: Instant, leads: Bool) -> UInt32? {
    guard var rolling = rollingOn, time >= rolling.time else { return nil }
    rollingOn = nil
    guard leads, !engineRuns else { return nil }
    rolling.patience *= 2
    rolling.time = rolling.time + rolling.patience
    if rolling.patience <= Handover.longestPatience { rollingOn = rolling }
    return rolling.frame
  }
}
