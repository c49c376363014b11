import Engine
import MusicTime
import Realtime
import Validation

/// Starts, stops and moves the music through commands to the engine, the transport, a MIDI clock, or Ableton Link.
extension ConductorCore {
  // MARK: Starting, stopping, moving

  /// Starts, stops or locates the music.
  /// - Parameter date: the scheduled change to which the update belongs; it records a start or stop. nil: at once.
  /// - Throws: `InvalidValue` if the role does not allow the movement, or the position is invalid.
  mutating func move(_ update: Update, at date: inout ScheduledChange?, _ moment: Moment) throws(InvalidValue)
  {
    if case .stop = update, date == nil, stopCalibratingPad() { return }
    // A scheduled update refers to the state at its time.
    let standing = date == nil ? nil : schedule.isPlaying
    let isPlaying = date?.isPlaying ?? standing ?? transport.isPlaying
    if date == nil, position(at: moment)?.isInLastBeat == true {
      switch update {
      case .start, .play(true):
        cancelEnding(at: moment)
        return playback?.goOnAtOnce() ?? ()
      case .stop, .toggle, .play(false), .pause, .playPause: return goToNextSong(at: moment)
      default: break
      }
    }
    switch update {
    case .start: try start(at: &date, moment)
    case .stop: run(false, at: &date, moment)
    case .toggle: try play(!isPlaying, at: &date, moment)
    case .play(let plays) where plays != isPlaying: try play(plays, at: &date, moment)
    case .play(true) where date == nil: cancelEnding(at: moment)
    case .locate(let position): try locate(position, at: date?.frame, moment)
    case .pause: pause(at: &date, moment)
    case .playPause where isPlaying: pause(at: &date, moment)
    case .playPause: try start(at: &date, moment)
    case .restart: try restart(isPlaying: isPlaying, at: &date, moment)
    default: break
    }
  }

  /// Plays from the beginning of the song, or from bar 1.
  private mutating func restart(
    isPlaying: Bool, at date: inout ScheduledChange?, _ moment: Moment
  ) throws(InvalidValue) {
    guard transport.mode.obeysCommands else {
      if playback == nil {
        try locate(Position(bar: 1, beat: 1, fraction: 0), at: date?.frame, moment)
      } else {
        try jump(toPart: 0, at: moment)
      }
      return isPlaying ? () : try start(at: &date, moment)
    }
    run(false, at: &date, moment)
    try start(at: &date, moment)
  }

  /// Starts what waits, or leaves a section that lasts until the player goes on.
  /// - Returns: whether it did either.
  /// - Throws: `InvalidValue` if the set is over, or the role does not allow a start.
  mutating func advance(at date: inout ScheduledChange?, _ moment: Moment) throws(InvalidValue) -> Bool {
    let isPlaying = date?.isPlaying ?? (date == nil ? nil : schedule.isPlaying) ?? transport.isPlaying
    // The pause between two songs counts as playing for others, but a press there starts the next song.
    guard isPlaying, playback?.start == nil else {
      if let playback, playback.isFinished, playback.setlist.songs.count > 1 {
        throw InvalidValue(sentence: "the set is over: start plays its last song again")
      }
      try start(at: &date, moment)
      return true
    }
    // A song that has ended is before its first beat, even if the transport rolls on.
    guard let playback, let position = position(at: moment), playback.requested == nil, playback.bar > 0
    else {
      return false
    }
    if playback.isOpen(part: position.part) {
      // A foot is never exact, so the section ends at the bar line and the click stays in time.
      if transport.mode == .free, playback.part(after: position.part) == nil {
        endSongAtBar(at: moment)
      } else {
        try go(.next, quantise: .bar, at: moment)
      }
      return true
    }
    if position.isInLastBeat {
      self.playback?.goOnAtOnce()
      return true
    }
    return false
  }

  private mutating func play(
    _ plays: Bool, at date: inout ScheduledChange?, _ moment: Moment
  ) throws(InvalidValue) {
    if plays { return try start(at: &date, moment) }
    if playback == nil { run(false, at: &date, moment) } else { pause(at: &date, moment) }
  }

  private mutating func start(at date: inout ScheduledChange?, _ moment: Moment) throws(InvalidValue) {
    try transport.checkClock(canJoin: moment.engine.isMIDIClockRolling)
    try transport.checkServer()
    run(true, at: &date, moment)
  }

  /// Starts or stops the music, at once or with a date.
  mutating func run(_ isRunning: Bool, at date: inout ScheduledChange?, _ moment: Moment) {
    if isRunning, date == nil { cancelEnding(at: moment) }
    if prepareToRun(isRunning, at: moment) { return }
    if !transport.mode.followsMIDIClock { link.note(downbeat: nil) }
    carryOut(isRunning ? .start : .stop, at: &date, moment)
  }

