import Control

extension PickUp {
  /// An instruction for the fader, such as `volume: move up to 80 % (at 35 %)`.
  var text: String {
    guard range.contains(value) else {
      return
        "\(target) is \(text(value)): this control covers \(text(range.lowerBound)) to \(text(range.upperBound))"
    }
    return "\(target): move \(value > wanted ? "up" : "down") to \(text(value)) (at \(text(wanted)))"
  }

  /// A value of the target with its unit.
  private func text(_ value: Double) -> String {
    switch target {
    case .speed: return "\(Int(value.rounded())) %"
    // Swing is shown in percent of a pair of parts; its range 0…1 is 50…75 %.
    case .parameter(Parameters.swing.parameter): return "\(Int((50 + 25 * value).rounded())) %"
    case .parameter(let parameter) where parameter.bounds == 0...1: return "\(Int((100 * value).rounded())) %"
    default: return PanelModel.decimal(value)
    }
  }
}
