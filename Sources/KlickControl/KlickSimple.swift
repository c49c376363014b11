import Control
import MusicTime
import Validation

/// klick's simple metronome: its values as klick has them, and the arithmetic of its speed trainer.
///
/// Tempos are quarter notes a minute, whatever the meter; in single precision, as klick counts them.
struct KlickSimple {
  var tempo: Float = 120
  /// What a bar adds to the tempo; 0 for no training.
  var increment: Float = 0
  /// Where training begins and where it ends; 0 for `tempo`, and for never.
  var start: Float = 0
  var limit: Float = 0
  /// What plays; 0 while nothing does.
  var current: Float = 0
  /// Beats of a bar; 0 is one beat without an accent.
  var beats = 4
  var denominator = 4
  /// `X` accent, `x` beat, `.` silence; empty for an accent on the downbeat.
  var pattern = ""
  /// The beat that Tactus counts, in quarters.
  var beatLength = 1.0

  init() {}

  /// Begins as a map does.
  init(_ beginning: KlickSong.Beginning) {
    tempo = Float(beginning.tempo)
    (beats, denominator) = (beginning.meter.count, beginning.meter.unit)
    pattern = KlickSimple.pattern(beginning.accents)
    beatLength = 4 / Double(denominator)
  }

  /// A tempo as Tactus has it.
  /// - Throws: `InvalidValue` for one that can't be played.
  func tempo(_ quarters: Float) throws(InvalidValue) -> Tempo {
    // The number that was meant: 133.7, not the 133.6999969482422 that is nearest to it among floats.
    try Tempo(Double("\(quarters)")! / beatLength)
  }

  /// A tempo of Tactus as klick has it.
  func quarters(_ tempo: Tempo) -> Float { Float(tempo.beatsPerMinute * beatLength) }

  /// What makes the bar.
  /// - Throws: `InvalidValue` for a bar that can't be played.
  func bar() throws(InvalidValue) -> [Setting] {
    // klick counts the meter's own notes, and knows no groups.
    [.meter(try meter()), .beatUnit(nil), .groups(nil), .accents(try accents())]
  }

  func meter() throws(InvalidValue) -> Meter { try Meter(beats == 0 ? 1 : beats, denominator) }

  func accents() throws(InvalidValue) -> AccentPattern? {
    if pattern.isEmpty { return beats == 0 ? try AccentPattern(text: "x") : nil }
    return try AccentPattern(text: pattern)
  }

  static func pattern(_ accents: AccentPattern?) -> String {
    String((accents?.accents ?? []).map { $0 == .soft ? Accent.beat.rawValue : $0.rawValue })
  }

  // MARK: The trainer

  var isTraining: Bool { increment != 0 }

  /// The tempo of the first beat.
  var first: Float { isTraining && start != 0 ? start : tempo }

  /// The tempo of the beat after the present one: a bar's increment comes in equal parts, one a beat.
  var stepped: Float {
    guard isTraining else { return current }
    let next = current + increment / Float(max(beats, 1))
    let bound = limit != 0 ? limit : start != 0 ? tempo : nil
    guard let bound else { return next }
    return increment > 0 ? min(next, bound) : max(next, bound)
  }
}
