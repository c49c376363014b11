import Control
import Engine
import MusicTime
import Validation

/// A klick map as klick's OSC interface plays it.
extension KlickMap {
  /// The song of the map, with a count-in and scaled tempos.
  ///
  /// - Parameters:
  ///   - preroll: bars of the count-in, at the map's first tempo and meter; 0 for two beats, negative for none.
  ///   - multiplier: a factor for all tempos; the result is rounded to the nearest thousandth.
  ///   - sound: the name of a sound set.
  /// - Throws: `InvalidValue` if a tempo leaves its range or the song is too large.
  package func plan(preroll: Int, multiplier: Double, sound: String) throws(InvalidValue) -> SongPlan {
    var session = session
    if preroll >= 0 { session.countIn = CountIn(length: preroll == 0 ? .beats(2) : .bars(preroll)) }
    session.defaults.sound = sound
    var plan = try session.plan()
    guard multiplier != 1 else { return plan }
    for index in plan.plans.indices {
      plan.plans[index].tempo = try KlickMap.scaled(plan.plans[index].tempo, by: multiplier)
    }
    return plan
  }

  /// The map's first tempo in quarters per minute, its first meter, and its first accents; nil if it has none.
  package var beginning: (tempo: Double, meter: Meter, accents: AccentPattern?) {
    guard case .section(let first) = session.parts.first else { return (120, .common, nil) }
    let meter = first.style.meter ?? .common
    let tempo = (first.style.tempo ?? .standard).first
    return (tempo.beatsPerMinute * 4 / Double(meter.unit), meter, first.style.accents)
  }

  private static func scaled(_ curve: TempoCurve, by factor: Double) throws(InvalidValue) -> TempoCurve {
    func scaled(_ tempo: Tempo) throws(InvalidValue) -> Tempo { try Tempo(tempo.beatsPerMinute * factor) }
    switch curve {
    case .constant(let tempo): return .constant(try scaled(tempo))
    case .ramp(let from, let to): return .ramp(from: try scaled(from), to: try scaled(to))
    case .beats(let tempos): return .beats(try tempos.map(scaled))
    }
  }
}
