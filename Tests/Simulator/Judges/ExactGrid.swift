/// Consecutive bars at their exact times: a metronome's bar without end, or the sections of a document. Includes the layers of
/// each.
struct ExactGrid: Equatable {
  struct Section: Equatable {
    /// From 1.
    let firstBar: Int
    let bar: ExactBar
    /// In units of a frame.
    let start: Int128
    let layers: [ExactLayer]
  }

  private let sections: [Section]
  /// The bar after the last; nil if there is no end.
  let endBar: Int?

  /// The same bar without end.
  init(_ pattern: ExactBar.Pattern, layers: [Int: LayerPattern] = [:], rate: Int) {
    let layers = layers.sorted { $0.key < $1.key }.map {
      ExactLayer($0.key, $0.value, in: pattern, phase: Fraction(0, 1), rate: rate)
    }
    sections = [Section(firstBar: 1, bar: ExactBar(pattern, rate: rate), start: 0, layers: layers)]
    endBar = nil
  }

  /// - Parameters:
  ///   - speed: percent of the document's tempos.
  ///   - nudge: thousandths of a beat per minute that are added to each tempo.
  init(_ document: Document, speed: Int, nudge: Int, rate: Int) {
    var (bar, start): (Int, Int128) = (1, 0)
    var before: [ExactLayer] = []
    var length = 0
    sections = document.sections.map { section in
      var pattern = ExactBar.Pattern()
      pattern.thousandths = min(max((section.thousandths * speed + 50) / 100 + nudge, 1_000), 999_999)
      (pattern.notes, pattern.note) = (section.notes, section.unit)
      if !document.isMap { pattern.subdivisions = [section.subdivision: 0.5] }
      let exact = ExactBar(pattern, rate: rate)
      let layers = section.layers.enumerated().map { index, layer in
        // A layer that never resets continues from the previous section.
        let last = before.first { $0.number == index + 1 && $0.layer.reset == .never }
        let phase = last?.phase(after: length) ?? Fraction(0, 1)
        return ExactLayer(index + 1, layer, in: pattern, phase: phase, rate: rate)
      }
      (before, length) = (layers, section.bars)
      defer {
        start += exact.time(bar: section.bars, place: 0)
        bar += section.bars
      }
      return Section(firstBar: bar, bar: exact, start: start, layers: layers)
    }
    endBar = bar
  }

  /// The course of the layers.
  /// - Parameter loop: the bars that repeat; nil if none do.
  func layers(loop: ClosedRange<Int>?, rate: Int) -> LayerJudge.Course {
    let ends = sections.dropFirst().map(\.start) + [endBar.map { start(ofBar: $0) } ?? .max]
    let stretches = zip(sections, ends).map {
      LayerJudge.Course.Section(start: $0.start, end: $1, firstBar: $0.firstBar, layers: $0.layers)
    }
    var course = LayerJudge.Course(sections: stretches, rate: rate)
    course.loop = loop.map { start(ofBar: $0.lowerBound)..<start(ofBar: $0.upperBound + 1) }
    return course
  }

  private func section(_ bar: Int) -> Section { sections.last { $0.firstBar <= bar } ?? sections[0] }

  func meter(_ bar: Int) -> ExactBar { section(bar).bar }

  func onsets(_ bar: Int) -> [ExactBar.Onset] { section(bar).bar.onsets }

  /// The start of a bar, in units of a frame from bar 1.
  func start(ofBar bar: Int) -> Int128 {
    let section = section(bar)
    return section.start + section.bar.time(bar: bar - section.firstBar, place: 0)
  }

  /// The time of an onset, in units of a frame from bar 1.
  func time(_ bar: Int, _ onset: ExactBar.Onset) -> Int128 {
    let section = section(bar)
    return section.start + section.bar.time(bar: bar - section.firstBar, place: onset.place)
  }
}
