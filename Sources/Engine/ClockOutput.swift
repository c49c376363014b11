/// How the port `clock` sends the MIDI clock.
public struct ClockOutput: BitwiseCopyable, Hashable, Sendable {
  /// Whether it also ticks while nothing plays, and in a count-in, for machines that want to know the tempo before they
  /// start.
  public var runsWhileStopped = false
  /// Milliseconds by which it comes later than the click; earlier where negative.
  public var offset = 0.0

  public init() {}

  /// The offset in frames.
  /// - Thread: any, audio
  @_noLocks
  func frames(sampleRate: Int) -> Int64 {
    let frames = offset * Double(sampleRate) / 1_000
    return Int64(frames < 0 ? frames - 0.5 : frames + 0.5)
  }
}
