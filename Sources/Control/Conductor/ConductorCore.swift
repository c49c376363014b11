import Engine
import MusicTime
import Realtime
import TimeCheck

/// Makes all decisions of the conductor. It uses no thread, no file and no clock: `handle` takes an input and its moment, and
/// returns the effects that the `CoreRunner` carries out.
///
/// Each part owns its state. This file handles the inputs and computes the next deadline. Extensions hold the work that spans
/// several parts.
struct ConductorCore: ~Copyable {
  // Not `Sendable` and not copyable: `effects` may contain an update that nobody else may free. It is large, too (see `Pin`).

  var settings: KeptSettings
  var transport: Transport
  var link: LinkMembership
  var playback: SessionPlayback?
  var opener = SessionOpener()
  var scores: ScorePublisher
  var sounds = SoundLoader()
  var layerSounds = LayerSounds()
  var schedule = ScheduledChanges()
  var controllers = Controllers()
  var pace = RunnerPace()
  var taps = TapTempo()
  var pedal = StagePedal()
  private var place = BeatPlace()
  /// Whether the last beat was one of the pre-roll.
  private(set) var isPreRoll = false
  /// What the engine repeats.
  private var repetition = Repetition.none
  var ending = Ending()
  /// nil if Tactus does not listen.
  var timeCheck: TimeCheckState?
  var documentRequests = DocumentRequests()
  private var events = EventRate()
  private var health = HealthWatch()
  private var unconnectedPorts = UnconnectedPorts()
  private var reporter: Reporter
  private var comparison = ComparisonPace()
  private var effects: [Effect] = []
  private let pin = Pin()

  /// - Parameters:
  ///   - clips: the sound set of the settings.
  ///   - layers: the sound sets of the settings' layers.
  ///   - song: the session's first song.
  init(
    _ configuration: Conductor.Configuration, clips: ClipSet, layers: [String: ClipSet] = [:],
    song: PreparedSong?
  ) {
    var first = configuration.settings
    let session = configuration.session?.place
    if let left = first.session { first.keep(left) }
    first.session = nil
    if let session { first.open(session) }
    settings = KeptSettings(first, leavesDiskAlone: configuration.keepsSaved)
    transport = Transport(mode: first.role)
    link = LinkMembership(isAvailable: configuration.link != nil)
    playback = configuration.session.map { SessionPlayback($0.setlist, at: $0.place) }
    scores = ScorePublisher(
      bars: configuration.bars, sampleRate: configuration.sampleRate, clips: clips, layers: layers,
      first: Snapshot(settings: first), song: song)
    reporter = Reporter(Snapshot(settings: configuration.settings))
    listen(to: configuration.listening, sampleRate: configuration.sampleRate)
  }

  /// The first update for the engine. Called once, before all inputs.
  mutating func makeFirstUpdate() -> UnsafePointer<ScoreUpdate> { scores.makeFirst() }

  // MARK: Inputs

  /// Handles an input.
  /// - Returns: the effects to carry out, in this order, before the next input.
  mutating func handle(_ input: Input, at moment: Moment) -> [Effect] {
    comparison.note(input)
    switch input {
    case .begin: begin(at: moment)
    case .beginSession: beginSession(at: moment)
    case .refused(let count): noteRefused(count, at: moment)
    case .request(let request):
      // A request can't change what the engine has already rendered.
      carryOutScheduled(at: moment)
      handle(request, at: moment)
    case .due:
      if mayHaveDue(at: moment) { comparison.noteNews() }
      noteClock(moment)
      carryOutDue(at: moment)
    case .control(let event):
      carryOutScheduled(at: moment)
      let (moves, warning) = controllers.handle(
        event, at: moment, sampleRate: scores.sampleRate, snapshot(at: moment))
      perform(moves, at: moment)
      if let warning { warn("MIDI: \(warning)", at: moment) }
    case .event(let event): handle(event, at: moment)
    case .settle: settle(at: moment)
    case .answer(let answer): handle(answer, at: moment)
    case .ending: health.hasten()
    case .end:
      finishHits(at: moment)
      settings.reportNextFailure()
      noteKeptPlace(isMoving: false, at: moment)
      if !settings.leavesDiskAlone { emit(.finishSaving(settings.kept)) }
      if link.isAvailable { emit(.leaveLink) }
    case .lastWarnings: for warning in reporter.allHeld() { emit(.report(warning)) }
    }
    // Most inputs have no effect, and an empty array needs no allocation.
    guard !effects.isEmpty else { return [] }
    defer { effects = [] }
    return effects
  }

