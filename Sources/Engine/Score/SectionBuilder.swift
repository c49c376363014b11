import Glibc
import MusicTime

/// Builds a score's sections in order.
struct SectionBuilder {
  /// The nominal length in frames of an open section that another one follows: months. The user continues by a jump that shifts
  /// the score, so the later sections need start times of their own.
  static var openLength: Int64 { 1 << 40 }

  let sampleRate: Int
  private let openLength: Int64
  private var bar = 1
  private var hiddenBars = 0
  private var start = FrameDuration.zero
  private var tick = 0.0
  private var pulses: Int128 = 0
  /// All distinct bars, by the address of their layout's onsets: thousands of sections share a few bars.
  private var bars: [UnsafePointer<BarLayout.Onset>: Bar] = [:]
  private(set) var layers = LayerCompiler()

  private struct Bar {
    let onsets: UnsafeBufferPointer<TimingBuffer.Onset>
    /// At the tempo of its first section.
    let grid: BarGrid
  }

  /// The onsets of all distinct bars.
  var onsets: [UnsafeBufferPointer<TimingBuffer.Onset>] { bars.values.map(\.onsets) }

  /// - Parameters:
  ///   - plans: all plans, needed to number the count-in's bars.
  ///   - openLength: the nominal length of an open section in frames, rounded up to whole bars.
  init(_ plans: [SectionPlan], sampleRate: Int, openLength: Int64 = SectionBuilder.openLength) {
    (self.sampleRate, self.openLength) = (sampleRate, openLength)
    for plan in plans.prefix(while: \.isCountIn) {
      let grid = BarGrid(plan.layout, tempo: plan.tempo.first, sampleRate: sampleRate)
      let warp = warp(plan, grid)
      let end = end(plan, grid, warp, isLast: false)
      hiddenBars += end?.bars ?? 0
      pulses -= pulseCount(plan, grid, warp, end)
    }
  }

  /// Builds the next section.
  /// - Parameters:
  ///   - clips: the clips of a sound set by its name; for nil, those of the section.
  ///   - cue: the samples of the plan's cue.
  ///   - isLast: an open section has an end only if another follows.
  mutating func section(
    _ plan: SectionPlan, clips: (String?) -> SoundingClips, cue: UnsafeBufferPointer<Float>?, isLast: Bool
  ) -> Score.Section {
    let buffer = buffer(plan)
    let warp = warp(plan, buffer.grid)
    let end = end(plan, buffer.grid, warp, isLast: isLast)
    let layers = self.layers.layers(of: plan, SectionBuilder.address(of: plan.layout), clips: clips)
    let section = Score.Section(
      buffer: buffer, firstBar: bar, hiddenBars: hiddenBars, start: start, end: end, startTick: tick,
      beginsBar: plan.counted.map { $0.beat == 1 } ?? true, isOpen: plan.isOpen, startPulses: pulses,
      pulseCount: pulseCount(plan, buffer.grid, warp, end),
      warp: warp,
      silence: Silence(plan.silence), clips: clips(nil), gains: plan.gains, cue: cue, layers: layers,
      phases: self.layers.phases(of: plan, layers))
    self.layers.note(section, of: plan)
    if let end {
      bar += end.bars
      start += end.time
      let notes = Double(end.step) / Double(buffer.grid.stepsPerWhole / buffer.meterUnit)
      tick = section.ticks(before: section.firstBar + end.bar - 1) + notes * Double(BarBeatTick.ticksPerBeat)
      pulses = section.endPulses
      if case .open = plan.length { hiddenBars += end.bars - 1 }
    }
    return section
  }

  private mutating func buffer(_ plan: SectionPlan) -> TimingBuffer {
    let (key, tempo) = (SectionBuilder.address(of: plan.layout), plan.tempo.first)
    if let bar = bars[key] {
      let grid = bar.grid.at(tempo, sampleRate: sampleRate)
      return TimingBuffer(plan.layout, onsets: bar.onsets, grid: grid, tempo: tempo)
    }
    let grid = BarGrid(plan.layout, tempo: tempo, sampleRate: sampleRate)
    let onsets = TimingBuffer.onsets(of: plan.layout, on: grid)
    bars[key] = Bar(onsets: onsets, grid: grid)
    return TimingBuffer(plan.layout, onsets: onsets, grid: grid, tempo: tempo)
  }

  /// The address of a bar's onsets. The plans outlive the builder, so it identifies one bar.
  private static func address(of layout: BarLayout) -> UnsafePointer<BarLayout.Onset> {
    layout.onsets.withUnsafeBufferPointer { $0.baseAddress! }
  }

