import Engine
import Validation

/// Writes a song's nudge, in thousandths of a beat per minute, into its document.
package typealias NudgeWriter = @Sendable (_ path: String, _ thousandths: Int) throws -> Void

/// A request to write a song's nudge into its document.
struct NudgeJob: Sendable {
  /// The path of the song's own document.
  let path: String
  /// The nudge that the document will have, and the part of it that the user has set by hand, in thousandths of a beat per
  /// minute.
  let total: Int
  let live: Int
  let requester: Requester
}

/// The result of writing a nudge.
package struct KeptNudge: Sendable {
  let job: NudgeJob
  let result: Result<Void, any Error>
}

/// Writes a song's tempo into its document at the player's request.
extension ConductorCore {
  /// Writes the current song's nudge into its document.
  /// - Throws: `InvalidValue` if no session is open, the tempo was not moved, or the document can't have the nudge.
  mutating func keepNudge(_ requester: Requester) throws(InvalidValue) {
    guard let playback else { throw ConductorCore.noSession }
    let entry = playback.setlist.songs[playback.index]
    guard playback.rendition.nudge != 0 else {
      throw InvalidValue(sentence: "this song's tempo was not moved: there is nothing to save")
    }
    guard let path = entry.path else {
      throw InvalidValue(
        sentence: "a klick map keeps no tempo of its own: tactus import makes a session of it")
    }
    let total = entry.song.nudge + playback.rendition.documentNudge
    guard Rendition.nudges ~= total else {
      throw InvalidValue(
        sentence:
          "a song's document moves its tempos by at most \(Rendition.mostNudged): change them there")
    }
    emit(.keepNudge(NudgeJob(path: path, total: total, live: playback.rendition.nudge, requester: requester)))
  }

  /// Handles the result: reads the document again while the music continues at its tempo.
  mutating func take(_ kept: KeptNudge, at moment: Moment) {
    switch kept.result {
    case .failure(let error): refuse(error, to: kept.job.requester, at: moment)
    case .success:
      guard let playback, playback.setlist.songs[playback.index].path == kept.job.path,
        playback.song.nudge != kept.job.total
      else { return }
      self.playback?.noteKept(nudge: kept.job.live)
      // This fails while another document is being opened, which will replace this one anyway.
      try? reload(kept.job.requester)
    }
  }
}