  private mutating func pause(at date: inout ScheduledChange?, _ moment: Moment) {
    cancelStart(false, at: moment)
    if transport.mode.obeysCommands {
      guard date?.isPlaying ?? transport.isPlaying else { return }
      playback?.pause()
    }
    carryOut(.pause, at: &date, moment)
  }

  /// Carries out a start, stop or pause by the means of the current mode.
  private mutating func carryOut(
    _ action: Command.Action, at date: inout ScheduledChange?, _ moment: Moment
  ) {
    let isRunning = if case .start = action { true } else { false }
    switch transport.mode {
    case .free:
      if date == nil { transport.play(isRunning) } else { date?.isPlaying = isRunning }
      send(Command(isRunning ? startByHand : action, at: date?.frame), at: moment)
      if date == nil { schedule.noteMovement() }
    case .midiClock:
      // Joins the clock, or stops following it.
      transport.ask(toPlay: isRunning, at: moment.instant, clock: moment.engine.clock)
      send(Command(isRunning ? .start : .stop), at: moment)
    case .link: runLink(isRunning, at: moment)
    case .lead, .follow:
      if !transport.isServerLost {
        if !isRunning { transport.leaveTransport() } else { holdTransport(at: moment) }
      }
      runTransport(isRunning, at: moment)
    }
  }

  /// Starts or stops the transport. While the server is away, the next one does it.
  mutating func runTransport(_ runs: Bool, at moment: Moment) {
    guard !transport.isServerLost else { return transport.playWithoutServer(runs) }
    transport.ask(toPlay: runs, at: moment.instant, clock: moment.engine.clock)
    emit(runs ? .startTransport : .stopTransport)
  }

  /// Moves the transport.
  mutating func locateTransport(to frame: UInt32, at moment: Moment) {
    transport.ask(toLocate: frame, clock: moment.engine.clock)
    emit(.locateTransport(to: frame))
  }

  /// The command for a start that a user asks for: after the pre-roll if it is on.
  var startByHand: Command.Action { settings.current.preRoll.isOn ? .countIn : .start }

  /// Makes the transport wait for the pre-roll, no matter which client starts it.
  mutating func holdTransport(at moment: Moment) {
    guard settings.current.preRoll.isOn else { return }
    if transport.takeHold(isCounting: isPreRoll) { emit(.holdTransport) }
    // The engine reads the pre-roll from its score.
    if scores.isStale, transport.mode.isOnTransport { publish(at: moment) }
  }

  /// Makes the transport wait longer for the pre-roll, unless it has just been stopped here.
  mutating func renewHold(at moment: Moment) {
    guard transport.mode.isOnTransport, !transport.isToStop(at: moment.instant) else { return }
    emit(.renewHold)
  }

  private mutating func locate(_ position: Position, at frame: ClockFrame?, _ moment: Moment)
    throws(InvalidValue)
  {
    try transport.checkMove()
    guard !transport.mode.isLinked else {
      throw InvalidValue(
        "locate", "with Ableton Link", allowed: "left alone: bars are the session's there")
    }
    let beats = snapshot.beats
    guard playback != nil || 1...beats ~= position.beat else {
      throw InvalidValue("beat", "\(position.beat)", allowed: "1…\(beats), the beats of a bar")
    }
    guard Position.bars ~= position.bar else {
      throw InvalidValue("bar", "\(position.bar)", allowed: "1…\(Position.bars.upperBound)")
    }
    let place = Position(bar: position.bar + (scores.map?.countInBars ?? 0), beats: position.beats)
    guard transport.mode.isOnTransport else { return send(Command(.locate(place), at: frame), at: moment) }
    guard let target = UInt32(exactly: scores.transportFrame(of: place, snapshot)) else {
      throw InvalidValue(
        "bar", "\(place.bar)", allowed: "one that begins within 2³² frames of the transport")
    }
    transport.leaveTransport()
    locateTransport(to: target, at: moment)
  }

  /// Handles a start or stop of the engine.
  mutating func engineRuns(_ isRunning: Bool, at moment: Moment) {
    if isRunning, transport.usesEngineState { noteStanding(at: moment) }
    if let warning = transport.noteEngine(runs: isRunning, at: moment.instant) { warn(warning, at: moment) }
  }

  // MARK: The role on the transport

