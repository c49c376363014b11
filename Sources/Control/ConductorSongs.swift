import Engine
import MusicTime

/// Sessions: opening them, going through them, and telling where they are.
extension ConductorState {
  /// Why a setting is refused while a session is open.
  static var documentRules: InvalidValue {
    InvalidValue(
      "this", "while a session is open",
      allowed: "left to its document; /tactus/speed makes it faster or slower")
  }

  private static var noSession: InvalidValue {
    InvalidValue("session", "none", allowed: "open first: tactus play FILE, or /tactus/session")
  }

  // MARK: Opening

  /// The session that was there at the start.
  func beginSession() {
    guard var shelf, let song = scores.song else { return }
    shelf.isReady = true
    self.shelf = shelf
    for warning in song.warnings { report(.warning(warning)) }
    jump(toPart: shelf.section)
    prepareUpcoming()
  }

  /// Reads a session elsewhere, and then opens it.
  func open(_ path: String, refuse: (@Sendable (String) -> Void)?) {
    guard !path.isEmpty else { return close() }
    songs.queue.async { [readSession, updates] in
      do {
        let (setlist, place) = try readSession(path)
        updates.push(Request(.session(setlist, place)))
      } catch {
        if let refuse { refuse("\(error)") } else { updates.push(Request(.problem("\(error)"))) }
      }
    }
  }

  func open(_ setlist: Setlist, at place: SessionPlace) {
    halt()
    shelf = SongShelf(setlist, at: place)
    now.settings.session = place
    prepare()
  }

  /// Closes the session: what plays is the metronome again.
  private func close() {
    guard shelf != nil else { return }
    halt()
    shelf = nil
    now.settings.session = nil
    scores.use(nil, isNew: true)
    publish()
  }

  private func prepare() {
    guard let shelf else { return }
    songs.prepare(shelf.song, sampleRate: scores.sampleRate, song: shelf.index, into: updates)
  }

  /// Has the next song ready before it is wanted.
  private func prepareUpcoming() {
    guard let shelf, !shelf.isLast else { return }
    let next = shelf.setlist.songs[shelf.index + 1].song
    songs.prepare(next, sampleRate: scores.sampleRate, song: shelf.index + 1, into: updates)
  }

  /// Takes a song that has been prepared.
  func use(_ song: PreparedSong, index: Int) {
    guard var shelf, shelf.setlist.songs.indices.contains(index), shelf.setlist.songs[index].song == song.plan
    else { return }
    guard song.sampleRate == scores.sampleRate else {
      return songs.prepare(song.plan, sampleRate: scores.sampleRate, song: index, into: updates)
    }
    for warning in song.warnings { report(.warning(warning)) }
    if index == shelf.index + 1 {
      self.shelf?.upcoming = song
    } else if index == shelf.index {
      let isNew = !shelf.isReady
      shelf.isReady = true
      self.shelf = shelf
      scores.use(song, isNew: isNew)
      publish()
      if isNew { begin() }
    }
  }

  /// The song that is wanted is there.
  private func begin() {
    guard let shelf else { return }
    if shelf.section > 0 { jump(toPart: shelf.section) }
    if let start = shelf.startFrame {
      self.shelf?.startFrame = nil
      now.isPlaying = true
      send(Command(.start, at: start))
    }
    prepareUpcoming()
  }

  /// Whether a start has to wait for the song; it is remembered.
  var waitsForSong: Bool {
    guard let shelf, !shelf.isReady else { return false }
    self.shelf?.startFrame = .min
    return true
  }

  /// A sample rate has changed: the song is made anew.
  func remakeSong() {
    guard shelf != nil else { return }
    shelf?.upcoming = nil
    prepare()
    prepareUpcoming()
  }

  // MARK: Going through

