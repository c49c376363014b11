import Engine
import MusicTime
import TimeCheck
import Validation

/// The time check: judges hits, and calibrates the inputs.
extension ConductorCore {
  /// Starts listening if there is an input.
  mutating func listen(to setup: ListeningSetup, sampleRate: Int) {
    timeCheck = setup.isOn ? TimeCheckState(setup, sampleRate: sampleRate) : nil
  }

  /// Notes the engine's progress before its events are handled.
  mutating func noteClock(_ moment: Moment) { timeCheck?.note(moment) }

  mutating func receive(_ hits: [Hit]) { timeCheck?.receive(hits) }

  /// Notes which of the host's ports are connected.
  mutating func noteInputs(connected: Set<String>) { timeCheck?.note(connected: connected) }

  /// Judges the hits of a beat.
  mutating func check(_ beat: Event.Beat, at moment: Moment) {
    let coaching = playback?.coaching(of: beat.section)
    if coaching != nil { warnOfIdleCoach(at: moment) }
    guard timeCheck != nil else { return }
    // The inputs would take the music for strokes on the pad.
    if timeCheck?.checker.comparesStrokes == true, transport.isPlaying {
      breakCalibration("the music has started")
    }
    timeCheck?.coach(transport.mode.obeysCommands && playback?.repeats.isOn == false ? coaching : nil)
    let section = playback.map { $0.name(ofPart: $0.section) } ?? ""
    let snapshot = snapshot
    let layout = playback.flatMap { $0.layout(ofPlan: beat.section) }
    // With a leader, the leader's tempo sounds instead of the document's.
    let tempo =
      if let playback, snapshot.leader == nil { playback.tempo(ofPlan: beat.section) } else {
        snapshot.soundingTempo(in: layout?.beatUnit)
      }
    let music = Music(
      title: playback?.song.title ?? "", document: playback?.path ?? "",
      meter: (layout?.meter ?? snapshot.playing.meter).description)
    timeCheck?.note(
      playback?.reported(beat) ?? beat, section: section, music: music, tempo: tempo,
      swing: layout?.swing ?? snapshot.playing.swing, isFading: snapshot.isFading)
  }

  /// Reports news of the hits and of the calibration.
  mutating func followHits(at moment: Moment) {
    guard timeCheck != nil else { return }
    let (current, wasCalibrating) = (settings.current, timeCheck?.checker.isCalibrating == true)
    for news in timeCheck?.follow(current, moment) ?? [] { emit(.report(.timing(news))) }
    if wasCalibrating, timeCheck?.checker.isCalibrating == false { endCalibration(at: moment) }
    let news = timeCheck?.settle() ?? []
    // A take's summary contains its warnings' essentials, and displays show the last report.
    for warning in timeCheck?.takeWarnings() ?? [] { warn(warning, at: moment) }
    for news in news {
      if case .learned(let note, let drum) = news { keep(note, as: drum) }
      emit(.report(.timing(news)))
    }
    if let advice = timeCheck?.takeAdvice() { follow(advice, at: moment) }
    let title = timeCheck?.calibratedTitle ?? ""
    guard let result = timeCheck?.takeCalibration() else { return }
    switch result {
    case .success(let calibration):
      settings.update { $0.keep(calibration) }
      emit(.report(.timing(.calibrated(calibration))))
    case .failure(let failure):
      emit(.report(.timing(.notCalibrated(title.isEmpty ? "\(failure)" : "\(title): \(failure)"))))
    }
    endCalibration(at: moment)
  }

  /// Stops the music that a calibration has started.
  private mutating func endCalibration(at moment: Moment) {
    if timeCheck?.hasStarted == true {
      var atOnce: ScheduledChange?
      run(false, at: &atOnce, moment)
    }
    leaveCalibration()
  }

  /// Reopens the session that was set aside for a calibration. With Link, which excludes sessions, drops it.
  private mutating func leaveCalibration() {
    let aside = timeCheck?.aside
    timeCheck?.stopCalibrating()
    scores.noteChange()
    guard let aside, playback == nil else { return }
    guard !link.isJoined else {
      settings.update { $0.keep(aside.place) }
      return settings.update { $0.session = nil }
    }
    playback = aside
    prepare()
  }

  /// Reports the last results, at the end.
  mutating func finishHits(at moment: Moment) {
    if timeCheck?.checker.isCalibrating == true { breakCalibration("Tactus has ended") }
    let news = timeCheck?.finish() ?? []
    for warning in timeCheck?.takeWarnings() ?? [] { warn(warning, at: moment) }
    for news in news { emit(.report(.timing(news))) }
  }

