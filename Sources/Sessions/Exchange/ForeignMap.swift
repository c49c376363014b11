import Glibc
import MusicTime
import Validation

/// The tempo map of another program: tempos, meters and markers at ticks.
struct ForeignMap {
  /// A tempo from a tick to the next one.
  struct Tempo: Equatable {
    let tick: Int
    var curve: Curve
  }

  /// Lengths of a quarter in microseconds.
  enum Curve: Equatable {
    case constant(Double)
    /// The tempo changes linearly over the quarters, as a ramp of a session does.
    case ramp(Double, Double)
    /// The tempo changes linearly in time.
    case glide(Double, Double)

    var first: Double {
      switch self {
      case .constant(let quarter), .ramp(let quarter, _), .glide(let quarter, _): quarter
      }
    }
  }

  struct Signature: Equatable {
    /// The meters that programs write, for messages.
    static let allowed = "\(Meter.range.shown) notes, from whole ones to 64ths"

    let tick: Int
    let meter: Meter
    /// The note that a metronome clicks, if the file says so.
    var click: BeatUnit?
  }

  struct Marker: Equatable {
    let tick: Int
    let name: String
  }

  /// The file's path.
  let file: String
  let title: String
  /// Ticks per quarter. Each note down to a 64th has a whole number of them.
  let quarter: Int
  /// In order of ticks, each tick once; the first is at 0.
  let tempos: [Tempo]
  /// In order of ticks, each tick once; the first is at 0.
  let signatures: [Signature]
  let markers: [Marker]
  let end: Int
  /// How far the lengths of quarters in the file may differ from those that its program plays, in microseconds.
  let rounding: Double
  /// The time at each tempo, in microseconds.
  private let starts: [Double]

  /// The longest map, in ticks of the file.
  static let longest = 1 << 48
  /// Multiplies the file's ticks, so that a 64th has a whole number of them.
  private static let scale = 16

  /// Each list is in order of ticks; of several entries at one tick the last one counts. The first ones count from 0.
  /// - Parameters:
  ///   - resolution: ticks per quarter, at least 1.
  ///   - end: at most `longest`.
  init(
    file: String, title: String, resolution: Int, tempos: [Tempo], signatures: [Signature],
    markers: [Marker], end: Int, rounding: Double
  ) {
    func scaled(_ tick: Int) -> Int { tick * ForeignMap.scale }
    self.file = file
    self.title = title
    quarter = resolution * ForeignMap.scale
    var changes: [Tempo] = []
    for tempo in tempos {
      let tick = changes.isEmpty ? 0 : scaled(tempo.tick)
      if changes.last?.tick == tick { changes.removeLast() }
      // A repeated constant tempo changes nothing.
      if case .constant = tempo.curve, changes.last?.curve == tempo.curve { continue }
      changes.append(Tempo(tick: tick, curve: tempo.curve))
    }
    self.tempos = changes.isEmpty ? [Tempo(tick: 0, curve: .constant(500_000))] : changes
    var meters: [Signature] = []
    for signature in signatures {
      let tick = meters.isEmpty && signature.tick == 0 ? 0 : scaled(signature.tick)
      if meters.isEmpty, tick > 0 { meters.append(Signature(tick: 0, meter: .common)) }
      if meters.last?.tick == tick { meters.removeLast() }
      meters.append(Signature(tick: tick, meter: signature.meter, click: signature.click))
    }
    self.signatures = meters.isEmpty ? [Signature(tick: 0, meter: .common)] : meters
    self.markers = markers.map { Marker(tick: scaled($0.tick), name: $0.name) }
    self.end = scaled(end)
    self.rounding = rounding
    var starts = [0.0]
    for (index, tempo) in self.tempos.dropLast().enumerated() {
      let length = ForeignMap.quarters(self.tempos[index + 1].tick - tempo.tick, quarter)
      starts.append(starts[index] + tempo.curve.microseconds(length, of: length))
    }
    self.starts = starts
  }

  private static func quarters(_ ticks: Int, _ quarter: Int) -> Double { Double(ticks) / Double(quarter) }

  func quarters(_ ticks: Int) -> Double { ForeignMap.quarters(ticks, quarter) }

  /// The index of the tempo that holds at a tick.
  func tempo(at tick: Int) -> Int {
    var (low, high) = (0, tempos.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if tempos[middle].tick <= tick { low = middle } else { high = middle }
    }
    return low
  }

  /// The tick at which a tempo ends; nil for the last one.
  func end(ofTempo index: Int) -> Int? { index + 1 < tempos.count ? tempos[index + 1].tick : nil }

  /// The time of a tick in microseconds, by the file's tempos.
  func microseconds(at tick: Int) -> Double {
    let index = tempo(at: tick)
    let length = end(ofTempo: index).map { quarters($0 - tempos[index].tick) }
    return starts[index] + tempos[index].curve.microseconds(quarters(tick - tempos[index].tick), of: length)
  }

  /// The tick of the file nearest to a time.
  func tick(at microseconds: Double) -> Int {
    var (low, high) = (0, ForeignMap.longest)
    while high - low > 1 {
      let middle = (low + high) / 2
      if self.microseconds(at: middle * ForeignMap.scale) <= microseconds {
        low = middle
      } else {
        high = middle
      }
    }
    let (before, after) = (
      self.microseconds(at: low * ForeignMap.scale), self.microseconds(at: high * ForeignMap.scale)
    )
    return microseconds - before <= after - microseconds ? low : high
  }
}

extension ForeignMap.Curve {
  /// The time of the first `quarters` of a curve, in microseconds.
  /// - Parameter length: the length of the curve in quarters; nil for the last tempo of a map, which stays constant.
  func microseconds(_ quarters: Double, of length: Double?) -> Double {
    guard let length, length > 0 else { return quarters * first }
    switch self {
    case .constant(let quarter): return quarters * quarter
    case .ramp(let from, let to):
      let (start, rise) = (1 / from, (1 / to - 1 / from) / length)
      return rise == 0 ? quarters * from : log1p(rise * quarters / start) / rise
    case .glide(let from, let to):
      // u(t) = a·t + c·t²/2, solved for t in the form that is exact for small c.
      let (start, last) = (1 / from, 1 / to)
      let acceleration = (last * last - start * start) / (2 * length)
      return 2 * quarters / (start + max(0, start * start + 2 * acceleration * quarters).squareRoot())
    }
  }

  /// The length of a quarter after some quarters, in microseconds.
  func quarter(after quarters: Double, of length: Double?) -> Double {
    guard let length, length > 0 else { return first }
    switch self {
    case .constant(let quarter): return quarter
    case .ramp(let from, let to): return 1 / (1 / from + (1 / to - 1 / from) * quarters / length)
    case .glide(let from, let to):
      let (start, last) = (1 / from, 1 / to)
      return 1 / (start * start + (last * last - start * start) * quarters / length).squareRoot()
    }
  }
}
