import Engine
import MusicTime
import Realtime
import Validation

/// Requests: applies them at once or at their time.
extension ConductorCore {
  mutating func handle(_ request: Request, at moment: Moment) {
    switch request.content {
    case .update(let update):
      guard let due = request.time, due > moment.instant else {
        return apply(update, request, Requester(request), at: moment)
      }
      if let reason = schedule.insert(request, at: due, now: moment.instant) {
        refuse(reason, to: Requester(request), at: moment)
      } else if let warn = request.warn,
        let warning = schedule.warning(for: request, at: due, now: moment.instant)
      {
        emit(.reply(warning, warn))
      }
    case .query(let answer):
      let snapshot = snapshot(at: moment)
      // An answer could contain a value that changes back before the turn ends. Observers would then receive nothing, and a program
      // that had asked would keep a wrong one.
      reportChanges(to: snapshot, at: moment)
      emit(.answer(self.answer(snapshot), answer))
    case .documents(let answer):
      guard documentRequests.add(answer) else {
        return refuse(
          "\(DocumentRequests.capacity) requests wait for the list of documents: ask again",
          to: Requester(request), at: moment)
      }
      listDocuments()
    case .listed:
      documentRequests.end()
      listDocuments()
    case .host(let news): handle(news, at: moment)
    case .connections(let connections): handle(connections, at: moment)
    case .clips(let loaded): use(loaded, at: moment)
    case .layerSound(let loaded): use(loaded, at: moment)
    case .song(let song, let index): use(song, index: index, at: moment)
    case .opened(let loaded): open(loaded, at: moment)
    case .keptNudge(let kept): take(kept, at: moment)
    case .session(let setlist, let place):
      // The document that is being read is not wanted any more.
      opener.cancel()
      open(setlist, at: place, moment)
    case .saving(let failure):
      if let text = settings.noteSaving(failure: failure, at: moment.instant) { warn(text, at: moment) }
    case .hits(let hits): receive(hits)
    case .problem(let text): warn(text, at: moment)
    case .guardedProblem(let text, let outline): warn(.guarded(text, outline: outline), at: moment)
    }
  }

  private mutating func listDocuments() {
    if let answer = documentRequests.begin() { emit(.listDocuments(answer)) }
  }

  // MARK: Updates

  /// Applies an update at once.
  mutating func apply(_ update: Update, _ request: Request, _ requester: Requester, at moment: Moment) {
    var atOnce: ScheduledChange?
    apply(update, request, requester, to: &atOnce, at: moment)
  }

