import Engine
import MusicTime
import Realtime
import Validation

/// The source of starts and stops, and whether the music plays.
///
/// The settings keep the mode that the user requests. `mode` is the mode in effect: while another client leads the transport,
/// a request to lead has the mode `follow`.
struct Transport {
  /// The mode in effect.
  private(set) var mode: SyncMode
  private(set) var isPlaying = false {
    didSet { if isPlaying, !oldValue { starts += 1 } }
  }
  /// Number of starts in this run.
  private(set) var starts = 0
  /// The leader's meter and tempo; nil if there is no leader.
  private(set) var leader: Event.Leader?
  /// Frames per second; 0 without a server, and until the host reports that it is connected.
  private(set) var sampleRate = 0
  /// Whether the server was lost. Before it reports the first connection, the host already accepts requests.
  private(set) var isServerLost = false
  /// Whether the MIDI clock that the music follows has fallen silent.
  private var isClockLost = false
  private var handover = Handover()
  private var standingPlace = StandingPlace()
  /// The start or stop that was recently requested from a transport or clock and that the engine has not reported yet, with the
  /// engine's clock at that moment.
  private var wanted: (plays: Bool, time: Instant, clock: ClockFrame)?
  /// The frame to which the transport was last located, with the engine's clock at that moment.
  private var wantedFrame: (frame: Int64, clock: ClockFrame)?
  /// What was requested of a server that is away or did not answer; nil if nothing was, and the music goes on as it was.
  private var requestMeanwhile: RequestMeanwhile?
  private enum RequestMeanwhile {
    /// The music has not begun yet.
    case start
    /// A transport that answers again may still roll.
    case stop
  }
  /// How long a request counts as recent.
  private static let patience = Duration.seconds(1)
  /// Whether the server's transport waits for the engine when it starts.
  private var isHeld = false
  /// The request that waits for an answer about the mode.
  private var pending: RoleRequest?

  /// A requested mode that has not been answered yet.
  struct RoleRequest {
    let requester: Requester
    /// Whether a new server's transport continues where the old one was after the answer.
    var restoresPlace = false
  }

  init(mode: SyncMode) { self.mode = mode }

  // MARK: Mode

  /// Enters a mode. If commands control the new mode, a recent request to a transport or clock takes effect.
  /// - Returns: whether the lead has to be given up.
  mutating func enter(_ mode: SyncMode, at now: Instant) -> Bool {
    defer { self.mode = mode }
    if mode.obeysCommands, let wanted, now < wanted.time + Transport.patience { isPlaying = wanted.plays }
    if !mode.isOnTransport { requestMeanwhile = nil }
    if mode != self.mode { (leader, isClockLost, wanted) = (nil, false, nil) }
    return self.mode == .lead && mode != .lead
  }

  /// Prepares for entering a mode.
  mutating func prepare(for mode: SyncMode, at now: Instant) {
    handover.leaveOwnTime(wasPlaying: self.mode.goesByOwnTime && isPlaying && !mode.goesByOwnTime, at: now)
    if mode == .lead { handover.keepLead() }
  }

  /// Notes a request for a mode that may be refused.
  mutating func ask(_ request: RoleRequest) { pending = request }

  mutating func takePending() -> RoleRequest? { pending.take() }

  /// Makes the transport of a new server continue where the old one was when the question about the lead has been answered.
  /// - Returns: false if no question is open.
  mutating func restorePlaceWhenAnswered() -> Bool {
    guard pending != nil else { return false }
    pending?.restoresPlace = true
    return true
  }

  /// Gives up the lead as soon as the engine has applied a change.
  mutating func giveLeadUp(with change: Int) { handover.giveLeadUp(with: change) }

  /// - Returns: whether to give up the lead now; once.
  mutating func finishHandover(made change: Int) -> Bool {
    handover.finish(made: change, isServerLost: sampleRate == 0)
  }

