import MusicTime

/// The places of the pulses of a section's layers in the score.
extension Score.Section {
  /// The time of a place, from the score's start.
  /// - Parameter place: in 2⁻⁶⁴ ticks of the layer, from the section's start.
  /// - Thread: any, audio
  @_noLocks
  func time(ofPlace place: Int128, _ layer: SectionLayer) -> FrameDuration {
    let steady = buffer.grid.time(ofTicks: place, perWhole: layer.rhythm.ticksPerWhole)
    return start + warp.real(steady)
  }

  /// The first pulse at or after a time of the score.
  /// - Thread: any, audio
  @_noLocks
  func pulse(of layer: SectionLayer, from time: FrameDuration, phase: Int128) -> Int {
    let first = layer.firstPulse(phase: phase)
    // Far past its end a ramp has no times that could be compared.
    let time = changesTempo ? (end.map { min(time, start + $0.time) } ?? time) : time
    let steady = steady(time)
    guard steady > .zero else { return first }
    let place = buffer.grid.ticks(at: steady, perWhole: layer.rhythm.ticksPerWhole)
    var pulse = max(first, layer.pulse(from: place, phase: phase))
    // The place is rounded down, and a ramp's times are floating-point numbers.
    while pulse > first, self.time(ofPlace: layer.place(of: pulse - 1, phase: phase), layer) >= time {
      pulse -= 1
    }
    while self.time(ofPlace: layer.place(of: pulse, phase: phase), layer) < time { pulse += 1 }
    return pulse
  }

  /// The phase of a layer at the section's end: its phase in the next section if nothing resets it.
  /// - Parameter phase: the phase at the section's start, in 2⁻⁶⁴ pulses.
  /// - Thread: any, audio
  @_noLocks
  func phase(after layer: SectionLayer, from phase: Int128) -> Int128 {
    guard let end else { return phase }
    let (grid, ticks) = (buffer.grid, layer.rhythm.ticksPerWhole)
    let isStep = warp.real(grid.time(bar: end.bar, step: end.step)) == end.time
    let place: Int128
    if isStep {
      let steps = Int128(end.bar - 1) * Int128(grid.stepsPerBar) + Int128(end.step)
      place = ((steps * Int128(ticks)) << 64) / Int128(grid.stepsPerWhole)
    } else {
      place = grid.ticks(at: warp.steady(end.time), perWhole: ticks)
    }
    return phase + place / Int128(layer.rhythm.interval)
  }

  /// The phase of a layer at the section's start.
  /// - Parameter index: of `layers`.
  /// - Thread: any, audio
  @_noLocks
  func phase(_ index: Int) -> Int128 { phases.isEmpty ? 0 : phases[index] }

  /// The index in `layers` of the layer with a number (from 0); nil if there is none.
  /// - Thread: any, audio
  @_noLocks
  func layer(_ number: Int) -> Int? {
    for index in 0..<layers.count where layers[index].rhythm.index == number { return index }
    return nil
  }
}

extension Score {
  /// The phase that a layer gains in each lap of a loop, in 2⁻⁶⁴ pulses; 0 if it restarts there.
  /// - Parameter number: from 0.
  /// - Thread: any, audio
  @_noLocks
  func lapPhase(ofLayer number: Int) -> Int128 {
    guard let loop else { return 0 }
    // If a section does not have the layer, it restarts in the next section that has it.
    for section in sections[loop...] {
      guard let index = section.layer(number), section.layers[index].rhythm.isEndless else { return 0 }
    }
    let (first, last) = (sections[loop], sections[sections.count - 1])
    guard let start = first.layer(number), let end = last.layer(number),
      first.layers[start].rhythm.isEndless, last.layers[end].rhythm.isEndless
    else { return 0 }
    return last.phase(after: last.layers[end], from: last.phase(end)) - first.phase(start)
  }
}
