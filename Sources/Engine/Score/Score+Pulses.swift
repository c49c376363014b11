import MusicTime

/// A section in MIDI clock pulses, in units of 2⁻⁶⁴ pulses; 0 is the first downbeat after the count-in.
extension Score.Section {
  /// The pulses at the start of the next section.
  /// - Thread: any, audio
  var endPulses: Int128 { @_noLocks get { startPulses + pulseCount } }

  /// - Parameter time: relative to the score's start.
  /// - Thread: any, audio
  @_noLocks
  @inline(__always)
  func pulses(at time: FrameDuration) -> Int128 { startPulses + buffer.grid.pulses(at: steady(time)) }

  /// The inverse of `pulses(at:)`.
  /// - Thread: any, audio
  @_noLocks
  @inline(__always)
  func time(ofPulses pulses: Int128) -> FrameDuration {
    start + warp.real(buffer.grid.time(ofPulses: pulses - startPulses))
  }

  /// The duration of a pulse at a time of the score. Past the section's end its last tempo holds: extrapolating a ramp would
  /// leave all bounds.
  /// - Thread: any, audio
  @_noLocks
  func pulseLength(at time: FrameDuration) -> FrameDuration {
    let length = buffer.grid.time(ofPulses: 1 << 64)
    let bounded = end.map { min(time, start + $0.time) } ?? time
    let speed = warp.speed(steady(bounded))
    return speed == 1
      ? length : FrameDuration(raw: Int128(Int64(Double(Int64(length.raw >> 32)) / speed)) << 32)
  }
}

extension Score {
  /// Pulses in the looped part.
  /// - Thread: any, audio
  var loopPulses: Int128 {
    @_noLocks get { sections[sections.count - 1].endPulses - sections[loop ?? 0].startPulses }
  }

  /// Pulses in a number of bars that fill whole laps of a loop.
  /// - Thread: any, audio
  @_noLocks
  func pulses(inLapBars bars: Int) -> Int128 { bars == 0 ? 0 : Int128(bars / loopBars) * loopPulses }
}
