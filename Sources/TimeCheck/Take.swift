import Glibc
import MusicTime

/// The judged hits of a take or section.
package struct Take: Equatable, Sendable {
  /// The most entries that are kept; the oldest are dropped.
  package static let limit = 20_000
  /// The fewest hits of a take.
  package static let fewestHits = 3
  /// The fewest hits of a place or drum in the summary.
  private static let fewest = 10
  /// How many of the last hits determine the played tempo, and their largest age in seconds.
  private static let (tempoHits, tempoSeconds) = (16, 20)

  /// A hit of the take.
  package struct Entry: Equatable, Sendable {
    /// The clock frame of the hit.
    package var frame: ClockFrame
    /// The asynchrony; negative is early.
    package var milliseconds: Double
    /// From 1.
    package var bar: Int
    package var place: Place
    /// Whether its click was silent.
    package var isSilent: Bool
    /// The number of its onset.
    package var number: Int
    package var source: HitSource
    /// nil if it is not known.
    package var drum: Drum?
    /// The peak of the audio, where full scale is 1, or the note's velocity, 0…1.
    package var strength: Float
    /// Whether it is the first hit on its onset.
    package var isFirst: Bool
    /// The click's tempo in beats per minute; nil if it is not known.
    package var tempo: Double?
    /// The place of its click in the beat, 0..<1; nil if it is not known.
    package var phase: Double?
  }

  /// In frames per second.
  package let sampleRate: Int
  /// In order of their frames.
  package private(set) var entries: [Entry] = []
  /// The number of onsets that were hit, including those whose entries were dropped.
  package private(set) var hits = 0
  /// The number of onsets without a hit, between the first and the last onset that was hit.
  package private(set) var missed = 0
  /// The number of strokes near no onset since the first hit.
  package private(set) var extra = 0
  /// The number of strokes near no onset before the first hit; they may be other sounds.
  package private(set) var strays = 0
  /// The number of strokes that did not count, because a click sounded that was almost as loud.
  package private(set) var hidden = 0
  /// The source of the last hidden stroke.
  package private(set) var hiddenSource: HitSource?
  /// Interruptions with missed cycles since the first hit. Strokes in them were not captured.
  private var gaps = 0
  /// The frames of onsets without a hit since the last onset that was hit. They count as missed when a later onset is hit.
  private var passed: [ClockFrame] = []
  /// The song and meter at the last hit.
  package private(set) var music = Music()
  /// The click's tempos; nil if none was known.
  package private(set) var tempos: TempoRange?
  /// The clock frames of the first and the last onset that was hit.
  private var first: ClockFrame?
  private var last = ClockFrame.earliest
  /// The target and the width of the window.
  package var policy = TimeChecker.Policy()
  /// Whether all hits are notes or come from calibrated inputs.
  package var isCalibrated = true
  /// Whether hits are notes of an e-drum that is not calibrated.
  package var hasModuleDelay = false
  /// Whether an input hears the click, so that the hits may not be the player's.
  package var hearsClick = false

  package init(sampleRate: Int) { self.sampleRate = sampleRate }

  /// Adds a verdict to the take.
  package mutating func note(_ verdict: Judge.Verdict) {
    switch verdict {
    case .hit(let judged):
      note(hit: judged.onset.frame)
      note(judged.onset.music, judged.onset.tempo)
      add(judged)
    case .flam: break
    case .extra: if entries.isEmpty { strays += 1 } else { extra += 1 }
    case .missed(let onset): note(missed: onset.frame)
    }
  }

  /// Counts a stroke that is not judged, because a click sounded that was almost as loud.
  package mutating func noteHidden(from source: HitSource) {
    hidden += 1
    hiddenSource = source
  }

  /// Whether so many strokes are hidden that the statistics are not representative.
  var hidesMany: Bool { hidden >= max(Scatter.fewest, hits / 4) }

  /// Counts interruptions with missed cycles; those before the first hit are ignored.
  package mutating func noteGaps(_ count: Int) { if !entries.isEmpty { gaps += count } }

  private mutating func note(hit frame: ClockFrame) {
    (first, last) = (min(first ?? frame, frame), max(last, frame))
    let last = last
    missed += passed.count { $0 < last }
    passed.removeAll { $0 < last }
  }

  private mutating func note(_ music: Music, _ tempo: Double?) {
    self.music = music
    guard let tempo else { return }
    if tempos == nil { tempos = TempoRange(Take.rounded(tempo)) } else { tempos?.note(Take.rounded(tempo)) }
  }

  /// Tempos are set in thousandths; a tempo that is computed from an interval of frames deviates from that.
  private static func rounded(_ tempo: Double) -> Double { (tempo * 1_000).rounded() / 1_000 }

  /// The time from the first onset that was hit to the last, in seconds; 0 without hits.
  package var seconds: Double { first.map { Double(last - $0) / Double(sampleRate) } ?? 0 }

  /// The time from the first onset that was hit to a clock frame, in seconds, at least `seconds`; 0 without hits.
  package func age(at frame: ClockFrame) -> Double {
    first.map { max(Double(frame - $0) / Double(sampleRate), seconds) } ?? 0
  }

  /// Counts an onset without a hit if it lies between two that were hit.
  private mutating func note(missed frame: ClockFrame) {
    // Onsets before the first hit are not part of the take.
    guard let first, frame > first else { return }
    if frame < last { missed += 1 } else if passed.count < Take.limit { passed.append(frame) }
  }

  private mutating func add(_ judged: JudgedHit) {
    let entry = Entry(
      frame: judged.hit.frame, milliseconds: judged.milliseconds, bar: judged.onset.bar,
      place: judged.onset.place, isSilent: judged.onset.isSilent, number: judged.number,
      source: judged.hit.source, drum: judged.hit.drum, strength: judged.hit.strength,
      isFirst: judged.isFirst, tempo: judged.onset.tempo.map(Take.rounded), phase: judged.onset.phase)
    if judged.isCorrection,
      let old = entries.lastIndex(where: {
        $0.number == entry.number && $0.source == entry.source && $0.drum == entry.drum
      })
    {
      hits += (entry.isFirst ? 1 : 0) - (entries[old].isFirst ? 1 : 0)
      entries[old] = entry
      return
    }
    if entry.isFirst { hits += 1 }
    // Hits of several inputs may arrive slightly out of order.
    let index = entries.lastIndex { $0.frame <= entry.frame }.map { $0 + 1 } ?? 0
    entries.insert(entry, at: index)
    if entries.count > Take.limit { entries.removeFirst(Take.limit / 10) }
  }

  // MARK: Statistics

  /// The statistics of the take, or without details those of its last hits.
  /// - Parameter last: how many of the last hits; nil for all.
  package func summary(last: Int? = nil) -> TimingSummary {
    let firsts = firsts(last)
    var summary = TimingSummary()
    (summary.isCalibrated, summary.hearsClick) = (isCalibrated, hearsClick)
    summary.hasModuleDelay = hasModuleDelay
    summary.hits = last == nil ? hits : firsts.count
    (summary.missed, summary.extra, summary.missedCycles) = (missed, extra, gaps)
    summary.hidden = hidesMany ? hidden : 0
    guard !firsts.isEmpty else { return summary }
    let inWindow = firsts.count { abs($0.milliseconds - policy.target) <= policy.window }
    summary.inWindow = Double(inWindow) / Double(firsts.count)
    summary.mean = firsts.reduce(0) { $0 + $1.milliseconds } / Double(firsts.count)
    guard !hearsClick else { return summary }
    summary.scatter = Scatter(points(firsts))
    guard last == nil else { return summary }
    summary.places = parts(firsts) { "\($0.place)" }
    summary.drums = parts(entries) { $0.drum?.rawValue }
    summary.strengths = strengths
    summary.swing = OffBeats(firsts.compactMap(place)).swing
    summary.gaps = gaps(firsts)
    return summary
  }

  /// The tempo of the last hits in beats per minute; nil for too few, or if the click's tempo is not known.
  package var playedTempo: Double? {
    let hits = firsts(Take.tempoHits)
    guard let last = hits.last, let click = last.tempo else { return nil }
    let oldest = last.frame - Int64(Take.tempoSeconds) * Int64(sampleRate)
    let recent = hits.filter { $0.frame >= oldest }
    guard recent.count >= Scatter.fewest else { return nil }
    // The slope of the asynchronies is the relative difference between the played interval and the click's.
    let points = recent.map { entry in
      let late = entry.milliseconds / 1_000
      return (seconds: Double(entry.frame - last.frame) / Double(sampleRate) - late, late: late)
    }
    let n = Double(points.count)
    let seconds = points.reduce(0) { $0 + $1.seconds } / n
    let late = points.reduce(0) { $0 + $1.late } / n
    let width = points.reduce(0) { $0 + ($1.seconds - seconds) * ($1.seconds - seconds) }
    let product = points.reduce(0) { $0 + ($1.seconds - seconds) * ($1.late - late) }
    guard width > 0, product > -width / 2 else { return nil }
    return click / (1 + product / width)
  }

  /// The places of a hit's click and of the hit itself in the beat; nil for hits on layers, or if tempo or phase are not known.
  private func place(_ entry: Entry) -> (click: Double, played: Double)? {
    guard entry.place.layer == 0, let phase = entry.phase, let tempo = entry.tempo else { return nil }
    return (phase, phase + entry.milliseconds / 60_000 * tempo)
  }

  /// Soft and loud strokes of each drum, or of each input if the drum is not known.
  private var strengths: [TimingSummary.Strengths] {
    struct Surface: Hashable {
      let source: HitSource
      let drum: Drum?
    }
    var order: [Surface] = []
    var groups: [Surface: [Entry]] = [:]
    for entry in entries {
      let surface = Surface(source: entry.source, drum: entry.drum)
      if groups[surface] == nil { order.append(surface) }
      groups[surface, default: []].append(entry)
    }
    let found = order.compactMap { surface in
      let own = groups[surface] ?? []
      let kinds = SoftAndLoud(own.map(\.strength))
      let soft = own.filter { kinds.isSoft($0.strength) == true }
      return soft.isEmpty ? nil : (surface, soft, own.filter { kinds.isSoft($0.strength) == false })
    }
    return found.map { surface, soft, loud in
      Take.strengths(surface.drum, soft, loud, of: found.count, isNote: surface.source == .notes)
    }
  }

  /// - Parameters:
  ///   - count: how many drums are compared. The confidence level is corrected for it (Bonferroni).
  ///   - isNote: whether the strokes are notes. In audio only larger differences count.
  private static func strengths(
    _ drum: Drum?, _ soft: [Entry], _ loud: [Entry], of count: Int, isNote: Bool
  ) -> TimingSummary.Strengths {
    let (softMean, softSpread) = moments(soft)
    let (loudMean, loudSpread) = moments(loud)
    let (n, m) = (Double(soft.count), Double(loud.count))
    let risk = 1 - 0.025 / Double(count)
    let margin =
      Quantile.student(risk, min(n, m) - 1) * sqrt(softSpread * softSpread / n + loudSpread * loudSpread / m)
    let later = Estimate(softMean - loudMean, margin: margin)
    // A soft stroke rises more slowly, so a detector may find it late.
    let least = isNote ? 0.5 : 2
    let width = Quantile.normal(risk) * sqrt(1 / (2 * (n - 1)) + 1 / (2 * (m - 1)))
    return TimingSummary.Strengths(
      name: drum?.rawValue ?? "",
      soft: .init(name: "soft", count: soft.count, mean: softMean, spread: softSpread, standsOut: false),
      loud: .init(name: "loud", count: loud.count, mean: loudMean, spread: loudSpread, standsOut: false),
      later: later, differs: later.isSignificant && abs(later.value) >= least,
      spreadDiffers: softSpread > 0 && loudSpread > 0 && abs(log(softSpread / loudSpread)) > width)
  }

  /// The first hit of each onset.
  /// - Parameter last: how many of the last ones; nil for all.
  private func firsts(_ last: Int?) -> [Entry] {
    guard let last else { return entries.filter(\.isFirst) }
    var firsts: [Entry] = []
    // Backwards, so that a long take is not searched for a few hits.
    for entry in entries.reversed() where entry.isFirst {
      if firsts.count >= last { break }
      firsts.append(entry)
    }
    return firsts.reversed()
  }

  private func points(_ entries: [Entry]) -> [(seconds: Double, milliseconds: Double)] {
    let first = entries.first?.frame ?? 0
    return entries.map { (Double($0.frame - first) / Double(sampleRate), $0.milliseconds) }
  }

  /// The groups with enough hits, ordered by their first place in the bar; empty unless there are at least two.
  private func parts(_ entries: [Entry], by name: (Entry) -> String?) -> [TimingSummary.Part] {
    var groups: [String: [Entry]] = [:]
    for entry in entries { if let name = name(entry) { groups[name, default: []].append(entry) } }
    let large = groups.filter { $0.value.count >= Take.fewest }
    guard large.count > 1 else { return [] }
    return large.map { name, own in
      let others = large.filter { $0.key != name }.flatMap(\.value)
      return part(name, own, against: others, of: large.count)
    }.sorted { order($0.name, in: large) < order($1.name, in: large) }
  }

  private func order(_ name: String, in groups: [String: [Entry]]) -> Place {
    groups[name]?.map(\.place).min() ?? Place(beat: 0)
  }

  /// - Parameter count: how many parts are compared. The confidence level is corrected for it (Bonferroni).
  private func part(
    _ name: String, _ own: [Entry], against others: [Entry], of count: Int
  ) -> TimingSummary.Part {
    let (mean, spread) = Take.moments(own)
    let (otherMean, otherSpread) = Take.moments(others)
    let error = sqrt(
      spread * spread / Double(own.count) + otherSpread * otherSpread / Double(max(others.count, 1)))
    let student = Quantile.student(1 - 0.025 / Double(count), Double(own.count - 1))
    let standsOut = others.count >= Take.fewest && abs(mean - otherMean) > student * error && error > 0
    return TimingSummary.Part(name: name, count: own.count, mean: mean, spread: spread, standsOut: standsOut)
  }

  private static func moments(_ entries: [Entry]) -> (mean: Double, spread: Double) {
    guard entries.count > 1 else { return (entries.first?.milliseconds ?? 0, 0) }
    let n = Double(entries.count)
    let mean = entries.reduce(0) { $0 + $1.milliseconds } / n
    let sum = entries.reduce(0) { $0 + ($1.milliseconds - mean) * ($1.milliseconds - mean) }
    return (mean, sqrt(sum / (n - 1)))
  }

  // MARK: Silent bars

  private func gaps(_ entries: [Entry]) -> TimingSummary.Gaps? {
    var runs: [[Entry]] = []
    var previous: Entry?
    for entry in entries where entry.isSilent {
      if let previous, entry.bar - previous.bar <= 1, entry.bar >= previous.bar {
        runs[runs.count - 1].append(entry)
      } else {
        runs.append([entry])
      }
      previous = entry
    }
    let bars = barLengths(entries)
    return GapTiming(
      runs.map { run in (points(run), run.map(\.number)) },
      bars: runs.map { run in
        let known = run.compactMap { bars[$0.number] }
        return known.isEmpty ? nil : known.reduce(0, +) / Double(known.count)
      }
    ).gaps
  }

  /// The length of a bar in seconds, by the numbers of the onsets whose place was also hit in an earlier bar.
  private func barLengths(_ entries: [Entry]) -> [Int: Double] {
    var lengths: [Int: Double] = [:]
    var last: [Place: (bar: Int, seconds: Double)] = [:]
    for entry in entries {
      let seconds = Double(entry.frame.number) / Double(sampleRate) - entry.milliseconds / 1_000
      if let last = last[entry.place], entry.bar > last.bar {
        lengths[entry.number] = (seconds - last.seconds) / Double(entry.bar - last.bar)
      }
      last[entry.place] = (entry.bar, seconds)
    }
    return lengths
  }
}
