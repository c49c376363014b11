import MusicTime

/// What the control side asks of a running engine apart from its score.
public struct Command: BitwiseCopyable, Sendable {
  public enum Action: BitwiseCopyable, Sendable {
    case start
    case stop
    /// Goes to a position, playing or stopped. In `free` only: elsewhere the transport says where the music is.
    case locate(Position)
    /// Stops; `start` goes on from there.
    case pause
    /// Goes to the start of a section of the score, at once or on the next line. In `free` only.
    case jump(section: Int, Quantise)
    /// Whether the section that plays starts again when it has come to its end.
    case hold(Bool)
  }

  public let action: Action
  /// The clock frame at which it happens; nil for at once.
  public let frame: Int64?

  public init(_ action: Action, at frame: Int64? = nil) {
    self.action = action
    self.frame = frame
  }
}