  mutating func emit(_ effect: Effect) { effects.append(effect) }

  private mutating func begin(at moment: Moment) {
    followVoice()
    let role = settings.current.role
    guard role != .free else { return }
    take(role, isPolite: settings.current.leadsIfFree, .nobody, at: moment)
  }

  private mutating func noteRefused(_ count: Int, at moment: Moment) {
    guard count > 0 else { return }
    health.noteRefused(count)
    warn("\(count) messages were dropped: too many at once", at: moment)
  }

  /// Carries out everything whose time has come.
  private mutating func carryOutDue(at moment: Moment) {
    carryOutScheduled(at: moment)
    performScheduled(at: moment)
    stopIfFaded(at: moment)
    startIfDue(at: moment)
    if controllers.deadline <= moment.instant {
      perform(controllers.update(at: moment.instant, snapshot(at: moment)), at: moment)
    }
    if pace.updateDeadline <= moment.instant { pace.update(at: moment.instant, settings.current.cadence) }
    followPace(at: moment)
  }

  /// Applies the updates that controllers ask for.
  private mutating func perform(_ moves: [ControlSurface.Move], at moment: Moment) {
    for move in moves {
      apply(
        move.update, Request(.update(move.update), arrival: move.time), .observers(prefix: "MIDI: "),
        at: moment)
    }
  }

  private mutating func handle(_ event: Event, at moment: Moment) {
    events.note()
    switch event {
    case .beat(let beat):
      isPreRoll = beat.isPreRoll
      let time = moment.clock?.soundingInstant(of: beat.frame) ?? moment.instant
      if !beat.isPreRoll {
        if beat.layer == 0 { noteProgress(beat, at: time, moment) }
        check(beat, at: moment)
      }
      if beat.beat == 1, beat.role != .subdivision { link.note(downbeat: time) }
      // Observers receive the start of the music and its place before the first beat.
      if beat.role != .subdivision { reportChanges(to: snapshot(at: moment), at: moment) }
      let report = reported(beat)
      if beat.role != .subdivision, beat.layer == 0 { place = BeatPlace(bar: report.bar, beat: report.beat) }
      emit(.report(.beat(report, time: time)))
      if beat.role == .accent || beat.role == .beat, beat.strength > 0 {
        controllers.feedback.note(beatAt: moment.instant)
      }
    case .predicted(let beat):
      let time = moment.clock?.soundingInstant(of: beat.frame) ?? moment.instant
      emit(.report(.predicted(reported(beat), time: time)))
    case .withdrawn(let frame):
      emit(.report(.withdrawn(from: moment.clock?.soundingInstant(of: frame) ?? moment.instant)))
    case .started: engineRuns(true, at: moment)
    case .stopped(let frame):
      stopChecking(at: frame, moment)
      engineRuns(false, at: moment)
    case .stoppedAtBar: noteStopAtBar(moment)
    case .finished(let frame):
      stopChecking(at: frame, moment)
      finish(at: frame, moment)
    case .succeeded(let next): goOn(at: next.frame, number: next.number, piece: next.piece, moment)
    case .leader(let leader): follow(leader, at: moment)
    case .leaderLeft: loseLeader(at: moment)
    case .leadLost: checkLead()
    case .holdExpires: renewHold(at: moment)
    }
  }

