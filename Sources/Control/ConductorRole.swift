import Engine
import MusicTime

/// How Tactus stands to the transport, and the host.
extension ConductorCore {
  /// Takes a role, or follows where another client leads that is not to be disturbed.
  func takeRole(
    _ role: SyncMode, ifFree: Bool = false, refuse: (@Sendable (String) -> Void)? = nil
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
    handover.leaveOwnTime(wasPlaying: playedAlone, at: time)
    if role == .lead {
      handover.keepLead()
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

  private func enterRole(from before: SyncMode) {
    if now.settings.role != before {
      now.leader = nil
      forgetClock()
    }
    // The engine does so too: on a transport nothing is held.
    if now.settings.role != .free { playback?.hold(false) }
    needsScore = true
    guard before == .lead, now.settings.role != .lead else { return }
    // A leader that leaves sets the transport back by a period; the music has to have left it by then.
    publish()
    handover.giveLeadUp(with: scores.serial)
  }

  /// Gives the lead up once the engine goes without it.
  func finishHandover() {
    let made = channels.pointee.changes.load(ordering: .acquiring)
    guard handover.finish(made: made, isServerLost: now.sampleRate == 0) else { return }
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
    if let leader, now.settings.role == .midiClock { handleClock(leader) }
    if leader?.count != now.leader?.count || leader?.unit != now.leader?.unit { needsScore = true }
    now.leader = leader
  }

  /// The engine began to run or stopped. In `free` it is this side that says so: an event may be older than the last
  /// command. In `link` it is the session.
  func engineRuns(_ isRunning: Bool) {
    handover.noteEngine(runs: isRunning)
    // What a new server's transport does is not asked before the old one's place in it is taken.
    guard now.settings.role != .free, now.settings.role != .link, now.sampleRate > 0 else { return }
    if isRunning { noteStanding() }
    now.isPlaying = isRunning
    if !isRunning, handover.takeStop(at: time) {
      report(
        .warning(
          now.settings.role == .midiClock
            ? "the click waits for the MIDI clock's start"
            : "the transport stands still, and the click with it: start rolls it"))
    }
  }

  // MARK: The host

  func handle(_ news: HostNews) {
    switch news {
    case .connected(let sampleRate):
      now.sampleRate = sampleRate
      changeRate(to: sampleRate)
      if now.settings.role.isOnTransport {
        let wanted: SyncMode = now.settings.leadsIfFree ? .lead : now.settings.role
        takeRole(wanted, ifFree: now.settings.leadsIfFree) { [updates] in updates.push(Request(.problem($0)))
        }
      }
      rollOn(sampleRate)
    case .lost:
      let frame = channels.pointee.transportFrame.load(ordering: .relaxed)
      handover.noteLoss(at: frame, sampleRate: scores.sampleRate)
      now.sampleRate = 0
    }
    report(.host(news))
  }

  func handle(_ connections: PortConnections) {
    now.settings.connections = connections.kept
    noteConnected(connections.connected)
  }

  /// A new server's transport stands still at its beginning; who led the old one while it rolled rolls this one on.
  private func rollOn(_ sampleRate: Int) {
    guard now.settings.role == .lead, now.isPlaying, let frame = handover.rollOn(at: sampleRate, time: time)
    else { return }
    host?.locateTransport(to: frame)
    host?.startTransport()
  }

  /// Has a transport that hangs while it starts look once more who is ready, ever more rarely: some take their time. With a new
  /// server everybody comes back at once, and for one who comes just then without becoming active jackd waits for ten seconds.
  func rollOnAtLast() {
    let leads = now.settings.role == .lead
    if let frame = handover.takeNudge(at: time, leads: leads) { host?.locateTransport(to: frame) }
  }
}
