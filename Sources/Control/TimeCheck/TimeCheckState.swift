import Engine
import MusicTime
import TimeCheck

/// The core's state for the time check, and for the calibration under way.
struct TimeCheckState {
  private(set) var checker: TimeChecker
  /// The clock frame up to which all events of the engine have been handled.
  private var rendered: ClockFrame = 0
  /// Frames from a sample in the `out` port to the speakers.
  private var latency: Int64 = 0
  /// The engine's count of missed cycles at the last turn.
  private var gaps = 0
  /// The click's properties, and the beats that are at least half as loud as the loudest.
  private var click = Calibration.Click(volume: 1, sound: "")
  private var loudRoles: Set<Onset.Role> = []
  /// Whether the bar is silent.
  private var isSilent = false
  private var circumstances: Circumstances?
  /// Whether the calibration under way has started the music.
  private(set) var hasStarted = false
  /// The session to reopen after the calibration; nil if there is none.
  private(set) var aside: SessionPlayback?

  /// The conditions under which calibrations are valid.
  private struct Circumstances: Equatable {
    var calibrations: [Calibration]
    var devices: [String: String]
    var period: Int
    var sampleRate: Int
  }

  init(_ setup: ListeningSetup, sampleRate: Int) { checker = TimeChecker(setup, sampleRate: sampleRate) }

  /// Notes the engine's progress before its events are handled. If the latency changes, a calibration starts again.
  mutating func note(_ moment: Moment) {
    rendered = moment.engine.clock
    if moment.engine.gaps > gaps { checker.noteGaps(moment.engine.gaps - gaps) }
    gaps = moment.engine.gaps
    guard let clock = moment.clock, clock.latency != latency else { return }
    latency = Int64(clock.latency)
    // A pad's sound and notes do not depend on the playback latency.
    if let source = checker.calibrated, !checker.comparesStrokes { checker.calibrate(source) }
  }

  /// The frame that leaves the speakers while `rendered` is rendered: all onsets before it are known.
  private var known: ClockFrame { rendered + latency }

  /// Selects the calibrations that match the present conditions. A calibration under way ends if its conditions change.
  /// - Returns: the news to report.
  mutating func follow(_ settings: Settings, _ moment: Moment) -> [TimingNews] {
    checker.setPolicy(settings.timeCheck)
    click = settings.click
    loudRoles = settings.loudRoles
    checker.setClick(click)
    let now = Circumstances(
      calibrations: settings.calibrations, devices: devices(settings), period: moment.clock?.period ?? 0,
      sampleRate: moment.clock?.sampleRate ?? 0)
    // Without a server there is no input.
    guard now != circumstances, now.sampleRate > 0 else { return [] }
    let before = circumstances
    circumstances = now
    var news = checker.setSampleRate(now.sampleRate)
    if let before, let source = checker.calibrated, differ(before, now, of: source) {
      checker.stopCalibrating()
      news.append(
        .notCalibrated(
          "the server's period or the input's device has changed, so nothing was measured: try again"))
    }
    checker.setCalibrations(
      sources.reduce(into: [:]) { found, source in
        let port = checker.setup.port(of: source)
        found[source] = settings.calibrations.last {
          $0.fits(
            port: port, device: now.devices[port] ?? "", mode: checker.setup.mode(of: source),
            period: now.period, sampleRate: now.sampleRate)
        }
      })
    return news
  }

  /// Whether the conditions of a source have changed, so that earlier measurements no longer apply.
  private func differ(_ before: Circumstances, _ now: Circumstances, of source: HitSource) -> Bool {
    // A pad may be measured with any of the inputs.
    let listened = checker.comparesStrokes ? sources : [source]
    let hasOther = listened.map { checker.setup.port(of: $0) }.contains { port in
      // Without a device there were no measurements.
      before.devices[port].map { $0 != now.devices[port] } ?? false
    }
    return before.period != now.period || hasOther
  }

  private var sources: [HitSource] {
    checker.setup.judged.map { .input($0) } + (checker.setup.hasNotes ? [.notes] : [])
  }

  private func devices(_ settings: Settings) -> [String: String] {
    sources.reduce(into: [:]) { devices, source in
      let port = checker.setup.port(of: source)
      devices[port] = settings.connections[port]?.first
    }
  }

  /// Notes which of the host's ports are connected.
  mutating func note(connected: Set<String>) {
    checker.setUnconnected(sources.map { checker.setup.port(of: $0) }.filter { !connected.contains($0) })
  }

  /// The input with this name. For an empty name: the first that is not calibrated, or the first if all are; nil if there is
  /// none.
  func source(_ name: String) -> HitSource? {
    if name.isEmpty {
      return checker.setup.judged.first { checker.state.offsets[$0] == nil }.map { .input($0) }
        ?? sources.first
    }
    return sources.first { checker.setup.title(of: $0) == name || checker.setup.port(of: $0) == name }
  }

  /// The names that `source` accepts.
  var names: [String] { sources.map { checker.setup.title(of: $0) } }

  // MARK: Events and hits

