import MusicTime

/// Finds the onset for which each hit was meant.
///
/// It has no clock: it receives onsets and hits when they become known, and the frame up to which all onsets are known.
package struct Judge: Sendable {
  /// The largest distance of a hit from its onset, in seconds.
  private static let reach = 0.100
  /// If clicks are at most this far apart, in seconds, players do not play between them: each hit belongs to the nearest click.
  private static let dense = 0.200
  /// Otherwise a hit further away than this part of the interval belongs to no click.
  private static let share = 0.22
  /// The longest delay until a hit is received, in seconds.
  private static let slack = 1.5
  /// A flam's main stroke is louder than its grace note by this factor.
  private static let mainStroke: Float = 1.6

  package enum Verdict: Equatable, Sendable {
    /// A hit on an onset.
    case hit(JudgedHit)
    /// The second stroke of a flam or drag, which counts once.
    case flam(Hit)
    /// A hit that belongs to no onset.
    case extra(Hit)
    /// An onset without a hit.
    case missed(Onset)
  }

  private struct Entry: Sendable {
    var onset: Onset
    let number: Int
    /// The hits on it.
    var strokes: [Hit] = []
  }

  private let sampleRate: Double
  private var entries: [Entry] = []
  private var waiting: [Hit] = []
  private var nextNumber = 0
  /// Whether grid places are filled in between the clicks, so that each hit belongs to the nearest place.
  package var isFilled = false
  /// The time at which the player wants to play, in milliseconds after the click. A hit belongs to the onset whose target is
  /// nearest.
  package var target = 0.0

  package init(sampleRate: Int) { self.sampleRate = Double(sampleRate) }

  /// Whether a hit waits until all onsets near it are known.
  package var isWaiting: Bool { !waiting.isEmpty }

  /// The clock frame before which all onsets have been judged; `.max` if there are none.
  package var judged: ClockFrame { entries.first?.onset.frame ?? .never }

  /// Notes an onset.
  package mutating func note(_ onset: Onset) {
    // The last beat of a bar may be short: grid places after its end do not belong to it.
    if onset.place.isBeat { entries.removeAll { $0.onset.role == .grid && $0.onset.frame >= onset.frame } }
    // A click at the same time, such as a layer's, is the same onset.
    let closest = frames(0.002)
    if let index = entries.firstIndex(where: { abs($0.onset.frame - onset.frame) <= closest }) {
      entries[index].onset.merge(onset)
      return
    }
    let index = entries.firstIndex { $0.onset.frame > onset.frame } ?? entries.count
    entries.insert(Entry(onset: onset, number: nextNumber), at: index)
    nextNumber += 1
  }

  /// Notes a hit. At most 1024 wait; further ones are dropped.
  package mutating func note(_ hit: Hit) {
    guard waiting.count < 1_024 else { return }
    waiting.append(hit)
  }

  /// Removes and returns the waiting hits after a clock frame.
  package mutating func takeHits(after frame: ClockFrame) -> [Hit] {
    defer { waiting.removeAll { $0.frame > frame } }
    return waiting.filter { $0.frame > frame }
  }

  /// Forgets the onsets after a clock frame: the music stops or moves there.
  package mutating func drop(after frame: ClockFrame) { entries.removeAll { $0.onset.frame > frame } }

  /// Forgets everything.
  package mutating func reset() { (entries, waiting) = ([], []) }

  /// Judges the hits and onsets whose verdict is certain.
  /// - Parameter known: the clock frame up to which all onsets are known; `.max` if no more will come.
  package mutating func settle(known: ClockFrame) -> [Verdict] {
    var verdicts: [Verdict] = []
    var later: [Hit] = []
    for hit in waiting {
      if isDecided(hit, known: known) { verdicts.append(judge(hit)) } else { later.append(hit) }
    }
    waiting = later
    verdicts += retire(known: known)
    return verdicts
  }

  /// Whether no onset that is still unknown can be nearer to the hit.
  private func isDecided(_ hit: Hit, known: ClockFrame) -> Bool {
    if known == .never { return true }
    let aim = aim(of: hit)
    let nearest = nearest(to: aim).map { abs(entries[$0].onset.frame - aim) } ?? .max
    return known > aim + min(nearest, frames(Judge.reach))
  }

  /// The frame of the click for which the hit would be exactly on the target.
  private func aim(of hit: Hit) -> ClockFrame { hit.frame - frames(target / 1_000) }

  private func nearest(to frame: ClockFrame) -> Int? {
    entries.indices.min { abs(entries[$0].onset.frame - frame) < abs(entries[$1].onset.frame - frame) }
  }

  private mutating func judge(_ hit: Hit) -> Verdict {
    let aim = aim(of: hit)
    guard let index = nearest(to: aim) else { return .extra(hit) }
    let entry = entries[index]
    guard abs(aim - entry.onset.frame) <= reach(of: index) else { return .extra(hit) }
    let same = entry.strokes.lastIndex { $0.source == hit.source && $0.drum == hit.drum }
    var isCorrection = false
    if let same {
      guard hit.strength > Judge.mainStroke * entry.strokes[same].strength else { return .flam(hit) }
      entries[index].strokes[same] = hit
      isCorrection = true
    } else {
      entries[index].strokes.append(hit)
    }
    return .hit(
      JudgedHit(
        hit: hit, onset: entry.onset,
        milliseconds: Double(hit.frame - entry.onset.frame) / sampleRate * 1_000,
        isFirst: same.map { $0 == 0 } ?? entry.strokes.isEmpty, isCorrection: isCorrection,
        number: entry.number))
  }

  /// The largest distance of a hit from an onset, in frames.
  private func reach(of index: Int) -> Int64 {
    let frame = entries[index].onset.frame
    let before = index > 0 ? frame - entries[index - 1].onset.frame : .max
    let after = index + 1 < entries.count ? entries[index + 1].onset.frame - frame : .max
    let interval = min(before, after)
    guard interval < .max else { return frames(Judge.reach) }
    let isDense = isFilled || interval <= frames(Judge.dense)
    let part = isDense ? interval / 2 : Int64(Double(interval) * Judge.share)
    return min(part, frames(Judge.reach))
  }

  /// Removes onsets for which no more hits can arrive.
  private mutating func retire(known: ClockFrame) -> [Verdict] {
    let end = known == .never ? .never : known - frames(Judge.slack)
    var verdicts: [Verdict] = []
    // The last ones stay as neighbours of the next.
    while let first = entries.first, first.onset.frame < end, known == .never || entries.count > 2 {
      if first.strokes.isEmpty, first.onset.isExpected { verdicts.append(.missed(first.onset)) }
      entries.removeFirst()
    }
    return verdicts
  }

  /// The clock frames of the clicks that sound within 0.5 s of a clock frame, for the gate.
  package func clicks(near frame: ClockFrame) -> [ClockFrame] {
    entries.filter { abs($0.onset.frame - frame) < frames(0.5) && $0.onset.sounds }.map(\.onset.frame)
  }

  private func frames(_ seconds: Double) -> Int64 { Int64(seconds * sampleRate) }
}
