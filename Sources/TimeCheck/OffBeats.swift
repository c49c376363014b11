import Glibc

/// Where the strokes between the beats are, as a part of the way from a beat to the next.
struct OffBeats {
  /// The fewest beats and off-beats of which a swing is told.
  private static let fewest = 10
  /// What is an off-beat, from straight a little early to dotted a little late.
  private static let range = 0.42...0.82

  let swing: TimingSummary.Swing?

  /// - Parameter hits: of each, where its click is in its beat, and where it was played; 0 is the beat itself.
  init(_ hits: [(click: Double, played: Double)]) {
    let (beats, parts) = (hits.filter { $0.click == 0 }, hits.filter { $0.click > 0 })
    let offBeats = parts.filter { OffBeats.range.contains($0.played) }
    // Who plays sixteenths or triplets through has no off-beats that could swing.
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
