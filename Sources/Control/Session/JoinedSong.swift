import Engine
import MusicTime

/// Songs of a setlist that follow each other without a stop, joined into one song.
package struct JoinedSong: Sendable {
  /// The name of each song's first plan begins with the song's title.
  package let plan: SongPlan
  /// The index of each song's first plan.
  private let places: [Int]

  /// Pauses of the setlist become silent sections. If the setlist waits for a start, the next song follows at once.
  /// - Parameter entries: at least one; only the last may have no end.
  package init(title: String, _ entries: [Setlist.Entry]) {
    var joined = SongPlan(title: title, plans: [])
    var places: [Int] = []
    for (index, entry) in entries.enumerated() {
      places.append(joined.plans.count)
      let source = (joined.plans.last?.source ?? -1) + 1
      for (number, plan) in entry.song.plans.enumerated() {
        var plan = plan
        plan.source += source
        if number == 0 {
          plan.name = [entry.song.title, plan.name].filter { !$0.isEmpty }.joined(separator: ": ")
        }
        joined.plans.append(plan)
      }
      guard index + 1 < entries.count else {
        joined.loopStart = entry.song.loopStart.map { $0 + places[index] }
        continue
      }
      guard case .pause(let milliseconds) = entry.after, milliseconds > 0, let last = joined.plans.last else {
        continue
      }
      joined.plans.append(
        SectionPlan(
          source: last.source + 1, length: .milliseconds(milliseconds), layout: last.layout,
          tempo: .constant(last.tempo.first), silence: .always))
    }
    plan = joined
    self.places = places
  }

  /// Joins the sounds and texts of prepared songs.
  /// - Parameter songs: the prepared songs of the entries, all at one sample rate.
  package func prepared(_ songs: [PreparedSong]) -> PreparedSong {
    var (sounds, cues, warnings) = ([String: ClipSet](), [Int: Clip](), [any Error]())
    for (song, place) in zip(songs, places) {
      sounds.merge(song.sounds) { first, _ in first }
      for (index, cue) in song.cues { cues[place + index] = cue }
      warnings += song.warnings
    }
    return PreparedSong(
      plan: plan, sampleRate: songs[0].sampleRate, voice: songs[0].voice, sounds: sounds, cues: cues,
      warnings: warnings)
  }
}
