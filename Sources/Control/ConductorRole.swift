import Engine
import MusicTime

/// What is under way between two roles.
struct Handover {
  /// The change with which the lead is given up; nil where none is being given up.
  var release: Int?
  /// Until when a stop comes of going by the transport rather than by oneself; by `Monotonic`.
  var playedUntil: UInt64 = 0
  /// Where the transport stood when the server that led it was lost: its frame, and frames a second.
  var place: (frame: Int64, sampleRate: Int)?
  /// Where a new server's transport is to roll from; nil once it does, or others may have their say.
  var rollingOn: RollingOn?
  /// Whether the engine ran when it last said so, even where that is not what counts.
  var engineRuns = false

  var isUnderWay: Bool { release != nil }

  /// A transport that has been started and is to roll.
  struct RollingOn {
    let frame: UInt32
    /// When it is looked at next, by `Monotonic`, and nanoseconds from the look before.
    var time: UInt64
    var patience: UInt64
  }
}

/// How Tactus stands to the transport, and the host.
extension ConductorState {
  /// Takes a role, or follows where another client leads that is not to be disturbed.
  func takeRole(
    _ role: TransportRole, ifFree: Bool = false, refuse: (@Sendable (String) -> Void)? = nil
  ) {
    guard let host else { return }
    if role == .link, !isLinked {
      do { try joinLink() } catch {
        if let refuse { refuse("\(error)") } else { report(.warning("\(error)")) }
        // The last run's settings may say what can't be any more.
        return now.settings.role == .link ? takeRole(.free) : ()
      }
    }
    defer { if isLinked, now.settings.role != .link { leaveLink() } }
    let before = now.settings.role
    let playedAlone = (before == .free || before == .link) && now.isPlaying && role != .free && role != .link
    handover.playedUntil = playedAlone ? Monotonic.now + 2_000_000_000 : 0
    if role == .lead {
      handover.release = nil
      guard host.take(.lead, conditional: ifFree) else {
        refuse?("another client leads the transport: following it ('lead' takes over)")
        return follow(leadingIfFree: true)
      }
    }
    // A role is valid by itself.
    try? now.settings.set(.role(role))
    if ifFree { now.settings.leadIfFree() }
    enterRole(from: before)
  }

  /// Follows whoever leads.
  /// - Parameter leadingIfFree: until nobody does any more.
  private func follow(leadingIfFree: Bool) {
    let before = now.settings.role
    try? now.settings.set(.role(.follow))
    if leadingIfFree { now.settings.leadIfFree(false) }
    enterRole(from: before)
  }

  private func enterRole(from before: TransportRole) {
    if now.settings.role != before { (now.leader, isClockLost) = (nil, false) }
    // The engine does so too: on a transport nothing is held.
    if now.settings.role != .free { shelf?.isHeld = false }
    needsScore = true
    guard before == .lead, now.settings.role != .lead else { return }
    // A leader that leaves sets the transport back by a period; the music has to have left it by then.
    publish()
    handover.release = scores.serial
  }

  /// Gives the lead up once the engine goes without it.
  func finishHandover() {
    guard let release = handover.release else { return }
    guard channels.pointee.changes.load(ordering: .acquiring) == release || now.sampleRate == 0 else {
      return
    }
    handover.release = nil
    _ = host?.take(now.settings.role, conditional: false)
  }

  /// Another client has taken the lead.
  func loseLead() {
    guard now.settings.role == .lead else { return }
    report(.warning("another client leads the transport now: following it"))
    follow(leadingIfFree: now.settings.leadsIfFree)
  }

  /// Nobody leads any more.
  func loseLeader() {
    if now.settings.role == .midiClock { loseClock() }
    follow(nil)
    if now.settings.role == .follow, now.settings.leadsIfFree { takeRole(.lead, ifFree: true) }
  }

  /// Takes the meter and tempo of whoever leads, or none; what was said before the role changed is too late.
  func follow(_ leader: Event.Leader?) {
    guard now.settings.role.isLed else { return }
    if let leader, now.settings.role == .midiClock { hearClock(leader) }
    if leader?.count != now.leader?.count || leader?.unit != now.leader?.unit { needsScore = true }
    now.leader = leader
  }

  /// The engine began to run or stopped. In `free` it is this side that says so: an event may be older than the last
  /// command. In `link` it is the session.
  func engineRuns(_ isRunning: Bool) {
    handover.engineRuns = isRunning
    if isRunning { handover.rollingOn = nil }
    // What a new server's transport does is not asked before the old one's place in it is taken.
    guard now.settings.role != .free, now.settings.role != .link, now.sampleRate > 0 else { return }
    if isRunning { noteStanding() }
    now.isPlaying = isRunning
    if !isRunning, Monotonic.now < handover.playedUntil {
      report(
        .warning(
          now.settings.role == .midiClock
            ? "the click waits for the MIDI clock's start"
            : "the transport stands still, and the click with it: start rolls it"))
      handover.playedUntil = 0
    }
  }

  // MARK: The host

  func heed(_ news: HostNews) {
    switch news {
    case .connected(let sampleRate):
      now.sampleRate = sampleRate
      changeRate(to: sampleRate)
      if now.settings.role.isOnTransport {
        let wanted: TransportRole = now.settings.leadsIfFree ? .lead : now.settings.role
        takeRole(wanted, ifFree: now.settings.leadsIfFree) { [report] in report(.warning($0)) }
      }
      rollOn(sampleRate)
    case .lost:
      let frame = channels.pointee.transportFrame.load(ordering: .relaxed)
      handover.place = (frame, scores.sampleRate)
      handover.rollingOn = nil
      now.sampleRate = 0
    }
    report(.host(news))
  }

  /// A new server's transport stands still at its beginning; who led the old one while it rolled rolls this one on.
  private func rollOn(_ sampleRate: Int) {
    guard now.settings.role == .lead, now.isPlaying, let place = handover.place else { return }
    handover.place = nil
    let seconds = Double(place.frame) / Double(place.sampleRate)
    // A transport that has wrapped begins anew.
    let frame = UInt32(exactly: (seconds * Double(sampleRate)).rounded()) ?? 0
    host?.locateTransport(to: frame)
    host?.startTransport()
    let patience = ConductorState.rollingPatience
    handover.rollingOn = Handover.RollingOn(frame: frame, time: Monotonic.now + patience, patience: patience)
  }

  /// Nanoseconds within which a transport rolls that has been started, unless somebody keeps it waiting; and for which, at most,
  /// it is waited for before jackd is left to itself.
  private static let rollingPatience: UInt64 = 300_000_000
  private static let longestPatience: UInt64 = 3_000_000_000

  /// Has a transport that hangs while it starts look once more who is ready, ever more rarely: some take their time. With a new
  /// server everybody comes back at once, and for one who comes just then without becoming active jackd waits for ten seconds.
  func rollOnAtLast() {
    guard var rolling = handover.rollingOn, Monotonic.now >= rolling.time else { return }
    handover.rollingOn = nil
    guard now.settings.role == .lead, !handover.engineRuns else { return }
    host?.locateTransport(to: rolling.frame)
    rolling.patience *= 2
    rolling.time += rolling.patience
    if rolling.patience <= ConductorState.longestPatience { handover.rollingOn = rolling }
  }
}
