import Engine
import MusicTime
import Validation

/// Going through a session: starts that come by themselves, sections, and progress.
extension ConductorCore {
  // MARK: Starting by itself

  /// Clears the way for a start or stop that is asked for.
  /// - Returns: whether the start has to wait for the song; it is remembered.
  func prepareToRun(_ isRunning: Bool, at moment: Moment) -> Bool {
    guard let current = playback else { return false }
    cancelStart(isRunning, at: moment)
    playback?.resume()
    // A MIDI clock can't be kept waiting.
    if isRunning, !current.isReady, !transport.mode.followsMIDIClock {
      playback?.awaitStart(AwaitedStart(frame: .earliest))
      return true
    }
    // A transport stays where it is stopped.
    if !isRunning, transport.mode.obeysCommands {
      playback?.stop()
      // The next start would otherwise not get beyond the first section.
      if current.repeats.isOn || current.repeats.mark != nil { try? hold(false) }
    }
    return false
  }

  /// Takes an awaited start back, as somebody starts or stops by hand.
  func cancelStart(_ isRunning: Bool, at moment: Moment) {
    guard let start = playback?.start else { return }
    playback?.awaitStart(nil)
    // The engine has it already, and does nothing at a start while it plays.
    if start.isSent, !isRunning { send(Command(.stop, at: start.frame), at: moment) }
  }

  /// Starts the song whose time has come.
  func startIfDue(at moment: Moment) {
    guard let current = playback, current.isReady, let start = current.start else { return }
    let clock = moment.engine.clock
    let lead = Int64(leadTime(at: moment).inSeconds * Double(scores.sampleRate))
    if start.isSent {
      if clock > start.frame { playback?.awaitStart(nil) }
    } else if !transport.mode.obeysCommands {
      guard start.frame <= clock else { return }
      playback?.awaitStart(nil)
      emit(.startTransport)
    } else if start.frame <= clock || start.frame - clock <= lead {
      // As early as scheduled changes.
      playback?.awaitStart(AwaitedStart(frame: start.frame, isSent: true))
      transport.play(true)
      // A song that follows another by itself is not counted in.
      send(Command(start.frame == .earliest ? startByHand : .start, at: start.frame), at: moment)
    }
  }

  /// The score has come to its end.
  func finish(at frame: ClockFrame, _ moment: Moment) {
    if transport.mode.obeysCommands {
      // It has been stopped just before: what is there now is not what has ended.
      guard transport.isPlaying else { return }
      // A transport rolls on, and says so itself when it doesn't.
      transport.play(false)
    }
    guard let current = playback, !current.isLast else { return conclude() }
    // Who follows doesn't stop others: the next song is there when it is asked for.
    guard !transport.mode.isLed else { return }
    // Who wants it to end does not want the next song to begin by itself.
    let after = ending.isUnderWay ? .wait : current.after ?? current.setlist.songs[current.index].after
    goToNextSong(at: moment)
    if case .pause(let milliseconds) = after {
      let pause = Int64(milliseconds) * Int64(scores.sampleRate) / 1_000
      playback?.awaitStart(AwaitedStart(frame: frame + pause))
      // In `free` it is as good as playing: a stop ends the pause.
      if transport.mode.obeysCommands { transport.play(true) }
    }
  }

  /// The last song is over.
  func conclude() {
    // A transport may come back from behind the end.
    if transport.mode.obeysCommands {
      playback?.finish()
      notePlace()
    }
    emit(.report(.finished))
  }

  // MARK: Sections

  /// - Parameter quantise: when a jump to the next section takes effect; nil for as it is set.
  func go(
    _ step: SessionStep, quantise: Quantise? = nil, at moment: Moment
  ) throws(InvalidValue) {
    guard let playback, let position = position(at: moment) else { throw ConductorCore.noSession }
    switch step {
    case .next:
      let part = position.part
      if let next = playback.part(after: playback.target ?? part) {
        try jump(
          toPart: next, turns: next <= playback.target ?? part ? 1 : 0, quantise: quantise, at: moment)
      } else if !playback.isLast {
        goToNextSong(at: moment)
      } else if transport.isPlaying, playback.isOpen(part: part) {
        // It lasts until somebody goes on, which is now.
        leaveSong(at: moment)
        conclude()
      } else {
        throw InvalidValue("next", "after the last section", allowed: "asked before it")
      }
    case .previous:
      let part = playback.target ?? position.part
      // A page that was turned too far is turned back; while something plays no song is left.
      if part == 0, playback.bar == 0, playback.index > 0, !playback.isPaused, !transport.isPlaying {
        return select(playback.index - 1, at: moment)
      }
      let (there, turns) = position.isEarlyInPart ? playback.part(before: part) : (part, 0)
      try jump(toPart: there, turns: turns, at: moment)
    case .label(let label):
      try jump(toPart: playback.part(of: playback.labels.plan(label)), at: moment)
    case .section(let number):
      guard 1...playback.parts.count ~= number else {
        throw InvalidValue("section", "\(number)", allowed: "1…\(playback.parts.count)")
      }
      try jump(toPart: number - 1, at: moment)
    case .song(let number):
      guard 1...playback.setlist.songs.count ~= number else {
        throw InvalidValue("song", "\(number)", allowed: "1…\(playback.setlist.songs.count)")
      }
      leaveSong(at: moment)
      select(number - 1, at: moment)
    case .nextSong:
      guard !playback.isLast else {
        throw InvalidValue(
          sentence: playback.setlist.songs.count > 1
            ? "this is the last song of the setlist" : "there is no other song: a setlist has several")
      }
      goToNextSong(at: moment)
    case .previousSong:
      leaveSong(at: moment)
      select(max(0, playback.index - 1), at: moment)
    }
  }

