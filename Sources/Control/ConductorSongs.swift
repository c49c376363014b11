import Engine
import MusicTime

/// Sessions: opening and closing them, and having their songs ready.
extension ConductorState {
  /// Why a setting is refused while a session is open.
  static var documentRules: InvalidValue {
    InvalidValue(
      "this", "while a session is open",
      allowed: "left to its document; /tactus/speed makes it faster or slower")
  }

  static var noSession: InvalidValue {
    InvalidValue("session", "none", allowed: "open first: tactus play FILE, or /tactus/session")
  }

  // MARK: Opening

  /// The session that was there at the start.
  func beginSession() {
    guard var shelf, let song = scores.song else { return }
    shelf.isReady = true
    self.shelf = shelf
    warn(song)
    // The transport is where others have it: who follows doesn't move it unasked.
    if !now.settings.role.isLed, shelf.section > 0 { try? jump(toPart: shelf.section) }
    prepareUpcoming()
  }

  /// Reads a session elsewhere, and then opens it.
  func open(_ path: String, refuse: (@Sendable (String) -> Void)?) {
    guard !path.isEmpty else { return close() }
    guard !isLinked else { return refuse?("\(ConductorState.linkRules)") ?? () }
    opener.open(.init(path: path, refuse: refuse))
  }

  /// Takes a document that has been read.
  func open(_ loaded: LoadedSession) {
    guard opener.advance() else { return }
    switch loaded.session {
    case .success(let (setlist, place)): open(setlist, at: place)
    case .failure(let error):
      if let refuse = loaded.wish.refuse { refuse("\(error)") } else { report(.warning("\(error)")) }
    }
  }

  func open(_ setlist: Setlist, at place: SessionPlace) {
    // It may have been joined while the document was read.
    guard !isLinked else { return report(.warning("\(ConductorState.linkRules)")) }
    leaveSong()
    scores.percent = 100
    shelf = SongShelf(setlist, at: place)
    now.settings.session = place
    prepare()
  }

  /// Closes the session: what plays is the metronome again.
  private func close() {
    opener.cancel()
    guard shelf != nil else { return }
    leaveSong()
    shelf = nil
    now.settings.session = nil
    scores.use(nil, isNew: true)
    needsScore = true
    publish()
  }

  func prepare() {
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
    warn(song)
    if index == shelf.index + 1 {
      self.shelf?.upcoming = song
    } else if index == shelf.index {
      let isNew = !shelf.isReady
      shelf.isReady = true
      self.shelf = shelf
      scores.use(song, isNew: isNew)
      needsScore = true
      publish()
      if isNew { begin() }
    }
  }

  /// The song that is wanted is there.
  private func begin() {
    guard let shelf else { return }
    if shelf.section > 0 || now.settings.role != .free { try? jump(toPart: shelf.section) }
    prepareUpcoming()
  }

  /// Tells what could not be had, each thing once.
  private func warn(_ song: PreparedSong) {
    for warning in song.warnings where shelf?.warned.insert(warning).inserted == true {
      report(.warning(warning))
    }
  }

  /// A sample rate has changed: the song is made anew.
  func remakeSong() {
    guard shelf != nil else { return }
    shelf?.upcoming = nil
    prepare()
    prepareUpcoming()
  }
}

extension Setting {
  /// Whether it says what a session's document says too.
  var isOfTheMusic: Bool {
    switch self {
    case .tempo, .meter, .beatUnit, .subdivision, .accents, .groups, .swing, .gap, .sound: true
    case .volume, .mute, .quantise, .role, .profile, .followPace, .cadence, .clockInLoss, .clockInOffset,
      .clockRunsWhileStopped, .clockOffset, .note, .noteChannel, .noteLength:
      false
    }
  }
}