  private func halt() {
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

  func go(_ step: SessionStep) throws(InvalidValue) {
    guard let shelf else { throw ConductorState.noSession }
    switch step {
    case .next:
      if shelf.section + 1 < shelf.parts.count {
        jump(toPart: shelf.section + 1)
      } else if !shelf.isLast {
        try go(.nextSong)
      } else {
        throw InvalidValue(
          "next", "after \(quoted(shelf.name(ofPart: shelf.section)))",
          allowed: "asked before the last section")
      }
    case .previous:
      let into = channels.pointee.scoreFrame.load(ordering: .relaxed) - startFrame(ofPart: shelf.section)
      let isEarly = !now.isPlaying || into < Int64(2 * scores.sampleRate)
      jump(toPart: max(0, shelf.section - (isEarly ? 1 : 0)))
    case .label(let label):
      guard let plan = shelf.song.plans.firstIndex(where: { $0.label == label }) else {
        let labels = shelf.song.plans.compactMap(\.label)
        throw InvalidValue(
          "label", quoted(label),
          allowed: labels.isEmpty
            ? "in the document, which has none" : "one of \(Set(labels).sorted().joined(separator: ", "))")
      }
      jump(toPart: shelf.part(of: plan))
    case .nextSong:
      guard !shelf.isLast else {
        throw InvalidValue("song", "\(shelf.index + 2)", allowed: "1…\(shelf.index + 1)")
      }
      halt()
      select(shelf.index + 1)
    case .previousSong:
      halt()
      select(max(0, shelf.index - 1))
    }
  }

  private func startFrame(ofPart part: Int) -> Int64 {
    guard let shelf, let map = scores.map else { return 0 }
    return map.starts[min(shelf.parts[part], map.starts.count - 1)]
  }

  private func jump(toPart part: Int) {
    guard let shelf, shelf.parts.indices.contains(part) else { return }
    if now.settings.role == .free {
      send(Command(.jump(section: shelf.parts[part], now.isPlaying ? now.settings.quantise : .now)))
    } else if let frame = UInt32(exactly: startFrame(ofPart: part)) {
      host?.locateTransport(to: frame)
    }
    if !now.isPlaying {
      self.shelf?.section = part
      self.shelf?.bar = 0
      notePlace()
    }
  }

  func hold(_ holds: Bool) throws(InvalidValue) {
    guard shelf != nil else { throw ConductorState.noSession }
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

  /// The score has come to its end.
  func finish(at frame: Int64) {
    now.isPlaying = false
    guard let shelf, !shelf.isLast else {
      self.shelf?.section = 0
      self.shelf?.bar = 0
      return report(.finished)
    }
    let after = shelf.setlist.songs[shelf.index].after
    select(shelf.index + 1)
    if case .pause(let milliseconds) = after, now.settings.role == .free {
      let start = frame + Int64(milliseconds) * Int64(scores.sampleRate) / 1_000
      if self.shelf?.isReady == true {
        now.isPlaying = true
        send(Command(.start, at: start))
      } else {
        self.shelf?.startFrame = start
      }
    }
  }

  // MARK: Telling

  /// Keeps in mind where a beat is.
  func noteProgress(_ beat: Event.Beat) {
    guard var shelf, shelf.isReady, beat.section < shelf.song.plans.count else { return }
    let part = shelf.part(of: beat.section)
    shelf.bar = shelf.bars(inPart: part, before: beat.section) + beat.sectionBar
    let hasMoved = part != shelf.section
    shelf.section = part
    self.shelf = shelf
    if hasMoved { notePlace() }
  }

  private func notePlace() {
    guard let shelf else { return }
    now.settings.session = SessionPlace(path: shelf.path, song: shelf.index, section: shelf.section)
  }

  /// Where the session is.
  var progress: Progress? {
    guard let shelf else { return nil }
    var progress = Progress()
    (progress.song, progress.songs, progress.title) = (
      shelf.index + 1, shelf.setlist.songs.count, shelf.song.title
    )
    progress.section = shelf.name(ofPart: shelf.section)
    progress.colour = shelf.song.plans[shelf.parts[shelf.section]].colour
    (progress.bar, progress.bars) = (shelf.bar, shelf.bars(ofPart: shelf.section))
    progress.next = shelf.nextName
    (progress.isPaused, progress.isHeld, progress.speed) = (shelf.isPaused, shelf.isHeld, shelf.percent)
    guard shelf.isReady, let map = scores.map else { return progress }
    let position =
      now.isPlaying || shelf.isPaused
      ? channels.pointee.scoreFrame.load(ordering: .relaxed) : startFrame(ofPart: shelf.section)
    if !shelf.isOpen(part: shelf.section) {
      let isLast = shelf.section + 1 == shelf.parts.count
      let end = isLast ? map.end : startFrame(ofPart: shelf.section + 1)
      progress.sectionLeft = end.map { map.seconds(from: position, to: $0) }
    }
    if !shelf.song.plans.contains(where: { $0.length == .open }) {
      progress.songLeft = map.end.map { map.seconds(from: position, to: $0) }
    }
    return progress
  }
}

extension Setting {
  /// Whether it says what a session's document says too.
  var isOfTheMusic: Bool {
    switch self {
    case .tempo, .meter, .beatUnit, .subdivision, .accents, .groups, .swing, .sound: true
    case .volume, .quantise, .role: false
    }
  }
}
