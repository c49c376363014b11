import Glibc

extension Calibration {
  /// What was measured, and what that means, in sentences.
  package var lines: [String] {
    let own = TimingWords.number(abs(offset))
    let way = offset < 0 ? "early" : "late"
    let what = port == ListeningSetup.notesPort ? "its notes come" : "the click comes back"
    var lines = ["\(port) is calibrated: \(what) \(own) ms \(way), ±\(TimingWords.number(spread)) ms."]
    if port == ListeningSetup.notesPort {
      lines.append("That is the module's delay, and what JACK does not know of the click's way.")
    }
    guard bleed > 0.001 else { return lines }
    let level = Int((20 * log10(Double(bleed))).rounded())
    guard level + 6 < 0 else {
      lines.append(
        "It hears the click at \(level) dB, so loud that no stroke on a click can be told from it: turn the click down, or wear headphones."
      )
      return lines
    }
    lines.append(
      "It hears the click at \(level) dB: strokes on a click count only from \(level + 6) dB on. If it hears none while you play, as with headphones, they all count within twelve beats, or at once with listen/bleed 0."
    )
    return lines
  }
}
