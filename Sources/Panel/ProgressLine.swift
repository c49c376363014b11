import Control

extension SessionProgress {
  /// The song that starts by itself and the time until then, as text; nil if none waits.
  package var countdown: String? {
    startsIn.map {
      (songs > 1 ? "\(song)/\(songs) \(title)" : title) + " · starts in \(ProgressText.time($0))"
    }
  }

  /// The position in a session as text, to show before bar and beat.
  package var line: String {
    var words = songs > 1 ? ["\(song)/\(songs) \(title)"] : title.isEmpty ? [] : [title]
    if !section.isEmpty { words.append(section) }
    if bars > 0 { words.append(bar > 0 ? "\(bar) of \(bars)" : ProgressText.bar(self)) }
    let cycle = ProgressText.cycle(self)
    if !cycle.isEmpty { words.append(cycle) }
    let left = ProgressText.left(self).map { ", \($0) left" } ?? ""
    words.append(ProgressText.elapsed(sectionElapsed, of: sectionLength) + left)
    if let elapsed = songElapsed { words.append("song " + ProgressText.elapsed(elapsed, of: songLength)) }
    if let repeated = ProgressText.repeated(self) { words.append(repeated) }
    if speed != 100 { words.append("\(speed) %") }
    if let then = ProgressText.then(self) { words.append(then) }
    return words.joined(separator: " · ") + "  "
  }
}

enum ProgressText {
  /// The text after the last song.
  static func end(_ progress: SessionProgress) -> String {
    progress.songs > 1 ? "the set is over" : "the song is over"
  }

  /// The bar and the number of bars, such as `bar 4 of 16`; before the first bar only their number.
  static func bar(_ progress: SessionProgress) -> String {
    let bars = progress.bars == 0 ? "" : "\(progress.bars)"
    guard progress.bar == 0 else { return "bar \(progress.bar)" + (bars.isEmpty ? "" : " of \(bars)") }
    return bars.isEmpty ? "" : progress.bars == 1 ? "1 bar" : "\(bars) bars"
  }

  /// The song's nudge, such as `, +1.5 BPM`; empty if it is 0.
  static func nudge(_ progress: SessionProgress) -> String {
    let nudge = Double(progress.nudge) / 1_000
    guard nudge != 0 else { return "" }
    let text = nudge == nudge.rounded() ? "\(Int(nudge))" : "\(nudge)"
    return ", \(nudge > 0 ? "+" : "")\(text) BPM"
  }

  /// What repeats: `held`, `loop 5–8`, `loop from 5`; nil if nothing does.
  static func repeated(_ progress: SessionProgress) -> String? {
    if progress.isHeld { return "held" }
    if let mark = progress.loopMark { return "loop from \(mark.bar)" }
    return progress.loop.map { loop in
      "loop "
        + loop.text { number in
          let sections = progress.outline?.sections ?? []
          return sections.indices.contains(number - 1) ? sections[number - 1].name : nil
        }
    }
  }

  /// The target of a jump, the tempo of the section's next step, or the next section; nil if there is neither.
  static func then(_ progress: SessionProgress) -> String? {
    if progress.isJumping { return jump(progress) }
    if let step = progress.nextStep {
      return "then \(step.tempo) " + (step.bars == 1 ? "after this bar" : "in \(step.bars) bars")
    }
    return progress.next.isEmpty ? nil : "then \(progress.next)"
  }

  /// The target of a jump that is under way.
  static func jump(_ progress: SessionProgress) -> String {
    "goes to \(progress.next.isEmpty ? "another section" : progress.next)"
  }

  /// The time left in the section; nil if it is open or repeats.
  static func left(_ progress: SessionProgress) -> String? {
    repeated(progress) == nil ? progress.sectionLeft.map(time) : nil
  }

  /// The hint for leaving an open section; nil for other sections.
  static func wait(_ progress: SessionProgress) -> String? {
    progress.isReady && progress.sectionLength == nil && repeated(progress) == nil
      ? "until you go on: n" : nil
  }

  /// The cycle through the document's sections; empty if there is only one.
  static func cycle(_ progress: SessionProgress) -> String {
    switch progress.cycles {
    case 0: "cycle \(progress.cycle)"
    case 1: ""
    default: "cycle \(progress.cycle) of \(progress.cycles)"
    }
  }

  /// The part of the section that has passed, 0…1; 0 if it is open.
  static func share(_ progress: SessionProgress) -> Double {
    if progress.bars > 0 { return Double(progress.bar) / Double(progress.bars) }
    guard let length = progress.sectionLength, length > 0 else { return 0 }
    return min(1, Double(progress.sectionElapsed) / Double(length))
  }

  /// The elapsed time, such as `0:05 of 1:05`.
  static func elapsed(_ seconds: Int, of length: Int?) -> String {
    time(seconds) + (length.map { " of \(time($0))" } ?? "")
  }

  /// A time in seconds as `1:05`.
  static func time(_ seconds: Int) -> String {
    let rest = seconds % 60
    return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
  }
}
