import Engine
import MusicTime

/// A song written out: what the engine's score is made from.
public struct SongPlan: Sendable, Equatable {
  public var title: String
  /// In the order of playing; at least one.
  public var plans: [SectionPlan]
  /// The plan that follows the last one; nil where the song then ends.
  public var loopStart: Int?
  public var voice: VoiceSettings

  public init(
    title: String, plans: [SectionPlan], loopStart: Int? = nil, voice: VoiceSettings = VoiceSettings()
  ) {
    self.title = title
    self.plans = plans
    self.loopStart = loopStart
    self.voice = voice
  }

  /// Whether a part begins with a plan: a section as the document has it, or its count-in, however many plans it became.
  public func beginsPart(_ plan: Int) -> Bool {
    guard plan > 0 else { return true }
    return plans[plan].source != plans[plan - 1].source || plans[plan].isCountIn != plans[plan - 1].isCountIn
  }
}

/// Songs in the order of the stage. A single document is a setlist of one.
public struct Setlist: Sendable, Equatable {
  public var title: String
  /// At least one.
  public var songs: [Entry]

  public init(title: String, songs: [Entry]) {
    self.title = title
    self.songs = songs
  }

  public struct Entry: Sendable, Equatable {
    public var song: SongPlan
    /// What happens after it. After the last song there is nothing to go on to.
    public var after: AfterSong

    public init(song: SongPlan, after: AfterSong = .wait) {
      self.song = song
      self.after = after
    }
  }
}

/// What happens between two songs.
public enum AfterSong: Hashable, Sendable {
  /// The next song waits to be started.
  case wait
  /// It starts by itself after so many thousandths of a second, 0 or more.
  case pause(milliseconds: Int)
}
