import MIDI
import MusicTime
import Validation

extension Settings {
  /// Adds a binding. It replaces the one for the same control and gesture.
  /// - Throws: `InvalidValue` if there are too many.
  package mutating func bind(_ binding: MIDIBinding) throws(InvalidValue) {
    var next = bindings.filter { !$0.replaces(binding) }
    guard next.count < MIDIBinding.limit else {
      throw InvalidValue(
        "binding", "\(binding)", allowed: "one of at most \(MIDIBinding.limit); unlearn another first")
    }
    next.append(binding)
    bindings = next
  }

  /// Whether a binding would replace one of these.
  package func hasBinding(like binding: MIDIBinding) -> Bool { bindings.contains { $0.replaces(binding) } }

  /// Removes one binding.
  /// - Throws: `InvalidValue` if there is no such binding.
  package mutating func unbind(_ binding: MIDIBinding) throws(InvalidValue) {
    let rest = bindings.filter { $0 != binding }
    guard rest.count < bindings.count else {
      throw InvalidValue("binding", quoted("\(binding)"), allowed: "one that a control has learned")
    }
    bindings = rest
  }

  /// Removes a target from all its controls.
  /// - Parameter target: nil: all targets.
  /// - Throws: `InvalidValue` if the target has no binding.
  package mutating func unbind(_ target: MIDITarget?) throws(InvalidValue) {
    guard let target else {
      bindings = []
      return
    }
    let rest = bindings.filter { $0.action.target != target }
    guard rest.count < bindings.count else {
      throw InvalidValue("target", quoted("\(target)"), allowed: "one that a control has learned")
    }
    bindings = rest
  }
}

extension MIDIBinding {
  /// Whether another binding is of the same control and gesture. Only one of both can be kept.
  fileprivate func replaces(_ other: MIDIBinding) -> Bool {
    source.isSame(as: other.source) && action.gesture == other.action.gesture
  }
}
