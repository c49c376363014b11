/// Judges whether each pulse of each layer is on the frame nearest to its exact time, none missing and none twice, with the
/// strength in its pattern.
///
/// The origin is that of the beats, which `OnsetJudge` knows to within a frame. Each pulse narrows it further, so that beats
/// and layers must agree on one origin.
struct LayerJudge {
  /// The layers of a grid, and its repetition.
  struct Course: Equatable {
    /// The layers in a section of the grid.
    struct Section: Equatable {
      /// In units of a frame from bar 1.
      let start: Int128
      /// `Int128.max` if it has no end.
      let end: Int128
      let firstBar: Int
      let layers: [ExactLayer]

      func layer(_ number: Int) -> ExactLayer? { layers.first { $0.number == number } }
    }

    let sections: [Section]
    /// The bars that repeat, in units of a frame from bar 1; nil if none do.
    var loop: Range<Int128>?
    /// Frames per second.
    let rate: Int
    /// Whether strengths are judged, too: bars may be silent.
    var judgesStrength = true
    /// Whether the reported bars may include completed rounds.
    var countsRounds = false
  }

  /// The place of the beats.
  struct Origin {
    /// The origin of bar 1 in the current round, in units of a frame.
    var range: ClosedRange<Int128>
    /// Number of completed rounds in it.
    let rounds: Int
  }

  /// The next pulse of each layer, for one possible place of the beats.
  struct Heads {
    fileprivate var heads = [Head?](repeating: nil, count: LayerPattern.numbers.count)
    /// The frame from which they are known.
    fileprivate var begin = Int64.max

    fileprivate subscript(number: Int) -> Head? {
      get { heads[number - 1] }
      set { heads[number - 1] = newValue }
    }
  }

  /// The properties of a pulse at a known place.
  struct Known: Equatable {
    let isAccent: Bool
    let note: UInt8
    /// nil: the sound set of the beats.
    let sound: String?
  }

  /// The next pulse of a layer.
  fileprivate struct Head {
    var section: Int
    var pulse: Int
    /// Number of completed rounds before it.
    var rounds: Int
    /// The frame of the previous pulse; nil if none was reported.
    var last: Int64?
    /// Whether the music is after the bars that repeat, so that it does not return to them.
    let isPastLoop: Bool
  }

  private var course: Course?
  /// The numbers of its layers.
  private var numbers: [Int] = []
  private var settledAt: UInt64 = 0
  private(set) var judged = 0

  var needsCourse: Bool { course == nil }

  /// Notes that layers have changed: they are not judged until an instant.
  mutating func unsettle(until time: UInt64) {
    settledAt = max(settledAt, time)
    course = nil
  }

  /// Judges pulses by other layers from now on.
  /// - Returns: whether the layers differ: their places are unknown then.
  mutating func use(_ course: Course) -> Bool {
    guard course != self.course else { return false }
    self.course = course
    numbers = Set(course.sections.flatMap { $0.layers.map(\.number) }).sorted()
    return true
  }

  mutating func count() { judged += 1 }

  /// Notes a beat on its exact frame, for one possible place: no pulse before it may be missing.
  /// - Returns: the fault; nil if there is none.
  func pass(
    _ heads: inout Heads, _ frame: Int64, rendered time: UInt64, _ origin: Origin, _ gaps: Gaps
  ) -> String? {
    guard let course, time >= settledAt else { return nil }
    guard heads.begin < .max else {
      // A pulse on this frame may be reported after the beat.
      heads.begin = frame + 1
      for number in numbers { heads[number] = head(number, course, from: heads.begin, origin) }
      return nil
    }
    for number in numbers {
      skip(&heads[number], number, course, before: frame, origin, gaps)
      guard let head = heads[number], let frames = frames(head, number, course, origin) else { continue }
      if frames.upperBound < frame, !isTooSoon(head, number, frames, course) {
        return "pulse \(head.pulse) of layer \(number) is missing at about frame \(frames.lowerBound)"
      }
    }
    return nil
  }

  /// Judges a pulse, for one possible place of the beats.
  /// - Returns: the pulse or the fault; nil if its place is unknown.
  func judge(
    _ pulse: Subscriber.Beat, _ frame: Int64, rendered time: UInt64, _ heads: inout Heads,
    _ origin: inout Origin,
    _ gaps: Gaps
  ) -> Result<Known, Wrong>? {
    guard let course, time >= settledAt, frame > heads.begin else { return nil }
    let number = pulse.layer
    skip(&heads[number], number, course, before: frame, origin, gaps)
    let name = "pulse \(pulse.bar).\(pulse.beat) of layer \(number) at frame \(frame)"
    guard var head = heads[number], let frames = frames(head, number, course, origin),
      let layer = course.sections[head.section].layer(number)
    else { return .failure(Wrong(what: "\(name): there should be none")) }
    guard frames.contains(frame) else {
      // Whether the first pulse is before or after the starting frame may depend on half a frame.
      if head.last == nil, frame < frames.lowerBound, frame <= heads.begin + 2 { return nil }
      return .failure(Wrong(what: "\(name): number \(head.pulse) should be at about \(frames.lowerBound)"))
    }
    let section = course.sections[head.section]
    let (bar, beat) = layer.beat(of: head.pulse)
    let isPlace = course.countsRounds || pulse.bar == section.firstBar + bar - 1
    guard isPlace, pulse.beat == beat else {
      return .failure(Wrong(what: "\(name): should be reported as \(section.firstBar + bar - 1).\(beat)"))
    }
    let letter = layer.letter(of: head.pulse)
    let strength = LayerJudge.strength(letter) * Float(layer.layer.volume) / 100
    guard abs(pulse.strength - strength) < 1e-6 || (!course.judgesStrength && pulse.strength == 0) else {
      return .failure(Wrong(what: "\(name): has strength \(pulse.strength), should have \(strength)"))
    }
    let exact = self.time(head, number, course) + shift(head, course, origin)
    let middle = Int128(frame) * ExactBar.unit - exact
    let half = ExactBar.unit / 2 + OnsetJudge.tolerance
    origin.range = origin.range.clamped(to: middle - half...middle + half)
    head.last = frame
    advance(&head, number, course)
    heads[number] = head
    return .success(
      Known(isAccent: letter == "X", note: layer.layer.midiNote(number), sound: layer.layer.sound))
  }

