import Engine
import MusicTime
import Validation

/// Going through a session: starts and stops, sections and songs.
extension ConductorCore {
  // MARK: Starting by itself

  /// Clears the way for a start or stop that is asked for.
  /// - Returns: whether the start has to wait for the song; it is remembered.
  func prepareToRun(_ isRunning: Bool) -> Bool {
    guard let playback else { return false }
    cancelStart(isRunning)
    // A MIDI clock can't be kept waiting.
    if isRunning, !playback.isReady, now.settings.role != .midiClock {
      self.playback?.awaitStart(AwaitedStart(frame: .min))
      return true
    }
    self.playback?.resume()
    // A transport stays where it is stopped.
    if !isRunning, now.settings.role == .free {
      self.playback?.rewind()
      // The next start would otherwise not get beyond the first section.
      if playback.isHeld { try? hold(false) }
    }
    return false
  }

  /// Takes an awaited start back, as somebody starts or stops by hand.
  func cancelStart(_ isRunning: Bool) {
    guard let start = playback?.start else { return }
    playback?.awaitStart(nil)
    // The engine has it already, and does nothing at a start while it plays.
    if start.isSent, !isRunning { send(Command(.stop, at: start.frame)) }
  }

  /// Starts the song whose time has come.
  func startIfDue() {
    guard let playback, playback.isReady, let start = playback.start else { return }
    let clock = channels.pointee.clock.load(ordering: .relaxed)
    if start.isSent {
      if clock > start.frame { self.playback?.awaitStart(nil) }
    } else if now.settings.role != .free {
      guard start.frame <= clock else { return }
      self.playback?.awaitStart(nil)
      host?.startTransport()
    } else if start.frame <= clock || start.frame - clock <= Int64(scores.sampleRate / 10) {
      // As much ahead as what is scheduled.
      self.playback?.awaitStart(AwaitedStart(frame: start.frame, isSent: true))
      now.isPlaying = true
      send(Command(.start, at: start.frame))
    }
  }

  // MARK: Songs

  /// Stops at once.
  func leaveSong() {
    var atOnce: ScheduledChange?
    run(false, at: &atOnce)
  }

  /// Goes to another song, stopped at its start.
  private func select(_ index: Int) {
    guard var playback, playback.setlist.songs.indices.contains(index) else { return }
    let ready = index == playback.index + 1 ? playback.upcoming : nil
    playback.select(index)
    self.playback = playback
    notePlace()
    if let ready {
      use(ready, index: index)
    } else {
      prepare()
    }
  }

  /// Whether a song that is followed by another has begun its last beat. Whoever starts or stops then takes the song to be
  /// over, and must not stop it just before its end, or have it begin again.
  var isInLastBeat: Bool {
    guard let playback, playback.isReady, playback.bar > 0, !playback.isLast, !playback.isHeld,
      playback.target == nil,
      now.settings.role == .free, now.isPlaying, let lastBeat = scores.map?.lastBeat
    else { return false }
    return songFrame >= lastBeat
  }

  /// Stops at the start of the next song.
  func goToNextSong() {
    guard let playback, !playback.isLast else { return }
    leaveSong()
    select(playback.index + 1)
  }

  /// The score has come to its end.
  func finish(at frame: Int64) {
    if now.settings.role == .free {
      // It has been stopped just before: what is there now is not what has ended.
      guard now.isPlaying else { return }
      // A transport rolls on, and says so itself when it doesn't.
      now.isPlaying = false
    }
    guard let playback, !playback.isLast else { return conclude() }
    // Who follows doesn't stop others: the next song is there when it is asked for.
    guard !now.settings.role.isLed else { return }
    let after = playback.after ?? playback.setlist.songs[playback.index].after
    goToNextSong()
    if case .pause(let milliseconds) = after {
      let pause = Int64(milliseconds) * Int64(scores.sampleRate) / 1_000
      self.playback?.awaitStart(AwaitedStart(frame: frame + pause))
      // In `free` it is as good as playing: a stop ends the pause.
      if now.settings.role == .free { now.isPlaying = true }
    }
  }

  /// The last song is over.
  private func conclude() {
    // A transport may come back from behind the end.
    if now.settings.role == .free {
      playback?.rewind()
      notePlace()
    }
    report(.finished)
  }

  // MARK: Sections

  func go(_ step: SessionStep) throws(InvalidValue) {
    guard let playback else { throw ConductorCore.noSession }
    switch step {
    case .next:
      if let next = playback.part(after: playback.target ?? part) {
        try jump(toPart: next)
      } else if !playback.isLast {
        try go(.nextSong)
      } else if now.isPlaying, playback.isOpen(part: part) {
        // It lasts until somebody goes on, which is now.
        leaveSong()
        conclude()
      } else {
        throw InvalidValue("next", "after the last section", allowed: "asked before it")
      }
    case .previous:
      let isEarly =
        playback.target != nil || songFrame - startFrame(ofPart: part) < Int64(2 * scores.sampleRate)
      try jump(toPart: max(0, (playback.target ?? part) - (isEarly ? 1 : 0)))
    case .label(let label):
      try jump(toPart: playback.part(of: playback.labels.plan(label)))
    case .section(let number):
      guard 1...playback.parts.count ~= number else {
        throw InvalidValue("section", "\(number)", allowed: "1…\(playback.parts.count)")
      }
      try jump(toPart: number - 1)
    case .song(let number):
      guard playback.setlist.songs.indices.contains(number - 1) else {
        throw InvalidValue("song", "\(number)", allowed: "1…\(playback.setlist.songs.count)")
      }
      leaveSong()
      select(number - 1)
    case .nextSong:
      guard !playback.isLast else {
        throw InvalidValue("song", "\(playback.index + 2)", allowed: "1…\(playback.index + 1)")
      }
      goToNextSong()
    case .previousSong:
      leaveSong()
      select(max(0, playback.index - 1))
    }
  }

  func jump(toPart part: Int) throws(InvalidValue) {
    guard let playback, playback.parts.indices.contains(part) else { return }
    guard now.settings.role != .midiClock else { throw clockRules }
    if now.settings.role == .free {
      send(Command(.jump(section: playback.parts[part], now.isPlaying ? now.settings.quantise : .now)))
    } else if let frame = UInt32(exactly: startFrame(ofPart: part)) {
      host?.locateTransport(to: frame)
    } else {
      throw InvalidValue(
        "section", quoted(playback.name(ofPart: part)),
        allowed: "one that begins within 2³² frames of the transport (role free has no such bound)")
    }
    if now.isPlaying {
      self.playback?.head(forPart: part)
    } else {
      self.playback?.wait(atPart: part)
      notePlace()
    }
  }

  func hold(_ holds: Bool) throws(InvalidValue) {
    guard playback != nil else { throw ConductorCore.noSession }
    guard !holds || now.settings.role == .free else {
      throw InvalidValue(
        "hold", "in role \(now.settings.role.rawValue)", allowed: "asked in role free: a transport goes on")
    }
    playback?.hold(holds)
    send(Command(.hold(holds)))
  }

  func changeSpeed(to percent: Int) throws(InvalidValue) {
    guard playback != nil else { throw ConductorCore.noSession }
    guard 10...400 ~= percent else { throw InvalidValue("speed", "\(percent)", allowed: "10…400 percent") }
    scores.percent = percent
    playback?.changeSpeed(to: percent)
    needsScore = true
  }
}
