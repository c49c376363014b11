import Engine
import MusicTime

/// The music of a test: the values from which both a score and its reference are made.
struct Pattern {
  var thousandths = 120_000
  var meter = (count: 4, unit: 4)
  /// nil for the meter's own note.
  var beatUnit: (numerator: Int, denominator: Int)?
  var subdivisions: [Int: Float] = [:]
  var swing = 0

  static let allSubdivisions: [Int: Float] = Dictionary(uniqueKeysWithValues: (2...9).map { ($0, 0.5) })

  var unit: (numerator: Int, denominator: Int) { beatUnit ?? (1, meter.unit) }

  func layout() throws -> BarLayout {
    let parts = try subdivisions.map { (try Subdivision($0.key), $0.value) }
    return try BarLayout(
      meter: Meter(meter.count, meter.unit), beatUnit: BeatUnit(unit.numerator, unit.denominator),
      subdivisions: Dictionary(uniqueKeysWithValues: parts), swing: Swing(Double(swing) / 1_000))
  }

  func plan(bars: Int? = nil) throws -> SectionPlan {
    SectionPlan(layout: try layout(), tempo: try Tempo(thousandths: thousandths), bars: bars)
  }
}
