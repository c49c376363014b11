/// One bar, computed from the definitions of tempo, meter, beat unit, subdivision and swing in 128-bit fractions. It shares no
/// code with the program.
struct ExactBar: Equatable {
  /// Parts of a beat: enough for all subdivisions and swings.
  static let parts: Int128 = 1_008_000
  /// Units of a frame in which times are given.
  static let unit: Int128 = 1 << 48

  /// The settings of a user.
  struct Pattern: Equatable {
    var thousandths = 120_000
    var notes = 4
    var note = 4
    /// nil: the meter's own note.
    var beatUnit: (count: Int, note: Int)?
    var subdivisions: [Int: Float] = [:]
    /// Swing in thousandths.
    var swing = 0
    /// A letter for each beat. If empty, the first beat of each group, or of the bar, is accented.
    var accents = ""
    var groups: [Int] = []

    static func == (a: Pattern, b: Pattern) -> Bool {
      a.thousandths == b.thousandths && a.notes == b.notes && a.note == b.note
        && a.beatUnit?.count == b.beatUnit?.count && a.beatUnit?.note == b.beatUnit?.note
        && a.subdivisions == b.subdivisions && a.swing == b.swing && a.accents == b.accents
        && a.groups == b.groups
    }
  }

  struct Onset: Equatable {
    /// The place in parts of a beat from the bar's start.
    let place: Int128
    /// The beat, from 1.
    let beat: Int
    let isBeat: Bool
    let isAccent: Bool
    let strength: Float
  }

  let onsets: [Onset]
  /// MIDI clock pulses per bar and per beat.
  private let barPulses: Int
  private let beatPulses: Int
  /// An onset of bar m (from 0) at place x begins at (m · barStride + x · placeStride) / denominator frames.
  private let barStride: Int128
  private let placeStride: Int128
  private let denominator: Int128

  init(_ pattern: Pattern, rate: Int) {
    let unit = pattern.beatUnit ?? (1, pattern.note)
    let (count, note) = (Int128(pattern.notes), Int128(pattern.note))
    let (numerator, divisor) = (Int128(unit.count), Int128(unit.note))
    let whole = ExactBar.parts
    let beats = Int((count * divisor + note * numerator - 1) / (note * numerator))
    let letters = ExactBar.letters(pattern, beats: beats)
    let parts = ExactBar.places(pattern)
    var onsets: [Onset] = []
    for beat in 0..<beats {
      let letter = letters[beat]
      onsets.append(
        Onset(
          place: Int128(beat) * whole, beat: beat + 1, isBeat: true, isAccent: letter == "X",
          strength: letter == "o" ? 0.5 : letter == "." ? 0 : 1))
      for (place, strength) in parts
      where (Int128(beat) * whole + place) * numerator * note < count * divisor * whole {
        onsets.append(
          Onset(
            place: Int128(beat) * whole + place, beat: beat + 1, isBeat: false, isAccent: false,
            strength: strength))
      }
    }
    self.onsets = onsets
    barPulses = 96 * pattern.notes / pattern.note
    beatPulses = 96 * unit.count / unit.note
    let minute = 60_000 * Int128(rate)
    barStride = count * divisor * whole * minute
    placeStride = note * numerator * minute
    denominator = note * numerator * whole * Int128(pattern.thousandths)
  }

  private static func letters(_ pattern: Pattern, beats: Int) -> [Character] {
    if pattern.accents.count == beats { return Array(pattern.accents) }
    let groups = pattern.groups.reduce(0, +) == beats ? pattern.groups : [beats]
    return groups.flatMap { ["X"] + Array(repeating: "x", count: $0 - 1) }
  }

  /// The places of subdivisions within a beat, each once with its greatest strength.
  private static func places(_ pattern: Pattern) -> [(place: Int128, strength: Float)] {
    var loudest: [Int128: Float] = [:]
    for (number, strength) in pattern.subdivisions where strength > 0 {
      for k in 1..<number {
        let isDelayed = [2, 4, 8].contains(number) && k % 2 == 1
        let pair = 2 * parts / Int128(number)
        let place =
          isDelayed
          ? Int128(k - 1) * parts / Int128(number) + pair * split(pattern.swing) / 12_000
          : Int128(k) * parts / Int128(number)
        loudest[place] = max(loudest[place] ?? 0, strength)
      }
    }
    return loudest.sorted { $0.key < $1.key }.map { (place: $0.key, strength: $0.value) }
  }

  /// The place in a pair at which swing splits it, in 12 000ths of the pair.
  private static func split(_ swing: Int) -> Int128 {
    switch swing {
    case 333: 7_000
    case 667: 8_000
    default: 6_000 + 3 * Int128(swing)
    }
  }

  /// Number of MIDI clock pulses from a beat to the next one.
  /// - Parameter toNextBar: whether it is the bar's last beat.
  func pulses(from beat: Int, toNextBar: Bool) -> Int {
    toNextBar ? barPulses - (beat - 1) * beatPulses : beatPulses
  }

  /// Number of MIDI clock pulses from the first bar to a beat.
  func pulses(beforeBar bar: Int, beat: Int) -> Int { (bar - 1) * barPulses + (beat - 1) * beatPulses }

  /// When an onset begins, in units of a frame from the first bar's start, rounded down.
  /// - Parameter bar: from 0.
  func time(bar: Int, place: Int128) -> Int128 {
    let (whole, rest) = (Int128(bar) * barStride + place * placeStride)
      .quotientAndRemainder(dividingBy: denominator)
    return whole * ExactBar.unit + rest * ExactBar.unit / denominator
  }
}
