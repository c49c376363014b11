import Engine
import MusicTime

/// Doing what is asked.
extension ConductorState {
  func handle(_ request: Request) {
    switch request.content {
    case .update(let update):
      let time = Monotonic.now
      guard let due = request.time, due > time else { return apply(update, request) }
      if let reason = schedule.insert(request, at: due, now: time) { request.refuse?(reason) }
    case .query(let answer):
      // What was asked for just before, in the same turn, counts.
      now.progress = progress
      answer(now)
    case .host(let news): heed(news)
    case .clips(let loaded): use(loaded)
    case .song(let song, let index): use(song, index: index)
    case .opened(let loaded): open(loaded)
    case .session(let setlist, let place):
      opener.cancel()
      open(setlist, at: place)
    case .problem(let text): report(.warning(text))
    }
  }

  /// Applies an update.
  /// - Parameter appointment: when it is to take effect; nil for at once.
  func apply(_ update: Update, _ request: Request, at appointment: inout Appointment?) {
    do throws(InvalidValue) {
      switch update {
      case .start, .stop, .toggle, .locate, .pause: try move(update, at: &appointment)
      case .open(let path): open(path, refuse: request.refuse)
      case .go(let step): try go(step)
      case .hold(let holds): try hold(holds)
      case .speed(let percent): try changeSpeed(to: percent)
      case .set(let setting) where shelf != nil && setting.isOfTheMusic: throw ConductorState.documentRules
      case .nudge where shelf != nil, .tap where shelf != nil: throw ConductorState.documentRules
      case .set(.sound(let name)):
        loader.load(.init(name: name, sampleRate: scores.sampleRate, refuse: request.refuse))
      case .set(.role(let role)): takeRole(role, refuse: request.refuse)
      case .link(let joins):
        if joins || now.settings.role == .link { takeRole(joins ? .link : .free, refuse: request.refuse) }
      case .leadIfFree: takeRole(.lead, ifFree: true, refuse: request.refuse)
      case .set(let setting): try change(setting)
      case .nudge(let thousandths): try nudge(by: thousandths, refuse: request.refuse)
      case .tap(let seconds):
        if let tempo = taps.tap(at: seconds ?? Double(request.time ?? request.arrival) / 1e9) {
          let tapped = Tempo(clamping: Int((min(tempo, 2_000) * 1_000).rounded()))
          try change(.tempo(bounded(now.settings.profile.clamped(tapped))))
        }
      case .pace(let speed): try heed(speed: speed, at: request.time ?? request.arrival)
      case .steps(let cadence):
        try heed(steps: cadence, at: Double(request.time ?? request.arrival) / 1e9)
      case .save: save()
      case .reset: reset()
      case .learn, .unlearn, .bind, .load: try teach(update)
      }
    } catch {
      request.refuse?("\(error)")
    }
  }

  /// Applies an update at once.
  func apply(_ update: Update, _ request: Request) {
    var atOnce: Appointment?
    apply(update, request, at: &atOnce)
  }

  private func change(_ setting: Setting) throws(InvalidValue) {
    if case .tempo(let tempo) = setting { try checkLink(tempo) }
    let tempo = now.settings.tempo
    try now.settings.set(setting)
    // A profile may bring a tempo with it.
    if now.settings.tempo != tempo { tellLink() }
    if case .followPace(true) = setting { pace.restart() }
    if case .cadence = setting { pace.restart() }
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
    takeRole(.free)
    let (bindings, place) = (now.settings.bindings, now.settings.session)
    now.settings = Settings()
    // What is open stays open.
    (now.settings.bindings, now.settings.session) = (bindings, place)
    needsScore = true
    loader.load(.init(name: now.settings.sound, sampleRate: scores.sampleRate))
  }
}
