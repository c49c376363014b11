/// A fader that was moved, and has no effect until it reaches the present value.
package struct PickUp: Equatable, Sendable {
  /// What it moves.
  package let target: MIDITarget
  /// What the fader would set where it stands, and the present value, both in the target's unit.
  package let wanted: Double
  package let value: Double
  /// The values that the fader covers. The present value may be beyond them.
  package let range: ClosedRange<Double>

  package init(_ target: MIDITarget, wanted: Double, value: Double, range: ClosedRange<Double>) {
    (self.target, self.wanted, self.value, self.range) = (target, wanted, value, range)
  }
}
