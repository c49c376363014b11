import MusicTime

/// The range and value of a fader, and the update for a new position.
struct FaderMapping {
  let range: ClosedRange<Double>
  let value: Double
  private let set: (Double) -> Update?

  /// nil if the action has no value to move.
  init?(of action: MIDIAction, _ now: Snapshot) {
    switch action.target {
    case .parameter(let parameter):
      guard let control = parameter.control, case .number(let value) = now.settings[parameter] else {
        return nil
      }
      let isWhole = parameter == Parameters.tempo.parameter && now.settings[Parameters.wholeTempo]
      range = parameter.range(action.range ?? control.range, in: now.settings)
      self.value = value
      set = { (try? Setting(parameter, .number(isWhole ? $0.rounded() : $0))).map { .set($0) } }
    case .speed(nil):
      guard let speed = now.progress?.speed else { return nil }
      (range, value) = (SessionSpeed.faderRange, Double(speed))
      set = { .speed(percent: Int($0.rounded())) }
    default: return nil
    }
  }

  /// The fader position that shows the value: 0…1; outside if the value is outside the range.
  var position: Double { (value - range.lowerBound) / (range.upperBound - range.lowerBound) }

  /// The update for a position, 0…1.
  func update(to position: Double) -> Update? { set(value(at: position)) }

  /// The pick-up state of a fader at a position that does not show the value.
  func pickUp(_ target: MIDITarget, at position: Double) -> PickUp {
    PickUp(target, wanted: value(at: position), value: value, range: range)
  }

  private func value(at position: Double) -> Double {
    range.lowerBound + position * (range.upperBound - range.lowerBound)
  }
}
