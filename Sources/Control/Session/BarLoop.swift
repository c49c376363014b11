import Engine
import Validation

/// A request for the loop: bars of the session that repeat.
package enum BarLoopChange: Sendable, Equatable {
  /// The first press marks the current bar as the first, the second marks the last, the third ends the loop.
  case mark
  /// Repeats these bars; nil: ends the loop.
  case bars(SessionBars?)
}

/// Bars of a song, numbered as in its document.
package struct SessionBars: Sendable, Equatable {
  package struct Bar: Sendable, Equatable {
    /// From 1; nil: the section that plays; in a count-in, the one after it.
    package var section: Int?
    /// The bar in the section, from 1.
    package var bar: Int

    package init(section: Int? = nil, bar: Int) { (self.section, self.bar) = (section, bar) }
  }

  package let first: Bar
  package let last: Bar

  package init(_ first: Bar, through last: Bar) { (self.first, self.last) = (first, last) }

  /// `5–8`, or `Verse 7 – Chorus 2` if they lie in two sections.
  /// - Parameter names: returns a section's name by its number, from 1; nil if it has none.
  package func text(_ names: (Int) -> String?) -> String {
    guard let one = first.section, let other = last.section, one != other else {
      return first.bar == last.bar ? "\(first.bar)" : "\(first.bar)–\(last.bar)"
    }
    return "\(names(one) ?? "\(one)") \(first.bar) – \(names(other) ?? "\(other)") \(last.bar)"
  }
}

/// What the player repeats: the section, or bars.
struct SessionRepeats: Equatable {
  private(set) var isHeld = false
  private(set) var loop: BarRange?
  /// The first bar of a loop whose last bar is not marked yet; nil if none is marked.
  private(set) var mark: BarRange.Bar?

  /// Whether the section or bars repeat, so that the music does not continue by itself.
  var isOn: Bool { isHeld || loop != nil }

  mutating func hold(_ holds: Bool) { self = SessionRepeats(isHeld: holds) }
  mutating func loop(_ range: BarRange) { self = SessionRepeats(loop: range) }
  mutating func mark(_ bar: BarRange.Bar) { self = SessionRepeats(mark: bar) }

  private init(isHeld: Bool = false, loop: BarRange? = nil, mark: BarRange.Bar? = nil) {
    (self.isHeld, self.loop, self.mark) = (isHeld, loop, mark)
  }

  init() {}
}

/// Conversions between bars of the document and bars of the score.
extension SessionPlayback {
  /// The current bar, or the first bar of the section before it begins.
  var here: BarRange.Bar {
    guard bar > 0, plan < song.plans.count else { return BarRange.Bar(section: parts[section]) }
    return BarRange.Bar(section: plan, bar: max(1, bar - bars(inPart: section, before: plan)))
  }

  /// What the engine must repeat now. A count-in is played once: a section that is held begins after it.
  var repetition: Repetition {
    if let loop = repeats.loop { return .bars(loop) }
    return repeats.isHeld && !isInCountIn ? .section : .none
  }

  /// Whether the count-in plays, or comes next.
  var isInCountIn: Bool { song.plans[here.section].isCountIn }

  /// Whether the count-in ends with the current bar. Unknown, and false, if its length is a time.
  var isInLastBarOfCountIn: Bool {
    guard bar > 0, isInCountIn else { return false }
    if let counted = song.plans[here.section].counted { return counted.bar == counted.bars }
    return here.section + 1 == song.firstPlanOfMusic && here.bar == song.plans[here.section].bars
  }

  /// The session's place, to continue from in a later run.
  var place: SessionPlace {
    if let left { return left }
    var place = SessionPlace(path: path, song: index, section: section, lap: laps)
    let here = here
    let step = here.section - parts[section]
    // At a section's start the place has no bar, as if the section had not begun.
    guard step > 0 || here.bar > 1, !song.plans[here.section].isCountIn else { return place }
    (place.step, place.bar) = (step, here.bar)
    return place
  }

  /// - Parameter map: the sections of the score; nil while the song is not ready. Then the numbers of bars are not known of sections
  ///   whose length is a time.
  /// - Throws: `InvalidValue` for a section or bar that the song does not have.
  func range(of bars: SessionBars, _ map: SectionMap?) throws(InvalidValue) -> BarRange {
    let (first, last) = (try place(of: bars.first, map), try place(of: bars.last, map))
    guard let range = BarRange(first, through: last) else {
      throw InvalidValue("loop", "to bar \(bars.last.bar)", allowed: "to the first bar or a later one")
    }
    return range
  }

  /// - Throws: `InvalidValue` for a section or bar that the song does not have, or for a count-in.
  private func place(of wanted: SessionBars.Bar, _ map: SectionMap?) throws(InvalidValue) -> BarRange.Bar {
    let part = wanted.section.map { $0 - 1 } ?? (isInCountIn ? self.part(of: song.firstPlanOfMusic) : section)
    guard parts.indices.contains(part) else {
      throw InvalidValue("loop: section", "\(part + 1)", allowed: "1…\(parts.count)")
    }
    let end = part + 1 < parts.count ? parts[part + 1] : song.plans.count
    var bar = wanted.bar
    guard !song.plans[parts[part]].isCountIn else {
      throw InvalidValue("loop", "in the count-in", allowed: "of the music's bars")
    }
    for plan in parts[part]..<end where bar > 0 {
      // An open section has each bar.
      guard let bars = song.plans[plan].bars ?? map?.bars(ofSection: plan), bar > bars else {
        return BarRange.Bar(section: plan, bar: bar)
      }
      bar -= bars
    }
    throw InvalidValue(
      "loop: bar", "\(wanted.bar)",
      allowed: "1…\(wanted.bar - bar), a bar of \(quoted(name(ofPart: part)))")
  }

  /// A bar of the score, numbered as in the document.
  func bar(at place: BarRange.Bar) -> SessionBars.Bar {
    let part = part(of: place.section)
    return SessionBars.Bar(section: part + 1, bar: bars(inPart: part, before: place.section) + place.bar)
  }
}