  /// Takes the role that the user requests. The request is kept: if another client leads, Tactus follows until that client
  /// leaves.
  /// - Parameter isPolite: whether another leader keeps its role.
  mutating func requestRole(
    _ role: SyncMode, isPolite: Bool = false, _ requester: Requester, at moment: Moment
  ) {
    // The request for Link is kept once Link has been joined; if it can't be joined, nothing changes.
    if role != .link || link.isJoined { keepRequest(role, isPolite: isPolite) }
    take(role, isPolite: isPolite, requester, at: moment)
  }

  private mutating func keepRequest(_ role: SyncMode, isPolite: Bool) {
    // Can't fail: each role is valid.
    settings.update { if isPolite { $0.leadIfFree() } else { try? $0.set(.role(role)) } }
  }

  /// Takes a role on the transport, or in Ableton Link.
  mutating func take(_ role: SyncMode, isPolite: Bool, _ requester: Requester, at moment: Moment) {
    let request = Transport.RoleRequest(requester: requester)
    if role == .link, !link.isJoined {
      do throws(InvalidValue) { try askForLink(request) } catch { refuseLink(request, error, at: moment) }
      return
    }
    transport.prepare(for: role, at: moment.instant)
    guard role == .lead else { return enter(role, at: moment) }
    if isPolite {
      transport.ask(request)
      emit(.leadIfFree)
    } else {
      emit(.take(.lead))
      enter(.lead, at: moment)
    }
  }

  private mutating func enter(_ mode: SyncMode, at moment: Moment) {
    let wasStartedFromOutside = transport.mode.isStartedFromOutside
    let givesLeadUp = transport.enter(mode, at: moment.instant)
    // The engine also drops them: on a transport, nothing repeats.
    if !mode.obeysCommands {
      playback?.hold(false)
      ending.leaveBar()
    }
    scores.noteChange()
    if givesLeadUp {
      // When a leader leaves, JACK sets the transport back by a period. Before that, the music must stop following the
      // transport.
      publish(at: moment)
      transport.giveLeadUp(with: scores.serial)
    }
    if link.isJoined, !mode.isLinked { leaveLink(at: moment) }
    // The engine may have started or stopped without having reported it yet.
    if wasStartedFromOutside, mode.obeysCommands {
      let stop = playback?.isPaused == true ? Command.Action.pause : .stop
      send(Command(transport.isPlaying ? .start : stop), at: moment)
    }
  }

  /// Handles the answer to an effect.
  mutating func handle(_ answer: Input.Answer, at moment: Moment) {
    switch answer {
    case .lead(let leads):
      guard let request = transport.takePending() else { return }
      if !leads {
        let reason = "another client leads the transport: following it ('lead' takes over)"
        refuse(reason, to: request.requester, at: moment)
        if transport.mode == .lead {
          loseLead(at: moment)
        } else if transport.mode != .follow {
          enter(.follow, at: moment)
        }
      } else {
        enter(.lead, at: moment)
      }
      if request.restoresPlace { restorePlace(at: moment) }
    case .link(let isJoined):
      guard let request = transport.takePending() else { return }
      if isJoined {
        let before = settings.current
        link.join()
        keepRequest(.link, isPolite: false)
        settings.noteChange(from: before)
        transport.prepare(for: .link, at: moment.instant)
        enter(.link, at: moment)
      } else {
        let error = InvalidValue("link", "without threads", allowed: "joined where the system has some left")
        refuseLink(request, error, at: moment)
      }
    case .isLedByAnother: loseLead(at: moment)
    case .untaken(let generation): scores.noteUntaken(generation: generation)
    }
  }

  /// Handles that JACK no longer asks for the position: another client has taken the lead, and may have left since.
  mutating func checkLead() {
    guard transport.mode == .lead else { return }
    transport.ask(Transport.RoleRequest(requester: .nobody))
    emit(.leadIfFree)
  }

  /// Follows another client that has taken the lead. The request to lead is kept.
  mutating func loseLead(at moment: Moment) {
    guard transport.mode == .lead else { return }
    warn("another client leads the transport now: following it", at: moment)
    enter(.follow, at: moment)
  }

  /// Handles that the leader has left. Tactus leads again if the user requests it.
  mutating func loseLeader(at moment: Moment) {
    if let warning = transport.loseClock(settings.current.clockInLoss) { warn(warning, at: moment) }
    follow(nil, at: moment)
    if transport.mode == .follow, settings.current.role == .lead {
      take(.lead, isPolite: true, .nobody, at: moment)
    }
  }

  /// Uses the leader's meter and tempo; nil if there is no leader.
  mutating func follow(_ leader: Event.Leader?, at moment: Moment) {
    let (isMeterNew, warning) = transport.follow(leader, canJoin: moment.engine.isMIDIClockRolling)
    if let warning { warn(warning, at: moment) }
    if isMeterNew { scores.noteChange() }
  }