  /// The length of a section in beats of its beat unit; infinite if the section is open.
  private func beats(_ plan: SectionPlan, _ grid: BarGrid) -> Double {
    switch plan.length {
    case .bars(let bars): Double(bars) * Double(grid.stepsPerBar) / Double(grid.stepsPerBeat)
    case .beats(let beats): Double(beats)
    case .milliseconds(let time):
      // t = 60·B/(t₂ − t₁)·ln(t₂/t₁), solved for B.
      Double(time) / 60_000 * plan.tempo.logarithmicMean
    case .open: .infinity
    }
  }

  private func warp(_ plan: SectionPlan, _ grid: BarGrid) -> TempoWarp {
    switch plan.tempo {
    case .constant: return .none
    case .ramp(let from, let to):
      let beats = beats(plan, grid)
      guard from != to, beats.isFinite else { return .none }
      let rise = to.beatsPerMinute - from.beatsPerMinute
      return .ramp(rate: rise / (60 * beats * Double(sampleRate)))
    case .beats(let tempos):
      // The last tempo holds: one beat more than there are tempos gives the last knot its slope.
      let knots = UnsafeMutableBufferPointer<TempoWarp.Knot>.allocate(capacity: tempos.count + 1)
      var real = FrameDuration.zero
      for beat in 0...tempos.count {
        let steady = beatTime(beat, grid)
        knots.initializeElement(at: beat, to: TempoWarp.Knot(steady: steady, real: real))
        if beat < tempos.count {
          // Steady time runs at the first tempo. The real length of each beat is exact to 2⁻⁶⁴ frames.
          let length = beatTime(beat + 1, grid) - steady
          real += FrameDuration(
            raw: length.raw * Int128(tempos[0].thousandths) / Int128(tempos[beat].thousandths))
        }
      }
      return .knots(UnsafeBufferPointer(knots))
    }
  }

  /// The steady time of a beat. Beats are counted through the bars, whose last beat may be short.
  private func beatTime(_ beat: Int, _ grid: BarGrid) -> FrameDuration {
    let perBar = (grid.stepsPerBar + grid.stepsPerBeat - 1) / grid.stepsPerBeat
    return grid.time(bar: beat / perBar + 1, step: beat % perBar * grid.stepsPerBeat)
  }

  /// The length of a section in pulses. An open one counts as a single bar.
  private func pulseCount(
    _ plan: SectionPlan, _ grid: BarGrid, _ warp: TempoWarp, _ end: Score.Section.End?
  ) -> Int128 {
    guard let end else { return 0 }
    return switch plan.length {
    case .bars, .beats: grid.pulses(bar: end.bar, step: end.step)
    case .milliseconds: grid.pulses(at: warp.steady(end.time))
    case .open: grid.pulses(bar: 2, step: 0)
    }
  }

  private func end(
    _ plan: SectionPlan, _ grid: BarGrid, _ warp: TempoWarp, isLast: Bool
  ) -> Score.Section.End? {
    switch plan.length {
    case .bars(let bars): return end(bar: bars + 1, step: 0, grid, warp)
    case .beats(let beats):
      let steps = beats * grid.stepsPerBeat
      return end(bar: steps / grid.stepsPerBar + 1, step: steps % grid.stepsPerBar, grid, warp)
    case .milliseconds(let time):
      return end(at: FrameDuration(raw: Int128(time) * Int128(sampleRate) << 64 / 1_000), grid, warp)
    case .open:
      guard !isLast else { return nil }
      let end = end(at: FrameDuration(wholeFrames: openLength), grid, warp)
      return self.end(bar: end.bars + 1, step: 0, grid, warp)
    }
  }

  private func end(bar: Int, step: Int, _ grid: BarGrid, _ warp: TempoWarp) -> Score.Section.End {
    Score.Section.End(bar: bar, step: step, time: warp.real(grid.time(bar: bar, step: step)))
  }

  /// The end at a time: the first step that doesn't begin before it.
  private func end(at time: FrameDuration, _ grid: BarGrid, _ warp: TempoWarp) -> Score.Section.End {
    var (bar, step) = grid.step(at: warp.steady(time))
    if warp.real(grid.time(bar: bar, step: step)) < time { step += 1 }
    if step == grid.stepsPerBar { (bar, step) = (bar + 1, 0) }
    return Score.Section.End(bar: bar, step: step, time: time)
  }
}

extension TempoCurve {
  /// The tempo at the section's start.
  package var first: Tempo {
    switch self {
    case .constant(let tempo): tempo
    case .ramp(let from, _): from
    case .beats(let tempos): tempos[0]
    }
  }

  /// The mean tempo of a ramp of a given duration.
  fileprivate var logarithmicMean: Double {
    guard case .ramp(let from, let to) = self, from != to else { return first.beatsPerMinute }
    let (low, high) = (from.beatsPerMinute, to.beatsPerMinute)
    return (high - low) / log(high / low)
  }
}
