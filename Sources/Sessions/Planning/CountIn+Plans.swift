import Engine
import MusicTime
import Validation

extension CountIn {
  /// The number of `plans`.
  func planCount(before first: SectionPlan) -> Int {
    guard isSpoken else { return 1 }
    return switch length {
    case .bars(let bars): bars * first.layout.accents.count
    case .beats(let beats): beats
    case .milliseconds(let time): (time + 999) / 1_000
    case .open: 1
    }
  }

  /// The plans of the count-in, at the song's first tempo and in its first bar.
  ///
  /// A voice counts each beat of a bar, or the seconds down to one. Each number has its own plan, because a cue sounds at the
  /// start of a section of the score.
  /// - Throws: `InvalidValue` if a spoken beat has no meter of its own.
  func plans(
    before first: SectionPlan, _ layouts: inout Layouts
  ) throws(InvalidValue) -> [SectionPlan] {
    let layout = first.layout
    let plan = SectionPlan(
      name: TempoMapFile.countIn, colour: first.colour, length: length, layout: layout,
      tempo: .constant(first.tempo.first), gains: first.gains, sound: first.sound, isCountIn: true)
    guard isSpoken else { return [plan] }
    if case .milliseconds(let time) = length { return CountIn.countdown(plan, milliseconds: time) }
    let beats = layout.accents.count
    let bars: Int
    var count: Int
    switch length {
    case .bars(let number): (bars, count) = (number, number * beats)
    case .beats(let number): (bars, count) = ((number + beats - 1) / beats, number)
    case .milliseconds, .open: return [plan]
    }
    var plans: [SectionPlan] = []
    for number in 1...max(bars, 1) {
      for beat in 0..<min(beats, count) {
        let start = Rational(beat) * layout.beatUnit.length
        let length = min(layout.beatUnit.length, layout.meter.barLength - start)
        var bar = SectionStyle()
        bar.meter = try CountIn.meter(length)
        bar.beatUnit = layout.beatUnit
        var spoken = plan
        spoken.length = .bars(1)
        spoken.layout = try layouts.layout(bar)
        spoken.silence = .always
        spoken.cue = .speech("\(beat + 1)")
        spoken.counted = CountedBeat(bar: number, bars: bars, beat: beat + 1, layout: layout)
        plans.append(spoken)
      }
      count -= beats
    }
    return plans
  }

  /// The meter of a bar with the length of one counted beat.
  private static func meter(_ length: Rational) throws(InvalidValue) -> Meter {
    do { return try Meter(length.numerator, length.denominator) } catch {
      throw InvalidValue("count-in", "spoken in beats of \(length)", allowed: "clicked with such a beat unit")
    }
  }

  private static func countdown(_ plan: SectionPlan, milliseconds: Int) -> [SectionPlan] {
    var silent = plan
    silent.silence = .always
    silent.length = .milliseconds(milliseconds % 1_000)
    let rest = milliseconds % 1_000 > 0 ? [silent] : []
    return rest
      + (0..<(milliseconds / 1_000)).map { second in
        var spoken = plan
        spoken.silence = .always
        spoken.length = .milliseconds(1_000)
        spoken.cue = .speech("\(milliseconds / 1_000 - second)")
        return spoken
      }
  }
}
