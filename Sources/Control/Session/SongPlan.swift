import Engine
import MusicTime
import TimeCheck
import Timecode

/// A song as a list of sections, from which a score is compiled. Repeats and cycles are written out.
package struct SongPlan: Sendable, Equatable {
  package var title: String
  /// The sections in playing order; at least one.
  package var plans: [SectionPlan]
  /// The index of the plan that follows the last one; nil if the song ends there.
  package var loopStart: Int?
  /// Number of passes through the document's sections, all of them in `plans`; 0 if they repeat without end.
  package var cycles: Int
  package var voice: VoiceSettings
  /// The timecode at the song's start; nil: the settings' start.
  package var timecode: Timecode?
  /// The coached sections, by `SectionPlan.source`.
  package var coaches: [Int: Coach.Plan]
  /// The document's own nudge, in thousandths of a beat per minute. The tempos in `plans` include it.
  package var nudge = 0

  package init(
    title: String, plans: [SectionPlan], loopStart: Int? = nil, cycles: Int = 1,
    voice: VoiceSettings = VoiceSettings(), timecode: Timecode? = nil,
    coaches: [Int: Coach.Plan] = [:]
  ) {
    self.title = title
    self.plans = plans
    self.loopStart = loopStart
    self.cycles = cycles
    self.voice = voice
    self.timecode = timecode
    self.coaches = coaches
  }

  /// The names of the sound sets of its sections and their layers.
  package var sounds: Set<String> {
    var sounds: Set<String> = []
    var last: String?
    for index in plans.indices {
      if plans[index].sound != last {
        sounds.insert(plans[index].sound)
        last = plans[index].sound
      }
      for layer in plans[index].layers { if let sound = layer.layer.sound { sounds.insert(sound) } }
    }
    return sounds
  }

  /// Whether it never ends by itself: its sections repeat without end, or one lasts until the player goes on.
  package var isEndless: Bool { loopStart != nil || plans.contains(where: \.isOpen) }

  /// The index of the first plan after the count-in.
  package var firstPlanOfMusic: Int { plans.prefix(while: \.isCountIn).count }

  /// Whether a plan is the first of a part. A part is a section of the document or the count-in, with all plans made from it.
  package func beginsPart(_ plan: Int) -> Bool {
    guard plan > 0 else { return true }
    return plans[plan].source != plans[plan - 1].source || plans[plan].isCountIn != plans[plan - 1].isCountIn
  }
}

/// Songs in playing order. A single document is a setlist of one song.
package struct Setlist: Sendable, Equatable {
  package var title: String
  /// At least one.
  package var songs: [Entry]

  package init(title: String, songs: [Entry]) {
    self.title = title
    self.songs = songs
  }

  /// A song of a setlist.
  package struct Entry: Sendable, Equatable {
    package var song: SongPlan
    /// What happens after the song; no effect on the last song.
    package var after: AfterSong
    /// The path of the song's own document; nil if Tactus does not write to it.
    package var path: String?

    package init(song: SongPlan, after: AfterSong = .wait, path: String? = nil) {
      self.song = song
      self.after = after
      self.path = path
    }
  }
}

/// What happens between two songs.
package enum AfterSong: Hashable, Sendable {
  /// The next song waits until it is started.
  case wait
  /// The next song starts automatically after this pause, in milliseconds, 0 or more.
  case pause(milliseconds: Int)
}