  /// Drops a session that was set aside for a calibration.
  /// - Returns: whether there was one.
  mutating func dropSessionSetAside() -> Bool {
    guard timeCheck?.aside != nil else { return false }
    timeCheck?.dropSession()
    return true
  }

  /// Handles that the music has stopped.
  mutating func stopChecking(at frame: ClockFrame, _ moment: Moment) {
    timeCheck?.noteStop(at: frame)
    // The event may arrive after the music was started again, or after a pad's calibration has begun.
    guard let checker = timeCheck?.checker, checker.isCalibrating, !checker.comparesStrokes,
      !transport.isPlaying
    else { return }
    breakCalibration("the click has stopped")
  }

  private mutating func breakCalibration(_ reason: String) {
    leaveCalibration()
    emit(.report(.timing(.notCalibrated("\(reason), so nothing was measured"))))
  }

  /// Assigns the next note of an e-drum to a drum; nil cancels that.
  /// - Throws: `InvalidValue` if Tactus receives no notes of an e-drum.
  mutating func learn(_ drum: Drum?) throws(InvalidValue) {
    guard let desk = timeCheck, desk.checker.setup.hasNotes else {
      throw InvalidValue(sentence: "no e-drum is listened to: start Tactus with --hits")
    }
    timeCheck?.learn(drum)
  }

  private mutating func keep(_ note: UInt8, as drum: Drum) {
    settings.update {
      var map = $0[Parameters.drumNotes]
      map.learn(note, as: drum)
      try? $0.set(Parameters.drumNotes.setting(map))
    }
  }

  /// Measures how late an input hears the click while the player is silent, or how late a pad's notes are.
  /// - Parameter name: the input's name; empty for the first one that is not calibrated.
  mutating func calibrate(_ name: String, at date: inout ScheduledChange?, _ moment: Moment)
    throws(InvalidValue)
  {
    guard let desk = timeCheck else {
      throw InvalidValue(sentence: "Tactus does not listen: start it with --listen or --hits")
    }
    guard let source = desk.source(name) else {
      throw InvalidValue("calibrate", quoted(name), allowed: desk.names.joined(separator: ", "))
    }
    if source == .notes, name.isEmpty {
      return emit(
        .report(
          .timing(
            .notCalibrated(
              "an e-drum's notes need none; with a microphone or trigger beside a pad, calibrate hits measures the module's own delay"
            ))
        ))
    }
    guard !desk.checker.isCalibrating else {
      throw InvalidValue(sentence: "a calibration is under way: stop ends it")
    }
    if let port = desk.unconnectedPort(for: source) {
      throw InvalidValue(sentence: "nothing is connected to \(port): connect it first")
    }
    guard playback == nil || !transport.isPlaying else {
      throw InvalidValue(sentence: "a session plays: stop it to calibrate")
    }
    guard transport.mode.obeysCommands else {
      throw InvalidValue(sentence: "calibrate in the role free, where Tactus starts and stops by itself")
    }
    if source == .notes { return try calibratePad() }
    let startsMusic = !transport.isPlaying
    timeCheck?.calibrate(source, startsMusic: startsMusic, settingAside: playback?.setAside())
    if playback != nil {
      playback = nil
      scores.use(nil, isNew: true)
      publish(at: moment)
    }
    if startsMusic { run(true, at: &date, moment) }
    emit(.report(.timing(.calibrating("Keep silent while \(ClickCalibration.clicks) clicks sound."))))
    scores.noteChange()
  }

  /// Ends a pad's calibration, which does not end with the music.
  /// - Returns: whether there was one.
  mutating func stopCalibratingPad() -> Bool {
    guard timeCheck?.checker.comparesStrokes == true else { return false }
    breakCalibration("it was stopped")
    return true
  }

  /// Measures how late an e-drum's notes are, with an audio input beside the pad.
  private mutating func calibratePad() throws(InvalidValue) {
    guard !transport.isPlaying else {
      throw InvalidValue(sentence: "the music plays: stop it, so that the pad alone is heard")
    }
    guard timeCheck?.checker.setup.judged.isEmpty == false else {
      throw InvalidValue(
        sentence: "no microphone or trigger beside the pad is listened to: start Tactus with --listen mic")
    }
    guard timeCheck?.lacksCalibratedInput == false else {
      throw InvalidValue(
        sentence:
          "the microphone or trigger beside the pad is not calibrated: calibrate it by the click first")
    }
    timeCheck?.calibrate(.notes, startsMusic: false, settingAside: nil)
    emit(
      .report(
        .timing(
          .calibrating(
            "Hit one pad \(NoteCalibration.strokes) times, a second apart, with the microphone or trigger beside it."
          )
        )))
  }
}
