import MIDI
import MusicTime

/// Hardware controllers: what they ask for, and what they learn.
extension ConductorState {
  /// Takes a message from a controller.
  /// - Parameter time: when it happened, by `Monotonic`; for a tap nothing else counts.
  func heed(_ event: MIDIEvent, time: UInt64) {
    perform(surface.heed(event.message, at: time, now))
  }

  /// Sees to switches that have been down or up long enough to mean something.
  func heedSwitches() {
    let time = Monotonic.now
    if surface.deadline <= time { perform(surface.update(at: time, now)) }
  }

  private func perform(_ moves: [ControlSurface.Move]) {
    for move in moves {
      let refuse: @Sendable (String) -> Void = { [updates] in updates.push(Request(.problem("MIDI: \($0)"))) }
      apply(move.update, Request(.update(move.update), arrival: move.time, refuse: refuse))
    }
  }

  /// Changes what controllers do.
  func teach(_ update: Update) throws(InvalidValue) {
    switch update {
    case .learn(let action): surface.learning = action
    case .unlearn(let target):
      let isWaiting = surface.learning != nil && (target == nil || surface.learning?.target == target)
      if isWaiting { surface.learning = nil }
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
    now.learning = surface.learning
  }
}
