/// The settings of the ports `pulse`, `run` and `reset`.
package struct PulseOutput: BitwiseCopyable, Hashable, Sendable {
  /// The largest number of pulses in a quarter note; `perQuarter` divides it.
  package static let mostPerQuarter = 48

  /// Pulses in a quarter note, a divisor of `mostPerQuarter`.
  package var perQuarter = 2
  /// The length of a pulse in milliseconds; limited to half the distance to the next.
  package var length = 15.0
  /// The level of a pulse and of `run`, −1…1 of full scale.
  package var level: Float = 1
  /// Milliseconds by which the pulses follow the clicks; negative if they precede them.
  package var offset = 0.0

  package init() {}
}
