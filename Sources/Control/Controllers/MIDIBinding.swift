import MIDI
import MusicTime
import Validation

/// The action of a control, and how its messages are read.
package struct MIDIAction: Hashable, Sendable {
  package let target: MIDITarget
  package let gesture: Gesture
  /// How an endless encoder codes its detents; nil: the control sends its position.
  package let coding: EncoderCoding?
  /// The parameter's range on this control, in the parameter's unit; nil: its usual range.
  package let range: ClosedRange<Double>?

  /// - Throws: `InvalidValue` if the target does not allow the gesture, coding or range.
  package init(
    _ target: MIDITarget, gesture: Gesture = .press, coding: EncoderCoding? = nil,
    range: ClosedRange<Double>? = nil
  ) throws(InvalidValue) {
    var takesCoding = target.followsControl
    if case .nudge = target { takesCoding = true }
    guard coding == nil || takesCoding else {
      throw InvalidValue(
        "coding", coding!.rawValue, allowed: "left out for \(target), which takes no steps")
    }
    guard gesture == .press || !target.followsControl && coding == nil else {
      throw InvalidValue(
        "gesture", gesture.rawValue, allowed: "left out for \(target), which follows a control")
    }
    var nearest: ClosedRange<Double>?
    if let range {
      guard case .parameter(let parameter) = target else {
        throw InvalidValue("range", MIDIAction.text(range), allowed: "left out for \(target), which has none")
      }
      let bounds = parameter.bounds
      let (low, high) = (parameter.nearest(range.lowerBound), parameter.nearest(range.upperBound))
      guard low < high, bounds.contains(range.lowerBound), bounds.contains(range.upperBound) else {
        throw InvalidValue("range", MIDIAction.text(range), allowed: "within \(MIDIAction.text(bounds))")
      }
      nearest = low...high
    }
    (self.target, self.gesture, self.coding, self.range) = (target, gesture, coding, nearest)
  }

  /// Parses a target, and after it a gesture, an encoder's coding, or a range: `tap hold`, `tempo twos-complement`, `tempo 80 160`.
  /// - Parameter table: the known parameters.
  /// - Throws: `InvalidValue`.
  package init(text: String, among table: ParameterTable = .standard) throws(InvalidValue) {
    let words = text.split(separator: " ").map(String.init)
    let (gesture, coding) = (
      words.last.flatMap(Gesture.init(rawValue:)), words.last.flatMap(EncoderCoding.init(rawValue:))
    )
    if words.count == 3, let parameter = table[words[0]], parameter.control != nil,
      let low = Double(words[1]),
      let high = Double(words[2])
    {
      guard low < high else {
        throw InvalidValue("range", "\(words[1])…\(words[2])", allowed: "the lower number first")
      }
      try self.init(.parameter(parameter), range: low...high)
    } else if gesture != nil || coding != nil,
      let target = try? MIDITarget(text: words.dropLast().joined(separator: " "), among: table)
    {
      try self.init(target, gesture: gesture ?? .press, coding: coding)
    } else {
      try self.init(MIDITarget(text: text, among: table))
    }
  }

  /// The ways in which a control can act on a target: gestures, or the codings of an encoder; the usual one first.
  package static func ways(of target: MIDITarget) -> [MIDIAction] {
    let gestures = Gesture.allCases.map { try? MIDIAction(target, gesture: $0) }
    let codings = EncoderCoding.allCases.map { try? MIDIAction(target, coding: $0) }
    return (gestures + codings).compactMap { $0 }
  }

  private static func text(_ range: ClosedRange<Double>) -> String {
    "\(range.lowerBound)…\(range.upperBound)"
  }
}

extension MIDIAction: CustomStringConvertible {
  package var description: String {
    var words = ["\(target)"]
    if gesture != .press { words.append("(\(gesture.rawValue))") }
    if let range { words.append("(\(MIDIAction.text(range)))") }
    if let coding { words.append("(\(coding.rawValue))") }
    return words.joined(separator: " ")
  }
}

/// A control and its action.
package struct MIDIBinding: Hashable, Sendable {
  /// The maximum number of bindings.
  package static let limit = 256

  package let source: MIDISource
  package let action: MIDIAction

  /// Whether the control is pressed, rather than moved.
  var isPressed: Bool { !action.target.followsControl && action.coding == nil }

  /// - Throws: `InvalidValue` if the control can't perform the action.
  package init(_ source: MIDISource, _ action: MIDIAction) throws(InvalidValue) {
    let kind = source.kind
    if action.target.followsControl || action.coding != nil {
      let isFitting = action.coding == nil ? kind.isFader : kind == .controller
      guard isFitting else {
        throw InvalidValue(
          "control", "\(source) for \(action)",
          allowed: action.coding == nil ? "a cc, cc14 or pitch-bend" : "a cc")
      }
    } else {
      guard kind.isSwitch else {
        throw InvalidValue("control", "\(source) for \(action)", allowed: "one that is pressed: a note or cc")
      }
      let isFitting = action.gesture == .latch ? kind == .controller : kind.isReleased
      guard action.gesture == .press || isFitting else {
        throw InvalidValue("gesture", action.gesture.rawValue, allowed: "press for \(source)")
      }
    }
    guard !action.target.takesProgram || kind == .program else {
      throw InvalidValue(
        "target", "\(action.target)", allowed: "\(action.target) N, for all but program changes")
    }
    (self.source, self.action) = (source, action)
  }
}

extension MIDIBinding: CustomStringConvertible {
  package var description: String { "\(source): \(action)" }
}
