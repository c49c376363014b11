import Engine
import MusicTime
import Validation

/// Sessions: opens and closes them, prepares their songs, and moves from song to song.
extension ConductorCore {
  /// The reason why a setting is refused while a session is open.
  static func isSetByDocument(_ parameter: Parameter) -> InvalidValue {
    let other = parameter == Parameters.tempo.parameter ? "change its speed instead" : "edit it there"
    return InvalidValue(
      sentence: "the open document sets the \(parameter.name): \(other), or close it to set the metronome")
  }

  static var noSession: InvalidValue {
    InvalidValue(
      sentence:
        "no session is open: the panel's view list (key v) shows documents; or tactus play FILE, or /tactus/session"
    )
  }

  /// The session's position; nil if no session is open.
  func position(at moment: Moment) -> SessionPosition? {
    playback.map { playback in
      SessionPosition(
        playback: playback, mode: transport.mode, isPlaying: transport.isPlaying, map: scores.map,
        scoreFrame: transport.placeWithoutServer(at: scores.sampleRate) ?? moment.engine.scoreFrame,
        clock: moment.engine.clock)
    }
  }

  // MARK: Opening

  /// Begins the session of the configuration.
  mutating func beginSession(at moment: Moment) {
    guard playback != nil, let song = scores.song else { return }
    playback?.becomeReady()
    warn(song, at: moment)
    // A follower does not move the transport unless the user asks for it.
    if transport.mode.isLed {
      playback?.forgetStanding()
    } else if let playback, playback.section > 0 || playback.bar > 0 {
      standInSong(at: moment)
    }
    if song.awaitsVoice { prepare() }
    prepareUpcoming()
  }

  /// Reads a session on a work queue and then opens it; an empty path closes the session.
  mutating func open(_ path: String, _ requester: Requester, at moment: Moment) {
    guard !path.isEmpty else { return close(at: moment) }
    guard !link.isJoined else { return refuse("\(LinkMembership.rules)", to: requester, at: moment) }
    if let job = opener.open(.init(path: path, requester: requester)) { emit(.readSession(job)) }
  }

  /// Handles a document that has been read.
  mutating func open(_ loaded: LoadedSession, at moment: Moment) {
    let (isWanted, next) = opener.advance()
    if let next { emit(.readSession(next)) }
    guard isWanted else { return }
    switch loaded.session {
    case .success(let (setlist, _)) where loaded.job.isReload:
      if loaded.job.path == playback?.path { take(reloaded: setlist, at: moment) }
    case .success(let (setlist, place)): open(setlist, at: place, moment)
    case .failure(let error): refuse(error, to: loaded.job.requester, at: moment)
    }
  }

  mutating func open(_ setlist: Setlist, at place: SessionPlace, _ moment: Moment) {
    // Link may have been joined while the document was being read.
    guard !link.isJoined else { return warn("\(LinkMembership.rules)", at: moment) }
    let before = settings.current
    if let left = sessionPlace { settings.update { $0.keep(left) } }
    leaveSong(at: moment)
    playback = SessionPlayback(setlist, at: place)
    settings.update { $0.open(place) }
    settings.noteChange(from: before)
    prepare()
  }

  /// Closes the session; the metronome plays again.
  private mutating func close(at moment: Moment) {
    opener.cancel()
    emit(.cancelSongs)
    let left = sessionPlace
    guard playback != nil || dropSessionSetAside() else { return }
    if let left { settings.update { $0.keep(left) } }
    leaveSong(at: moment)
    playback = nil
    settings.update { $0.session = nil }
    scores.use(nil, isNew: true)
    publish(at: moment)
  }

  // MARK: Songs

  /// Prepares the current song, and cancels all other preparations.
  mutating func prepare() {
    guard let playback else { return }
    emit(.cancelSongs)
    prepare(playback.song, index: playback.index)
  }

  /// Prepares the next song ahead of time, unless it is prepared.
  mutating func prepareUpcoming() {
    guard let playback, !playback.isLast, playback.upcoming == nil else { return }
    let next = playback.index + 1
    prepare(playback.setlist.songs[next].song, index: next)
  }

  mutating func prepare(_ plan: SongPlan, index: Int) {
    emit(.prepareSong(plan, sampleRate: scores.sampleRate, settings.current.voice, index: index))
  }

  /// Speaks the texts and the counting again if the user's settings for the voice have changed.
  mutating func followVoice() {
    let voice = settings.current.voice
    if playback?.follow(voice) == true { remakeSong() }
    followVoice(voice.ofMetronome)
  }

  /// Prepares the song again, because the sample rate or the voice has changed.
  mutating func remakeSong() {
    guard playback != nil else { return }
    playback?.keep(upcoming: nil)
    prepare()
    prepareUpcoming()
  }

  /// Handles a song that has been prepared.
  mutating func use(_ song: PreparedSong, index: Int, at moment: Moment) {
    if playback?.noteReady(reloaded: song) == true { return takeReloaded(at: moment) }
    guard let current = playback, current.setlist.songs.indices.contains(index),
      current.setlist.songs[index].song == song.plan
    else { return }
    guard song.sampleRate == scores.sampleRate, song.voice == settings.current.voice else {
      return prepare(song.plan, index: index)
    }
    warn(song, at: moment)
    if index == current.index + 1 {
      playback?.keep(upcoming: song)
    } else if index == current.index {
      let isNew = !current.isReady
      playback?.becomeReady()
      scores.change(current.rendition)
      scores.use(song, isNew: isNew)
      publish(at: moment)
      guard isNew else { return }
      standInSong(at: moment)
      prepareUpcoming()
    }
  }

  /// Makes the music begin at the session's place.
  private mutating func standInSong(at moment: Moment) {
    guard let current = playback else { return }
    let here = current.here
    guard transport.mode.obeysCommands else {
      playback?.forgetStanding()
      guard !transport.isServerLost else {
        let place = current.bar > 0 ? here : BarRange.Bar(section: current.parts[current.section])
        return transport.moveWithoutServer(
          to: scores.map?.start(place) ?? 0, sampleRate: scores.sampleRate)
      }
      if current.bar > 0, let frame = scores.map.flatMap({ UInt32(exactly: $0.start(here)) }) {
        return locateTransport(to: frame, at: moment)
      }
      try? jump(toPart: current.section, at: moment)
      return
    }
    if current.bar > 0 {
      send(Command(.jump(here, .now)), at: moment)
    } else if current.section > 0 {
      try? jump(toPart: current.section, at: moment)
    }
  }

  /// Reports sounds and texts that are missing, each one once.
  mutating func warn(_ song: PreparedSong, at moment: Moment) {
    for warning in song.warnings where playback?.isNews("\(warning)") == true {
      refuse(warning, to: .nobody, at: moment)
    }
  }

  /// Stops at once.
  mutating func leaveSong(at moment: Moment) {
    var atOnce: ScheduledChange?
    run(false, at: &atOnce, moment)
  }

  /// Goes to another song, stopped at its start.
  mutating func select(_ index: Int, at moment: Moment) {
    guard let current = playback, current.setlist.songs.indices.contains(index) else { return }
    playback?.select(index)
    notePlace()
    if index == current.index + 1, let ready = current.upcoming {
      use(ready, index: index, at: moment)
    } else {
      prepare()
    }
    if let waiting = current.reloaded { take(reloaded: waiting.setlist, at: moment) }
  }

  /// Stops at the start of the next song.
  mutating func goToNextSong(at moment: Moment) {
    guard let playback, !playback.isLast else { return }
    leaveSong(at: moment)
    select(playback.index + 1, at: moment)
  }
}
