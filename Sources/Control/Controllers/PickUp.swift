/// A fader that was moved, and has no effect until it reaches the current value.
package struct PickUp: Equatable, Sendable {
  /// The fader's target.
  package let target: MIDITarget
  /// The value at the fader's position, and the current value, both in the target's unit.
  package let wanted: Double
  package let value: Double
  /// The range that the fader covers. The current value may be outside.
  package let range: ClosedRange<Double>

  package init(_ target: MIDITarget, wanted: Double, value: Double, range: ClosedRange<Double>) {
    (self.target, self.wanted, self.value, self.range) = (target, wanted, value, range)
  }
}
