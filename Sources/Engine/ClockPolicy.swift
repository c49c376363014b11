/// How a MIDI clock is followed.
public struct ClockPolicy: BitwiseCopyable, Sendable {
  /// Whether the music stops where no pulses come any more, rather than going on at the last tempo.
  public var stopsWhenLost = false
  /// Frames by which the clicks come before the clock's beats; negative for after.
  public var advance = 0

  public init() {}
}
