import Engine
import MusicTime

/// The transport, the host, and who leads.
extension ConductorState {
  /// Starts, stops or goes somewhere: in `free` the engine does, elsewhere the transport.
  /// - Parameter appointment: when; a start or stop is noted there.
  func move(_ update: Update, at appointment: inout Appointment?) throws(InvalidValue) {
    let isPlaying = appointment?.isPlaying ?? now.isPlaying
    switch update {
    case .start: run(true, at: &appointment)
    case .stop: run(false, at: &appointment)
    case .toggle: run(!isPlaying, at: &appointment)
    case .locate(let position): try locate(position, at: appointment?.frame)
    case .pause: pause(at: &appointment)
    default: break
    }
  }

  func run(_ isRunning: Bool, at appointment: inout Appointment?) {
    if isRunning, waitsForSong { return }
    shelf?.isPaused = false
    guard now.settings.role == .free else {
      return isRunning ? host?.startTransport() ?? () : host?.stopTransport() ?? ()
    }
    if appointment == nil { now.isPlaying = isRunning } else { appointment?.isPlaying = isRunning }
    send(Command(isRunning ? .start : .stop, at: appointment?.frame))
  }

  private func pause(at appointment: inout Appointment?) {
    guard now.settings.role == .free else { return host?.stopTransport() ?? () }
    guard appointment?.isPlaying ?? now.isPlaying else { return }
    if appointment == nil { now.isPlaying = false } else { appointment?.isPlaying = false }
    shelf?.isPaused = true
    send(Command(.pause, at: appointment?.frame))
  }

  private func locate(_ position: Position, at frame: Int64?) throws(InvalidValue) {
    guard shelf != nil || 1...now.beats ~= position.beat else {
      throw InvalidValue("beat", "\(position.beat)", allowed: "1…\(now.beats), the beats of a bar")
    }
    guard Position.bars ~= position.bar else {
      throw InvalidValue("bar", "\(position.bar)", allowed: "1…\(Position.bars.upperBound)")
    }
    guard now.settings.role != .free else { return send(Command(.locate(position), at: frame)) }
    guard let target = UInt32(exactly: scores.transportFrame(of: position, now)) else {
      throw InvalidValue(
        "bar", "\(position.bar)", allowed: "one that begins within 2³² frames of the transport")
    }
    host?.locateTransport(to: target)
  }

  func send(_ command: Command) {
    // The engine heeds commands in `free` alone, so that role must be there before them.
    if scores.role != .free { publish() }
    commands.send(command)
  }

  // MARK: Roles

  /// Takes a role, or follows where another client leads that is not to be disturbed.
  func takeRole(
    _ role: TransportRole, ifFree: Bool = false, refuse: (@Sendable (String) -> Void)? = nil
  ) {
    guard let host else { return }
    guard host.take(role, conditional: ifFree) else {
      refuse?("another client leads the transport: following it ('lead' takes over)")
      return takeRole(.follow, refuse: refuse)
    }
    leadsIfFree = role == .lead && ifFree
    // A role is valid by itself.
    try? now.settings.set(.role(role))
    if role != .follow { now.leader = nil }
    needsScore = true
  }

  /// Takes the meter of whoever leads, or none; what was said before the role changed is too late.
  func follow(_ leader: Event.Leader?) {
    guard now.settings.role == .follow else { return }
    if leader?.count != now.leader?.count || leader?.unit != now.leader?.unit { needsScore = true }
    now.leader = leader
  }

  /// The engine began to run or stopped. In `free` it is this side that says so: an event may be older than the last
  /// command.
  func engineRuns(_ isRunning: Bool) {
    // What a new server's transport does is not asked before the old one's place in it is taken.
    if now.settings.role != .free, now.sampleRate > 0 { now.isPlaying = isRunning }
  }

  // MARK: The host

  func heed(_ news: HostNews) {
    switch news {
    case .connected(let sampleRate):
      now.sampleRate = sampleRate
      changeRate(to: sampleRate)
      if now.settings.role != .free {
        takeRole(now.settings.role, ifFree: leadsIfFree) { [report] in report(.warning($0)) }
      }
      // A new server's transport stands still; who led the old one while it rolled rolls this one.
      if now.settings.role == .lead, now.isPlaying { host?.startTransport() }
    case .lost: now.sampleRate = 0
    }
    report(.host(news))
  }
}