  /// Whether the lead is being given up.
  var isHandingOver: Bool { handover.isUnderWay }

  // MARK: Playing

  mutating func play(_ isPlaying: Bool) { self.isPlaying = isPlaying }

  /// Notes that a transport or a clock was asked to start or stop the music.
  /// - Parameter clock: the engine's clock.
  mutating func ask(toPlay plays: Bool, at now: Instant, clock: ClockFrame) {
    wanted = (plays, now, clock)
  }

  /// Notes that the transport was asked to go to a frame.
  /// - Parameter clock: the engine's clock.
  mutating func ask(toLocate frame: UInt32, clock: ClockFrame) { wantedFrame = (Int64(frame), clock) }

  /// Starts or stops the music while the server is lost: a new server's transport rolls on, or stays stopped.
  mutating func playWithoutServer(_ plays: Bool) {
    guard plays else {
      if isPlaying { requestMeanwhile = .stop }
      isPlaying = false
      return
    }
    // Other clients start the transport that Tactus follows.
    guard mode == .lead else { return }
    if !handover.hasPlace { handover.move(to: 0, sampleRate: 1) }
    if !isPlaying { requestMeanwhile = .start }
    isPlaying = true
  }

  /// Moves the music while the server is lost: a new server's transport continues there.
  /// - Parameter frame: at `sampleRate`.
  mutating func moveWithoutServer(to frame: Int64, sampleRate: Int) {
    if mode == .lead { handover.move(to: frame, sampleRate: sampleRate) }
  }

  /// Where the stopped transport stands in the metronome's bars; nil while music plays, without a transport, and if a leader
  /// gives the bars.
  var standing: BeatPlace? { isPlaying ? nil : standingPlace.place }

  /// Finds where the stopped transport stands.
  /// - Parameters:
  ///   - frame: the engine's frame of the score; nil while the engine has not applied the settings. The place then stays.
  ///   - sampleRate: frames per second.
  mutating func stand(at frame: Int64?, in settings: Settings, sampleRate: Int) {
    guard mode.isOnTransport, !isPlaying, leader == nil else { return standingPlace.clear() }
    if let frame = placeWithoutServer(at: sampleRate) {
      standingPlace.stand(at: frame, in: settings, sampleRate: sampleRate)
    } else if self.sampleRate == 0 {
      standingPlace.clear()
    } else if let frame {
      standingPlace.stand(at: frame, in: settings, sampleRate: sampleRate)
    }
  }

  /// The transport's frame at which the music continues on the next server, at a sample rate. nil if there is a server, if none
  /// has been there yet, if another client leads, and if the place is unknown.
  func placeWithoutServer(at sampleRate: Int) -> Int64? {
    mode == .lead && isServerLost ? handover.placeFrame(at: sampleRate) : nil
  }

  /// Whether a stop was recently requested from a transport or clock and the engine has not reported it yet.
  func isToStop(at now: Instant) -> Bool {
    wanted.map { !$0.plays && now < $0.time + Transport.patience } ?? false
  }

  /// Whether the engine's reports of starts and stops count. In other modes the conductor or Link decides whether the music
  /// plays, because an event may be older than the last command. Without a server they don't count either: the position of the
  /// lost server's transport is still needed.
  var usesEngineState: Bool { mode.isStartedFromOutside && sampleRate > 0 }

  /// Handles a start or stop of the engine.
  /// - Returns: a message for the user; nil if there is none.
  mutating func noteEngine(runs: Bool, at now: Instant) -> String? {
    handover.noteEngine(runs: runs)
    // A report that contradicts the request may be older than the request.
    if runs == wanted?.plays { wanted = nil }
    guard usesEngineState else { return nil }
    isPlaying = runs
    guard !runs, handover.takeStop(at: now) else { return nil }
    return mode.followsMIDIClock
      ? "the click waits for the MIDI clock's start"
      : "the transport stands still, and the click with it: start rolls it"
  }