  // MARK: The host

  mutating func handle(_ news: HostNews, at moment: Moment) {
    switch news {
    case .connected(let sampleRate):
      transport.connect(sampleRate: sampleRate)
      changeRate(to: sampleRate)
      holdTransport(at: moment)
      controllers.feedback.repeatAll()
      let requested = settings.current.role
      if transport.mode.isOnTransport {
        // A client that took the lead before the server was lost keeps it.
        let isPolite = settings.current.leadsIfFree || transport.mode != requested
        take(requested, isPolite: isPolite, .observers(prefix: ""), at: moment)
      }
      if !transport.restorePlaceWhenAnswered() { restorePlace(at: moment) }
    case .lost:
      transport.lose(
        atFrame: moment.engine.transportFrame, clock: moment.engine.clock, sampleRate: scores.sampleRate,
        at: moment.instant)
      // Frames no longer advance: a change that waits in the engine for its frame would be late by the time without a server.
      schedule.loseFrames()
      scores.noteChange()
      // Controllers receive everything again when they are reconnected.
      controllers.feedback.note(isConnected: false)
    }
    emit(.report(.host(news)))
  }

  /// Moves a new server's transport to where the lost one was.
  private mutating func restorePlace(at moment: Moment) {
    let (frame, plays) = transport.restorePlace(at: moment.instant, counts: settings.current.preRoll.isOn)
    if plays == false { runTransport(false, at: moment) }
    if let frame { locateTransport(to: frame, at: moment) }
    if plays == true { runTransport(true, at: moment) }
  }

  // MARK: Ableton Link

  /// Asks to join a Link session, which then sets the tempo.
  /// - Throws: `InvalidValue` if Link is not built in, or a session's document is open.
  private mutating func askForLink(_ request: Transport.RoleRequest) throws(InvalidValue) {
    guard link.isAvailable else {
      throw InvalidValue("link", "missing", allowed: "built in: with Debian's ableton-link-dev installed")
    }
    guard playback == nil else { throw LinkMembership.rules }
    transport.ask(request)
    // The music continues from its position until there are peers, which have bars of their own.
    let start = transport.isPlaying ? link.start(settings.current) : nil
    let tempo = LinkMembership.bounded(settings.current.tempo)
    emit(.joinLink(tempo: tempo.beatsPerMinute, playing: start))
  }

  private mutating func refuseLink(_ request: Transport.RoleRequest, _ error: InvalidValue, at moment: Moment)
  {
    refuse(error as any Error, to: request.requester, at: moment)
    // The settings of the last run may contain a role that is no longer possible.
    guard settings.current.role == .link else { return }
    requestRole(.free, .nobody, at: moment)
  }

  /// Leaves the Link session. The music continues, or starts if a start was under way.
  private mutating func leaveLink(at moment: Moment) {
    link.leave()
    emit(.leaveLink)
    if transport.mode.obeysCommands { send(Command(transport.isPlaying ? .start : .stop), at: moment) }
  }

  private mutating func runLink(_ isRunning: Bool, at moment: Moment) {
    // A session that already plays must not be started again.
    guard let state = moment.link, state.isPlaying != isRunning else { return }
    emit(isRunning ? .startLink(LinkStart(quantum: settings.current.quantum)) : .stopLink)
    link.run(isRunning, state, at: moment.instant)
    transport.play(isRunning)
  }

  /// The nearest tempo that is allowed at present.
  func bounded(_ tempo: Tempo) -> Tempo { link.isJoined ? LinkMembership.bounded(tempo) : tempo }

  /// Sends the tempo that is set to the Link session.
  mutating func publishTempo() {
    if link.isJoined { emit(.setLinkTempo(settings.current.tempo.beatsPerMinute)) }
  }

  /// Applies what peers of the Link session have changed. The engine reads Link itself.
  mutating func followLink(at moment: Moment) {
    guard link.isJoined, let state = moment.link else { return }
    let isStartLost = link.follow(state, at: moment.instant)
    if isStartLost { emit(.startLink(LinkStart(quantum: settings.current.quantum))) }
    transport.play(state.isPlaying || isStartLost)
    let current = settings.current.tempo
    guard let tempo = try? Tempo(state.tempo), tempo != current,
      // Link transmits tempos as whole microseconds per beat, so a fast tempo returns slightly changed.
      (60e6 / state.tempo).rounded() != (60e6 / current.beatsPerMinute).rounded()
    else { return }
    // The peers' tempo counts as set by hand, and a profile does not limit it.
    settings.update {
      $0.follow(tempo)
      try? $0.set(.followPace(false))
    }
  }
}
