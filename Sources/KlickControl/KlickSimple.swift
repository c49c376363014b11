import Control
import MusicTime
import OSC
import Validation

/// The settings of klick's simple metronome, and the arithmetic of its speed trainer.
///
/// Tempos are quarter notes a minute, whatever the meter; in single precision, as in klick.
struct KlickSimple {
  private(set) var tempo: Float = 120
  /// The change of the tempo per bar; 0 for no training.
  private(set) var increment: Float = 0
  /// The first tempo of the training; 0 for `tempo`.
  private(set) var start: Float = 0
  /// The last tempo of the training; 0 for no limit.
  private(set) var limit: Float = 0
  /// Beats in a bar; 0 is one beat without an accent.
  private(set) var beats = 4
  private(set) var denominator = 4
  /// `X` accent, `x` beat, `.` silence; empty for an accent on the downbeat.
  private(set) var pattern = ""
  /// The length of the beat that Tactus counts, in quarter notes.
  private(set) var beatLength = 1.0

  init() {}

  /// klick's default metronome, with its tempo multiplied.
  init(tempoMultiplier: Float) { tempo *= tempoMultiplier }

  /// Continues with the first bar of a map.
  init(_ beginning: KlickSong.Beginning) {
    tempo = Float(beginning.tempo)
    (beats, denominator) = (beginning.meter.count, beginning.meter.unit)
    pattern = KlickSimple.pattern(beginning.accents)
    beatLength = 4 / Double(denominator)
  }

  /// Converts quarter notes a minute to a tempo of Tactus.
  /// - Throws: `InvalidValue` for one that can't be played.
  func tempo(_ quarters: Float) throws(InvalidValue) -> Tempo {
    try Tempo(quarters.asWritten / beatLength)
  }

  /// Converts a tempo of Tactus to quarter notes a minute.
  func quarters(_ tempo: Tempo) -> Float { Float(tempo.beatsPerMinute * beatLength) }

  /// The settings of the bar.
  /// - Throws: `InvalidValue` for a bar that can't be played.
  func bar() throws(InvalidValue) -> [Setting] {
    // klick counts the meter's own notes, and has no groups.
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

  // MARK: Setting

  mutating func setTempo(_ quarters: Float) { tempo = quarters }

  mutating func setIncrement(_ quarters: Float) { increment = quarters }

  /// - Parameter quarters: the tempo; 0 to start with `tempo`.
  /// - Throws: `InvalidValue` for a tempo that can't be played.
  mutating func setStart(_ quarters: Float) throws(InvalidValue) {
    if quarters != 0 { _ = try tempo(quarters) }
    start = quarters
  }

  /// - Parameter quarters: the tempo; 0 for no limit.
  /// - Throws: `InvalidValue` for a tempo that can't be played.
  mutating func setLimit(_ quarters: Float) throws(InvalidValue) {
    if quarters != 0 { _ = try tempo(quarters) }
    limit = quarters
  }

  /// - Returns: the settings of the bar.
  /// - Throws: `InvalidValue` for a bar that can't be played.
  mutating func setMeter(_ beats: Int, _ denominator: Int) throws(InvalidValue) -> [Setting] {
    if beats != self.beats { pattern = "" }
    (self.beats, self.denominator) = (beats, denominator)
    let bar = try bar()
    countMeterNotes()
    return bar
  }

  /// - Throws: `InvalidValue` for a pattern of another length than the bar.
  mutating func setPattern(_ text: String) throws(InvalidValue) {
    let count = max(1, beats)
    guard text.isEmpty || text.utf8.count == count else {
      throw InvalidValue("pattern", quoted(text), allowed: "\(count) letters long, or empty")
    }
    // In klick, all other letters are silent beats.
    let letters = text.utf8.map { "Xx".utf8.contains($0) ? $0 : UInt8(ascii: ".") }
    pattern = String(decoding: letters, as: UTF8.self)
  }

  /// Counts the meter's own notes as beats.
  mutating func countMeterNotes() { beatLength = 4 / Double(denominator) }

  /// Adopts the conductor's bar.
  /// - Returns: whether the length of the beat has changed.
  mutating func adopt(_ settings: Settings) -> Bool {
    let old = beatLength
    if (try? meter()) != settings.meter {
      (beats, denominator) = (settings.meter.count, settings.meter.unit)
    }
    if (try? accents()) != settings.accents {
      // Only one beat without an accent needs a pattern.
      if beats == 0, settings.accents == nil { beats = 1 }
      pattern = KlickSimple.pattern(settings.accents)
    }
    let length = settings.effectiveBeatUnit.length
    beatLength = 4 * Double(length.numerator) / Double(length.denominator)
    return beatLength != old
  }

  // MARK: The trainer

  var isTraining: Bool { increment != 0 }

  /// The tempo of the first beat.
  var first: Float { isTraining && start != 0 ? start : tempo }

  /// The tempo of the beat after one at tempo `current`. A bar's increment is distributed equally over its beats.
  func step(after current: Float) -> Float {
    guard isTraining else { return current }
    let next = current + increment / Float(max(beats, 1))
    let bound = limit != 0 ? limit : start != 0 ? tempo : nil
    guard let bound else { return next }
    return increment > 0 ? min(next, bound) : max(next, bound)
  }
}
