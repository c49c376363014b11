/// The four controls of a trigger, as in drum modules.
package struct TriggerControls: Equatable, Sendable {
  /// The lowest peak of a stroke, in decibels relative to full scale; at most 0.
  package var threshold = -30.0
  /// The scan time: from the threshold to the end of the search for the peak, in milliseconds.
  package var scan = 2.0
  /// The mask time: no further stroke is detected within it, in milliseconds.
  package var mask = 30.0
  /// A sound after a stroke is an echo while it is softer than this part of the stroke's peak, 0…1. The part halves every
  /// `halfLife` milliseconds.
  package var retriggerCancel = 0.5
  package static let halfLife = 20.0

  package init() {}
}
