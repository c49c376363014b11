import Engine
import MusicTime

/// What a test of layers plays.
struct LayerScore {
  var thousandths = 120_000
  var meter = (count: 4, unit: 4)
  var groups: String?
  /// As users write them, numbered from 1.
  var layers: [String]

  func plan(bars: Int? = nil) throws -> SectionPlan {
    let layout = try BarLayout(
      meter: Meter(meter.count, meter.unit), groups: try groups.map { try Groups(text: $0) })
    var plan = SectionPlan(layout: layout, tempo: try Tempo(thousandths: thousandths), bars: bars)
    plan.layers = try layers.enumerated().map { LayerPlan($0 + 1, try Layer(text: $1)) }
    return plan
  }

  func score(quantise: Quantise = .now, role: SyncMode = .free) throws -> UnsafePointer<Score> {
    Score.make([try plan()], role: role, quantise: quantise)
  }
}

extension Rig {
  /// The pulses of a layer so far.
  /// - Parameter number: from 1.
  func pulses(_ number: Int) -> [Event.Beat] { beats.filter { Int($0.layer) == number } }

  func frames(_ number: Int) -> [ClockFrame] { pulses(number).map(\.frame) }
}
