import Glibc
import MusicTime

/// Finds the tempos in thousandths that a program rounded when it wrote a map.
struct TempoFit {
  let map: ForeignMap
  /// Whether each tempo compensates the rounding of those before it, as in the files that `TempoMapFile` writes.
  let isTracked: Bool

  /// A stretch of one tempo.
  struct Run {
    let end: Int
    /// nil if no tempo in thousandths rounds to the file's tempo.
    let tempo: Tempo?
  }

  /// Microseconds per minute, times a thousand: divided by a beat's microseconds, it gives a tempo in thousandths.
  static let minute = 60e9

  /// The longest stretch of one tempo from a tick on; nil if the tempo changes continuously there.
  /// - Parameters:
  ///   - exact: the session's time at the tick, in microseconds.
  ///   - beat: ticks of one beat.
  func run(from tick: Int, to limit: Int, exact: Double, beat: Int) -> Run? {
    let start = isTracked ? exact : map.microseconds(at: tick)
    var (low, high) = (0.0, Double.infinity)
    var (end, best) = (tick, Tempo?.none)
    var index = map.tempo(at: tick)
    while end < limit {
      guard case .constant = map.tempos[index].curve else { break }
      let next = min(map.end(ofTempo: index) ?? limit, limit)
      let tolerance = map.rounding * map.quarters(next - end)
      let beats = Double(next - tick) / Double(beat)
      let time = map.microseconds(at: next) - start
      low = max(low, (time - tolerance) / beats)
      high = min(high, (time + tolerance) / beats)
      let tempo = TempoFit.roundest(low, high)
      if tempo == nil {
        guard end == tick else { break }
        return Run(end: next, tempo: nil)
      }
      (end, best) = (next, tempo)
      index += 1
    }
    return end > tick ? Run(end: end, tempo: best) : nil
  }

  /// The tempo with the fewest decimals whose beat length is between two numbers of microseconds; nil if there is none.
  static func roundest(_ low: Double, _ high: Double) -> Tempo? {
    guard low <= high, high > 0 else { return nil }
    let slowest = minute / high * (1 - 1e-12)
    let fastest = low > 0 ? minute / low * (1 + 1e-12) : .infinity
    let middle = low > 0 ? minute / ((low + high) / 2) : fastest
    for step in [1_000, 100, 10, 1] {
      let nearest = ((middle.isFinite ? middle : slowest) / Double(step)).rounded() * Double(step)
      guard slowest <= nearest, nearest <= fastest, let thousandths = Int(exactly: nearest) else { continue }
      if let tempo = try? Tempo(thousandths: thousandths) { return tempo }
    }
    return nil
  }

  /// A ramp that the file contains as one tempo for each beat; nil if there is none whose beats all round to the file's tempos.
  /// - Returns: also the tick at which the search ended. No ramp begins before it.
  func ramp(
    from tick: Int, to limit: Int, exact: Double, beat: Int
  ) -> (ramp: (from: Tempo, to: Tempo, end: Int)?, seen: Int) {
    let quarters = beatQuarters(from: tick, to: limit, beat: beat)
    let none = (ramp: (from: Tempo, to: Tempo, end: Int)?.none, seen: tick + quarters.count * beat)
    let written = map.microseconds(at: tick)
    let start = isTracked ? exact : written
    // A section at the ramp's last tempo, which follows it, looks like a part of it.
    let tail = quarters.count - quarters.reversed().prefix { $0 == quarters.last }.count
    for count in [quarters.count, quarters.count - 1, tail + 1, tail]
    where 3...max(3, quarters.count) ~= count {
      let half = map.microseconds(at: tick + count / 2 * beat) - start
      let whole = map.microseconds(at: tick + count * beat) - start
      guard let (from, to) = TempoFit.solve(beats: count, half: half, whole: whole) else { continue }
      for first in TempoFit.near(from) {
        for last in TempoFit.near(to) where first != last {
          let isRamp = fits(first, last, quarters.prefix(count), start: start, written: written, beat: beat)
          if isRamp { return ((first, last, tick + count * beat), none.seen) }
        }
      }
    }
    return none
  }

