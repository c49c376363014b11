import Control
import MIDI
import Validation

/// One MIDI binding as the state file contains it.
struct BindingDocument {
  private let control: String
  private let target: String
  private let gesture: String?
  private let coding: String?
  private let low: Double?
  private let high: Double?

  init(_ binding: MIDIBinding) {
    control = "\(binding.source)"
    target = "\(binding.action.target)"
    gesture = binding.action.gesture == .press ? nil : binding.action.gesture.rawValue
    coding = binding.action.coding?.rawValue
    low = binding.action.range?.lowerBound
    high = binding.action.range?.upperBound
  }

  /// - Throws: `InvalidValue` for a key that is missing or of another type.
  init(_ node: Node) throws(InvalidValue) {
    control = try BindingDocument.required("control", node)
    target = try BindingDocument.required("target", node)
    gesture = try node.text(at: ["gesture"], "")
    coding = try node.text(at: ["coding"], "")
    low = try node.number("low")
    high = try node.number("high")
  }

  private static func required(_ key: String, _ node: Node) throws(InvalidValue) -> String {
    guard let text = try node.text(at: [key], "") else {
      throw InvalidValue(key, "missing", allowed: "given")
    }
    return text
  }

  static let knownKeys: KnownKeys = {
    var keys = KnownKeys()
    for key in ["control", "target", "gesture", "coding", "low", "high"] { keys.insert([key]) }
    return keys
  }()

  var tree: SettingsTree {
    var tree = SettingsTree()
    tree["control"] = .text(control)
    tree["target"] = .text(target)
    tree["gesture"] = gesture.map { .text($0) }
    tree["coding"] = coding.map { .text($0) }
    tree["low"] = low.map { .number($0) }
    tree["high"] = high.map { .number($0) }
    return tree
  }

  /// - Throws: `InvalidValue` for the first value that is not allowed.
  func binding() throws(InvalidValue) -> MIDIBinding {
    var range: ClosedRange<Double>?
    if low != nil || high != nil {
      guard let low, let high, low < high else {
        let given = "\(low.map { "\($0)" } ?? "nothing") and \(high.map { "\($0)" } ?? "nothing")"
        throw InvalidValue("low and high", given, allowed: "two numbers, the lower one first")
      }
      range = low...high
    }
    let target: MIDITarget
    do { target = try MIDITarget(text: self.target) } catch {
      throw InvalidValue("target", quoted(self.target), allowed: error.allowed)
    }
    let action = try MIDIAction(
      target,
      gesture: gesture.map { text throws(InvalidValue) in try named(text, "gesture") } ?? .press,
      coding: coding.map { text throws(InvalidValue) in try named(text, "coding") }, range: range)
    return try MIDIBinding(MIDISource(text: control), action)
  }

  private func named<T: RawRepresentable<String> & CaseIterable>(
    _ text: String, _ key: String
  ) throws(InvalidValue) -> T {
    guard let value = T(rawValue: text) else {
      let names = T.allCases.map(\.rawValue).joined(separator: ", ")
      throw InvalidValue(key, quoted(text), allowed: "one of \(names)")
    }
    return value
  }
}
