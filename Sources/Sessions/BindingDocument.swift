import Control
import MIDI
import MusicTime

/// What one MIDI control does, as the state file says it.
struct BindingDocument: Codable {
  var control: String
  var target: String
  var gesture: String?
  var coding: String?
  var low: Double?
  var high: Double?

  init(_ binding: MIDIBinding) {
    control = "\(binding.source)"
    target = "\(binding.action.target)"
    gesture = binding.action.gesture == .press ? nil : binding.action.gesture.rawValue
    coding = binding.action.coding?.rawValue
    low = binding.action.range?.lowerBound
    high = binding.action.range?.upperBound
  }

  /// - Throws: `InvalidValue` with the first value that can't be.
  func binding() throws(InvalidValue) -> MIDIBinding {
    var range: ClosedRange<Double>?
    if low != nil || high != nil {
      guard let low, let high, low < high else {
        let given = "\(low.map { "\($0)" } ?? "nothing") and \(high.map { "\($0)" } ?? "nothing")"
        throw InvalidValue("low and high", given, allowed: "two numbers, the lower one first")
      }
      range = low...high
    }
    let action = try MIDIAction(
      MIDITarget(text: target), gesture: SettingsDocument.named(gesture ?? Gesture.press.rawValue, "gesture"),
      coding: coding.map { text throws(InvalidValue) in try SettingsDocument.named(text, "coding") },
      range: range)
    return try MIDIBinding(MIDISource(text: control), action)
  }
}