  struct Wrong: Error {
    let what: String
  }

  private static func strength(_ letter: Character) -> Float { letter == "o" ? 0.5 : letter == "." ? 0 : 1 }

  // MARK: Heads

  /// In units of a frame from the origin of the first round.
  private func time(_ head: Head, _ number: Int, _ course: Course) -> Int128 {
    let section = course.sections[head.section]
    return section.start + (section.layer(number)?.time(of: head.pulse) ?? 0)
  }

  /// The possible frames of a head; nil if no pulse follows.
  private func frames(
    _ head: Head, _ number: Int, _ course: Course, _ origin: Origin
  ) -> ClosedRange<Int64>? {
    guard head.section < course.sections.count else { return nil }
    let time = time(head, number, course) + shift(head, course, origin)
    let half = ExactBar.unit / 2
    let (first, last) = (
      origin.range.lowerBound + time + half - OnsetJudge.tolerance,
      origin.range.upperBound + time + half + OnsetJudge.tolerance
    )
    return Int64(first >> 48)...Int64(last >> 48)
  }

  /// The difference between a head's round and that of the beats, in units of a frame.
  private func shift(_ head: Head, _ course: Course, _ origin: Origin) -> Int128 {
    guard let loop = course.loop else { return 0 }
    return Int128(head.rounds - origin.rounds) * (loop.upperBound - loop.lowerBound)
  }

  /// A layer's first pulse on this frame or later.
  private func head(_ number: Int, _ course: Course, from frame: Int64, _ origin: Origin) -> Head {
    let time = Int128(frame) * ExactBar.unit + ExactBar.unit / 2 - origin.range.lowerBound
    let index = course.sections.lastIndex { $0.start <= time } ?? 0
    let isPastLoop = course.loop.map { $0.upperBound <= time } ?? false
    var head = Head(section: index, pulse: 0, rounds: origin.rounds, isPastLoop: isPastLoop)
    seek(&head, number, course, from: time)
    return head
  }

  private func seek(_ head: inout Head, _ number: Int, _ course: Course, from time: Int128) {
    while head.section < course.sections.count {
      let section = course.sections[head.section]
      if let layer = section.layer(number) {
        head.pulse = layer.pulse(from: max(0, time - section.start))
        return wrap(&head, number, course)
      }
      if let loop = course.loop, !head.isPastLoop, section.end >= loop.upperBound {
        return startRound(&head, number, course, loop)
      }
      head.section += 1
    }
  }

  private func advance(_ head: inout Head, _ number: Int, _ course: Course) {
    head.pulse += 1
    wrap(&head, number, course)
  }

  /// Continues in the next section, or in the next round, if one ends before the pulse.
  private func wrap(_ head: inout Head, _ number: Int, _ course: Course) {
    let time = time(head, number, course)
    if let loop = course.loop, !head.isPastLoop, time >= loop.upperBound {
      return startRound(&head, number, course, loop)
    }
    let end = course.sections[head.section].end
    guard time >= end else { return }
    head.section += 1
    seek(&head, number, course, from: end)
  }

  private func startRound(
    _ head: inout Head, _ number: Int, _ course: Course, _ loop: Range<Int128>
  ) {
    let within = course.sections.filter { $0.start < loop.upperBound && $0.end > loop.lowerBound }
    // A layer without a pulse in a round has none in later rounds.
    let comes = within.contains { section in
      section.layer(number).map { layer in
        let from = max(section.start, loop.lowerBound)
        let time = section.start + layer.time(of: layer.pulse(from: from - section.start))
        return time < min(section.end, loop.upperBound)
      } ?? false
    }
    guard comes else {
      head.section = course.sections.count
      return
    }
    head.rounds += 1
    head.section = course.sections.lastIndex { $0.start <= loop.lowerBound } ?? 0
    seek(&head, number, course, from: loop.lowerBound)
  }

  /// Skips pulses in missed cycles, and those that follow another one too soon.
  private func skip(
    _ place: inout Head?, _ number: Int, _ course: Course, before frame: Int64, _ origin: Origin,
    _ gaps: Gaps
  ) {
    guard var head = place else { return }
    while let frames = frames(head, number, course, origin), frames.upperBound < frame {
      let isMissed = !gaps.isEmpty && (gaps.contain(frames.lowerBound) || gaps.contain(frames.upperBound))
      guard isMissed || isTooSoon(head, number, frames, course) else { break }
      advance(&head, number, course)
    }
    place = head
  }

  /// Whether a pulse is left out because it follows the last one within a millisecond, or may be because the next one follows it
  /// so soon and the last one is unknown.
  private func isTooSoon(
    _ head: Head, _ number: Int, _ frames: ClosedRange<Int64>, _ course: Course
  ) -> Bool {
    let spacing = course.rate / 1_000
    if let last = head.last { return frames.lowerBound < last + Int64(spacing) }
    var next = head
    advance(&next, number, course)
    return next.section == head.section && next.rounds == head.rounds
      && time(next, number, course) - time(head, number, course) < Int128(spacing) * ExactBar.unit
  }
}