  /// Stops waiting for the transport to roll, because it is stopped or moved.
  mutating func leaveTransport() { handover.leaveTransport() }

  /// - Parameter isCounting: whether the pre-roll was playing last.
  /// - Returns: whether the transport must be made to wait for the pre-roll; once for each server.
  mutating func takeHold(isCounting: Bool) -> Bool {
    guard mode.isOnTransport, sampleRate > 0, !isHeld, isCounting || !rollsOn else { return false }
    isHeld = true
    return true
  }

  /// Whether a new server's transport is about to continue from the old one's position. There is no pre-roll then.
  private var rollsOn: Bool {
    handover.isRollingOn
      || mode == .lead && isPlaying && handover.hasPlace && requestMeanwhile != .start
  }

  // MARK: Leaders

  /// When to ask for the lead again: JACK does not report that a leader has left which published no position.
  private var nextClaim = Instant.distantPast
  private static let claimInterval = Duration.seconds(1)

  /// - Parameter requested: the mode that the user requests.
  /// - Returns: whether to ask for the lead, because no leader publishes a position.
  mutating func claimsLead(requested: SyncMode, at now: Instant) -> Bool {
    guard mode == .follow, requested == .lead, leader == nil, sampleRate > 0 else {
      nextClaim = now + Transport.claimInterval
      return false
    }
    guard pending == nil, now >= nextClaim else { return false }
    nextClaim = now + Transport.claimInterval
    return true
  }

  /// Stores the leader's meter and tempo; nil if there is no leader any more.
  /// - Parameter canJoin: whether the music of a MIDI clock is rolling.
  /// - Returns: whether the meter has changed and with it the score; and a message for the user, or nil.
  mutating func follow(_ leader: Event.Leader?, canJoin: Bool) -> (isMeterNew: Bool, warning: String?) {
    // A report from before a change of mode no longer applies.
    guard mode.isLed else { return (false, nil) }
    var warning = leader == nil || !mode.followsMIDIClock ? nil : handleClock(canJoin: canJoin)
    if let leader, leader.isCounted, self.leader?.isCounted != true {
      warning =
        "the leader of the transport declares a meter or tempo in which it does not count: following it as it counts, "
        + "\(leader.count)/\(leader.unit) at \(Int(leader.notesPerMinute.rounded()))"
    }
    defer { self.leader = leader }
    return (leader?.count != self.leader?.count || leader?.unit != self.leader?.unit, warning)
  }

  /// Handles the first tempo of a MIDI clock. Its position is unknown until it starts.
  private mutating func handleClock(canJoin: Bool) -> String? {
    defer { isClockLost = false }
    let wait = isPlaying ? "" : canJoin ? ": start joins it" : ": the click waits for its start"
    if isClockLost { return "the MIDI clock is back\(wait)" }
    return leader == nil && !isPlaying ? "a MIDI clock comes in\(wait)" : nil
  }

  /// Handles that the MIDI clock's pulses have ended. After a stop, a clock may be silent.
  /// - Returns: a message for the user; nil if there is none.
  mutating func loseClock(_ policy: MIDIClockLoss) -> String? {
    guard mode.followsMIDIClock, isPlaying else { return nil }
    isClockLost = true
    let outcome = policy == .stop ? "stopped until its next start" : "going on at its last tempo"
    return "the MIDI clock has fallen silent: \(outcome)"
  }

  /// - Parameter canJoin: whether the music of the MIDI clock is rolling.
  /// - Throws: `InvalidValue` if the MIDI clock cannot be joined.
  func checkClock(canJoin: Bool) throws(InvalidValue) {
    guard mode.followsMIDIClock, !isPlaying, !canJoin else { return }
    guard leader != nil else {
      throw InvalidValue(
        "start", "without a MIDI clock",
        allowed: "asked while one comes in at clock-in; other roles need none")
    }
    throw InvalidValue(
      "start", "of a MIDI clock that stands, or has sent nothing but pulses since it came",
      allowed: "made at its machine: pulses alone don't say where they are")
  }

