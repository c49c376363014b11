/// The settings of the ports `pulse`, `run` and `reset`.
public struct PulseOutput: BitwiseCopyable, Hashable, Sendable {
  /// The largest number of pulses in a quarter note; `perQuarter` divides it.
  public static let mostPerQuarter = 48

  public var perQuarter = 2
  /// How long a pulse lasts, in milliseconds; at most half the way to the next.
  public var length = 15.0
  /// The level of a pulse and of `run`, −1…1 of full scale.
  public var level: Float = 1
  /// Milliseconds by which the pulses follow the clicks; negative if they precede them.
  public var offset = 0.0

  public init() {}
}
