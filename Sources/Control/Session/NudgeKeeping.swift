import Engine
import Validation

/// Writes the tempo that a song was nudged to into its document.
package typealias NudgeWriter = @Sendable (_ path: String, _ thousandths: Int) throws -> Void

/// A song's nudge that is to be kept in its document.
struct NudgeWish: Sendable {
  /// Of the song's own document.
  let path: String
  /// What the document is to have, and how much of it was moved by hand, in thousandths of a beat a minute.
  let total: Int
  let live: Int
  let asker: Asker
}

/// What came of keeping a nudge.
package struct KeptNudge: Sendable {
  let wish: NudgeWish
  let result: Result<Void, any Error>
}

/// Keeping a song's tempo in its document, where the player asks for it.
extension ConductorCore {
  /// Has the tempo of the song that plays written into its document.
  func keepNudge(_ asker: Asker) throws(InvalidValue) {
    guard let playback else { throw ConductorCore.noSession }
    let entry = playback.setlist.songs[playback.index]
    guard playback.rendition.nudge != 0 else {
      throw InvalidValue(sentence: "this song's tempo was not moved: there is nothing to save")
    }
    guard let path = entry.path else {
      throw InvalidValue(
        sentence: "a klick map keeps no tempo of its own: tactus import makes a session of it")
    }
    let total = entry.song.nudge + playback.rendition.nudge
    guard Rendition.nudges ~= total else {
      throw InvalidValue(
        sentence:
          "a song's document moves its tempos by at most \(Rendition.mostNudged): change them there")
    }
    emit(.keepNudge(NudgeWish(path: path, total: total, live: playback.rendition.nudge, asker: asker)))
  }

  /// Takes over what the document has now: it is read again, and the music goes on at its tempo.
  func take(_ kept: KeptNudge, at moment: Moment) {
    switch kept.result {
    case .failure(let error): refuse(error, to: kept.wish.asker, at: moment)
    case .success:
      guard let playback, playback.setlist.songs[playback.index].path == kept.wish.path,
        playback.song.nudge != kept.wish.total
      else { return }
      self.playback?.noteKept(nudge: kept.wish.live)
      // Another document that is being opened takes its place anyway.
      try? reload(kept.wish.asker)
    }
  }
}
