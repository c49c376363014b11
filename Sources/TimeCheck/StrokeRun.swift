/// The calibration of an e-drum's notes while it is measured: strokes on one pad that an audio input beside it hears too.
///
/// No human bias is in it: both hear the same stroke.
package struct StrokeRun: Equatable, Sendable {
  /// How many strokes are asked for, and how many of them an input must hear.
  package static let (strokes, fewest) = (10, 8)
  /// How far the note and the sound of a stroke are apart at most; how close notes of one stroke are; how long the last stroke's
  /// sound is waited for; and how long it takes at most until all strokes have come. In seconds.
  private static let (reach, double, rest, patience) = (0.060, 0.100, 0.500, 30.0)
  /// Of the sounds of a stroke, those count that are this part of the loudest or louder.
  private static let share: Float = 0.5

  private let sampleRate: Int
  private let start: Int64
  private var notes: [Int64] = []
  /// What each input heard, by their indices.
  private var heard: [Int: [Hit]] = [:]

  /// - Parameter start: the clock frame at which it begins.
  package init(sampleRate: Int, at start: Int64) { (self.sampleRate, self.start) = (sampleRate, start) }

  package mutating func note(_ hit: Hit) {
    switch hit.source {
    case .notes:
      let isDouble = notes.last.map { hit.frame - $0 < frames(StrokeRun.double) } ?? false
      if !isDouble, notes.count < StrokeRun.strokes { notes.append(hit.frame) }
    case .input(let index):
      if heard[index, default: []].count < 1_000 { heard[index, default: []].append(hit) }
    }
  }

  /// How many strokes are still to come.
  package var left: Int { StrokeRun.strokes - notes.count }

  /// The clock frame after which it is over.
  package var end: Int64 {
    let latest = start + frames(StrokeRun.patience)
    guard left == 0, let last = notes.last else { return latest }
    return min(last + frames(StrokeRun.rest), latest)
  }

  /// What was measured with the input that has heard most strokes.
  package struct Measured: Equatable, Sendable {
    /// The index of the input.
    package let input: Int
    /// How much later than its sound a stroke's note came, in milliseconds: the median, and the standard deviation.
    package let offset: Double
    package let spread: Double
  }

  package func result() -> Result<Measured, CalibrationError> {
    guard left == 0 else { return .failure(.notes(notes.count)) }
    let found = heard.keys.sorted().map { (input: $0, late: lateness(beside: heard[$0] ?? [])) }
    guard let best = found.max(by: { $0.late.count < $1.late.count }), best.late.count >= StrokeRun.fewest
    else { return .failure(.unheard(found.map(\.late.count).max() ?? 0)) }
    let all = Middle(of: best.late)
    // Of a stroke that was too soft its echo alone may be heard.
    let near = best.late.filter { abs($0 - all.median) <= 2 * CalibrationRun.widest }
    guard near.count >= StrokeRun.fewest else { return .failure(.uneven(all.spread)) }
    let middle = Middle(of: near)
    guard middle.spread <= CalibrationRun.widest else { return .failure(.uneven(middle.spread)) }
    return .success(Measured(input: best.input, offset: middle.median, spread: middle.spread))
  }

  /// In milliseconds, of each note beside which something was heard.
  private func lateness(beside hits: [Hit]) -> [Double] {
    notes.compactMap { note in
      let near = hits.filter { abs($0.frame - note) <= frames(StrokeRun.reach) }
      let loudest = near.reduce(0) { max($0, $1.strength) }
      return near.first { $0.strength >= StrokeRun.share * loudest }.map {
        Double(note - $0.frame) / Double(sampleRate) * 1_000
      }
    }
  }

  private func frames(_ seconds: Double) -> Int64 { Int64(seconds * Double(sampleRate)) }
}
