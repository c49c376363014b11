import MIDI
import MusicTime
import Validation

/// Hardware controllers: what they ask for, and what they learn.
extension ConductorCore {
  /// Whether a control may be moved at any moment.
  var hasControls: Bool { surface.learner.action != nil || !now.settings.bindings.isEmpty }

  /// Takes what controllers sent, and sees to switches that have been down or up long enough to mean something.
  func handleControls() {
    while let event = channels.pointee.controls.pop() {
      let told = host?.time(of: event.frame) ?? time
      handle(event.message, at: controlTimes.time(of: event.frame, told: told, sampleRate: scores.sampleRate))
    }
    if surface.deadline <= time { perform(surface.update(at: time, now)) }
  }

  /// - Parameter time: when it happened; for a tap nothing else counts.
  func handle(_ message: MIDIMessage, at time: UInt64) {
    perform(surface.handle(message, at: time, now))
    if let misfit = surface.learner.misfit(message) { report(.warning("MIDI: \(misfit)")) }
  }

  private func perform(_ moves: [ControlSurface.Move]) {
    for move in moves {
      let refuse: @Sendable (String) -> Void = { [updates] in updates.push(Request(.problem("MIDI: \($0)"))) }
      apply(move.update, Request(.update(move.update), arrival: move.time, refuse: refuse))
    }
  }

  /// Notes which inputs are connected.
  func noteConnected(_ ports: Set<String>) { deafPorts.connected = ports }

  /// Warns of inputs that are needed and not connected.
  func warnOfDeafPorts() {
    for warning in deafPorts.warnings(now.settings) { report(.warning(warning)) }
  }

  /// Changes what controllers do.
  func teach(_ update: Update) throws(InvalidValue) {
    switch update {
    case .learn(let action): surface.learner.action = action
    case .unlearn(let target):
      let isWaiting =
        surface.learner.action != nil && (target == nil || surface.learner.action?.target == target)
      if isWaiting { surface.learner.action = nil }
      // Whoever stops waiting for a control need not have had one.
      if isWaiting, !now.settings.bindings.contains(where: { $0.action.target == target }) { break }
      try now.settings.unbind(target)
    case .bind(let binding): try now.settings.bind(binding)
    case .load(let map):
      var settings = now.settings
      for binding in map.bindings { try settings.bind(binding) }
      now.settings = settings
    default: break
    }
    now.learning = surface.learner.action
  }
}
