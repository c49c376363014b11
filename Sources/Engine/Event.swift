import MusicTime

/// What the engine tells the control side.
public enum Event: BitwiseCopyable, Sendable {
  /// A beat or a part of one, at the frame on which its click begins.
  case beat(Beat)
  /// The music began to run at a clock frame.
  case started(Int64)
  /// The music stopped at a clock frame.
  case stopped(Int64)
  /// The score came to its end at a clock frame.
  case finished(Int64)
  /// In `follow` and `midiClock`: the leader's meter and tempo, when they change.
  case leader(Leader)
  /// In `follow`: nobody tells bar and beat any more. In `midiClock`: no pulses come any more.
  case leaderLeft

  /// In `lead`: the transport rolls, and asks somebody else where it is.
  case leadLost

  /// One beat, or a part of one.
  public struct Beat: BitwiseCopyable, Sendable {
    /// Clock frame of the click's first sample.
    public let frame: Int64
    /// From 1; the bars of a count-in come before.
    public let bar: Int
    /// From 1; a subdivision has the beat it lies in.
    public let beat: Int
    /// The section of the score, from 0, and the bar of the section, from 1.
    public let section: Int
    public let sectionBar: Int
    public let role: Role
    /// Gain of the clip before the volumes, 0…1; 0 is a silent beat.
    public let strength: Float
  }

  /// The leader's meter and tempo. A MIDI clock has no meter, and counts quarters: 0/4.
  public struct Leader: BitwiseCopyable, Equatable, Sendable {
    public let count: Int
    public let unit: Int
    /// Notes of the meter's unit a minute.
    public let notesPerMinute: Double
  }
}