  /// - Parameters:
  ///   - turns: the rounds of a song without end by which it goes on from where it is, or heads for; nil if it keeps the present one.
  ///   - quantise: when it takes effect; nil for as it is set.
  func jump(
    toPart part: Int, turns: Int? = nil, quantise: Quantise? = nil, at moment: Moment
  ) throws(InvalidValue) {
    guard let current = playback, current.parts.indices.contains(part) else { return }
    try transport.checkMove()
    if transport.mode.obeysCommands {
      let quantise = transport.isPlaying ? quantise ?? settings.current.quantise : .now
      send(Command(.jump(BarRange.Bar(section: current.parts[part]), quantise)), at: moment)
    } else if let frame = UInt32(exactly: position(at: moment)?.startFrame(ofPart: part) ?? 0) {
      emit(.locateTransport(to: frame))
    } else {
      throw InvalidValue(
        "section", quoted(current.name(ofPart: part)),
        allowed: "one that begins within 2³² frames of the transport (role free has no such bound)")
    }
    if transport.isPlaying {
      playback?.head(forPart: part, turns: turns)
    } else {
      playback?.wait(atPart: part, turns: turns ?? 0)
      notePlace()
    }
  }

  func hold(_ holds: Bool) throws(InvalidValue) {
    guard playback != nil else { throw ConductorCore.noSession }
    if holds { try checkRepeating("hold") }
    playback?.hold(holds)
  }

  /// Marks, sets or ends the bars that repeat. Where they don't play, the music goes to the first of them.
  func loop(_ wish: BarLoopWish, at moment: Moment) throws(InvalidValue) {
    guard let current = playback else { throw ConductorCore.noSession }
    switch wish {
    case .bars(nil): return try hold(false)
    case .mark where current.repeats.loop != nil: return try hold(false)
    case .mark:
      try checkRepeating("loop")
      guard current.bar > 0, !current.song.plans[current.here.section].isCountIn else {
        throw InvalidValue("loop", "before the music plays", allowed: "marked in a bar that plays")
      }
      guard let mark = current.repeats.mark else {
        playback?.markLoop()
        return
      }
      // Whoever has gone back since the first mark means the same bars.
      guard let range = BarRange(mark, through: current.here) ?? BarRange(current.here, through: mark) else {
        return
      }
      playback?.loop(range)
    case .bars(let bars?):
      try checkRepeating("loop")
      let range = try current.range(of: bars)
      playback?.loop(range)
      if !(range.first...range.last ~= current.here) || current.bar == 0 {
        goTo(range.first, at: moment)
      }
    }
  }

  private func checkRepeating(_ what: String) throws(InvalidValue) {
    guard !transport.mode.obeysCommands else { return }
    throw InvalidValue(
      what, "in role \(transport.mode.rawValue)", allowed: "asked in role free: a transport goes on")
  }

  /// Goes to a bar of the score, on the next bar line; at once if nothing plays.
  private func goTo(_ bar: BarRange.Bar, at moment: Moment) {
    guard let current = playback else { return }
    let part = current.part(of: bar.section)
    send(Command(.jump(bar, transport.isPlaying ? .bar : .now)), at: moment)
    if !transport.isPlaying {
      playback?.wait(atPart: part)
      notePlace()
    } else if part != current.section {
      playback?.head(forPart: part)
    }
  }

  func changeSpeed(to percent: Int) throws(InvalidValue) {
    guard playback != nil else { throw ConductorCore.noSession }
    guard SessionSpeed.range ~= percent else {
      throw InvalidValue("speed", "\(percent)", allowed: SessionSpeed.allowed)
    }
    change { $0.percent = percent }
  }

  /// Moves the tempos of the song that plays; another song plays as its document says.
  func nudgeSong(by thousandths: Int) throws(InvalidValue) {
    guard let nudge = playback.map({ $0.rendition.nudge + thousandths }), Rendition.nudges ~= nudge else {
      throw InvalidValue(
        sentence:
          "the song's tempo is moved by at most \(Rendition.mostNudged): speed makes it slower or faster")
    }
    change { $0.nudge = nudge }
  }

  /// Silences bars of the song that plays; another song plays as its document says.
  func silenceSong(_ setting: Setting) throws(InvalidValue) {
    var metronome = settings.current
    try metronome.set(setting)
    change { $0.gap = metronome.gap }
  }

  private func change(_ update: (inout Rendition) -> Void) {
    guard var rendition = playback?.rendition else { return }
    update(&rendition)
    scores.change(rendition)
    playback?.change(rendition)
  }

  // MARK: Progress

  /// Notes where a beat is.
  func noteProgress(_ beat: Event.Beat) {
    // After a stop come the beats that were on their way.
    guard transport.isPlaying || playback?.isPaused == true || !transport.mode.obeysCommands else { return }
    guard let current = playback, current.isReady, beat.section < current.song.plans.count else { return }
    if playback?.note(beat) == true { notePlace() }
  }

  /// Notes where a transport stands that is about to roll: beats say so only when they come.
  func noteStanding(at moment: Moment) {
    guard let position = position(at: moment), position.part != position.playback.section else { return }
    playback?.stand(atPart: position.part)
    notePlace()
  }

  func notePlace() {
    guard let place = playback?.place.sectionStart else { return }
    settings.update { $0.session = place }
  }
}
