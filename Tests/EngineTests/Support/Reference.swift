import MusicTime

/// The times of a pattern's onsets, computed directly from the definitions of tempo, meter and beat unit, in 128-bit fractions.
///
/// It shares no code with the engine. A beat has `beatParts` parts, a multiple of every subdivision and swing.
struct Reference {
  static let beatParts: Int128 = 1_008_000

  /// The place at which swing splits a pair, in 12 000ths of the pair.
  static func split(_ swing: Int) -> Int128 {
    switch swing {
    case 333: 7_000
    case 667: 8_000
    default: 6_000 + 3 * Int128(swing)
    }
  }

  struct Onset {
    /// In `beatParts` from the bar's start.
    let place: Int128
    /// From 1.
    let beat: Int
    let isBeat: Bool
  }

  let onsets: [Onset]
  /// An onset of bar m (from 0) at place x begins at (m · barStride + x · placeStride) / denominator frames.
  let barStride: Int128
  let placeStride: Int128
  let denominator: Int128

  init(_ pattern: Pattern, sampleRate: Int) {
    let whole = Reference.beatParts
    let count = Int128(pattern.meter.count)
    let note = Int128(pattern.meter.unit)
    let numerator = Int128(pattern.unit.numerator)
    let unit = Int128(pattern.unit.denominator)
    var parts: Set<Int128> = []
    for n in pattern.subdivisions.keys.map({ Int128($0) }) {
      for k in 1..<n {
        let isDelayed = (n == 2 || n == 4 || n == 8) && k % 2 == 1
        // The pair of parts is split at 1/2 + swing/4; 0.667 means two thirds.
        let pair = 2 * whole / n
        parts.insert(
          isDelayed ? (k - 1) * whole / n + pair * Self.split(pattern.swing) / 12_000 : k * whole / n)
      }
    }
    var onsets: [Onset] = []
    var beat: Int128 = 0
    while beat * numerator * note < count * unit {
      for place in [0] + parts.sorted() where (beat * whole + place) * numerator * note < count * unit * whole
      {
        onsets.append(Onset(place: beat * whole + place, beat: Int(beat) + 1, isBeat: place == 0))
      }
      beat += 1
    }
    self.onsets = onsets
    let minute = 60_000 * Int128(sampleRate)
    barStride = count * unit * whole * minute
    placeStride = note * numerator * minute
    denominator = note * numerator * whole * Int128(pattern.thousandths)
  }

  /// The numerator of an onset's time.
  func numerator(bar: Int, _ onset: Onset) -> Int128 {
    Int128(bar - 1) * barStride + onset.place * placeStride
  }

  /// Whether a frame is within half a frame of an onset's exact time.
  func isNearest(_ frame: ClockFrame, bar: Int, _ onset: Onset) -> Bool {
    let off = 2 * (Int128(frame.number) * denominator - numerator(bar: bar, onset))
    return -denominator <= off && off <= denominator
  }

  /// The nearest frame to an onset; a tie goes to the later one.
  func frame(bar: Int, _ onset: Onset) -> ClockFrame {
    let doubled = 2 * numerator(bar: bar, onset) + denominator
    let quotient = doubled / (2 * denominator)
    return ClockFrame(Int64(doubled % (2 * denominator) < 0 ? quotient - 1 : quotient))
  }

  /// The first bar that begins on a frame or later.
  func firstBar(from frame: ClockFrame) -> Int {
    Int((Int128(frame.number) * denominator + barStride - 1) / barStride) + 1
  }
}
