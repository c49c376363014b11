import Glibc

extension Calibration {
  /// Whether the input heard the click clearly before it left the speakers.
  private var isImpossible: Bool { port != ListeningSetup.notesPort && offset <= -1 }

  /// What was measured and what it means, one sentence a line.
  package var lines: [String] {
    let own = TimingWords.number(abs(offset))
    let way = offset < 0 ? "early" : "late"
    let what = port == ListeningSetup.notesPort ? "its notes come" : "the click comes back"
    var lines = ["\(port) is calibrated: \(what) \(own) ms \(way), ±\(TimingWords.number(spread)) ms."]
    if port == ListeningSetup.notesPort {
      lines.append("That is the module's delay, and latency of the click that JACK does not know.")
    }
    if isImpossible {
      lines.append(
        "No click comes back before it is played: connect \(port) to the microphone or trigger, not to Tactus, and calibrate again. Otherwise JACK reports more latency than there is."
      )
    }
    guard bleed > 0.001 else { return lines }
    let level = Int((20 * log10(Double(bleed))).rounded())
    guard level + 6 < 0 else {
      lines.append(
        "It hears the click at \(level) dB, so loud that strokes on a click cannot be distinguished from it: turn the click down, or wear headphones."
      )
      return lines
    }
    lines.append(
      "It hears the click at \(level) dB: strokes on a click count only from \(level + 6) dB on. If it does not hear the click while you play, for example with headphones, all strokes count within twelve beats, or at once with listen/bleed 0."
    )
    return lines
  }
}