  /// - Throws: `InvalidValue` if another client's transport is away with its server. A leader starts the new server's transport.
  func checkServer() throws(InvalidValue) {
    guard mode == .follow, isServerLost else { return }
    throw InvalidValue(sentence: "the JACK server is away, and its transport with it: start when it is back")
  }

  /// - Throws: `InvalidValue` if the mode does not allow the music to be moved.
  func checkMove() throws(InvalidValue) {
    guard !mode.followsMIDIClock else {
      throw InvalidValue(
        "a jump", "in role \(SyncMode.midiClock.rawValue)",
        allowed: "left to the clock's machine and its song position; other roles can")
    }
    guard !mode.isOnTransport || !isServerLost else {
      throw InvalidValue(
        sentence: "the JACK server is away, and its transport with it: move the music when it is back")
    }
  }

  // MARK: Servers

  mutating func connect(sampleRate: Int) { (self.sampleRate, isServerLost) = (sampleRate, false) }

  /// Handles the loss of the server. Requests that a hanging server did not carry out apply to the next server.
  /// - Parameters:
  ///   - frame: the position of its transport.
  ///   - clock: the engine's clock.
  ///   - sampleRate: its frames per second.
  mutating func lose(atFrame frame: Int64, clock: ClockFrame, sampleRate: Int, at now: Instant) {
    // A server that has run cycles for a tenth of a second since a request has carried it out.
    let longestDelay = Int64(sampleRate) / 10
    func isOpen(since asked: ClockFrame) -> Bool { clock - asked < longestDelay }
    var place = frame
    if let wantedFrame, isOpen(since: wantedFrame.clock) { place = wantedFrame.frame }
    handover.noteLoss(at: mode == .lead ? place : nil, sampleRate: sampleRate)
    (self.sampleRate, isServerLost, isHeld) = (0, true, false)
    if let wanted, mode.isOnTransport, isOpen(since: wanted.clock) { playWithoutServer(wanted.plays) }
    (wanted, wantedFrame) = (nil, nil)
  }

  /// Makes the transport of a new server, or of one that answers again, agree with the music.
  ///
  /// If Tactus led the old transport, the new one continues at its position, and rolls on if the music plays. Otherwise the old
  /// position is forgotten. A stop that was asked for meanwhile is carried out in both cases. If nothing is to be done, the
  /// transport decides whether the music plays: the engine may have reported its state before the host reported the server.
  /// - Parameter counts: whether a pre-roll precedes music that begins.
  /// - Returns: the frame to locate to, and whether to start or stop; nil for each that is left alone.
  mutating func restorePlace(at now: Instant, counts: Bool) -> (frame: UInt32?, plays: Bool?) {
    let request = requestMeanwhile.take()
    var frame: UInt32?
    if mode == .lead {
      // A transport that waits for a pre-roll does not roll soon.
      let rollsOn = isPlaying && !(request == .start && counts)
      frame = handover.restorePlace(
        at: sampleRate, rollsOn: rollsOn, isAlways: request != nil, time: now)
    } else {
      handover.forgetPlace()
    }
    if isPlaying, frame != nil { return (frame, true) }
    if request == .stop, mode.isOnTransport { return (frame, false) }
    if mode.isStartedFromOutside, !handover.isRollingOn { isPlaying = handover.engineRuns }
    return (frame, nil)
  }

  /// Locates a transport that hangs while it starts once more, so that JACK asks again which clients are ready. The interval
  /// grows, because some clients need time. All clients return at once to a new server; for one that joins at that moment
  /// without becoming active, jackd waits for ten seconds.
  /// - Returns: the frame to locate to; nil if no check is due.
  mutating func nudge(at now: Instant) -> UInt32? { handover.takeRelocation(at: now, leads: mode == .lead) }
}
