import Engine
import MusicTime
import Realtime
import Validation

/// Moves through a session: automatic starts, sections, and progress.
extension ConductorCore {
  // MARK: Automatic starts

  /// Prepares the session for a requested start or stop.
  /// - Returns: whether the start has to wait until the song is ready; it is then remembered.
  mutating func prepareToRun(_ isRunning: Bool, at moment: Moment) -> Bool {
    guard let current = playback else { return false }
    cancelStart(isRunning, at: moment)
    playback?.resume()
    // A MIDI clock does not wait.
    if isRunning, !current.isReady, !transport.mode.followsMIDIClock {
      playback?.awaitStart(AwaitedStart(frame: .earliest))
      return true
    }
    // A transport keeps its position when it is stopped.
    if !isRunning, transport.mode.obeysCommands {
      playback?.stop()
      // Otherwise the next start would not get beyond the first section.
      if current.repeats.isOn || current.repeats.mark != nil { playback?.hold(false) }
    }
    return false
  }

  /// Cancels an awaited start, because the user starts or stops by hand.
  mutating func cancelStart(_ isRunning: Bool, at moment: Moment) {
    guard let start = playback?.start else { return }
    playback?.awaitStart(nil)
    // The engine may have the start already. While it plays it ignores starts, so only a stop needs a command.
    if start.isSent, !isRunning { send(Command(.stop, at: start.frame), at: moment) }
  }

  /// Starts the song if its time has come.
  mutating func startIfDue(at moment: Moment) {
    guard let current = playback, current.isReady, let start = current.start else { return }
    let clock = moment.engine.clock
    let lead = Int64(leadTime(at: moment).inSeconds * Double(scores.sampleRate))
    if start.isSent {
      if clock > start.frame { playback?.awaitStart(nil) }
    } else if !transport.mode.obeysCommands {
      guard start.frame <= clock else { return }
      playback?.awaitStart(nil)
      if transport.mode.isOnTransport { runTransport(true, at: moment) }
    } else if start.frame <= clock || start.frame - clock <= lead {
      // As early as scheduled changes are handed to the engine.
      playback?.awaitStart(AwaitedStart(frame: start.frame, isSent: true))
      transport.play(true)
      // A song that follows another automatically has no pre-roll.
      send(Command(start.frame == .earliest ? startByHand : .start, at: start.frame), at: moment)
    }
  }

  /// Handles the end of the score.
  mutating func finish(at frame: ClockFrame, _ moment: Moment) {
    if transport.mode.obeysCommands {
      // If the music has just been stopped, the present state does not belong to the score that has ended.
      guard transport.isPlaying else { return }
      // A transport rolls on; the engine reports when it stops.
      transport.play(false)
    }
    guard let current = playback, !current.isLast else { return conclude() }
    // A follower does not stop the others: the next song waits until it is requested.
    guard !transport.mode.isLed else { return }
    // If the user has asked for an end, the next song does not begin automatically.
    let after = ending.isUnderWay ? .wait : current.afterSong
    ending.leaveBar()
    goToNextSong(at: moment)
    if case .pause(let milliseconds) = after {
      let pause = Int64(milliseconds) * Int64(scores.sampleRate) / 1_000
      playback?.awaitStart(AwaitedStart(frame: frame + pause))
      // In `free` the pause counts as playing, so a stop ends the pause.
      if transport.mode.obeysCommands { transport.play(true) }
    }
  }

  /// Tells the engine which song begins on the frame on which the current one ends.
  mutating func followSuccessor() {
    scores.follow(with: goesOnAtEnd ? playback?.successor : nil, number: playback?.upcomingNumber ?? 0)
  }

  /// Whether the next song begins on the frame on which the current one ends, if it is prepared.
  private var goesOnAtEnd: Bool {
    guard transport.mode == .free, !ending.isUnderWay, let playback, !playback.isLast else { return false }
    return playback.afterSong == .pause(milliseconds: 0)
  }

  /// Handles that the engine has begun the next song. If the conductor was away for so long that the event is lost, the engine's count
  /// shows it.
  /// - Parameter piece: the successor's number; nil if it is unknown.
  mutating func goOn(at frame: ClockFrame, number: Int, piece: Int?, _ moment: Moment) {
    guard number > scores.successions else { return }
    stopChecking(at: frame, moment)
    let isWanted = transport.isPlaying && goesOnAtEnd
    let wanted = isWanted ? playback.map { $0.setlist.songs[$0.index + 1].song } : nil
    switch scores.noteSuccession(number, piece: piece, wanted: wanted) {
    case .expected: break
    // An end was asked for, or another song put in its place, just before the song's end.
    case .withdrawn: return transport.mode == .free ? finish(at: frame, moment) : ()
    case .outdated: return
    }
    guard let current = playback, !current.isLast else { return }
    playback?.select(current.index + 1)
    playback?.becomeReady()
    notePlace()
    ending.leaveBar()
    schedule.noteMovement()
    // It counts as another start.
    transport.play(false)
    transport.play(true)
    prepareUpcoming()
    if let waiting = current.reloaded { take(reloaded: waiting.setlist, at: moment) }
  }

