import Engine
import MusicTime
import Realtime
import Validation

/// What starts and stops the music, and whether it plays.
///
/// The settings keep the mode that the user wishes for. `mode` is the one that is granted: while another client leads the
/// transport, a wish to lead is granted as `follow`.
struct Transport {
  /// What gives the time now.
  private(set) var mode: SyncMode
  private(set) var isPlaying = false {
    didSet { if isPlaying, !oldValue { starts += 1 } }
  }
  /// How often the music has started.
  private(set) var starts = 0
  /// The meter and tempo of whoever leads, while somebody does.
  private(set) var leader: Event.Leader?
  /// Frames per second; 0 without a server.
  private(set) var sampleRate = 0
  /// Whether the MIDI clock that the music followed is silent.
  private var isClockLost = false
  private var handover = Handover()
  /// Whether it is to play, where that was asked of a transport or a clock not long ago, and the engine has not said yet that it is
  /// so.
  private var wanted: (plays: Bool, end: Instant)?
  /// How long that counts.
  private static let patience = Duration.seconds(1)
  /// Whether the server's transport waits for the engine when it starts.
  private var isHeld = false
  /// What waits for the answer to a question about the mode.
  private var asked: Asked?

  /// A mode that was asked for and is not answered yet.
  struct Asked {
    let asker: Asker
    /// Whether the transport of a new server is to roll on.
    var rollsOn = false
  }

  init(mode: SyncMode) { self.mode = mode }

  // MARK: Mode

  /// Enters a mode. What was asked of a transport or a clock counts where commands alone do.
  /// - Returns: whether the lead is to be given up.
  mutating func enter(_ mode: SyncMode, at now: Instant) -> Bool {
    defer { self.mode = mode }
    if mode.obeysCommands, let wanted, now < wanted.end { isPlaying = wanted.plays }
    wanted = nil
    if mode != self.mode { (leader, isClockLost) = (nil, false) }
    return self.mode == .lead && mode != .lead
  }

  /// A mode is about to be entered.
  mutating func prepare(for mode: SyncMode, at now: Instant) {
    handover.leaveOwnTime(wasPlaying: self.mode.goesByOwnTime && isPlaying && !mode.goesByOwnTime, at: now)
    if mode == .lead { handover.keepLead() }
  }

  /// Asks for a mode that may be refused.
  mutating func ask(_ asked: Asked) { self.asked = asked }

  mutating func takeAsked() -> Asked? { asked.take() }

  /// The transport of a new server rolls on when the question about the lead is answered.
  /// - Returns: false if no question is open.
  mutating func rollOnWhenAnswered() -> Bool {
    guard asked != nil else { return false }
    asked?.rollsOn = true
    return true
  }

  /// Gives the lead up once the engine has made a change.
  mutating func giveLeadUp(with change: Int) { handover.giveLeadUp(with: change) }

  /// - Returns: whether the lead is to be given up now.
  mutating func finishHandover(made change: Int) -> Bool {
    handover.finish(made: change, isServerLost: sampleRate == 0)
  }

  /// Whether the lead is being given up.
  var isHandingOver: Bool { handover.isUnderWay }

  // MARK: Playing

  mutating func play(_ isPlaying: Bool) { self.isPlaying = isPlaying }

  /// A transport or a clock is asked to start or stop the music.
  mutating func ask(toPlay isPlaying: Bool, at now: Instant) {
    wanted = (isPlaying, now + Transport.patience)
  }

  /// Whether a stop was asked of a transport or a clock not long ago, and the engine has not said yet that it is so.
  func isToStop(at now: Instant) -> Bool { wanted.map { !$0.plays && now < $0.end } ?? false }

  /// Whether the engine's word on starts and stops counts. Elsewhere this side or Link says whether it plays: an event may be older
  /// than the last command. A new server's transport does not count before its predecessor's position is taken.
  var believesEngine: Bool { mode.isStartedFromOutside && sampleRate > 0 }

  /// The engine has started or stopped.
  /// - Returns: what the user should know.
  mutating func noteEngine(runs: Bool, at now: Instant) -> String? {
    handover.noteEngine(runs: runs)
    // What was said before it was asked counts no more.
    if runs == wanted?.plays { wanted = nil }
    guard believesEngine else { return nil }
    isPlaying = runs
    guard !runs, handover.takeStop(at: now) else { return nil }
    return mode.followsMIDIClock
      ? "the click waits for the MIDI clock's start"
      : "the transport stands still, and the click with it: start rolls it"
  }