  /// Applies an update.
  /// - Parameter date: the scheduled change to which the update belongs; nil: at once.
  mutating func apply(
    _ update: Update, _ request: Request, _ requester: Requester, to date: inout ScheduledChange?,
    at moment: Moment
  ) {
    let before = settings.current
    defer { settings.noteChange(from: before) }
    do throws(InvalidValue) {
      switch update {
      case .start, .stop, .toggle, .play, .playPause, .restart, .locate, .pause:
        try move(update, at: &date, moment)
      case .advance:
        let time = moment.press(of: request)
        if pedal.admits(at: time), try advance(at: &date, moment) { pedal.note(at: time) }
      case .fade(let milliseconds): try fade(milliseconds: milliseconds, at: moment)
      case .stopAtBar: try stopAtBar(at: moment)
      case .open(let path): open(path, requester, at: moment)
      case .reload: try reload(requester)
      case .keepNudge: try keepNudge(requester)
      case .go(let step): try go(step, at: moment)
      case .hold(let holds): try hold(holds, at: moment)
      case .loop(let change): try loop(change, asked: moment.press(of: request), at: moment)
      case .speed(let percent): try changeSpeed(to: percent)
      case .set(let setting) where playback != nil && setting.parameter == Parameters.gap.parameter:
        try silenceSong(setting)
      case .set(let setting) where playback != nil && setting.parameter.isMusic:
        throw ConductorCore.isSetByDocument(setting.parameter)
      case .nudge(let thousandths) where playback != nil: try nudgeSong(by: thousandths)
      case .tap(let seconds) where playback != nil:
        try tapSpeed(at: seconds ?? moment.seconds(of: request), moment)
      case .preset(.recall) where playback != nil:
        throw InvalidValue(
          sentence: "a preset sets the metronome, and a document is open: close it to recall one")
      case .preset(.recall(let choice)): try recall(choice, requester)
      case .preset(.save) where playback != nil:
        throw InvalidValue(
          sentence: "a preset keeps the metronome, and a document is open: close it to save one")
      case .preset(let update):
        try settings.change { settings throws(InvalidValue) in try settings.arrange(update) }
        settings.reportNextFailure()
      case .link(let joins):
        if joins || transport.mode.isLinked { requestRole(joins ? .link : .free, requester, at: moment) }
      case .leadIfFree: requestRole(.lead, isPolite: true, requester, at: moment)
      case .set(let setting): try set(setting, requester, at: moment)
      case .nudge(let thousandths): try nudge(by: thousandths, requester, at: moment)
      case .tap(let seconds): try tap(at: seconds ?? moment.seconds(of: request))
      case .pace(let speed):
        try pace.handle(speed: speed, at: moment.instant(of: request), settings.current.cadence)
      case .paceTarget(let speed): try pace.choose(speed: speed, at: moment.instant(of: request))
      case .steps(let cadence): try pace.handle(steps: cadence, at: moment.instant(of: request))
      case .feedback(let update):
        try settings.change { settings throws(InvalidValue) in try settings.feed(update) }
      case .calibrate(let name): try calibrate(name, at: &date, moment)
      case .learnDrum(let drum): try learn(drum)
      case .save:
        settings.reportNextFailure()
        save()
      case .saveChanges: if !settings.leavesDiskAlone { save() }
      case .reset: reset(at: moment)
      case .clearSchedule(let all):
        if all { schedule.clear() } else { schedule.clear(of: request.origin?.owner) }
      case .learn, .unlearn, .bind, .unbind, .load:
        var next = settings.current
        try controllers.teach(update, &next)
        settings.update { $0 = next }
      }
    } catch {
      refuse("\(error)", to: requester, at: moment)
    }
  }

  /// Sets a parameter. A sound set is read first, and a role is requested from the host or Link.
  private mutating func set(_ setting: Setting, _ requester: Requester, at moment: Moment)
    throws(InvalidValue)
  {
    if let name = setting.value(of: Parameters.sound) {
      readSound(name, requester)
    } else if let role = setting.value(of: Parameters.role) {
      requestRole(role, requester, at: moment)
    } else if Parameters.isLayer(setting.parameter) {
      try changeLayers(setting, requester)
    } else {
      let language = settings.current.voice.language
      try change(setting)
      // If the profile limits a fader's value, its sender receives the tempo at which it stops.
      let tempo = settings.current.tempo
      if setting.isOfFader, let wanted = setting.value(of: Parameters.tempo), wanted != tempo {
        let end = settings.current.profile.ending
        refuse("the tempo stops at \(tempo)\(end)", to: requester, at: moment)
      }
      // The song of a session is prepared again, and warns of texts that can't be spoken.
      if playback == nil, settings.current.voice.language != nil, settings.current.voice.language != language
      {
        emit(.tryVoice(settings.current.voice.ofMetronome))
      }
    }
  }

  /// Changes a parameter other than a sound set or a role.
  /// - Throws: `InvalidValue` if the settings, or Ableton Link, do not allow the value.
  mutating func change(_ setting: Setting) throws(InvalidValue) {
    if link.isJoined { try setting.value(of: Parameters.tempo)?.checkForLink() }
    let tempo = settings.current.tempo
    try settings.change { settings throws(InvalidValue) in try settings.set(setting) }
    // A profile may change the tempo.
    if settings.current.tempo != tempo { publishTempo() }
    if setting == .followPace(true) || Parameters.isCadence(setting.parameter) { pace.restart() }
    scores.noteChange()
  }