  /// Handles the end of the last song.
  mutating func conclude() {
    // A transport may return from a position after the end.
    if transport.mode.obeysCommands {
      playback?.finish()
      notePlace()
    }
    emit(.report(.finished))
  }

  // MARK: Sections

  /// - Parameter quantise: when a jump to the next section takes effect; nil: as set.
  mutating func go(
    _ step: SessionStep, quantise: Quantise? = nil, at moment: Moment
  ) throws(InvalidValue) {
    guard let playback, let position = position(at: moment) else { throw ConductorCore.noSession }
    switch step {
    case .next:
      let part = position.part
      let here = playback.requested ?? part
      if let next = playback.part(after: here) {
        try jump(toPart: next, turns: next <= here ? 1 : 0, quantise: quantise, at: moment)
      } else if !playback.isLast {
        goToNextSong(at: moment)
      } else if transport.isPlaying, playback.isOpen(part: part) {
        // The section is open: this request ends it.
        leaveSong(at: moment)
        conclude()
      } else {
        throw InvalidValue("next", "after the last section", allowed: "asked before it")
      }
    case .previous:
      let part = playback.requested ?? position.part
      // Before its first beat, the first section has no predecessor: goes back to the previous song, but only while nothing
      // plays.
      if part == 0, playback.bar == 0, playback.index > 0, !playback.isPaused, !transport.isPlaying {
        return select(playback.index - 1, at: moment)
      }
      let (there, turns) = position.isEarlyInPart ? playback.part(before: part) : (part, 0)
      try jump(toPart: there, turns: turns, at: moment)
    case .named(let name): try jump(toPart: playback.outline.section(named: name), at: moment)
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
  ///   - turns: number of rounds to add in a song without end, relative to the place where it is or heads for; nil: keeps the
  ///   current round.
  ///   - quantise: when the jump takes effect; nil: as set.
  mutating func jump(
    toPart part: Int, turns: Int? = nil, quantise: Quantise? = nil, at moment: Moment
  ) throws(InvalidValue) {
    guard let current = playback, current.parts.indices.contains(part) else { return }
    try transport.checkMove()
    if transport.mode.obeysCommands {
      let quantise = transport.isPlaying ? quantise ?? settings.current.quantise : .now
      send(Command(.jump(BarRange.Bar(section: current.parts[part]), quantise)), at: moment)
    } else if let frame = UInt32(exactly: position(at: moment)?.startFrame(ofPart: part) ?? 0) {
      locateTransport(to: frame, at: moment)
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

  /// Repeats the current section, or ends all repetition. If a loop has not begun, the music does not go there.
  /// - Throws: `InvalidValue` if no session is open, or the role does not allow it.
  mutating func hold(_ holds: Bool, at moment: Moment) throws(InvalidValue) {
    guard let current = playback else { throw ConductorCore.noSession }
    if holds { try checkRepeating("hold") }
    if let loop = current.repeats.loop, !current.plays(loop), current.requested == nil {
      cancelJump(at: moment)
    }
    playback?.hold(holds)
  }

  /// Marks, sets or ends the loop. If the music neither plays in the loop nor comes to it with the next bar, jumps to its first bar;
  /// a count-in is played to its end before.
  /// - Parameter time: when it was asked for. A pedal's press may be decided in the bar after it.
  /// - Throws: `InvalidValue` if no session is open, the bars are invalid, or the role does not allow it.
  mutating func loop(_ change: BarLoopChange, asked time: Instant, at moment: Moment) throws(InvalidValue) {
    guard let current = playback else { throw ConductorCore.noSession }
    switch change {
    case .bars(nil): return try hold(false, at: moment)
    case .mark where current.repeats.loop != nil: return try hold(false, at: moment)
    case .mark:
      try checkRepeating("loop")
      guard current.bar > 0, !current.isInCountIn else {
        throw InvalidValue("loop", "outside the song's bars", allowed: "marked while one of them plays")
      }
      let bar = current.bar(at: time)
      guard let mark = current.repeats.mark else {
        playback?.markLoop(bar)
        return
      }
      // If the player has gone back since the first mark, the two marks are swapped.
      guard let range = BarRange(mark, through: bar) ?? BarRange(bar, through: mark) else { return }
      repeatBars(range, at: moment)
    case .bars(let bars?):
      try checkRepeating("loop")
      repeatBars(try current.range(of: bars, current.isReady ? scores.map : nil), at: moment)
    }
  }

  private mutating func repeatBars(_ range: BarRange, at moment: Moment) {
    guard let current = playback else { return }
    playback?.loop(range)
    let comes = current.comes(to: range, isUnderWay: transport.isPlaying)
    // The engine may already have jumped to another section, whose beats have not been heard yet.
    if comes, current.target == nil || current.isInCountIn {
      cancelJump(at: moment)
    } else {
      goTo(range.first, at: moment)
    }
  }

  /// Cancels a jump within the current section, or to the loop, that waits for its line.
  private mutating func cancelJump(at moment: Moment) {
    guard transport.mode.obeysCommands else { return }
    send(Command(.cancelJump), at: moment)
    playback?.stay()
  }

  private func checkRepeating(_ what: String) throws(InvalidValue) {
    guard !transport.mode.obeysCommands else { return }
    throw InvalidValue(
      what, "in role \(transport.mode.rawValue)",
      allowed: "asked in role free, where Tactus decides which bar follows")
  }

  /// Jumps to a bar of the loop: at the next bar line, or at once if nothing plays.
  private mutating func goTo(_ bar: BarRange.Bar, at moment: Moment) {
    guard let current = playback else { return }
    let part = current.part(of: bar.section)
    send(Command(.jump(bar, transport.isPlaying ? .bar : .now)), at: moment)
    if !transport.isPlaying {
      playback?.wait(atPart: part)
      notePlace()
    } else if part != current.section {
      playback?.head(forPart: part, isToLoop: true)
    } else {
      playback?.stay()
    }
  }

  /// - Throws: `InvalidValue` if no session is open, or outside `SessionSpeed.range`.
  mutating func changeSpeed(to percent: Int) throws(InvalidValue) {
    guard playback != nil else { throw ConductorCore.noSession }
    guard SessionSpeed.range ~= percent else {
      throw InvalidValue("speed", "\(percent)", allowed: SessionSpeed.allowed)
    }
    change { $0.percent = percent }
  }

  /// Moves the tempos of the current song. Other songs keep their documents' tempos.
  /// - Throws: `InvalidValue` if the whole nudge would be outside `Rendition.nudges`.
  mutating func nudgeSong(by thousandths: Int) throws(InvalidValue) {
    guard let nudge = playback.map({ $0.rendition.nudge + thousandths }), Rendition.nudges ~= nudge else {
      throw InvalidValue(
        sentence:
          "the song's tempo is moved by at most \(Rendition.mostNudged): speed makes it slower or faster")
    }
    change { $0.nudge = nudge }
  }

  /// Silences bars of the current song. Other songs keep their documents' bars.
  /// - Throws: `InvalidValue` if the settings do not allow the gap.
  mutating func silenceSong(_ setting: Setting) throws(InvalidValue) {
    var metronome = settings.current
    try metronome.set(setting)
    change { $0.gap = metronome.gap }
  }

  private mutating func change(_ update: (inout Rendition) -> Void) {
    guard var rendition = playback?.rendition else { return }
    update(&rendition)
    scores.change(rendition)
    playback?.change(rendition)
  }

  // MARK: Progress

  /// Records the place of a beat that sounds at an instant.
  mutating func noteProgress(_ beat: Event.Beat, at time: Instant, _ moment: Moment) {
    // After a stop, beats that are still in the ring arrive.
    guard transport.isPlaying || playback?.isPaused == true || !transport.mode.obeysCommands else { return }
    guard let current = playback, current.isReady, beat.section < current.song.plans.count else { return }
    if playback?.note(beat, at: time) == true { notePlace() }
    if current.isInCountIn, current.requested == nil { enterLoop(at: moment) }
  }

  /// Goes to the loop after a count-in, if it does not begin there. Called with each beat of the count-in, and with the first one of the
  /// music, unless the player has asked for another section.
  private mutating func enterLoop(at moment: Moment) {
    guard transport.isPlaying, let current = playback, current.target == nil, let loop = current.repeats.loop,
      !current.comes(to: loop, isUnderWay: true)
    else { return }
    goTo(loop.first, at: moment)
  }

  /// Records where a stopped transport is about to roll, because no beat has reported it yet.
  mutating func noteStanding(at moment: Moment) {
    guard let position = position(at: moment), position.part != position.playback.section else { return }
    playback?.stand(atPart: position.part)
    notePlace()
  }

  /// Saves the start of the current section as the session's place.
  mutating func notePlace() {
    guard let place = playback?.place.sectionStart else { return }
    settings.update { $0.session = place }
  }
}