  /// The beat as observers see it.
  private func reported(_ beat: Event.Beat) -> Event.Beat {
    var report = beat.isPreRoll ? beat : playback?.reported(beat) ?? beat
    if report.role == .beat { report.strength *= Float(settings.current[Parameters.beatStrength]) }
    return report
  }

  /// Sends the engine the repetition that the session wants; `none` without a session, and in a new song.
  private mutating func followRepetition(at moment: Moment) {
    let wanted = playback?.repetition ?? .none
    guard wanted != repetition else { return }
    repetition = wanted
    send(Command(.repeats(wanted)), at: moment)
  }

  /// Ends a turn.
  private mutating func settle(at moment: Moment) {
    events.endTurn()
    scores.releaseClips(before: moment.engine.oldestClips)
    followLink(at: moment)
    followEnding(at: moment)
    if !transport.isPlaying { isPreRoll = false }
    if transport.claimsLead(requested: settings.current.role, at: moment.instant) {
      take(.lead, isPolite: true, .nobody, at: moment)
    }
    followHits(at: moment)
    followVoice()
    takeReloaded(at: moment)
    // The event of a successor may have been dropped.
    if moment.engine.droppedEvents > 0 {
      goOn(at: moment.engine.clock, number: moment.engine.successions, piece: nil, moment)
    }
    followRepetition(at: moment)
    followSuccessor()
    let lastMoment = schedule.lastMoment(ScheduleLead(moment.clock))
    if scores.hasNews || schedule.hasNew, moment.instant >= min(scores.nextTime, lastMoment) {
      publish(at: moment)
    }
    if settings.current.preRoll.isOn, transport.takeHold(isCounting: isPreRoll) { emit(.holdTransport) }
    if transport.finishHandover(made: moment.engine.changes) { emit(.take(transport.mode)) }
    if let frame = transport.nudge(at: moment.instant) { emit(.locateTransport(to: frame)) }
    if let losses = health.look(at: moment) { emit(.report(.losses(losses))) }
    let unconnected = timeCheck?.checker.state.unconnected ?? []
    for warning in unconnectedPorts.warnings(
      settings.current, isPlaying: transport.isPlaying && transport.sampleRate > 0, unconnected: unconnected,
      at: moment.instant)
    {
      warn(warning, at: moment)
    }
    for warning in reporter.takeHeld(at: moment.instant) { emit(.report(warning)) }
    if !effects.isEmpty { comparison.noteNews() }
    if comparison.isDue(at: moment.instant) { compare(at: moment) }
    if settings.deadline <= moment.instant { save() }
  }

  /// Reports what has changed since the last comparison.
  private mutating func compare(at moment: Moment) {
    comparison.done(at: moment.instant)
    let isApplied = !scores.isStale && moment.engine.changes == scores.serial
    transport.stand(
      at: isApplied ? moment.engine.scoreFrame : nil, in: settings.current, sampleRate: scores.sampleRate)
    let snapshot = snapshot(at: moment)
    reportChanges(to: snapshot, at: moment)
    let shown = controllers.show(snapshot, at: moment.instant)
    if !shown.isEmpty { emit(.showOnControllers(shown)) }
    noteKeptPlace(isMoving: transport.isPlaying, at: moment)
  }

  // MARK: The engine

  /// Publishes the current state, and the scheduled changes for which the engine has room.
  mutating func publish(at moment: Moment) {
    readLayerSounds()
    let dates = schedule.dates { datedChange($0) }
    let made = scores.publish(
      snapshot, dated: dates.map(\.dated), made: moment.engine.changes, at: moment.instant)
    schedule.noteHandedOver(before: dates.dropFirst(made.dated).first?.index)
    emit(.publish(made.update, generation: made.generation))
    // While the server is away, the answer would only delay the conductor.
    if transport.mode == .lead, !transport.isPlaying, transport.sampleRate > 0 { emit(.announceTimebase) }
  }

