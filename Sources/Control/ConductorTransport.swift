import Engine
import MusicTime
import Validation

/// Starting, stopping and moving the music.
extension ConductorCore {
  /// Starts, stops or goes somewhere: in `free` the engine does, elsewhere the transport.
  /// - Parameter date: when; a start or stop is noted there.
  func move(_ update: Update, at date: inout ScheduledChange?) throws(InvalidValue) {
    // What is asked for later is asked of how things stand then.
    let standing = date == nil ? nil : scheduled.isPlaying
    let isPlaying = date?.isPlaying ?? standing ?? now.isPlaying
    if date == nil, isInLastBeat {
      switch update {
      case .start, .play(true):
        playback?.goOnAtOnce()
        return
      case .stop, .toggle, .play(false), .pause: return goToNextSong()
      default: break
      }
    }
    switch update {
    case .start: try start(at: &date)
    case .stop: run(false, at: &date)
    case .toggle: try play(!isPlaying, at: &date)
    case .play(let plays): if plays != isPlaying { try play(plays, at: &date) }
    case .locate(let position): try locate(position, at: date?.frame)
    case .pause: pause(at: &date)
    default: break
    }
  }

  private func play(_ plays: Bool, at date: inout ScheduledChange?) throws(InvalidValue) {
    if plays { return try start(at: &date) }
    if playback == nil { run(false, at: &date) } else { pause(at: &date) }
  }

  private func start(at date: inout ScheduledChange?) throws(InvalidValue) {
    if now.settings.role == .midiClock { try checkClock() }
    run(true, at: &date)
  }

  func run(_ isRunning: Bool, at date: inout ScheduledChange?) {
    if prepareToRun(isRunning) { return }
    if now.settings.role == .midiClock { return runByClock(isRunning) }
    noteDownbeat(at: nil)
    if now.settings.role == .link { return runLink(isRunning) }
    guard now.settings.role == .free else {
      return isRunning ? host?.startTransport() ?? () : stopTransport()
    }
    if date == nil { now.isPlaying = isRunning } else { date?.isPlaying = isRunning }
    send(Command(isRunning ? .start : .stop, at: date?.frame))
  }

  private func pause(at date: inout ScheduledChange?) {
    cancelStart(false)
    if now.settings.role == .midiClock { return runByClock(false) }
    if now.settings.role == .link { return runLink(false) }
    guard now.settings.role == .free else { return stopTransport() }
    guard date?.isPlaying ?? now.isPlaying else { return }
    if date == nil { now.isPlaying = false } else { date?.isPlaying = false }
    playback?.pause()
    send(Command(.pause, at: date?.frame))
  }

  private func locate(_ position: Position, at frame: Int64?) throws(InvalidValue) {
    guard now.settings.role != .midiClock else { throw clockRules }
    guard now.settings.role != .link else {
      throw InvalidValue(
        "locate", "with Ableton Link", allowed: "left alone: bars are the session's there")
    }
    guard playback != nil || 1...now.beats ~= position.beat else {
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
    handover.leaveTransport()
    host?.locateTransport(to: target)
  }

  private func stopTransport() {
    handover.leaveTransport()
    host?.stopTransport()
  }

  func send(_ command: Command) {
    // The engine heeds commands by its role, so that has to be there before them.
    if scores.role != now.settings.role { publish() }
    commands.send(command)
  }
}
