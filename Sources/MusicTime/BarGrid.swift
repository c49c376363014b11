/// The exact map between bars at a constant tempo and the frame axis.
///
/// A bar is divided into equal *steps*, fine enough that every onset falls on one. A step lasts a rational number of
/// frames, so step s of an endless run of bars begins at exactly origin + s · numerator / denominator, and an onset's
/// frame is the nearest one. Durations are never accumulated. Bar 1 begins at step 0.
package struct BarGrid: BitwiseCopyable, Sendable {
  /// Steps per whole note, and per bar.
  package let stepsPerWhole: Int
  package let stepsPerBar: Int
  /// Steps in a beat unit. The bar's last beat may have fewer.
  package let stepsPerBeat: Int
  /// A step lasts `framesNumerator / framesDenominator` frames.
  let framesNumerator: Int128
  let framesDenominator: UInt64
  private let framesPerBar: Ratio
  private let framesPerBeat: Ratio
  /// The lengths of a bar and of a beat in whole notes.
  private let barLength: Ratio
  private let beatLength: Ratio
  /// The length in frames of a pulse, a 96th of a whole note.
  let framesPerPulse: Ratio

  struct Ratio: BitwiseCopyable, Sendable {
    let numerator: Int128
    let denominator: Int128

    init(_ numerator: Int128, _ denominator: Int128) {
      let divisor = greatestCommonDivisor(numerator, denominator)
      self.numerator = numerator / divisor
      self.denominator = denominator / divisor
    }

    /// A product of fractions in lowest terms. Crosswise reduction has small divisors, which are found in a few steps.
    init(_ a: Ratio, times b: Ratio) {
      let (first, second) = (
        greatestCommonDivisor(a.numerator, b.denominator), greatestCommonDivisor(b.numerator, a.denominator)
      )
      numerator = a.numerator / first * (b.numerator / second)
      denominator = a.denominator / second * (b.denominator / first)
    }

    @_noLocks
    init(unreduced numerator: Int128, _ denominator: Int128) {
      self.numerator = numerator
      self.denominator = denominator
    }

    @_noLocks
    func equals(_ other: Ratio) -> Bool {
      numerator * other.denominator == other.numerator * denominator
    }
  }

  /// - Parameters:
  ///   - layout: the bar; its onsets fall on the grid's steps.
  ///   - tempo: in the layout's beat units per minute.
  ///   - sampleRate: frames per second.
  package init(_ layout: BarLayout, tempo: Tempo, sampleRate: Int) {
    let unit = layout.beatUnit.length
    let stepsPerWhole = layout.onsets.reduce(leastCommonMultiple(layout.meter.unit, unit.denominator)) {
      leastCommonMultiple($0, $1.offset.denominator)
    }
    self.init(
      stepsPerWhole: stepsPerWhole, barLength: Ratio(Int128(layout.meter.count), Int128(layout.meter.unit)),
      beatLength: Ratio(Int128(unit.numerator), Int128(unit.denominator)), tempo: tempo,
      sampleRate: sampleRate)
  }

  private init(stepsPerWhole: Int, barLength: Ratio, beatLength: Ratio, tempo: Tempo, sampleRate: Int) {
    self.stepsPerWhole = stepsPerWhole
    (self.barLength, self.beatLength) = (barLength, beatLength)
    let resolution = Int128(stepsPerWhole)
    stepsPerBar = Int(resolution / barLength.denominator * barLength.numerator)
    stepsPerBeat = Int(resolution / beatLength.denominator * beatLength.numerator)
    // A whole note has 1/unit beats, and a beat has 60 · rate · 1000 / thousandths frames. The denominator stays below
    // 2⁵⁸ for every meter, beat unit, swing and tempo.
    let framesPerStep = Ratio(
      Int128(60_000 * sampleRate) * beatLength.denominator,
      Int128(tempo.thousandths) * beatLength.numerator * resolution)
    framesNumerator = framesPerStep.numerator
    framesDenominator = UInt64(framesPerStep.denominator)
    framesPerBar = Ratio(framesPerStep, times: Ratio(unreduced: Int128(stepsPerBar), 1))
    framesPerBeat = Ratio(framesPerStep, times: Ratio(unreduced: Int128(stepsPerBeat), 1))
    framesPerPulse = Ratio(framesPerStep, times: Ratio(resolution, 96))
  }

  /// The same bar at another tempo.
  package func at(_ tempo: Tempo, sampleRate: Int) -> BarGrid {
    BarGrid(
      stepsPerWhole: stepsPerWhole, barLength: barLength, beatLength: beatLength, tempo: tempo,
      sampleRate: sampleRate)
  }

  @_noLocks
  private init(_ grid: BarGrid, framesPerWhole: Int128, shift: Int128) {
    stepsPerWhole = grid.stepsPerWhole
    stepsPerBar = grid.stepsPerBar
    stepsPerBeat = grid.stepsPerBeat
    barLength = grid.barLength
    beatLength = grid.beatLength
    framesNumerator = framesPerWhole
    framesDenominator = UInt64(stepsPerWhole) << shift
    framesPerBar = Ratio(unreduced: framesPerWhole * barLength.numerator, barLength.denominator << shift)
    framesPerBeat = Ratio(unreduced: framesPerWhole * beatLength.numerator, beatLength.denominator << shift)
    framesPerPulse = Ratio(unreduced: framesPerWhole, 96 << shift)
  }

  /// The same bar at an external tempo, such as Ableton Link's, rounded to 2⁻²⁴ frames per whole note.
  /// - Precondition: `framesPerWhole` is within 1…2³¹.
  /// - Thread: audio
  @_noLocks
  package func paced(framesPerWhole: Double) -> BarGrid {
    BarGrid(self, framesPerWhole: Int128(Int64(framesPerWhole * 0x1p24)), shift: 24)
  }

  /// Whether bars and beats have the same lengths in frames as another grid's, so that one can replace the other
  /// without moving the origin.
  /// - Thread: any, audio
  @_noLocks
  package func keepsTime(of other: BarGrid) -> Bool {
    framesPerBar.equals(other.framesPerBar) && framesPerBeat.equals(other.framesPerBeat)
  }

  /// The step of an onset of the grid's layout.
  package func step(of onset: BarLayout.Onset) -> Int {
    stepsPerWhole / onset.offset.denominator * onset.offset.numerator
  }

  /// The time of a step relative to the origin, exact to 2⁻⁶⁴ frames. Every conversion to a time rounds up, so that
  /// a position's time is never before the position is reached.
  /// - Parameter bar: from 1; `step` counts from the bar's start.
  /// - Thread: any, audio
  @_noLocks
  package func time(bar: Int, step: Int) -> FrameDuration {
    let steps = Int128(bar - 1) * Int128(stepsPerBar) + Int128(step)
    let (frames, rest) = floorDivide(steps * framesNumerator, Int128(framesDenominator))
    let (fraction, remainder) = framesDenominator.dividingFullWidth((UInt64(rest), 0))
    return FrameDuration(raw: frames << 64 + Int128(fraction) + (remainder > 0 ? 1 : 0))
  }

  /// The time of a position relative to the origin, rounded up to 2⁻⁶⁴ frames. `position(at:)` returns the same position.
  /// - Precondition: the frame fits 63 bits, and the beats lie within one bar (see `normalised`).
  /// - Thread: any, audio
  @_noLocks
  package func time(of position: Position) -> FrameDuration {
    // Convert bars and beats separately, each with its remainder, so that the product fits 128 bits.
    let (numerator, denominator) = (framesPerBar.numerator, framesPerBar.denominator)
    let (frames, rest) = floorDivide(Int128(position.bar - 1) * numerator, denominator)
    let (fraction, barRest) = floorDivide(rest << 64, denominator)
    let steps = Int128(position.beats) * Int128(stepsPerBeat)
    let (beats, beatRest) = divide(steps, times: framesNumerator, by: Int128(framesDenominator))
    let remainder = barRest * Int128(framesDenominator) + beatRest * denominator
    let one = denominator * Int128(framesDenominator)
    return FrameDuration(raw: frames << 64 + fraction + beats + (remainder + one - 1) / one)
  }

  /// The position at a time relative to the origin, rounded down to 2⁻⁶⁴ beats. The inverse of `time(of:)`.
  /// - Thread: any, audio
  @_noLocks
  package func position(at time: FrameDuration) -> Position {
    let (bar, rest) = steps(at: time)
    return Position(bar: bar, beats: UInt128(rest / Int128(stepsPerBeat)))
  }

  /// The bar at a time relative to the origin, and the number of the meter's notes that have passed in it.
  /// - Parameter unit: the meter's note as a part of a whole note.
  /// - Thread: any, audio
  @_noLocks
  package func notes(at time: FrameDuration, unit: Int) -> (bar: Int, notes: UInt128) {
    let (bar, rest) = steps(at: time)
    return (bar, UInt128(rest / Int128(stepsPerWhole / unit)))
  }

  /// The bar at a time relative to the origin, and the last of its steps that has begun.
  /// - Thread: any, audio
  @_noLocks
  package func step(at time: FrameDuration) -> (bar: Int, step: Int) {
    let (bar, rest) = steps(at: time)
    return (bar, Int(rest >> 64))
  }

  /// The same position in bars of another layout. Beats past the bar's end continue in the next bar.
  /// - Thread: any, audio
  @_noLocks
  package func normalised(_ position: Position) -> Position {
    // Compute in steps. A bar has a whole number of them, so that full bars leave no remainder.
    let steps = position.beats.multipliedFullWidth(by: UInt128(stepsPerBeat))
    let (bars, rest) = (UInt128(stepsPerBar) << 64).dividingFullWidth(steps)
    guard bars > 0 else { return position }
    return Position(bar: position.bar + Int(bars), beats: rest / UInt128(stepsPerBeat))
  }

  /// The number of beats in a duration, rounded down, in 2⁻⁶⁴ beats. Bars count with all their beats, also with parts of one.
  /// - Thread: any, audio
  @_noLocks
  package func beats(in duration: FrameDuration) -> UInt128 {
    let position = position(at: duration)
    return position.beats
      + UInt128(position.bar - 1) * ((UInt128(stepsPerBar) << 64) / UInt128(stepsPerBeat))
  }

  /// The position at the same place of the bar as a position in bars of the same length with other beats.
  /// - Thread: any, audio
  @_noLocks
  package func samePlace(as position: Position, in other: BarGrid) -> Position {
    guard !beatLength.equals(other.beatLength) else { return position }
    // Rounded down, as positions are, so that an onset that is due is not passed.
    let beats =
      position.beats * UInt128(other.beatLength.numerator * beatLength.denominator)
      / UInt128(other.beatLength.denominator * beatLength.numerator)
    return Position(bar: position.bar, beats: beats)
  }

  /// The bar at a time, and the time since the bar's start in 2⁻⁶⁴ steps.
  @_noLocks
  private func steps(at time: FrameDuration) -> (bar: Int, rest: Int128) {
    // Convert whole frames first, then their fraction, so that no product grows with the number of bars.
    let (numerator, denominator) = (framesPerBar.numerator, framesPerBar.denominator)
    let (bars, rest) = floorDivide(time.raw >> 64 * denominator, numerator)
    let fine = rest << 64 + Int128(UInt64(truncatingIfNeeded: time.raw)) * denominator
    let (carried, within) = floorDivide(fine, numerator << 64)
    return (Int(bars + carried) + 1, divide(within, times: Int128(stepsPerBar), by: numerator).quotient)
  }
}
