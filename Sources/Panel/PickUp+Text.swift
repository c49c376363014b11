import Control

extension PickUp {
  /// What to do with the fader, as `volume: move up to 80 % (at 35 %)`.
  var text: String {
    guard range.contains(value) else {
      return
        "\(target) is \(text(value)): this control covers \(text(range.lowerBound)) to \(text(range.upperBound))"
    }
    return "\(target): move \(value > wanted ? "up" : "down") to \(text(value)) (at \(text(wanted)))"
  }

  /// A value of the target.
  private func text(_ value: Double) -> String {
    switch target {
    case .speed: return "\(Int(value.rounded())) %"
    // Swing is told in per cent of the pair, of which its range has 25.
    case .parameter(Parameters.swing.parameter): return "\(Int((50 + 25 * value).rounded())) %"
    case .parameter(let parameter) where parameter.bounds == 0...1: return "\(Int((100 * value).rounded())) %"
    default: return PanelModel.decimal(value)
    }
  }
}