  mutating func send(_ command: Command, at moment: Moment) {
    // The engine handles commands according to its mode, so the mode is published first.
    if scores.mode != transport.mode { publish(at: moment) }
    guard command.frame == nil else { return emit(.send(command)) }
    emit(
      .send(Command(command.action, after: schedule.passedFrame, successions: scores.successions)))
  }

  private mutating func noteKeptPlace(isMoving: Bool, at moment: Moment) {
    settings.note(
      place: sessionPlace, isInFirstSection: playback?.isInFirstSection ?? true, isMoving: isMoving,
      at: moment.instant)
  }

  /// The session's place, also while a calibration has set the session aside; nil without a session.
  var sessionPlace: SessionPlace? { playback?.place ?? timeCheck?.aside?.place }

  // MARK: Telling

  /// The settings and state, without the session's progress.
  var snapshot: Snapshot {
    var snapshot = Snapshot(settings: settings.current)
    snapshot.role = transport.mode
    (snapshot.isPlaying, snapshot.starts) = (transport.isPlaying, transport.starts)
    snapshot.leader = transport.leader
    snapshot.sampleRate = transport.sampleRate
    snapshot.peers = link.peers
    snapshot.health = health.health
    snapshot.pace = pace.pace
    snapshot.timing = timeCheck?.checker.state
    (snapshot.learning, snapshot.moved) = (controllers.learning, controllers.moved)
    snapshot.pickUp = controllers.pickUp
    snapshot.isPreRoll = isPreRoll && transport.isPlaying
    (snapshot.isFading, snapshot.stopsAtBar) = (ending.isFading, ending.isAtBar)
    return snapshot
  }

  /// The settings and state at a moment.
  func snapshot(at moment: Moment) -> Snapshot {
    var snapshot = snapshot
    snapshot.progress = position(at: moment)?.progress
    if playback == nil { snapshot.standing = transport.standing }
    return snapshot
  }

  /// A snapshot with the parts that only answers to queries contain.
  func answer(_ snapshot: Snapshot) -> Snapshot {
    var snapshot = snapshot
    snapshot.scheduled = schedule.entries
    if transport.isPlaying { snapshot.place = place }
    return snapshot
  }

  /// Reports a warning, or holds it back if there are too many of its kind.
  mutating func warn(_ text: String, at moment: Moment) { warn(.warning(text), at: moment) }

  mutating func warn(_ warning: Report, at moment: Moment) {
    if let report = reporter.admit(warning, at: moment.instant) { emit(.report(report)) }
  }

  mutating func reportChanges(to snapshot: Snapshot, at moment: Moment) {
    guard let changes = reporter.changes(to: snapshot) else { return }
    emit(.report(.changed(from: changes.from, to: changes.to)))
    controllers.feedback.noteChange()
    if changes.from.isPlaying != changes.to.isPlaying { place = BeatPlace() }
    if changes.from.settings != changes.to.settings { settings.noteReported(at: moment.instant) }
  }

  mutating func save() { emit(.save(settings.takeForSaving())) }

  /// Notes which ports are connected, and to what.
  mutating func handle(_ connections: PortConnections, at moment: Moment) {
    settings.update { $0.connections = connections.kept }
    if let frame = connections.machineArrival {
      send(Command(.placeMachines(connectedAt: frame)), at: moment)
    }
    unconnectedPorts.note(connected: connections.connected)
    noteInputs(connected: connections.connected)
    controllers.feedback.note(isConnected: connections.connected.contains("feedback"))
    if connections.renewed.contains("feedback") { controllers.feedback.repeatAll() }
  }

  // MARK: Times

  /// When the next turn is due, unless a request arrives earlier.
  func deadline(at moment: Moment) -> Instant {
    let isAlone = transport.mode.obeysCommands && playback?.start == nil
    let look = isAlone && !moment.engine.needsForecast ? EventRate.idleInterval : EventRate.watchInterval
    var first = min(
      moment.instant + look, nextEventTime(at: moment), dueTime(at: moment), comparison.deadline)
    if timeCheck?.checker.isWaiting == true { first = min(first, moment.instant + EventRate.busyInterval) }
    return first
  }