  /// - Parameters:
  ///   - tempo: beats per minute; nil if it changes.
  ///   - swing: the swing of the bar.
  ///   - isFading: whether the mix is fading out.
  mutating func note(
    _ beat: Event.Beat, section: String, music: Music, tempo: Double?, swing: Swing, isFading: Bool
  ) {
    guard let role = Onset.Role(beat) else { return }
    if beat.layer == 0 { isSilent = beat.silence != .none }
    let onset = Onset(
      frame: beat.frame + latency, bar: beat.bar, place: Place(beat: beat.beat, layer: Int(beat.layer)),
      role: role, isSilent: isSilent, isExpected: isSilent || beat.strength > 0, section: section,
      music: music)
    let rate = circumstances.map(\.sampleRate) ?? 0
    checker.note(
      onset, isBeat: beat.role != .subdivision, length: tempo.map { 60 * Double(rate) / $0 },
      split: swing.percent / 100, isLoud: !isFading && loudRoles.contains(role) && beat.strength >= 0.5)
  }

  /// Coaches the player from the next beat on; nil: no coach.
  mutating func coach(_ coaching: (plan: Coach.Plan, place: Coach.Place)?) {
    checker.coach(coaching?.plan, at: coaching?.place ?? Coach.Place(section: 0, step: 0, steps: 1))
  }

  mutating func takeWarnings() -> [String] { checker.takeWarnings() }

  mutating func takeAdvice() -> Coach.Advice? { checker.takeAdvice() }

  mutating func noteStop(at frame: ClockFrame) { checker.noteStop(at: frame + latency) }

  mutating func receive(_ hits: [Hit]) { checker.receive(hits) }

  /// Assigns the next note to a drum; nil cancels that.
  mutating func learn(_ drum: Drum?) { checker.learn(drum) }

  mutating func settle() -> [TimingNews] { checker.settle(known: known, rendered: rendered) }

  mutating func finish() -> [TimingNews] { checker.finish() }

  // MARK: Calibration

  /// Drops the session that was set aside.
  mutating func dropSession() { aside = nil }

  mutating func calibrate(_ source: HitSource, startsMusic: Bool, settingAside session: SessionPlayback?) {
    (hasStarted, aside) = (startsMusic, session)
    checker.calibrate(source)
  }

  mutating func stopCalibrating() {
    (hasStarted, aside) = (false, nil)
    checker.stopCalibrating()
  }

  /// The name of the input that is being calibrated if there are several; otherwise empty.
  var calibratedTitle: String {
    guard let source = checker.calibrated, sources.count > 1 else { return "" }
    return checker.setup.title(of: source)
  }

  /// The first unconnected port that a calibration needs; nil if all are connected.
  func unconnectedPort(for source: HitSource) -> String? {
    let unconnected = checker.state.unconnected
    let port = checker.setup.port(of: source)
    if unconnected.contains(port) { return port }
    guard source == .notes else { return nil }
    let inputs = checker.setup.judged.map { checker.setup.port(of: .input($0)) }
    return inputs.allSatisfy(unconnected.contains) ? inputs.first : nil
  }

  /// Whether no input that can receive a pad's sound is calibrated, as far as the server is known.
  var lacksCalibratedInput: Bool {
    circumstances != nil && checker.setup.judged.allSatisfy { checker.state.offsets[$0] == nil }
  }

  /// - Returns: the calibration or its error, once; nil while there is no result.
  mutating func takeCalibration() -> Result<Calibration, CalibrationError>? {
    guard let (source, result) = checker.takeCalibration(at: known), let now = circumstances else {
      return nil
    }
    let port = checker.setup.port(of: source)
    return result.map {
      Calibration(
        port: port, device: now.devices[port] ?? "", mode: checker.setup.mode(of: source),
        period: now.period, sampleRate: now.sampleRate, offset: $0.offset, spread: $0.spread,
        bleed: source == .notes ? 0 : $0.bleed, click: click)
    }
  }
}

extension Onset.Role {
  /// nil if the beat is not an onset of the pattern.
  fileprivate init?(_ beat: Event.Beat) {
    if beat.layer > 0 {
      self = .layer
      return
    }
    switch beat.role {
    case .accent: self = .accent
    case .beat: self = .beat
    case .subdivision: self = .subdivision
    case .cue: return nil
    }
  }
}

extension Settings {
  /// The settings on which the click's loudness depends.
  fileprivate var click: Calibration.Click {
    let loudest = max(volume(.accent).gain, volume(.beat).gain)
    return Calibration.Click(volume: Double(volume(.master).gain * loudest), sound: sound)
  }

  /// The beats that are at least half as loud as the loudest.
  fileprivate var loudRoles: Set<Onset.Role> {
    let (accent, beat) = (gains.buses.accent, gains.buses.beat)
    var roles: Set<Onset.Role> = []
    guard gains.master > 0 else { return roles }
    if accent > 0, 2 * accent >= beat { roles.insert(.accent) }
    if beat > 0, 2 * beat >= accent { roles.insert(.beat) }
    return roles
  }

  /// The settings of the judge.
  var timeCheck: TimeChecker.Policy {
    var policy = TimeChecker.Policy()
    policy.window = self[Parameters.hitWindow]
    policy.target = self[Parameters.hitTarget]
    policy.grid = self[Parameters.hitGrid]
    policy.usesBleed = self[Parameters.usesBleed]
    policy.notes = self[Parameters.drumNotes]
    return policy
  }

  /// The settings of the triggers.
  package var triggerControls: TriggerControls {
    var controls = TriggerControls()
    controls.threshold = self[Parameters.triggerThreshold]
    controls.scan = self[Parameters.triggerScan]
    controls.mask = self[Parameters.triggerMask]
    controls.retriggerCancel = self[Parameters.retriggerCancel]
    return controls
  }
}
