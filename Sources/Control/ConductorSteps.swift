import Engine
import MusicTime

/// Going through a session: starts and stops, sections and songs.
extension ConductorState {
  // MARK: Starting by itself

  /// Clears the way for a start or stop that is asked for.
  /// - Returns: whether the start has to wait for the song; it is remembered.
  func prepareToRun(_ isRunning: Bool) -> Bool {
    guard let shelf else { return false }
    cancelStart(isRunning)
    // A MIDI clock can't be kept waiting.
    if isRunning, !shelf.isReady, now.settings.role != .midiClock {
      self.shelf?.start = AwaitedStart(frame: .min)
      return true
    }
    self.shelf?.isPaused = false
    // A transport stays where it is stopped.
    if !isRunning, now.settings.role == .free {
      self.shelf?.rewind()
      // The next start would otherwise not get beyond the first section.
      if shelf.isHeld { try? hold(false) }
    }
    return false
  }

  /// Takes an awaited start back, as somebody starts or stops by hand.
  func cancelStart(_ isRunning: Bool) {
    guard let start = shelf?.start else { return }
    shelf?.start = nil
    // The engine has it already, and does nothing at a start while it plays.
    if start.isSent, !isRunning { send(Command(.stop, at: start.frame)) }
  }

  /// Starts the song whose time has come.
  func startIfDue() {
    guard let shelf, shelf.isReady, let start = shelf.start else { return }
    let clock = channels.pointee.clock.load(ordering: .relaxed)
    if start.isSent {
      if clock > start.frame { self.shelf?.start = nil }
    } else if now.settings.role != .free {
      guard start.frame <= clock else { return }
      self.shelf?.start = nil
      host?.startTransport()
    } else if start.frame <= clock || start.frame - clock <= Int64(scores.sampleRate / 10) {
      // As much ahead as what is scheduled.
      self.shelf?.start?.isSent = true
      now.isPlaying = true
      send(Command(.start, at: start.frame))
    }
  }

  // MARK: Songs

  /// Stops at once.
  func leaveSong() {
    var atOnce: Appointment?
    run(false, at: &atOnce)
  }

  /// Goes to another song, stopped at its start.
  private func select(_ index: Int) {
    guard var shelf, shelf.setlist.songs.indices.contains(index) else { return }
    let ready = index == shelf.index + 1 ? shelf.upcoming : nil
    shelf.select(index)
    self.shelf = shelf
    notePlace()
    if let ready {
      use(ready, index: index)
    } else {
      prepare()
    }
  }

  /// The score has come to its end.
  func finish(at frame: Int64) {
    // A transport rolls on, and says so itself when it doesn't.
    if now.settings.role == .free { now.isPlaying = false }
    guard let shelf, !shelf.isLast else { return conclude() }
    // Who follows doesn't stop others: the next song is there when it is asked for.
    guard !now.settings.role.isLed else { return }
    let after = shelf.setlist.songs[shelf.index].after
    leaveSong()
    select(shelf.index + 1)
    if case .pause(let milliseconds) = after {
      let pause = Int64(milliseconds) * Int64(scores.sampleRate) / 1_000
      self.shelf?.start = AwaitedStart(frame: frame + pause)
      // In `free` it is as good as playing: a stop ends the pause.
      if now.settings.role == .free { now.isPlaying = true }
    }
  }

  /// The last song is over.
  private func conclude() {
    // A transport may come back from behind the end.
    if now.settings.role == .free {
      shelf?.rewind()
      notePlace()
    }
    report(.finished)
  }

  // MARK: Sections

  func go(_ step: SessionStep) throws(InvalidValue) {
    guard let shelf else { throw ConductorState.noSession }
    switch step {
    case .next:
      if let next = shelf.part(after: shelf.target ?? part) {
        try jump(toPart: next)
      } else if !shelf.isLast {
        try go(.nextSong)
      } else if now.isPlaying, shelf.isOpen(part: part) {
        // It lasts until somebody goes on, which is now.
        leaveSong()
        conclude()
      } else {
        throw InvalidValue("next", "after the last section", allowed: "asked before it")
      }
    case .previous:
      let isEarly = shelf.target != nil || songFrame - startFrame(ofPart: part) < Int64(2 * scores.sampleRate)
      try jump(toPart: max(0, (shelf.target ?? part) - (isEarly ? 1 : 0)))
    case .label(let label):
      guard let plan = shelf.song.plans.firstIndex(where: { $0.label == label }) else {
        let labels = Set(shelf.song.plans.compactMap(\.label)).sorted()
        throw InvalidValue(
          "label", quoted(label),
          allowed: labels.isEmpty
            ? "in the document, which has none" : "one of \(labels.joined(separator: ", "))"
        )
      }
      try jump(toPart: shelf.part(of: plan))
    case .section(let number):
      guard 1...shelf.parts.count ~= number else {
        throw InvalidValue("section", "\(number)", allowed: "1…\(shelf.parts.count)")
      }
      try jump(toPart: number - 1)
    case .song(let number):
      guard shelf.setlist.songs.indices.contains(number - 1) else {
        throw InvalidValue("song", "\(number)", allowed: "1…\(shelf.setlist.songs.count)")
      }
      leaveSong()
      select(number - 1)
    case .nextSong:
      guard !shelf.isLast else {
        throw InvalidValue("song", "\(shelf.index + 2)", allowed: "1…\(shelf.index + 1)")
      }
      leaveSong()
      select(shelf.index + 1)
    case .previousSong:
      leaveSong()
      select(max(0, shelf.index - 1))
    }
  }

  func jump(toPart part: Int) throws(InvalidValue) {
    guard let shelf, shelf.parts.indices.contains(part) else { return }
    guard now.settings.role != .midiClock else { throw clockRules }
    if now.settings.role == .free {
      send(Command(.jump(section: shelf.parts[part], now.isPlaying ? now.settings.quantise : .now)))
    } else if let frame = UInt32(exactly: startFrame(ofPart: part)) {
      host?.locateTransport(to: frame)
    } else {
      throw InvalidValue(
        "section", quoted(shelf.name(ofPart: part)),
        allowed: "one that begins within 2³² frames of the transport (role free has no such bound)")
    }
    if now.isPlaying {
      self.shelf?.target = part
    } else {
      self.shelf?.section = part
      self.shelf?.bar = 0
      notePlace()
    }
  }

  func hold(_ holds: Bool) throws(InvalidValue) {
    guard shelf != nil else { throw ConductorState.noSession }
    guard !holds || now.settings.role == .free else {
      throw InvalidValue(
        "hold", "in role \(now.settings.role.rawValue)", allowed: "asked in role free: a transport goes on")
    }
    shelf?.isHeld = holds
    send(Command(.hold(holds)))
  }

  func changeSpeed(to percent: Int) throws(InvalidValue) {
    guard shelf != nil else { throw ConductorState.noSession }
    guard 10...400 ~= percent else { throw InvalidValue("speed", "\(percent)", allowed: "10…400 percent") }
    scores.percent = percent
    shelf?.percent = percent
    needsScore = true
  }
}
