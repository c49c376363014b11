/// Finds the onset for which each hit was meant.
///
/// A value without a clock: it is told onsets and hits as they come to be known, and up to which frame all onsets are.
package struct Judge: Sendable {
  /// No hit is meant for an onset further away than this, in seconds.
  private static let reach = 0.100
  /// Where clicks are this close or closer, in seconds, nobody plays between them: each hit belongs to the nearest.
  private static let dense = 0.200
  /// Else a hit further away than this part of the interval is meant for no click.
  private static let share = 0.22
  /// How long a hit may take until it is told, in seconds.
  private static let slack = 1.5
  /// A flam's main stroke is louder than its grace note by this factor.
  private static let mainStroke: Float = 1.6

  package enum Verdict: Equatable, Sendable {
    case hit(JudgedHit)
    /// The second stroke of a flam or drag, which counts once.
    case flam(Hit)
    /// Meant for no onset.
    case extra(Hit)
    /// An onset without a hit.
    case missed(Onset)
  }

  private struct Entry: Sendable {
    var onset: Onset
    let number: Int
    /// The strokes that were meant for it.
    var strokes: [Hit] = []
  }

  private let sampleRate: Double
  private var entries: [Entry] = []
  private var waiting: [Hit] = []
  private var nextNumber = 0
  /// Whether hits between clicks are told by the places that were filled in.
  package var isFilled = false
  /// Where the player wants to be, in milliseconds after the click: hits are meant for the onset from which that is nearest.
  package var target = 0.0

  package init(sampleRate: Int) { self.sampleRate = Double(sampleRate) }

  /// Whether a hit waits for onsets to be known.
  package var isWaiting: Bool { !waiting.isEmpty }

  /// The frame before which all onsets have been judged.
  package var judged: Int64 { entries.first?.onset.frame ?? .max }

  package mutating func note(_ onset: Onset) {
    // The last beat of a bar may be short: what was filled in after its end is none of its places.
    if onset.place.isBeat { entries.removeAll { $0.onset.role == .grid && $0.onset.frame >= onset.frame } }
    // A click at the place of another, such as a layer's, is the same onset.
    let closest = frames(0.002)
    if let index = entries.firstIndex(where: { abs($0.onset.frame - onset.frame) <= closest }) {
      entries[index].onset.merge(onset)
      return
    }
    let index = entries.firstIndex { $0.onset.frame > onset.frame } ?? entries.count
    entries.insert(Entry(onset: onset, number: nextNumber), at: index)
    nextNumber += 1
  }

  package mutating func note(_ hit: Hit) {
    guard waiting.count < 1_024 else { return }
    waiting.append(hit)
  }

  /// Takes back the hits after a frame that wait.
  package mutating func takeHits(after frame: Int64) -> [Hit] {
    defer { waiting.removeAll { $0.frame > frame } }
    return waiting.filter { $0.frame > frame }
  }

  /// Forgets onsets that will not sound, as the music stops or moves.
  package mutating func drop(after frame: Int64) { entries.removeAll { $0.onset.frame > frame } }

  /// Forgets everything.
  package mutating func reset() { (entries, waiting) = ([], []) }

  /// Judges all that can be judged.
  /// - Parameter known: the frame up to which all onsets are known; `.max` if no more will come.
  package mutating func settle(known: Int64) -> [Verdict] {
    var verdicts: [Verdict] = []
    var later: [Hit] = []
    for hit in waiting {
      if isDecided(hit, known: known) { verdicts.append(judge(hit)) } else { later.append(hit) }
    }
    waiting = later
    verdicts += retire(known: known)
    return verdicts
  }

  /// Whether no onset that is not known yet can be nearer than the nearest.
  private func isDecided(_ hit: Hit, known: Int64) -> Bool {
    if known == .max { return true }
    let aim = aim(of: hit)
    let nearest = nearest(to: aim).map { abs(entries[$0].onset.frame - aim) } ?? .max
    return known > aim + min(nearest, frames(Judge.reach))
  }

  /// Where the click would be of a hit that is exactly on the target.
  private func aim(of hit: Hit) -> Int64 { hit.frame - frames(target / 1_000) }

  private func nearest(to frame: Int64) -> Int? {
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

  /// How far from an onset a hit may be that is meant for it, in frames.
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

  /// Lets go of onsets for which no more hits can come.
  private mutating func retire(known: Int64) -> [Verdict] {
    let end = known == .max ? .max : known - frames(Judge.slack)
    var verdicts: [Verdict] = []
    // The last ones stay, so that the next has neighbours.
    while let first = entries.first, first.onset.frame < end, known == .max || entries.count > 2 {
      if first.strokes.isEmpty, first.onset.isExpected { verdicts.append(.missed(first.onset)) }
      entries.removeFirst()
    }
    return verdicts
  }

  /// The clicks near a frame, for the gate.
  package func clicks(near frame: Int64) -> [Int64] {
    entries.filter { abs($0.onset.frame - frame) < frames(0.5) && $0.onset.sounds }.map(\.onset.frame)
  }

  private func frames(_ seconds: Double) -> Int64 { Int64(seconds * sampleRate) }
}