  /// The tempos, in microseconds per quarter, of consecutive beats that each have one tempo, as long as these only rise or only
  /// fall.
  private func beatQuarters(from tick: Int, to limit: Int, beat: Int) -> [Double] {
    var index = map.tempo(at: tick)
    guard map.end(ofTempo: index) == tick + beat else { return [] }
    var quarters: [Double] = []
    var sign = 0.0
    var at = tick
    while at + beat <= limit {
      guard case .constant(let quarter) = map.tempos[index].curve else { break }
      let end = map.end(ofTempo: index)
      if let end, end < at + beat { break }
      let change = quarter - (quarters.last ?? quarter)
      if change * sign < 0 { break }
      if change != 0 { sign = change }
      quarters.append(quarter)
      at += beat
      if end == at { index += 1 } else if end == nil { break }
    }
    return quarters
  }

  /// Computes the first and last tempo of a ramp of `beats` beats, in thousandths, from the times of its half and its whole.
  private static func solve(beats: Int, half: Double, whole: Double) -> (Double, Double)? {
    let (count, middle) = (Double(beats), Double(beats / 2))
    var (from, to) = (minute * middle / half, minute * (count - middle) / (whole - half))
    let slope = (to - from) / (count / 2)
    (from, to) = (from - slope * middle / 2, to + slope * (count - middle) / 2)
    for _ in 0..<20 {
      let errors = (time(middle, count, from, to) - half, time(count, count, from, to) - whole)
      let step = 0.01
      let a = (time(middle, count, from + step, to) - half - errors.0) / step
      let b = (time(middle, count, from, to + step) - half - errors.0) / step
      let c = (time(count, count, from + step, to) - whole - errors.1) / step
      let d = (time(count, count, from, to + step) - whole - errors.1) / step
      let determinant = a * d - b * c
      guard determinant != 0, determinant.isFinite else { return nil }
      from -= (d * errors.0 - b * errors.1) / determinant
      to -= (a * errors.1 - c * errors.0) / determinant
      guard from.isFinite, to.isFinite, from > 1, to > 1 else { return nil }
    }
    return (from, to)
  }

  /// The time of a beat in a ramp of `count` beats, in microseconds.
  static func time(_ beat: Double, _ count: Double, _ from: Double, _ to: Double) -> Double {
    let rise = (to - from) / count
    return rise == 0 ? beat * minute / from : minute / rise * log1p(rise * beat / from)
  }

  private static func near(_ thousandths: Double) -> [Tempo] {
    guard let middle = Int(exactly: thousandths.rounded()) else { return [] }
    let all = (-4...4).compactMap { try? Tempo(thousandths: middle + $0) }
    return all.sorted { $0.decimals < $1.decimals }
  }

  /// Whether the beats of a ramp round to the file's tempos, if each compensates the rounding of those before it.
  private func fits(
    _ from: Tempo, _ to: Tempo, _ quarters: ArraySlice<Double>, start: Double, written: Double, beat: Int
  ) -> Bool {
    let (first, last) = (Double(from.thousandths), Double(to.thousandths))
    var written = written
    for (index, quarter) in quarters.enumerated() {
      let end = start + TempoFit.time(Double(index + 1), Double(quarters.count), first, last)
      let exact = (end - written) / map.quarters(beat)
      // The last digit of a file's number may have been rounded from another sum.
      guard abs(exact - quarter) <= map.rounding * (1 + 1e-6) else { return false }
      written += quarter * map.quarters(beat)
    }
    return true
  }
}

extension Tempo {
  /// The number of decimals, 0…3.
  var decimals: Int { [1_000, 100, 10, 1].firstIndex { thousandths % $0 == 0 }! }
}
