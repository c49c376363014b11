/// A summary in words for drummers.
package struct TimingWords: Sendable {
  private let summary: TimingSummary
  private let target: Double

  /// - Parameter target: the time at which the player wants to play, in milliseconds after the click.
  package init(_ summary: TimingSummary, target: Double = 0) {
    (self.summary, self.target) = (summary, target)
  }

  /// One sentence a line; empty without hits.
  package var lines: [String] {
    guard summary.hits > 0 else { return [] }
    var lines = [first]
    guard !summary.hearsClick else { return lines + [TimingWords.remedy] + cycleLines }
    guard !summary.isBeside else { return lines + cycleLines }
    if summary.hidden > 0 {
      lines.append(
        "\(summary.hidden) softer strokes did not count because the click sounded: these figures omit them.")
    }
    guard let scatter = summary.scatter else {
      lines.append("Too few hits to say more: play at least \(Scatter.fewest).")
      return lines + cycleLines
    }
    lines.append(
      "Spread \(TimingWords.number(scatter.spread.value)) ms "
        + "(\(TimingWords.number(scatter.spread.low)) to \(TimingWords.number(scatter.spread.high)))"
        + (summary.isCalibrated ? "; \(TimingWords.percent(summary.inWindow)) in the window." : "."))
    // The sentence states the drift in ten seconds, which a shorter take does not support.
    if scatter.seconds >= 10, scatter.drift.isSignificant, abs(scatter.drift.value) >= 0.5 {
      let way = scatter.drift.value > 0 ? "later and later" : "earlier and earlier"
      lines.append("You came \(way): \(TimingWords.number(abs(scatter.drift.value))) ms every 10 seconds.")
    }
    if summary.hits >= Scatter.many, scatter.autocorrelation.high < 0 {
      lines.append("You chased the click: a late hit followed an early one, and an early hit a late one.")
    } else if summary.hits >= Scatter.many, scatter.autocorrelation.low > 0.3 {
      lines.append("You drifted for a while before you corrected: each hit was much like the one before.")
    }
    lines += summary.places.compactMap { stands($0, "On \($0.name)") }
    lines += summary.drums.compactMap { stands($0, "The \($0.name)") }
    for strengths in summary.strengths { lines += self.lines(strengths) }
    if let swing = summary.swing, let words = self.words(swing) { lines.append(words) }
    lines += gapLines
    return lines + cycleLines
  }

  private var cycleLines: [String] {
    guard summary.missedCycles > 0 else { return [] }
    let times = summary.missedCycles == 1 ? "once" : "\(summary.missedCycles) times"
    return ["The machine missed cycles \(times): what you played then was not heard."]
  }

  /// The remedy if an input hears the click.
  static let remedy =
    "Your strokes cannot be distinguished from it: calibrate, turn the click down, or wear headphones and set listen/bleed to 0."

  private func lines(_ strengths: TimingSummary.Strengths) -> [String] {
    let (soft, loud) = (strengths.soft, strengths.loud)
    let place = strengths.name.isEmpty ? "" : " on the \(strengths.name)"
    var lines: [String] = []
    if strengths.differs {
      let (later, way) = (strengths.later, strengths.later.value > 0 ? "later" : "earlier")
      lines.append(
        "Your \(soft.count) ghost notes\(place) came \(TimingWords.number(abs(later.value))) ms \(way) "
          + "than the \(loud.count) accents (±\(TimingWords.number(later.margin))).")
    }
    if strengths.spreadDiffers {
      lines.append(
        "Ghost notes\(place) spread by \(TimingWords.number(soft.spread)) ms, accents by "
          + "\(TimingWords.number(loud.spread)) ms.")
    }
    return lines
  }

  /// Describes the swing; nil if the bounds are too wide for a statement.
  private func words(_ swing: TimingSummary.Swing) -> String? {
    func hundredths(_ ratio: Double) -> String { TimingWords.tempo((ratio * 100).rounded() / 100) }
    let ratio = swing.ratio
    let bounds = "\(hundredths(ratio.value)) to 1 (\(hundredths(ratio.low)) to \(hundredths(ratio.high)))"
    let click = swing.click > 1.05 ? "; the click's \(hundredths(swing.click)) to 1" : ""
    if ratio.low > 1, ratio.value >= 1.05 {
      return "Your off-beats swing: \(bounds), where 1 is straight and 2 a triplet\(click)."
    }
    if ratio.high < 1, ratio.value <= 0.95 {
      return "Your off-beats come early: \(bounds), where 1 is straight\(click)."
    }
    guard ratio.low > 0.9, ratio.high < 1.1 else { return nil }
    return "Your off-beats are straight: \(bounds)\(click)."
  }

  private var first: String {
    var words = "\(summary.hits) hits"
    if summary.missed > 0 {
      words += ", \(summary.missed) \(summary.missed == 1 ? "click" : "clicks") without one"
    }
    if summary.extra > 0 { words += ", \(summary.extra) between the clicks" }
    guard !summary.hearsClick else {
      return words + ". The microphone hears the click itself: how well you kept time is not known."
    }
    guard !summary.isBeside else {
      return words
        + ". Most strokes were near no click: are wireless headphones delayed, or did you play another rhythm? How well you kept time is not known."
    }
    guard summary.isCalibrated else {
      return words + ". Not calibrated: only how even you played is known, not how early or late."
    }
    words += ": " + TimingWords.lateness(summary.mean)
    if let mean = summary.scatter?.mean { words += " (±\(TimingWords.number(mean.margin)))" }
    if summary.hasModuleDelay { words += ", your module's delay included" }
    if target != 0 { words += ", target \(TimingWords.lateness(target))" }
    return words + "."
  }

  /// Compares a place or drum with the average; nil if it does not stand out, or if the difference would be shown as 0 ms.
  private func stands(_ part: TimingSummary.Part, _ beginning: String) -> String? {
    let away = part.mean - summary.mean
    let (size, way) = (TimingWords.number(abs(away)), away < 0 ? "earlier" : "later")
    guard part.standsOut, size != "0" else { return nil }
    return "\(beginning) you were \(size) ms \(way) than on average."
  }

  private var gapLines: [String] {
    guard let gaps = summary.gaps else { return [] }
    var words = "While the click was silent: spread \(TimingWords.number(gaps.spread)) ms"
    if let slower = gaps.slower {
      if slower.isSignificant, abs(slower.value) >= 0.05 {
        let size = TimingWords.number(abs(slower.value))
        words += ", and you were \(size) % \(slower.value > 0 ? "slower" : "faster") than the click"
        if let lost = gaps.lost, lost.isSignificant {
          let amount = TimingWords.number(abs(lost.value))
          words +=
            ": \(amount) ms \(lost.value > 0 ? "later" : "earlier") with each silent bar (±\(TimingWords.number(lost.margin)))"
        }
      } else {
        words += ", and you kept the tempo"
      }
    }
    words += "."
    var lines = [words]
    if let clock = gaps.clock, let hands = gaps.hands {
      lines.append(
        "Your sense of time contributes \(TimingWords.number(clock)) ms of this, and your hands \(TimingWords.number(hands)) ms."
      )
    }
    return lines
  }

  /// An asynchrony in words, for example `4.2 ms early`.
  package static func lateness(_ milliseconds: Double) -> String {
    let size = number(abs(milliseconds))
    return size == "0" ? "on the click" : "\(size) ms \(milliseconds < 0 ? "early" : "late")"
  }

  /// A number with up to one decimal, without decimals from 100 on; `–` if it is not finite, or 10⁹ or more.
  package static func number(_ number: Double) -> String {
    guard number.isFinite, abs(number) < 1e9 else { return "–" }
    let tenths = Int((abs(number) * 10).rounded())
    let text = tenths % 10 == 0 || tenths >= 1_000 ? "\((tenths + 5) / 10)" : "\(tenths / 10).\(tenths % 10)"
    return number < 0 && tenths > 0 ? "−" + text : text
  }

  /// A tempo with up to three decimals.
  package static func tempo(_ beatsPerMinute: Double) -> String {
    let text = "\((beatsPerMinute * 1_000).rounded() / 1_000)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// A part, 0…1, in whole percent. Other values are limited to 0…100 %, because a damaged log may contain anything.
  package static func percent(_ part: Double) -> String {
    "\(Int((min(max(part, 0), 1) * 100).rounded())) %"
  }
}
