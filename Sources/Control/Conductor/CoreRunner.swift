import Engine
import Realtime

/// Runs the core: reads the values of a moment, gives the core its inputs and carries out its effects.
///
/// - Thread: control. One thread makes it and hands it to the conductor's thread.
struct CoreRunner: ~Copyable {
  private var core: ConductorCore
  private var engine: EngineConnection
  private let workers: Workers
  private let link: (any LinkSession)?
  private let updates: UpdateQueue
  private var host: (any AudioHost)?
  private var report: Conductor.Observer = { _ in }

  /// - Throws: the sound reader's error if no sound set can be read.
  init(_ configuration: Conductor.Configuration, channels: UnsafePointer<Channels>, updates: UpdateQueue)
    throws
  {
    let workers = Workers(configuration, into: updates)
    let clips = try configuration.readFirstClips(updates)
    let layers = configuration.readLayerClips(updates)
    let song = configuration.session.map { session in
      let index = SessionPlayback.song(at: session.place, in: session.setlist)
      return workers.prepareNow(
        session.setlist.songs[index].song, sampleRate: configuration.sampleRate,
        voice: configuration.settings.voice, speak: configuration.speakAtStart)
    }
    core = ConductorCore(configuration, clips: clips, layers: layers, song: song)
    engine = EngineConnection(channels)
    self.workers = workers
    link = configuration.link
    self.updates = updates
  }

  mutating func makeKernel() -> Kernel { Kernel(engine.channels, core.makeFirstUpdate()) }

  // MARK: Turns

  /// Takes the host's role and begins the first session.
  mutating func begin(host: any AudioHost, at now: Instant, report: @escaping Conductor.Observer) {
    (self.host, self.report) = (host, report)
    var moment = look(at: now, droppedAnswers: 0)
    feed(.begin, at: &moment)
    feed(.beginSession, at: &moment)
  }

  /// Handles requests and everything that is due.
  mutating func turn(_ drained: (requests: [Request], refused: Int), at now: Instant, droppedAnswers: Int) {
    var moment = look(at: now, droppedAnswers: droppedAnswers)
    if drained.refused > 0 { feed(.refused(drained.refused), at: &moment) }
    var queries = 0
    for request in drained.requests {
      feed(.request(request), at: &moment)
      guard case .query = request.content else { continue }
      queries += 1
      // A query changes nothing but takes time: beats are reported on time even if many queries wait.
      if queries.isMultiple(of: CoreRunner.queriesAtATime) { receiveEvents(&moment) }
    }
    feed(.due, at: &moment)
    while let event = engine.channels.pointee.controls.pop() { feed(.control(event), at: &moment) }
    engine.flush()
    receiveEvents(&moment)
    engine.freeReturned()
    // Includes what happened while the inputs were handled.
    moment.engine = engine.read()
    feed(.settle, at: &moment)
  }

  /// Number of queries that are answered before the engine's events are handled.
  private static let queriesAtATime = 4

  /// Handles the engine's events.
  private mutating func receiveEvents(_ moment: inout Moment) {
    while let event = engine.channels.pointee.events.pop() { feed(.event(event), at: &moment) }
  }

  /// Handles the last requests, saves the settings and leaves Link.
  mutating func end(_ drained: (requests: [Request], refused: Int), at now: Instant, droppedAnswers: Int) {
    var moment = look(at: now, droppedAnswers: droppedAnswers)
    // Losses of the last second are reported, too.
    feed(.ending, at: &moment)
    turn(drained, at: now, droppedAnswers: droppedAnswers)
    feed(.end, at: &moment)
    for request in updates.drain(until: .distantPast).requests {
      switch request.content {
      case .problem, .guardedProblem, .saving: feed(.request(request), at: &moment)
      default: break
      }
    }
    feed(.lastWarnings, at: &moment)
  }

  /// When the next turn is due, unless a request arrives earlier.
  func deadline(at now: Instant) -> Instant { core.deadline(at: look(at: now, droppedAnswers: 0)) }

  /// Sets whether the engine reports subdivisions.
  func setReportsSubdivisions(_ reports: Bool) {
    engine.channels.pointee.reportsSubdivisions.store(reports, ordering: .relaxed)
  }

  /// Sets whether the engine reports forecast beats.
  func setReportsAhead(_ reports: Bool) {
    engine.channels.pointee.reportsAhead.store(reports, ordering: .relaxed)
  }

  private func look(at now: Instant, droppedAnswers: Int) -> Moment {
    Moment(
      instant: now, clock: host?.readClock(), xruns: host?.xruns ?? 0, engine: engine.read(),
      link: link?.state,
      droppedAnswers: droppedAnswers)
  }

  private mutating func feed(_ input: Input, at moment: inout Moment) {
    for effect in core.handle(input, at: moment) {
      if let answer = perform(effect, &moment) { feed(.answer(answer), at: &moment) }
    }
  }

  // MARK: Effects

  /// Carries out an effect.
  /// - Returns: the answer, if the effect asks a question; nil otherwise.
  private mutating func perform(_ effect: Effect, _ moment: inout Moment) -> Input.Answer? {
    switch effect {
    case .publish(let update, let generation):
      return engine.publish(update, generation: generation).map { .untaken(generation: $0) }
    case .send(let command): engine.send(command)
    case .showOnControllers(let messages): engine.show(messages)

    case .startTransport: host?.startTransport()
    case .stopTransport: host?.stopTransport()
    case .locateTransport(let frame): host?.locateTransport(to: frame)
    case .holdTransport: host?.holdTransport()
    case .renewHold: host?.renewHold()
    case .take(let mode): _ = host?.take(mode, conditional: false)
    case .leadIfFree: return .lead(host?.take(.lead, conditional: true) ?? false)
    case .announceTimebase: return host?.announceTimebase() == false ? .isLedByAnother : nil

    case .joinLink(let tempo, let start):
      let isJoined = link?.join(tempo: tempo, playing: start) ?? false
      moment.link = link?.state
      return .link(isJoined)
    case .leaveLink: changeLink(&moment) { $0.leave() }
    case .setLinkTempo(let tempo): changeLink(&moment) { $0.set(tempo: tempo) }
    case .startLink(let start): changeLink(&moment) { $0.start(start) }
    case .stopLink: changeLink(&moment) { $0.stop() }

    case .readSound(let job): workers.readSound(job)
    case .readLayerSound(let job): workers.readLayerSound(job)
    case .readSession(let job): workers.readSession(job)
    case .keepNudge(let job): workers.keepNudge(job)
    case .tryVoice(let voice): workers.tryVoice(voice)
    case .listDocuments(let answer): workers.listDocuments(answer)
    case .prepareSong(let plan, let sampleRate, let voice, let index):
      workers.prepare(plan, sampleRate: sampleRate, voice: voice, index: index)
    case .cancelSongs: workers.cancelSongs()
    case .save(let settings): workers.save(settings)
    case .finishSaving(let settings): workers.finishSaving(settings)

    case .report(let report): self.report(report)
    case .reply(let text, let sender): sender(text)
    case .answer(let snapshot, let answer): answer(snapshot)
    }
    return nil
  }

  private func changeLink(_ moment: inout Moment, _ change: (any LinkSession) -> Void) {
    guard let link else { return }
    change(link)
    moment.link = link.state
  }
}