  /// Somebody stops or moves the transport: it is not rolled on.
  mutating func leaveTransport() { handover.leaveTransport() }

  /// - Parameter isCounting: whether the pre-roll was counted last, and not the music.
  /// - Returns: whether the transport is to wait for the pre-roll and does not yet; once for each server.
  mutating func takeHold(isCounting: Bool) -> Bool {
    guard mode.isOnTransport, sampleRate > 0, !isHeld, isCounting || !rollsOn else { return false }
    isHeld = true
    return true
  }

  /// Whether a new server's transport is about to roll on from where the old one was. Nobody wants a count there.
  private var rollsOn: Bool { handover.isRollingOn || mode == .lead && isPlaying && handover.hasPlace }

  // MARK: Leaders

  /// When to ask for the lead once more: nobody says when a leader leaves that told no position.
  private var nextClaim = Instant.distantPast
  private static let claimInterval = Duration.seconds(1)

  /// - Parameter wish: the mode that the user wishes for.
  /// - Returns: whether to ask for the lead, as no leader is heard.
  mutating func claimsLead(wish: SyncMode, at now: Instant) -> Bool {
    guard mode == .follow, wish == .lead, leader == nil, sampleRate > 0 else {
      nextClaim = now + Transport.claimInterval
      return false
    }
    guard asked == nil, now >= nextClaim else { return false }
    nextClaim = now + Transport.claimInterval
    return true
  }

  /// Takes the meter and tempo of whoever leads; nil if nobody does any more.
  /// - Parameter canJoin: whether the music of a MIDI clock rolls.
  /// - Returns: whether the score changes with the meter, and what the user should know.
  mutating func follow(_ leader: Event.Leader?, canJoin: Bool) -> (isMeterNew: Bool, warning: String?) {
    // What was said before the mode changed is too late.
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

  /// A MIDI clock's tempo is known. Where its music is nobody knows before it starts.
  private mutating func handleClock(canJoin: Bool) -> String? {
    defer { isClockLost = false }
    let wait = isPlaying ? "" : canJoin ? ": start joins it" : ": the click waits for its start"
    if isClockLost { return "the MIDI clock is back\(wait)" }
    return leader == nil && !isPlaying ? "a MIDI clock comes in\(wait)" : nil
  }

  /// The pulses of the MIDI clock have stopped. A clock that was stopped before may rest.
  /// - Returns: what the user should know.
  mutating func loseClock(_ policy: MIDIClockLoss) -> String? {
    guard mode.followsMIDIClock, isPlaying else { return nil }
    isClockLost = true
    let outcome = policy == .stop ? "stopped until its next start" : "going on at its last tempo"
    return "the MIDI clock has fallen silent: \(outcome)"
  }

  /// - Parameter canJoin: whether the music of the MIDI clock rolls.
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

  /// - Throws: `InvalidValue` if the mode does not let the music be moved.
  func checkMove() throws(InvalidValue) {
    guard !mode.followsMIDIClock else {
      throw InvalidValue(
        "a jump", "in role \(SyncMode.midiClock.rawValue)",
        allowed: "left to the clock's machine and its song position; other roles can")
    }
  }

  // MARK: Servers

  mutating func connect(sampleRate: Int) { self.sampleRate = sampleRate }

  /// The server has gone.
  /// - Parameters:
  ///   - frame: where its transport was.
  ///   - sampleRate: its sample rate.
  mutating func lose(at frame: Int64, sampleRate: Int) {
    handover.noteLoss(at: mode.isOnTransport ? frame : nil, sampleRate: sampleRate)
    (self.sampleRate, isHeld) = (0, false)
  }

  /// A new server's transport stands still at its beginning. If Tactus led the old one while it rolled, this one rolls on.
  /// - Returns: the frame to roll on from; nil to leave the transport alone.
  mutating func rollOn(at now: Instant) -> UInt32? {
    guard mode == .lead, isPlaying else { return nil }
    return handover.rollOn(at: sampleRate, time: now)
  }

  /// Has a transport that hangs while it starts look once more who is ready, ever more rarely: some take their time. With a new
  /// server everybody comes back at once, and for one who comes just then without becoming active jackd waits for ten seconds.
  /// - Returns: the frame to locate it to once more; nil if it is not time.
  mutating func nudge(at now: Instant) -> UInt32? { handover.takeNudge(at: now, leads: mode == .lead) }
}
