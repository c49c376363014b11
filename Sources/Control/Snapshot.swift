import Engine
import MusicTime

/// How things stand.
public struct Snapshot: Equatable, Sendable {
  public var settings: Settings
  public var isPlaying = false
  /// The last beat that sounded, from 1; 0 before the first.
  public var bar = 0
  public var beat = 0
  /// In `follow`: the meter and tempo of whoever leads.
  public var leader: Event.Leader?
  /// Frames a second; 0 while there is no audio server.
  public var sampleRate = 0

  public init(settings: Settings) { self.settings = settings }
}
