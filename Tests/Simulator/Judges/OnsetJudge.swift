import MusicTime

/// Judges whether onsets are on an exact grid: there must be one origin from which each onset is within half a frame of its
/// exact time, none missing and none twice.
///
/// The origin is unknown, but each onset narrows it to within half a frame. If errors accumulate, no origin is left. After bars
/// have repeated, the reported bar does not identify the bar of the document. Then all bars are possible at first, until an
/// onset rules them out.
struct OnsetJudge {
  /// The times of a document's sections are rounded down, by less than a millionth of a frame.
  static let tolerance: Int128 = 1 << 28

  /// The bars and their repetition.
  struct Course: Equatable {
    let grid: ExactGrid
    /// Whether strengths are judged, too: bars may be silent.
    var judgesStrength = true
    /// Whether the reported bars may include completed rounds.
    var countsRounds = false
    /// The bars that repeat; nil if none do.
    var loop: ClosedRange<Int>?
  }

  /// A possible place of the next onset.
  private struct Place {
    var bar: Int
    /// The reported bar.
    var reportedBar: Int
    var index: Int
    /// The possible origins, in units of a frame.
    var origin: ClosedRange<Int128>
    /// Number of completed rounds since the first judged onset.
    var rounds = 0
    var layers = LayerJudge.Heads()

    var whereBeatsAre: LayerJudge.Origin { LayerJudge.Origin(range: origin, rounds: rounds) }

    mutating func advance(_ course: Course) {
      index += 1
      guard index == course.grid.onsets(bar).count else { return }
      (bar, reportedBar, index) = (bar + 1, reportedBar + 1, 0)
      guard let loop = course.loop, bar == loop.upperBound + 1 else { return }
      let length = course.grid.start(ofBar: bar) - course.grid.start(ofBar: loop.lowerBound)
      bar = loop.lowerBound
      rounds += 1
      origin = origin.lowerBound + length...origin.upperBound + length
    }

    /// Skips onsets in missed cycles.
    mutating func skip(_ gaps: Gaps, _ course: Course, before frame: Int64) {
      while !gaps.isEmpty {
        let time = origin.lowerBound + course.grid.time(bar, course.grid.onsets(bar)[index])
        // The nearest frames, for the earliest and the latest origin.
        let earliest = Int64((time + ExactBar.unit / 2) / ExactBar.unit)
        let latest = Int64((time + origin.upperBound - origin.lowerBound + ExactBar.unit / 2) / ExactBar.unit)
        // An onset that may be on the reported frame is the reported one, even if a gap ends just before.
        guard latest < frame, gaps.contain(earliest) || gaps.contain(latest) else { return }
        advance(course)
      }
    }

    /// Narrows the origin by an onset.
    /// - Returns: the fault; nil if there is none.
    mutating func narrow(_ beat: Subscriber.Beat, frame: Int64, _ course: Course) -> String? {
      let onset = course.grid.onsets(bar)[index]
      let exact = course.grid.time(bar, onset)
      guard beat.bar == reportedBar, beat.beat == onset.beat, (beat.role != .subdivision) == onset.isBeat
      else {
        return
          "the next one should be \(reportedBar).\(onset.beat)\(onset.isBeat ? "" : " (a part)") at about "
          + "frame \((origin.lowerBound + exact) / ExactBar.unit)"
      }
      if onset.isBeat, course.judgesStrength || beat.strength > 0,
        (beat.role == .accent) != onset.isAccent || (course.judgesStrength && beat.strength != onset.strength)
      {
        return "reported as \(beat.role.name) with strength \(beat.strength), should be "
          + "\(onset.isAccent ? "accent" : "beat") with \(onset.strength)"
      }
      let possible = OnsetJudge.origins(frame, exact)
      guard possible.overlaps(origin) else {
        let away =
          possible.lowerBound > origin.upperBound
          ? possible.lowerBound - origin.upperBound : origin.lowerBound - possible.upperBound
        return "off by more than half a frame, by \(Double(away) / Double(ExactBar.unit)) frames more"
      }
      origin = origin.clamped(to: possible)
      return nil
    }
  }

  private var course: Course?
  private var places: [Place] = []
  /// Until when nothing is judged, by the time at which frames are rendered.
  private var settledAt: UInt64 = 0
  private(set) var judged = 0
  /// Number of onsets that were judged while bars repeat.
  private(set) var looped = 0
  /// The meter of the last onset's bar; nil if it is unknown.
  private(set) var meter: ExactBar?
  private(set) var layers = LayerJudge()