  /// When time itself causes something.
  private func dueTime(at moment: Moment) -> Instant {
    var first = min(
      min(settings.deadline, schedule.deadline(leadTime: leadTime(at: moment)), reporter.deadline),
      min(controllers.deadline, controllers.feedback.deadline, pace.updateDeadline, ending.deadline))
    if settings.current.followsPace { first = min(first, pace.deadline) }
    if scores.hasNews || schedule.hasNew {
      first = min(first, scores.nextTime, schedule.lastMoment(ScheduleLead(moment.clock)))
    }
    return first
  }

  /// Whether a turn may do more than find that time has passed. Scheduled changes and awaited starts also depend on frames.
  private func mayHaveDue(at moment: Moment) -> Bool {
    schedule.hasNear || playback?.start != nil || dueTime(at: moment) <= moment.instant
  }

  /// How long before its time a scheduled change is handed to the engine; zero without a server, because there are no frames
  /// then.
  func leadTime(at moment: Moment) -> Duration {
    transport.sampleRate > 0 ? ScheduleLead(moment.clock).frame : .zero
  }

  /// When the engine may have an event. The engine can't wake the conductor.
  private func nextEventTime(at moment: Moment) -> Instant {
    let soon = moment.instant + EventRate.busyInterval
    let hasControls = controllers.learning != nil || !settings.current.bindings.isEmpty
    if events.isHigh || hasControls || schedule.hasNear || transport.isHandingOver { return soon }
    guard transport.isPlaying else { return .never }
    // Without a known next event, a start may be on its way.
    guard moment.engine.nextEvent < .never, let time = moment.clock?.instant(of: moment.engine.nextEvent),
      time > moment.instant
    else { return soon }
    return time + EventRate.delay
  }
}

/// How often turns compare the state with the reported one, which costs more than the rest of a turn.
///
/// A turn compares if something has happened. Otherwise only the seconds of a session, Link's peers and tempo, and the place of a
/// stopped transport may have changed, and turns compare every `interval`.
struct ComparisonPace {
  private static let interval = Duration.milliseconds(20)

  private var hasNews = true
  private var last = Instant.distantPast
  /// When the next turn must compare, because this one has not; `never` if it has.
  private(set) var deadline = Instant.never

  /// Notes an input. Those of a turn in which nothing happens are only `due` and `settle`.
  mutating func note(_ input: Input) {
    switch input {
    case .due, .settle: break
    default: noteNews()
    }
  }

  /// Makes the present turn compare.
  mutating func noteNews() { hasNews = true }

  /// Whether a turn must compare.
  mutating func isDue(at now: Instant) -> Bool {
    if hasNews || now >= last + ComparisonPace.interval { return true }
    deadline = last + ComparisonPace.interval
    return false
  }

  mutating func done(at now: Instant) { (hasNews, last, deadline) = (false, now, .never) }
}

/// How often the conductor looks for the engine's events.
struct EventRate {
  /// The time between looks: `busyInterval` if events may come at any moment, `watchInterval` if only other clients can cause
  /// them, `idleInterval` if none is expected. The event ring must not fill up within these times if a server begins to
  /// freewheel.
  static let busyInterval = Duration.milliseconds(4)
  static let watchInterval = Duration.milliseconds(20)
  static let idleInterval = Duration.milliseconds(600)
  /// The time after a period's start until its events are in the ring.
  static let delay = Duration.milliseconds(1)
  /// The number of events in a turn from which the rate is high. Only a server that freewheels causes as many.
  private static let many = 256

  private var count = 0
  /// Whether events come so fast that their ring would soon be full.
  private(set) var isHigh = false

  mutating func note() { count += 1 }

  mutating func endTurn() { (isHigh, count) = (count >= EventRate.many, 0) }
}
