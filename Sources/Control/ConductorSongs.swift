import Engine
import MusicTime

/// Sessions: opening and closing them, and having their songs ready.
extension ConductorCore {
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
    guard var playback, let song = scores.song else { return }
    playback.becomeReady()
    self.playback = playback
    warn(song)
    // The transport is where others have it: who follows doesn't move it unasked.
    if !now.settings.role.isLed, playback.section > 0 { try? jump(toPart: playback.section) }
    if song.awaitsVoice { prepare() }
    prepareUpcoming()
  }

  /// Reads a session elsewhere, and then opens it.
  func open(_ path: String, refuse: (@Sendable (String) -> Void)?) {
    guard !path.isEmpty else { return close() }
    guard !isLinked else { return refuse?("\(ConductorCore.linkRules)") ?? () }
    opener.open(.init(path: path, refuse: refuse))
  }

  /// Takes a document that has been read.
  func open(_ loaded: LoadedSession) {
    guard opener.advance() else { return }
    switch loaded.session {
    case .success(let (setlist, place)): open(setlist, at: place)
    case .failure(let error):
      refuse(error, to: loaded.wish.refuse)
    }
  }

  /// Opens a session that was read elsewhere; what is being read here is not wanted any more.
  func openInPlaceOfAll(_ setlist: Setlist, at place: SessionPlace) {
    opener.cancel()
    open(setlist, at: place)
  }

  private func open(_ setlist: Setlist, at place: SessionPlace) {
    // It may have been joined while the document was read.
    guard !isLinked else { return report(.warning("\(ConductorCore.linkRules)")) }
    leaveSong()
    playback = SessionPlayback(setlist, at: place)
    let before = now.settings
    now.settings.session = place
    noteChange(from: before)
    prepare()
  }

  /// Closes the session: what plays is the metronome again.
  private func close() {
    opener.cancel()
    songs.cancel()
    guard playback != nil else { return }
    leaveSong()
    playback = nil
    now.settings.session = nil
    scores.use(nil, isNew: true)
    needsScore = true
    publish()
  }

  /// Has the song that is wanted made ready, and no other before it.
  func prepare() {
    guard let playback else { return }
    songs.cancel()
    songs.prepare(playback.song, sampleRate: scores.sampleRate, song: playback.index, into: updates)
  }

  /// Has the next song ready before it is wanted.
  private func prepareUpcoming() {
    guard let playback, !playback.isLast else { return }
    let next = playback.setlist.songs[playback.index + 1].song
    songs.prepare(next, sampleRate: scores.sampleRate, song: playback.index + 1, into: updates)
  }

  /// Takes a song that has been prepared.
  func use(_ song: PreparedSong, index: Int) {
    guard var playback, playback.setlist.songs.indices.contains(index),
      playback.setlist.songs[index].song == song.plan
    else { return }
    guard song.sampleRate == scores.sampleRate else {
      return songs.prepare(song.plan, sampleRate: scores.sampleRate, song: index, into: updates)
    }
    warn(song)
    if index == playback.index + 1 {
      self.playback?.keep(upcoming: song)
    } else if index == playback.index {
      let isNew = !playback.isReady
      playback.becomeReady()
      self.playback = playback
      scores.percent = playback.percent
      scores.use(song, isNew: isNew)
      needsScore = true
      publish()
      if isNew { begin() }
    }
  }

  /// The song that is wanted is there.
  private func begin() {
    guard let playback else { return }
    if playback.section > 0 || now.settings.role != .free { try? jump(toPart: playback.section) }
    prepareUpcoming()
  }

  /// Tells what could not be had, each thing once.
  private func warn(_ song: PreparedSong) {
    for warning in song.warnings where playback?.isNews("\(warning)") == true {
      refuse(warning, to: nil)
    }
  }

  /// A sample rate has changed: the song is made anew.
  func remakeSong() {
    guard playback != nil else { return }
    playback?.keep(upcoming: nil)
    prepare()
    prepareUpcoming()
  }
}