  /// Recalls a preset. Its sound is used as soon as it has been read.
  private mutating func recall(_ choice: PresetChoice, _ requester: Requester) throws(InvalidValue) {
    var next = settings.current
    let preset = try next.recall(choice)
    if link.isJoined { try next.tempo.checkForLink() }
    let (tempo, sound) = (settings.current.tempo, settings.current.sound)
    settings.update { $0 = next }
    dropWaitingLayers()
    if next.tempo != tempo { publishTempo() }
    scores.noteChange()
    // Also if another sound is being read, which would replace this one.
    if case .text(let name) = preset[Parameters.sound.parameter], name != sound || sounds.isReading {
      readSound(name, requester)
    }
  }

  private mutating func nudge(by thousandths: Int, _ requester: Requester, at moment: Moment)
    throws(InvalidValue)
  {
    let old = settings.current.tempo
    let tempo = bounded(settings.current.nudged(by: thousandths))
    if tempo != old { try change(.tempo(tempo)) }
    if tempo.thousandths - old.thousandths != thousandths {
      let bound = "the tempo stops at \(tempo), the \(thousandths < 0 ? "lowest" : "highest")"
      refuse(bound + settings.current.profile.ending, to: requester, at: moment)
    }
  }

  private mutating func tap(at seconds: Double) throws(InvalidValue) {
    guard let tempo = taps.tap(at: seconds) else { return }
    let isWhole = settings.current[Parameters.wholeTempo]
    let tapped = Tempo(clamping: Int((min(isWhole ? tempo.rounded() : tempo, 2_000) * 1_000).rounded()))
    try change(.tempo(bounded(settings.current.profile.clamped(tapped))))
  }

  /// Plays the section at a tapped tempo, and the whole song in proportion.
  private mutating func tapSpeed(at seconds: Double, _ moment: Moment) throws(InvalidValue) {
    guard let playback, let tempo = position(at: moment)?.ownTempo else {
      throw InvalidValue(
        sentence: "the tempo of this section changes: set the speed, or tap in a steady section")
    }
    guard let tapped = taps.tap(at: seconds) else { return }
    let percent = 100 * (tapped - Double(playback.rendition.nudge) / 1_000) / tempo.beatsPerMinute
    let range = Double(SessionSpeed.range.lowerBound)...Double(SessionSpeed.range.upperBound)
    try changeSpeed(to: Int(percent.rounded().clamped(to: range)))
  }

  private mutating func reset(at moment: Moment) {
    schedule.clear()
    dropWaitingLayers()
    requestRole(.free, .nobody, at: moment)
    settings.update { settings in
      let before = settings
      settings = Settings()
      // The session stays open, and ports stay connected.
      (settings.bindings, settings.session) = (before.bindings, before.session)
      settings.connections = before.connections
      // It plays on until the other one has been read.
      try? settings.set(Parameters.sound.setting(before.sound))
      settings.keepFeedback(of: before)
      settings.keepListening(of: before)
      // Learned notes of drums are kept.
      try? settings.set(Parameters.drumNotes.setting(before[Parameters.drumNotes]))
      settings.keepPresets(of: before)
      settings.keepPlaces(of: before)
    }
    scores.noteChange()
    readSound(Settings().sound, .nobody)
  }

  /// Makes the tempo follow the pace if this is switched on and the last change was long enough ago.
  mutating func followPace(at moment: Moment) {
    let current = settings.current
    guard current.followsPace, playback == nil,
      let cadence = pace.due(at: moment.instant, current.cadence)
    else { return }
    let wanted = bounded(current.profile.clamped(Tempo(clamping: 1_000 * cadence)))
    // The next suggestion is compared with this one, not with a change by hand: a change by hand ends the following.
    guard wanted != current.tempo else { return }
    settings.update { $0.follow(wanted) }
    publishTempo()
    scores.noteChange()
    pace.noteChange(at: moment.instant)
  }

  // MARK: Later

  /// Carries out the scheduled changes whose time has come.
  mutating func carryOutScheduled(at moment: Moment) {
    while let first = schedule.takePassed(at: moment.instant, rendered: moment.engine.clock) {
      // The engine has these settings already. They are kept first, so that an update that a start publishes contains them.
      var others: [Request] = []
      for request in first.requests {
        if !(first.isHanded && keep(request, at: moment)) { others.append(request) }
      }
      if let isPlaying = first.isPlaying {
        carryOut(isPlaying: isPlaying, again: first.isOvertaken || first.frame == nil, at: moment)
      }
      for request in others {
        if case .update(let update) = request.content {
          apply(update, request, Requester(request), at: moment)
        }
      }
    }
    repeatUnrendered(at: moment)
  }

