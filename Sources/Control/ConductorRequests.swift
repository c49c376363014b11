import Engine
import MusicTime
import Validation

/// Doing what is asked.
extension ConductorCore {
  func handle(_ request: Request) {
    switch request.content {
    case .update(let update):
      guard let due = request.time, due > time else { return apply(update, request) }
      if let reason = scheduled.insert(request, at: due, now: time) { request.refuse?(reason) }
    case .query(let answer):
      // What was asked for just before, in the same turn, counts.
      now.progress = progress
      var snapshot = now
      snapshot.scheduled = scheduled.entries
      answer(snapshot)
    case .host(let news): handle(news)
    case .connections(let connections): handle(connections)
    case .clips(let loaded): use(loaded)
    case .song(let song, let index): use(song, index: index)
    case .opened(let loaded): open(loaded)
    case .session(let setlist, let place): openInPlaceOfAll(setlist, at: place)
    case .problem(let text): report(.warning(text))
    case .guardedProblem(let text, let outline): report(.guarded(text, outline: outline))
    }
  }

  /// Applies an update.
  /// - Parameter date: when it is to take effect; nil for at once.
  func apply(_ update: Update, _ request: Request, at date: inout ScheduledChange?) {
    let before = now.settings
    defer { noteChange(from: before) }
    do throws(InvalidValue) {
      switch update {
      case .start, .stop, .toggle, .play, .locate, .pause: try move(update, at: &date)
      case .open(let path): open(path, refuse: request.refuse)
      case .go(let step): try go(step)
      case .hold(let holds): try hold(holds)
      case .speed(let percent): try changeSpeed(to: percent)
      case .set(let setting) where playback != nil && setting.parameter.isMusic:
        throw ConductorCore.documentRules
      case .nudge where playback != nil, .tap where playback != nil: throw ConductorCore.documentRules
      case .link(let joins):
        if joins || now.settings.role == .link { takeRole(joins ? .link : .free, refuse: request.refuse) }
      case .leadIfFree: takeRole(.lead, ifFree: true, refuse: request.refuse)
      case .set(let setting): try set(setting, refuse: request.refuse)
      case .nudge(let thousandths): try nudge(by: thousandths, refuse: request.refuse)
      case .tap(let seconds):
        if let tempo = taps.tap(at: seconds ?? Double(happening(request)) / 1e9) {
          let tapped = Tempo(clamping: Int((min(tempo, 2_000) * 1_000).rounded()))
          try change(.tempo(bounded(now.settings.profile.clamped(tapped))))
        }
      case .pace(let speed): try handle(speed: speed, at: happening(request))
      case .steps(let cadence):
        try handle(steps: cadence, at: Double(happening(request)) / 1e9)
      case .save: save()
      case .saveChanges: saveChanges()
      case .reset: reset()
      case .clearSchedule(let all):
        clearSchedule(of: all ? nil : .some(request.origin?.owner))
      case .learn, .unlearn, .bind, .load: try teach(update)
      }
    } catch {
      request.refuse?("\(error)")
    }
  }

  /// When a request happened: its time, else its arrival, else this turn's instant.
  private func happening(_ request: Request) -> UInt64 { request.time ?? request.arrival ?? time }

  /// Applies an update at once.
  func apply(_ update: Update, _ request: Request) {
    var atOnce: ScheduledChange?
    apply(update, request, at: &atOnce)
  }

  /// Changes a parameter, where that is more than a value: a sound set is read first, and a role is taken.
  private func set(_ setting: Setting, refuse: (@Sendable (String) -> Void)?) throws(InvalidValue) {
    if let name = setting.value(of: Parameters.sound) {
      readSound(name, refuse: refuse)
    } else if let role = setting.value(of: Parameters.role) {
      takeRole(role, refuse: refuse)
    } else {
      try change(setting)
    }
  }

  private func change(_ setting: Setting) throws(InvalidValue) {
    if let tempo = setting.value(of: Parameters.tempo) { try checkLink(tempo) }
    let tempo = now.settings.tempo
    try now.settings.set(setting)
    // A profile may bring a tempo with it.
    if now.settings.tempo != tempo { publishTempo() }
    if setting == .followPace(true) || Parameters.isCadence(setting.parameter) { restartPace() }
    needsScore = true
  }

  private func nudge(by thousandths: Int, refuse: ((String) -> Void)?) throws(InvalidValue) {
    let tempo = bounded(now.settings.nudged(by: thousandths))
    // Who turns a knob on at the bound has been told.
    guard tempo != now.settings.tempo else { return }
    let isWhole = tempo.thousandths - now.settings.tempo.thousandths == thousandths
    try change(.tempo(tempo))
    if !isWhole { refuse?("the tempo stops at \(tempo)") }
  }

  private func reset() {
    clearSchedule()
    takeRole(.free)
    let before = now.settings
    now.settings = Settings()
    // What is open stays open, and what is connected stays connected.
    (now.settings.bindings, now.settings.session) = (before.bindings, before.session)
    now.settings.connections = before.connections
    needsScore = true
    readSound(now.settings.sound)
  }
}
