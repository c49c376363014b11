import Engine
import MusicTime

/// Starting, stopping and moving the music.
extension ConductorState {
  /// Starts, stops or goes somewhere: in `free` the engine does, elsewhere the transport.
  /// - Parameter appointment: when; a start or stop is noted there.
  func move(_ update: Update, at appointment: inout Appointment?) throws(InvalidValue) {
    // What is asked for later is asked of how things stand then.
    let standing = appointment == nil ? nil : appointments.last { $0.isPlaying != nil }?.isPlaying
    let isPlaying = appointment?.isPlaying ?? standing ?? now.isPlaying
    switch update {
    case .start: try start(at: &appointment)
    case .stop: run(false, at: &appointment)
    case .toggle: if isPlaying { run(false, at: &appointment) } else { try start(at: &appointment) }
    case .locate(let position): try locate(position, at: appointment?.frame)
    case .pause: pause(at: &appointment)
    default: break
    }
  }

  private func start(at appointment: inout Appointment?) throws(InvalidValue) {
    if now.settings.role == .midiClock { try checkClock() }
    run(true, at: &appointment)
  }

  func run(_ isRunning: Bool, at appointment: inout Appointment?) {
    if prepareToRun(isRunning) { return }
    if now.settings.role == .midiClock { return runByClock(isRunning) }
    lastDownbeat = nil
    if now.settings.role == .link { return runLink(isRunning) }
    guard now.settings.role == .free else {
      return isRunning ? host?.startTransport() ?? () : stopTransport()
    }
    if appointment == nil { now.isPlaying = isRunning } else { appointment?.isPlaying = isRunning }
    send(Command(isRunning ? .start : .stop, at: appointment?.frame))
  }

  private func pause(at appointment: inout Appointment?) {
    if now.settings.role == .midiClock { return runByClock(false) }
    if now.settings.role == .link { return runLink(false) }
    guard now.settings.role == .free else { return stopTransport() }
    guard appointment?.isPlaying ?? now.isPlaying else { return }
    cancelStart(false)
    if appointment == nil { now.isPlaying = false } else { appointment?.isPlaying = false }
    shelf?.isPaused = true
    send(Command(.pause, at: appointment?.frame))
  }

  private func locate(_ position: Position, at frame: Int64?) throws(InvalidValue) {
    guard now.settings.role != .midiClock else { throw clockRules }
    guard now.settings.role != .link else {
      throw InvalidValue(
        "locate", "with Ableton Link", allowed: "left alone: bars are the session's there")
    }
    guard shelf != nil || 1...now.beats ~= position.beat else {
      throw InvalidValue("beat", "\(position.beat)", allowed: "1…\(now.beats), the beats of a bar")
    }
    guard Position.bars ~= position.bar else {
      throw InvalidValue("bar", "\(position.bar)", allowed: "1…\(Position.bars.upperBound)")
    }
    let position = Position(bar: position.bar + (scores.map?.countInBars ?? 0), beats: position.beats)
    guard now.settings.role != .free else { return send(Command(.locate(position), at: frame)) }
    guard let target = UInt32(exactly: scores.transportFrame(of: position, now)) else {
      throw InvalidValue(
        "bar", "\(position.bar)", allowed: "one that begins within 2³² frames of the transport")
    }
    handover.rollingOn = nil
    host?.locateTransport(to: target)
  }

  private func stopTransport() {
    handover.rollingOn = nil
    host?.stopTransport()
  }

  func send(_ command: Command) {
    // The engine heeds commands by its role, so that has to be there before them.
    if scores.role != now.settings.role { publish() }
    commands.send(command)
  }
}