  /// Makes the engine apply at once what it should have applied by now, because its frames don't advance.
  private mutating func repeatUnrendered(at moment: Moment) {
    let patience = ScheduleLead(moment.clock).frame
    guard
      let change = schedule.takeUnrendered(
        at: moment.instant, rendered: moment.engine.clock, patience: patience)
    else { return }
    scores.noteChange()
    guard change.isPlaying != nil, transport.mode.obeysCommands else { return }
    let stop = playback?.isPaused == true ? Command.Action.pause : .stop
    send(Command(transport.isPlaying ? startByHand : stop), at: moment)
  }

  /// Applies a start or stop that was sent to the engine with a date. If the mode has changed since, the engine has ignored it.
  /// - Parameter again: whether to send the command again, because the engine's state may differ: an earlier request was
  ///   applied after this change, or the frame has not passed because the server hung.
  private mutating func carryOut(isPlaying: Bool, again: Bool, at moment: Moment) {
    guard !transport.mode.obeysCommands else {
      if isPlaying { cancelEnding(at: moment) }
      transport.play(isPlaying)
      let stop = playback?.isPaused == true ? Command.Action.pause : .stop
      if again { send(Command(isPlaying ? startByHand : stop), at: moment) }
      return
    }
    var atOnce: ScheduledChange?
    run(isPlaying, at: &atOnce, moment)
  }

  /// Keeps a setting that the engine has received with a date.
  /// - Returns: whether the request was one.
  private mutating func keep(_ request: Request, at moment: Moment) -> Bool {
    guard case .update(let update) = request.content, let change = datedChange(update) else { return false }
    let before = settings.current
    defer { settings.noteChange(from: before) }
    do throws(InvalidValue) {
      try settings.change(change)
      scores.note { try? change(&$0) }
    } catch {
      refuse("\(error)", to: Requester(request), at: moment)
    }
    return true
  }

  /// How an update changes the settings, if the engine can receive it with a date; nil otherwise. Sounds have to be read first,
  /// and a role is requested from the transport.
  func datedChange(_ update: Update) -> ((inout Settings) throws(InvalidValue) -> Void)? {
    let isOfDocument = playback != nil
    switch update {
    case .set(let setting):
      switch setting.parameter {
      case Parameters.sound.parameter, Parameters.role.parameter: return nil
      // The tempo of a Link session is shared: the engine can't change it.
      case Parameters.tempo.parameter where link.isJoined: return nil
      case let parameter:
        guard !(isOfDocument && parameter.isMusic) else { return nil }
        var next = settings.current
        if (try? next.set(setting)) != nil, unreadSound(of: next) != nil { return nil }
        return { settings throws(InvalidValue) in try settings.set(setting) }
      }
    case .nudge(let thousandths):
      guard !link.isJoined, !isOfDocument else { return nil }
      return { settings throws(InvalidValue) in try settings.set(.tempo(settings.nudged(by: thousandths))) }
    default: return nil
    }
  }

  /// Assigns frames to requests that are due soon. Sends the engine the starts, stops and positions among them.
  mutating func performScheduled(at moment: Moment) {
    while let (due, requests) = schedule.takeSoon(dueBy: moment.instant + leadTime(at: moment)) {
      let frame = moment.clock?.frame(soundingAt: due)
      var date: ScheduledChange? = ScheduledChange(time: due, frame: frame)
      var isNew = false
      for request in requests {
        guard case .update(let update) = request.content else { continue }
        // While it plays, `advance` is not a start, and has no date in the engine.
        let isPlaying = date?.isPlaying ?? schedule.isPlaying ?? transport.isPlaying
        let isDated = update.isMovement && !(update == .advance && isPlaying)
        if isDated, transport.mode.obeysCommands, frame != nil {
          apply(update, request, Requester(request), to: &date, at: moment)
        } else {
          date?.requests.append(request)
          if datedChange(update) != nil, frame != nil { isNew = true }
        }
      }
      if let date { schedule.add(date, isNew: isNew) }
    }
  }

