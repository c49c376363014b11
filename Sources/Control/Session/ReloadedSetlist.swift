import MusicTime
import Validation

/// A document that was read again while it was open, and the music's place in it.
struct ReloadedSetlist {
  let setlist: Setlist
  /// The song that plays, from 0.
  let index: Int
  /// The prepared song; nil until it is ready, or if it has not changed.
  var ready: PreparedSong?
  /// The part at which the song was last found to have changed too much to continue; nil if it was not found so.
  var misfit: Int?

  /// - Parameters:
  ///   - old: the setlist that was open before.
  ///   - index: the song that plays, from 0.
  init(_ setlist: Setlist, of old: Setlist, at index: Int) {
    var setlist = setlist
    let title = old.songs[index].song.title
    let same = setlist.songs.indices.filter { setlist.songs[$0].song.title == title }
    self.index = same.min { abs($0 - index) < abs($1 - index) } ?? min(index, setlist.songs.count)
    if same.isEmpty, ReloadedSetlist.isRemoved(at: self.index, from: setlist, old) {
      // Keep the removed song until it ends; the song now at this index follows.
      setlist.songs.insert(old.songs[index], at: self.index)
    }
    self.setlist = setlist
  }

  /// Whether a song that is missing from the set was removed. Otherwise the song in its place is the same one with another
  /// title.
  private static func isRemoved(at index: Int, from setlist: Setlist, _ old: Setlist) -> Bool {
    guard setlist.songs.indices.contains(index) else { return true }
    return old.songs.contains { $0.song.title == setlist.songs[index].song.title }
  }

  var song: SongPlan { setlist.songs[index].song }

  /// The part of the new song that corresponds to a part of the old one; nil if there is none.
  func part(of part: Int, in old: SongPlan) -> Int? {
    let wanted = ReloadedSetlist.names(old)
    guard wanted.indices.contains(part) else { return nil }
    // Sections with equal names correspond in order.
    let number = wanted[..<part].count { $0 == wanted[part] }
    let same = ReloadedSetlist.names(song).enumerated().filter { $0.element == wanted[part] }
    return same.indices.contains(number) ? same[number].offset : nil
  }

  /// Whether the current part is at the same place in both songs, so that the music can continue within the bar.
  func keepsPlace(part: Int, in old: SongPlan) -> Bool {
    guard self.part(of: part, in: old) == part, let plan = ReloadedSetlist.firstPlan(ofPart: part, in: song)
    else { return false }
    guard ReloadedSetlist.firstPlan(ofPart: part, in: old) == plan else { return false }
    // A spoken count-in has a section for each beat, which stands for another beat in another count-in.
    let (before, after) = (old.plans[..<old.firstPlanOfMusic], song.plans[..<song.firstPlanOfMusic])
    guard plan < before.count, before.count > 1 || after.count > 1 else { return true }
    return before.elementsEqual(after) { $0.length == $1.length && $0.counted == $1.counted }
  }

  private static func firstPlan(ofPart part: Int, in song: SongPlan) -> Int? {
    let parts = song.plans.indices.filter(song.beginsPart)
    return parts.indices.contains(part) ? parts[part] : nil
  }

  /// The names of the parts: their labels, or their names if they have no label.
  private static func names(_ song: SongPlan) -> [String] {
    song.plans.indices.filter(song.beginsPart).map { plan in
      let plan = song.plans[plan]
      return plan.isCountIn ? "\u{0}" : plan.label ?? plan.name
    }
  }
}

/// Reads the open document again while it plays.
extension ConductorCore {
  /// Starts reading the open document again.
  /// - Throws: `InvalidValue` if no session is open, or another document is being opened.
  mutating func reload(_ requester: Requester) throws(InvalidValue) {
    guard let playback else { throw ConductorCore.noSession }
    guard !opener.isOpening else {
      throw InvalidValue(sentence: "another document is being opened: reload it when it is open")
    }
    let job = SessionOpener.Job(path: playback.path, requester: requester, isReload: true)
    if let job = opener.open(job) { emit(.readSession(job)) }
  }

  /// Handles a document that was read again: its other songs change at once, the current one when it is ready.
  mutating func take(reloaded setlist: Setlist, at moment: Moment) {
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

  /// Adopts a document that was read again, if the music can continue in it: while it plays, only at the same place; otherwise, and in
  /// the pause between two songs, where its section is now. If it can't, the document waits until another section begins or the music stops.
  mutating func takeReloaded(at moment: Moment) {
    guard let current = playback, let reloaded = current.reloaded else { return }
    let isSame = reloaded.song == current.song
    guard isSame || reloaded.ready != nil else { return }
    let part = position(at: moment)?.part ?? current.section
    // Nothing sounds in the pause before a song either.
    let isPlaying = transport.isPlaying && current.start?.isSent ?? true
    // Avoids comparing a long song again in each turn.
    if isPlaying, reloaded.misfit == part { return }
    let keepsPlace = isSame || reloaded.keepsPlace(part: part, in: current.song)
    let isFree = !isPlaying || transport.mode.obeysCommands && keepsPlace
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
    // A song that has not begun begins at its start, even if that is a count-in now.
    let isAtStart = !isPlaying && transport.mode.obeysCommands && part == 0 && current.bar == 0
    playback?.adopt(reloaded, part: isAtStart ? 0 : reloaded.part(of: part, in: current.song) ?? 0)
    notePlace()
    if let song = reloaded.ready, !isSame {
      warn(song, at: moment)
      playback?.becomeReady()
      if let rendition = playback?.rendition { scores.change(rendition) }
      scores.use(song, isNew: !keepsPlace || !current.isReady)
      publish(at: moment)
      if !keepsPlace, let section = playback?.section, section > 0 { try? jump(toPart: section, at: moment) }
    }
    // The songs being prepared belong to the old list.
    if playback?.isReady == false { prepare() } else { prepareUpcoming() }
  }
}
