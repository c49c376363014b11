import Glibc

extension Calibration {
  /// What was measured, and what that means, in sentences.
  package var lines: [String] {
    let own = TimingWords.number(offset)
    var lines = [
      "\(port) is calibrated: the click comes back \(own) ms late, ±\(TimingWords.number(spread)) ms."
    ]
    guard bleed > 0.001 else { return lines }
    let level = Int((20 * log10(Double(bleed))).rounded())
    lines.append(
      "It hears the click at \(level) dB: strokes on a click count only from \(level + 6) dB on. If you wear headphones, set listen/bleed to 0."
    )
    return lines
  }
}
