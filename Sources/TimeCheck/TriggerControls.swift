/// The four controls that drum modules have for a trigger.
package struct TriggerControls: Equatable, Sendable {
  /// In decibels below full scale: the peak below which nothing is a stroke.
  package var threshold = -30.0
  /// From the threshold to the end of the search for the peak, in milliseconds.
  package var scan = 2.0
  /// Time after a stroke in which nothing is another one, in milliseconds.
  package var mask = 30.0
  /// An echo is no stroke while it is below this part of the stroke's peak, 0…1; the part halves in `halfLife` milliseconds.
  package var retriggerCancel = 0.5
  package static let halfLife = 20.0

  package init() {}
}
