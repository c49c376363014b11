/// A layer in one bar, computed from the definitions of its rate, its reset and the bar in 128-bit fractions.
///
/// Places are whole numbers of parts of a frame: `parts` of them make a frame, so that all lengths are exact.
struct ExactLayer: Equatable {
  /// From 1.
  let number: Int
  let layer: LayerPattern
  /// Number of pulses before the section's start.
  let phase: Fraction
  private let letters: [Character]
  private let parts: Int128
  /// The lengths from one pulse to the next, of a bar, and of a beat.
  private let interval: Int128
  private let barLength: Int128
  private let beatLength: Int128
  /// The distance from pulse 0 to the section's start.
  private let phaseLength: Int128
  /// The places in the bar at which it resets, each with the number of its pulse; empty if it never resets.
  private let restarts: [Restart]
  private let pulsesPerBar: Int
  /// Number of pulses in a bar.
  private let pulsesInBar: Fraction

  private struct Restart: Equatable {
    let place: Int128
    let pulse: Int
  }

  /// - Parameter phase: the number of pulses before the section's start; it counts only if the layer runs on through sections.
  init(_ number: Int, _ layer: LayerPattern, in bar: ExactBar.Pattern, phase: Fraction, rate: Int) {
    let phase = layer.reset == .never ? phase : Fraction(0, 1)
    let unit = bar.beatUnit ?? (1, bar.note)
    let (barNotes, beatNotes) = (Fraction(bar.notes, bar.note), Fraction(unit.count, unit.note))
    let step = ExactLayer.span(layer, barNotes, beatNotes) * Fraction(1, layer.pulses)
    let whole = Fraction(60_000 * Int128(rate), Int128(bar.thousandths)) / beatNotes
    let lengths = [step, barNotes, beatNotes, phase * step].map { $0 * whole }
    let parts = lengths.reduce(1) { Fraction.common($0, $1.denominator) }
    let places = lengths.map { $0.numerator * (parts / $0.denominator) }
    (interval, barLength, beatLength, phaseLength) = (places[0], places[1], places[2], places[3])
    (self.number, self.layer, self.phase, self.parts, letters) = (number, layer, phase, parts, layer.pattern)
    restarts = ExactLayer.restarts(
      layer, bar.groups, interval: places[0], bar: places[1], beat: places[2])
    pulsesPerBar = restarts.last?.pulse ?? 0
    pulsesInBar = barNotes / step
  }

  private static func span(_ layer: LayerPattern, _ bar: Fraction, _ beat: Fraction) -> Fraction {
    switch layer.span {
    case .beats(let count): beat * Fraction(count, 1)
    case .bars(let count): bar * Fraction(count, 1)
    case .note(let count, let unit): Fraction(count, unit)
    }
  }

  /// The places of its resets, and the bar's end.
  private static func restarts(
    _ layer: LayerPattern, _ groups: [Int], interval: Int128, bar: Int128, beat: Int128
  ) -> [Restart] {
    guard layer.reset == .bar || layer.reset == .group else { return [] }
    let beats = Int((bar + beat - 1) / beat)
    let fits = layer.reset == .group && groups.reduce(0, +) == beats
    var (restarts, end) = ([Restart(place: 0, pulse: 0)], 0)
    for group in fits ? groups : [beats] {
      end += group
      let (place, last) = (min(Int128(end) * beat, bar), restarts[restarts.count - 1])
      let pulses = Int((place - last.place + interval - 1) / interval)
      restarts.append(Restart(place: place, pulse: last.pulse + pulses))
    }
    return restarts
  }

  /// The last reset at or before a pulse of the bar.
  private func restart(before pulse: Int) -> Restart {
    restarts.dropLast().last { $0.pulse <= pulse } ?? restarts[0]
  }

  /// The distance from the section's start to a pulse.
  private func place(of pulse: Int) -> Int128 {
    guard pulsesPerBar > 0 else { return Int128(pulse) * interval - phaseLength }
    let (bar, inBar) = pulse.quotientAndRemainder(dividingBy: pulsesPerBar)
    let restart = restart(before: inBar)
    return Int128(bar) * barLength + restart.place + Int128(inBar - restart.pulse) * interval
  }

  /// When a pulse begins, in units of a frame from the section's start, rounded down.
  func time(of pulse: Int) -> Int128 {
    let (whole, rest) = place(of: pulse).quotientAndRemainder(dividingBy: parts)
    return whole * ExactBar.unit + rest * ExactBar.unit / parts
  }

  /// The number of the section's first pulse.
  var first: Int { phase.roundedUp }

  /// The first pulse at or after a time, in units of a frame from the section's start.
  func pulse(from time: Int128) -> Int {
    let place = Double(time) / Double(ExactBar.unit) * Double(parts)
    let guess =
      pulsesPerBar > 0
      ? place / Double(barLength) * Double(pulsesPerBar) : (place + Double(phaseLength)) / Double(interval)
    var pulse = max(first, Int(guess))
    while pulse > first, self.time(of: pulse - 1) >= time { pulse -= 1 }
    while self.time(of: pulse) < time { pulse += 1 }
    return pulse
  }

  /// The number of pulses before the end of a section with this number of bars.
  func phase(after bars: Int) -> Fraction { phase + pulsesInBar * Fraction(bars, 1) }

  /// The bar of the section and the beat that contain a pulse, from 1.
  func beat(of pulse: Int) -> (bar: Int, beat: Int) {
    let (bar, rest) = place(of: pulse).quotientAndRemainder(dividingBy: barLength)
    return (Int(bar) + 1, Int(rest / beatLength) + 1)
  }

  /// The pattern's letter for a pulse.
  func letter(of pulse: Int) -> Character {
    guard pulsesPerBar > 0 else { return letters[pulse % letters.count] }
    let inBar = pulse % pulsesPerBar
    return letters[(inBar - restart(before: inBar).pulse) % letters.count]
  }
}

/// A non-negative fraction of 128-bit numbers in lowest terms.
struct Fraction: Equatable {
  let numerator: Int128
  let denominator: Int128

  init(_ numerator: Int128, _ denominator: Int128) {
    let divisor = Fraction.divisor(numerator, denominator)
    (self.numerator, self.denominator) = (numerator / divisor, denominator / divisor)
  }

  init(_ numerator: Int, _ denominator: Int) { self.init(Int128(numerator), Int128(denominator)) }

  private static func divisor(_ a: Int128, _ b: Int128) -> Int128 { b == 0 ? a : divisor(b, a % b) }

  /// The least common multiple.
  static func common(_ a: Int128, _ b: Int128) -> Int128 { a / divisor(a, b) * b }

  var roundedUp: Int { Int((numerator + denominator - 1) / denominator) }

  static func + (a: Fraction, b: Fraction) -> Fraction {
    Fraction(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator)
  }
  static func * (a: Fraction, b: Fraction) -> Fraction {
    Fraction(a.numerator * b.numerator, a.denominator * b.denominator)
  }
  static func / (a: Fraction, b: Fraction) -> Fraction {
    Fraction(a.numerator * b.denominator, a.denominator * b.numerator)
  }
}
