import MusicTime

/// The calibration of an e-drum's notes in progress: an audio input beside a pad hears the strokes for which notes arrive.
///
/// The player's timing does not matter, because note and sound belong to the same stroke.
package struct NoteCalibration: Equatable, Sendable {
  /// How many strokes are needed, and how many of them an input must hear.
  package static let (strokes, fewest) = (10, 8)
  /// In seconds: the largest distance of a stroke's note and sound; closer notes belong to one stroke; the wait for the sound
  /// of the last stroke; the time limit for all strokes.
  private static let (reach, double, rest, patience) = (0.060, 0.100, 0.500, 30.0)
  /// Sounds softer than this part of a stroke's loudest sound are ignored.
  private static let share: Float = 0.5

  private let sampleRate: Int
  private let start: ClockFrame
  private var notes: [ClockFrame] = []
  /// The sounds of each input, by its index.
  private var sounds: [Int: [Hit]] = [:]

  /// - Parameter start: the clock frame at which it begins.
  package init(sampleRate: Int, at start: ClockFrame) { (self.sampleRate, self.start) = (sampleRate, start) }

  /// Notes a note or a sound.
  package mutating func note(_ hit: Hit) {
    switch hit.source {
    case .notes:
      let isDouble = notes.last.map { hit.frame - $0 < frames(NoteCalibration.double) } ?? false
      if !isDouble, notes.count < NoteCalibration.strokes { notes.append(hit.frame) }
    case .input(let index):
      if sounds[index, default: []].count < 1_000 { sounds[index, default: []].append(hit) }
    }
  }

  /// How many strokes are still needed.
  package var left: Int { NoteCalibration.strokes - notes.count }

  /// The clock frame after which the result is known.
  package var end: ClockFrame {
    let latest = start + frames(NoteCalibration.patience)
    guard left == 0, let last = notes.last else { return latest }
    return min(last + frames(NoteCalibration.rest), latest)
  }

  /// The result with the input that has heard the most strokes.
  package struct Measured: Equatable, Sendable {
    /// The index of the input.
    package let input: Int
    /// The median of how much later than its sound a stroke's note arrived, in milliseconds.
    package let offset: Double
    /// The standard deviation around that median, in milliseconds.
    package let spread: Double
  }

  /// Call it after `end`.
  package func result() -> Result<Measured, CalibrationError> {
    guard left == 0 else { return .failure(.notes(notes.count)) }
    let found = sounds.keys.sorted().map { (input: $0, late: lateness(beside: sounds[$0] ?? [])) }
    guard let best = found.max(by: { $0.late.count < $1.late.count }),
      best.late.count >= NoteCalibration.fewest
    else { return .failure(.unheard(found.map(\.late.count).max() ?? 0)) }
    let all = Middle(of: best.late)
    // If a stroke was too soft, the input may hear only a later sound.
    let near = best.late.filter { abs($0 - all.median) <= 2 * ClickCalibration.widest }
    guard near.count >= NoteCalibration.fewest else { return .failure(.uneven(all.spread)) }
    let middle = Middle(of: near)
    guard middle.spread <= ClickCalibration.widest else { return .failure(.uneven(middle.spread)) }
    return .success(Measured(input: best.input, offset: middle.median, spread: middle.spread))
  }

  /// How much later than its sound each note arrived, in milliseconds; notes without a sound are omitted.
  private func lateness(beside hits: [Hit]) -> [Double] {
    notes.compactMap { note in
      let near = hits.filter { abs($0.frame - note) <= frames(NoteCalibration.reach) }
      let loudest = near.reduce(0) { max($0, $1.strength) }
      return near.first { $0.strength >= NoteCalibration.share * loudest }.map {
        Double(note - $0.frame) / Double(sampleRate) * 1_000
      }
    }
  }

  private func frames(_ seconds: Double) -> Int64 { Int64(seconds * Double(sampleRate)) }
}
