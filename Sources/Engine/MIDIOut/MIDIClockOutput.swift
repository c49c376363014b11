/// The settings of the MIDI clock on the port `clock`.
public struct MIDIClockOutput: BitwiseCopyable, Hashable, Sendable {
  /// Whether to send pulses while the music is stopped and in a count-in, for machines that need the tempo before they start.
  public var runsWhileStopped = false
  /// Milliseconds by which the pulses follow the clicks; negative if they precede them.
  public var offset = 0.0
  /// Milliseconds that the machines take to find a song position: they continue at the first sixteenth after that.
  public var search = 0.0

  public init() {}
}
