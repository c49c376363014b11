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
    guard gesture == .press || !target.takesProgram else {
      throw InvalidValue(
        "gesture", gesture.rawValue, allowed: "left out for \(target), which a program change chooses")
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
  /// After a name a gesture is in brackets, because it could be a part of the name: `goto chorus (hold)`.
  /// - Parameter table: the known parameters.
  /// - Throws: `InvalidValue`.
  package init(text: String, among table: ParameterTable = .standard) throws(InvalidValue) {
    let words = text.split(separator: " ").map(String.init)
    func target(_ words: some Collection<String>) -> MIDITarget? {
      try? MIDITarget(text: words.joined(separator: " "), among: table)
    }
    if words.count == 3, let low = Double(words[1]), let high = Double(words[2]),
      let target = target(words.prefix(1)), target.followsControl
    {
      try self.init(target, range: MIDIAction.range(low, high))
      return
    }
    var word = words.last ?? ""
    let isInBrackets = word.count > 2 && word.first == "(" && word.last == ")"
    if isInBrackets { word = String(word.dropFirst().dropLast()) }
    if let way = MIDIAction.way(word), let target = target(words.dropLast()),
      isInBrackets || !target.takesName
    {
      try self.init(target, gesture: way.gesture, coding: way.coding)
    } else {
      try self.init(MIDITarget(text: text, among: table))
    }
  }

  /// The gesture or the encoder's coding of a name; nil if it is neither.
  package static func way(_ name: String) -> (gesture: Gesture, coding: EncoderCoding?)? {
    if let coding = EncoderCoding(rawValue: name) { return (.press, coding) }
    return Gesture(rawValue: name).map { ($0, nil) }
  }

  /// A range for a control.
  /// - Throws: `InvalidValue` if the first number is not the lower one.
  package static func range(_ low: Double, _ high: Double) throws(InvalidValue) -> ClosedRange<Double> {
    guard low < high else {
      throw InvalidValue("range", "\(plain(low))…\(plain(high))", allowed: "the lower number first")
    }
    return low...high
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
