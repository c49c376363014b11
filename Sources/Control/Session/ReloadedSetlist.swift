import MusicTime
import Validation

/// A document that was read again while it was open, and the place in it where the music is.
struct ReloadedSetlist {
  let setlist: Setlist
  /// The song that plays, from 0.
  let index: Int
  /// The song, ready to be played; nil until then, or if it has not changed.
  var ready: PreparedSong?
  /// The part at which it was last found to have another place.
  var misfit: Int?

  /// - Parameters:
  ///   - old: what was open until now.
  ///   - index: the song that plays, from 0.
  init(_ setlist: Setlist, of old: Setlist, at index: Int) {
    var setlist = setlist
    let title = old.songs[index].song.title
    let same = setlist.songs.indices.filter { setlist.songs[$0].song.title == title }
    self.index = same.min { abs($0 - index) < abs($1 - index) } ?? min(index, setlist.songs.count)
    if same.isEmpty, ReloadedSetlist.isRemoved(at: self.index, from: setlist, old) {
      // It plays to its end, and then the one that now has its place.
      setlist.songs.insert(old.songs[index], at: self.index)
    }
    self.setlist = setlist
  }

  /// Whether a song that is not in a set any more was taken out; else the one in its place is the same under another title.
  private static func isRemoved(at index: Int, from setlist: Setlist, _ old: Setlist) -> Bool {
    guard setlist.songs.indices.contains(index) else { return true }
    return old.songs.contains { $0.song.title == setlist.songs[index].song.title }
  }

  var song: SongPlan { setlist.songs[index].song }

  /// The part of the new song that a part of the old one has become; nil if it is gone.
  func part(of part: Int, in old: SongPlan) -> Int? {
    let wanted = ReloadedSetlist.names(old)
    guard wanted.indices.contains(part) else { return nil }
    // Of sections with one name the same in number.
    let number = wanted[..<part].count { $0 == wanted[part] }
    let same = ReloadedSetlist.names(song).enumerated().filter { $0.element == wanted[part] }
    return same.indices.contains(number) ? same[number].offset : nil
  }

  /// Whether what plays is at the same place of both songs, so that the music goes on in the bar.
  func keepsPlace(part: Int, in old: SongPlan) -> Bool {
    self.part(of: part, in: old) == part
      && ReloadedSetlist.firstPlan(ofPart: part, in: old) == ReloadedSetlist.firstPlan(ofPart: part, in: song)
  }

  private static func firstPlan(ofPart part: Int, in song: SongPlan) -> Int? {
    let parts = song.plans.indices.filter(song.beginsPart)
    return parts.indices.contains(part) ? parts[part] : nil
  }

  /// What the parts are called: their labels, or else their names.
  private static func names(_ song: SongPlan) -> [String] {
    song.plans.indices.filter(song.beginsPart).map { plan in
      let plan = song.plans[plan]
      return plan.isCountIn ? "\u{0}" : plan.label ?? plan.name
    }
  }
}

/// Reading the open document again while it plays.
extension ConductorCore {
  /// Has the open document read again.
  func reload(_ asker: Asker) throws(InvalidValue) {
    guard let playback else { throw ConductorCore.noSession }
    guard !opener.isOpening else {
      throw InvalidValue(sentence: "another document is being opened: reload it when it is open")
    }
    let wish = SessionOpener.Wish(path: playback.path, asker: asker, isReload: true)
    if let wish = opener.open(wish) { emit(.readSession(wish)) }
  }

  /// Takes the document that was read again: its other songs at once, the one that plays when it is ready.
  func take(reloaded setlist: Setlist, at moment: Moment) {
    guard let current = playback else { return }
    let reloaded = ReloadedSetlist(setlist, of: current.setlist, at: current.index)
    playback?.keep(reloaded: reloaded)
    if reloaded.song == current.song {
      takeReloaded(at: moment)
    } else {
      emit(.cancelSongs)
      prepare(reloaded.song, index: reloaded.index)
    }
  }

  /// Takes the document that was read again if the music can go on in it: at the same place while it plays, else where its section
  /// has gone. Otherwise it waits for another section, or for a stop.
  func takeReloaded(at moment: Moment) {
    guard let current = playback, let reloaded = current.reloaded else { return }
    let isSame = reloaded.song == current.song
    guard isSame || reloaded.ready != nil else { return }
    let part = position(at: moment)?.part ?? current.section
    // A long song is not compared again in each turn.
    if transport.isPlaying, reloaded.misfit == part { return }
    let keepsPlace = isSame || reloaded.keepsPlace(part: part, in: current.song)
    let isFree = !transport.isPlaying || transport.mode.obeysCommands && keepsPlace
    guard isSame || isFree && current.target == nil else {
      if !isFree {
        if reloaded.misfit == nil {
          warn(
            "the song that plays has changed too much to go on in it: the change comes with another section, or a stop",
            at: moment)
        }
        playback?.noteMisfit(ofReloaded: part)
      }
      return
    }
    playback?.adopt(reloaded, part: reloaded.part(of: part, in: current.song) ?? 0)
    notePlace()
    if let song = reloaded.ready, !isSame {
      warn(song, at: moment)
      playback?.becomeReady()
      if let rendition = playback?.rendition { scores.change(rendition) }
      scores.use(song, isNew: !keepsPlace || !current.isReady)
      publish(at: moment)
      if !keepsPlace, let section = playback?.section, section > 0 { try? jump(toPart: section, at: moment) }
    }
    // What was being prepared had its place in the old list.
    if playback?.isReady == false { prepare() } else { prepareUpcoming() }
  }
}
