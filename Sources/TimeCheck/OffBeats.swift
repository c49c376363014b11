import Glibc

/// Measures the swing of the strokes between the beats.
struct OffBeats {
  /// The fewest hits on beats, and the fewest on off-beats, for a result.
  private static let fewest = 10
  /// The places of off-beats, as a fraction of the beat: from an early straight one to a late dotted one.
  private static let range = 0.42...0.82

  /// nil for too few off-beats, or if other parts of the beat were played too.
  let swing: TimingSummary.Swing?

  /// - Parameter hits: for each hit, the places of its click and of the hit itself, as a fraction of the beat; 0 is the beat.
  init(_ hits: [(click: Double, played: Double)]) {
    let (beats, parts) = (hits.filter { $0.click == 0 }, hits.filter { $0.click > 0 })
    let offBeats = parts.filter { OffBeats.range.contains($0.played) }
    // Continuous sixteenths or triplets have no off-beats that could swing.
    guard beats.count >= OffBeats.fewest, offBeats.count >= OffBeats.fewest,
      parts.count - offBeats.count <= offBeats.count / 4
    else {
      swing = nil
      return
    }
    let (beat, offBeat) = (OffBeats.moments(beats.map(\.played)), OffBeats.moments(offBeats.map(\.played)))
    let freedom = Double(min(beats.count, offBeats.count) - 1)
    let margin =
      Quantile.student(0.975, freedom)
      * sqrt(beat.variance / Double(beats.count) + offBeat.variance / Double(offBeats.count))
    let place = offBeat.mean - beat.mean
    func ratio(_ place: Double) -> Double {
      let place = min(max(place, 0.1), 0.9)
      return place / (1 - place)
    }
    swing = TimingSummary.Swing(
      count: offBeats.count,
      ratio: Estimate(ratio(place), ratio(place - margin), ratio(place + margin)),
      click: ratio(OffBeats.moments(offBeats.map(\.click)).mean))
  }

  private static func moments(_ values: [Double]) -> (mean: Double, variance: Double) {
    let n = Double(values.count)
    let mean = values.reduce(0, +) / n
    return (mean, values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (n - 1))
  }
}