  // MARK: Sounds

  /// Reads a sound set for the current sample rate.
  mutating func readSound(_ name: String, _ requester: Requester) {
    let job = SoundLoader.Job(
      name: name, voice: settings.current.voice.ofMetronome, sampleRate: scores.sampleRate,
      requester: requester)
    if let job = sounds.load(job) { emit(.readSound(job)) }
  }

  /// Reads the sound sets again if the voice has changed, because some sets may count.
  mutating func followVoice(_ voice: VoiceSettings) {
    guard sounds.follow(voice) else { return }
    readSound(settings.current.sound, .nobody)
    readLayerSoundsAnew()
  }

  /// Uses a sound set after it has been read.
  private mutating func use(_ loaded: LoadedClips, at moment: Moment) {
    if let next = sounds.advance() { emit(.readSound(next)) }
    // The rate may have changed while the set was being read.
    let isUpToDate = loaded.job.sampleRate == scores.sampleRate
    switch loaded.sound {
    case .success(let (name, clips)) where isUpToDate:
      scores.use(clips, sampleRate: loaded.job.sampleRate)
      let before = settings.current
      // Each name for which clips exist is valid.
      settings.update { try? $0.set(.sound(name)) }
      settings.noteChange(from: before)
    case .success:
      if !sounds.isReading { readSound(loaded.job.name, loaded.job.requester) }
    case .failure(let error):
      refuse(error, to: loaded.job.requester, at: moment)
      guard scores.clipRate != scores.sampleRate, !sounds.isReading else { return }
      guard isUpToDate, loaded.job.name == settings.current.sound else {
        return readSound(settings.current.sound, .nobody)
      }
      warn("the sounds keep the pitch that they have at \(scores.clipRate) Hz", at: moment)
    }
  }

  /// Changes the sample rate. The music stays in time at once; the present clips play with a wrong pitch until the new ones
  /// have been read. Silence in the meantime would be worse.
  mutating func changeRate(to sampleRate: Int) {
    guard sampleRate != scores.sampleRate else { return }
    scores.changeRate(to: sampleRate)
    restartLayerSounds()
    let (name, voice) = (settings.current.sound, settings.current.voice.ofMetronome)
    if let job = sounds.changeRate(to: sampleRate, inUse: name, voice) { emit(.readSound(job)) }
    remakeSong()
  }

  // MARK: Refusing

  /// Sends the reason why an update is refused to its sender or to the observers. Does nothing if no one waits for an answer.
  mutating func refuse(_ reason: String, to requester: Requester, at moment: Moment) {
    switch requester {
    case .nobody: break
    case .sender(let refuse), .terminal(let refuse): emit(.reply(reason, refuse))
    case .observers(let prefix): warn(prefix + reason, at: moment)
    }
  }

  /// Sends an error to the requester; as a warning to the observers if there is none. Details of a guarded error go only to the
  /// user's terminal.
  mutating func refuse(_ error: any Error, to requester: Requester, at moment: Moment) {
    let guarded = error as? any GuardedError
    switch (guarded, requester) {
    case (nil, .nobody): warn("\(error)", at: moment)
    case (nil, _): refuse("\(error)", to: requester, at: moment)
    case (let error?, .terminal): refuse(printable("\(error)"), to: requester, at: moment)
    case (let error?, .nobody): warn(.guarded("\(error)", outline: error.outline), at: moment)
    case (let error?, _):
      refuse(error.outline, to: requester, at: moment)
      warn(.guarded("\(error)", outline: nil), at: moment)
    }
  }
}

extension Moment {
  /// When a request happened: its time, otherwise its arrival, otherwise this moment.
  fileprivate func instant(of request: Request) -> Instant { request.time ?? request.arrival ?? instant }

  /// When a pedal or key was pressed. The clocks of other machines, whose bundles have times, are not trusted for this.
  fileprivate func press(of request: Request) -> Instant {
    request.origin == nil ? instant(of: request) : instant
  }

  /// When a request happened, in seconds.
  fileprivate func seconds(of request: Request) -> Double { Double(instant(of: request).nanoseconds) / 1e9 }
}