  /// Notes a change: onsets are not judged until an instant.
  mutating func unsettle(until time: UInt64) {
    settledAt = max(settledAt, time)
    (course, places, meter) = (nil, [], nil)
    layers.unsettle(until: time)
  }

  /// Notes a change of layers only.
  mutating func unsettleLayers(until time: UInt64) { layers.unsettle(until: time) }

  /// Judges onsets by another course from now on.
  mutating func use(_ course: Course) {
    guard course != self.course else { return }
    (self.course, places, meter) = (course, [], nil)
  }

  /// Judges pulses by other layers from now on.
  mutating func use(_ layers: LayerJudge.Course) {
    guard self.layers.use(layers) else { return }
    for index in places.indices { places[index].layers = LayerJudge.Heads() }
  }

  var needsGrid: Bool { course == nil }

  /// - Parameters:
  ///   - time: when the frame is rendered.
  ///   - gaps: missed cycles, whose onsets are skipped.
  /// - Returns: the fault; nil if there is none.
  mutating func judge(_ beat: Subscriber.Beat, frame: Int64, rendered time: UInt64, _ gaps: Gaps) -> String? {
    guard let course, time >= settledAt, beat.role != .cue else { return nil }
    guard !places.isEmpty else {
      begin(beat, frame, course)
      return nil
    }
    var (possible, what): ([Place], String?) = ([], nil)
    var meters: [ExactBar] = []
    for var place in places {
      place.skip(gaps, course, before: frame)
      // If there are several places, one after the end is ruled out.
      if places.count > 1, let end = course.grid.endBar, place.bar >= end { continue }
      let meter = course.grid.meter(place.bar)
      if let fault = place.narrow(beat, frame: frame, course) {
        what = what ?? fault
        continue
      }
      if let fault = layers.pass(&place.layers, frame, rendered: time, place.whereBeatsAre, gaps) {
        what = what ?? fault
        continue
      }
      place.advance(course)
      possible.append(place)
      meters.append(meter)
    }
    guard !possible.isEmpty else {
      return "onset \(beat.bar).\(beat.beat) (\(beat.role.name)) at frame \(frame): "
        + (what ?? "the document has ended")
    }
    places = possible
    meter = meters.allSatisfy { $0 == meters[0] } ? meters[0] : nil
    judged += 1
    if course.loop != nil { looped += 1 }
    return nil
  }

  /// Judges a pulse of a layer.
  /// - Returns: the pulse or the fault; nil if its place is unknown.
  mutating func judge(
    pulse: Subscriber.Beat, frame: Int64, rendered time: UInt64, _ gaps: Gaps
  ) -> Result<LayerJudge.Known, LayerJudge.Wrong>? {
    guard course != nil, time >= settledAt, !places.isEmpty else { return nil }
    var (possible, wrong): ([Place], LayerJudge.Wrong?) = ([], nil)
    var known: [LayerJudge.Known?] = []
    for var place in places {
      var origin = place.whereBeatsAre
      switch layers.judge(pulse, frame, rendered: time, &place.layers, &origin, gaps) {
      case .success(let what): known.append(what)
      case .failure(let what):
        wrong = wrong ?? what
        continue
      case nil: known.append(nil)
      }
      place.origin = origin.range
      possible.append(place)
    }
    guard let first = known.first else { return .failure(wrong!) }
    places = possible
    guard let first, known.allSatisfy({ $0 == first }) else { return nil }
    layers.count()
    return .success(first)
  }

  private static func origins(_ frame: Int64, _ exact: Int128) -> ClosedRange<Int128> {
    let middle = Int128(frame) * ExactBar.unit - exact
    return middle - ExactBar.unit / 2 - tolerance...middle + ExactBar.unit / 2 + tolerance
  }

  private mutating func begin(_ beat: Subscriber.Beat, _ frame: Int64, _ course: Course) {
    guard beat.role != .subdivision, beat.bar >= 1 else { return }
    let end = course.grid.endBar ?? .max
    let bars = course.countsRounds ? 1..<end : beat.bar..<max(beat.bar, min(beat.bar + 1, end))
    for bar in bars {
      let onsets = course.grid.onsets(bar)
      guard let index = onsets.firstIndex(where: { $0.isBeat && $0.beat == beat.beat }) else { continue }
      var place = Place(
        bar: bar, reportedBar: beat.bar, index: index,
        origin: OnsetJudge.origins(frame, course.grid.time(bar, onsets[index])))
      place.advance(course)
      places.append(place)
    }
  }
}
