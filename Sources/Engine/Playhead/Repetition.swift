import MusicTime

/// The part of the music that repeats when it ends.
package enum Repetition: BitwiseCopyable, Hashable, Sendable {
  case none
  /// The current section.
  case section
  /// A range of bars of the score.
  case bars(BarRange)

  @_noLocks
  func equals(_ other: Repetition) -> Bool {
    switch (self, other) {
    case (.none, .none), (.section, .section): true
    case (.bars(let one), .bars(let other)): one.equals(other)
    default: false
    }
  }
}

/// Whole bars of a score, from `first` through `last`. They may lie in several sections.
package struct BarRange: BitwiseCopyable, Hashable, Sendable {
  /// A bar of a score.
  package struct Bar: BitwiseCopyable, Hashable, Comparable, Sendable {
    /// Index of the section in the score, from 0.
    package let section: Int
    /// Bar of the section, from 1.
    package let bar: Int

    package init(section: Int, bar: Int = 1) { (self.section, self.bar) = (section, bar) }

    package static func < (one: Bar, other: Bar) -> Bool {
      (one.section, one.bar) < (other.section, other.bar)
    }
  }

  /// The first bar.
  package let first: Bar
  /// The last bar, not before `first`.
  package let last: Bar

  /// - Returns: nil if the last bar comes before the first.
  package init?(_ first: Bar, through last: Bar) {
    guard first <= last else { return nil }
    (self.first, self.last) = (first, last)
  }

  @_noLocks
  fileprivate func equals(_ other: BarRange) -> Bool {
    first.section == other.first.section && first.bar == other.first.bar && last.section == other.last.section
      && last.bar == other.last.bar
  }
}

extension Score.Section {
  /// A bar line.
  struct Line: BitwiseCopyable {
    /// The bar that begins there, of the score.
    let bar: Int
    /// The number of bars before it that are not shown. An open section that ends there is not among them.
    let hiddenBars: Int
    /// From the score's start.
    let time: FrameDuration
    /// Ticks of the JACK transport from the score's start.
    let ticks: Double
    /// MIDI clock pulses from the score's start, in units of 2⁻⁶⁴ pulses.
    let pulses: Int128
  }

  /// The start of a bar; the section's end if the bar lies after it.
  /// - Parameter bar: of the section, from 1.
  /// - Thread: any, audio
  @_noLocks
  func line(before bar: Int) -> Line {
    if let end, let nextBar, bar > end.bars {
      return Line(
        bar: nextBar, hiddenBars: hiddenBars, time: start + end.time, ticks: ticks(before: nextBar),
        pulses: endPulses)
    }
    let place = firstBar + bar - 1
    return Line(
      bar: place, hiddenBars: hiddenBars, time: time(bar: place, step: 0), ticks: ticks(before: place),
      pulses: startPulses + buffer.grid.pulses(bar: bar, step: 0))
  }
}

extension Playhead {
  /// The bar lines between which the music repeats.
  struct Round: BitwiseCopyable {
    /// The indices of the sections that contain the last and the first bar.
    let lastSection: Int
    let firstSection: Int
    let start: Score.Section.Line
    let end: Score.Section.Line

    /// Bars, ticks and pulses of a number of rounds.
    /// - Thread: audio
    @_noLocks
    func elapsed(_ rounds: Int) -> Lap.Elapsed {
      Lap.Elapsed(
        bars: rounds * (end.bar - start.bar), roundBars: rounds * (end.bar - start.bar),
        hiddenBars: rounds * (end.hiddenBars - start.hiddenBars),
        ticks: Double(rounds) * (end.ticks - start.ticks),
        pulses: Int128(rounds) * (end.pulses - start.pulses))
    }

    var length: FrameDuration { @_noLocks get { end.time - start.time } }
  }

  /// The bars that repeat if the music continues from the next onset; nil if none do.
  /// - Thread: audio
  var round: Round? {
    @_noLocks
    @inline(__always)
    get { if case .none = repetition { nil } else { repeatedRound } }
  }

  private var repeatedRound: Round? {
    @_noLocks
    @inline(never)
    get {
      switch repetition {
      case .none: return nil
      case .section:
        let (section, index) = (cursor.section, cursor.sectionIndex)
        guard let end = section.end else { return nil }
        return Round(
          lastSection: index, firstSection: index, start: section.line(before: 1),
          end: section.line(before: end.bars + 1))
      case .bars(let range):
        let (sections, here) = (score.pointee.sections, cursor.sectionIndex)
        guard here < range.last.section || here == range.last.section && cursor.sectionBar <= range.last.bar,
          range.last.section < sections.count, cursor.pace == 0
        else { return nil }
        return Round(
          lastSection: range.last.section, firstSection: range.first.section,
          start: sections[range.first.section].line(before: range.first.bar),
          end: sections[range.last.section].line(before: range.last.bar + 1))
      }
    }
  }
}
