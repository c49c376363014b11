import MusicTime

/// What a fader moves: the range that it covers, the present value, and the update that sets another.
struct FaderWay {
  let range: ClosedRange<Double>
  let value: Double
  private let set: (Double) -> Update?

  /// nil if an action has nothing to move.
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

  /// Where the fader stands that shows the value, 0…1; below or above if the value is out of its range.
  var position: Double { (value - range.lowerBound) / (range.upperBound - range.lowerBound) }

  /// What a position sets, 0…1.
  func update(to position: Double) -> Update? { set(value(at: position)) }

  /// A fader at a position that does not show the value.
  func pickUp(_ target: MIDITarget, at position: Double) -> PickUp {
    PickUp(target, wanted: value(at: position), value: value, range: range)
  }

  private func value(at position: Double) -> Double {
    range.lowerBound + position * (range.upperBound - range.lowerBound)
  }
}
