import MusicTime

/// A section in pulses of a MIDI clock, in 2⁻⁶⁴ pulses: 0 is the first downbeat after the count-in.
extension Score.Section {
  /// Where the section after it begins.
  /// - Thread: any, audio
  var endPulses: Int128 { @_noLocks get { startPulses + pulseCount } }

  /// - Parameter time: seen from the score's start.
  /// - Thread: any, audio
  @_noLocks
  @inline(__always)
  func pulses(at time: FrameTime) -> Int128 { startPulses + buffer.grid.pulses(at: steady(time)) }

  /// The inverse of `pulses(at:)`.
  /// - Thread: any, audio
  @_noLocks
  @inline(__always)
  func time(ofPulses pulses: Int128) -> FrameTime {
    let inSection = warp.real(buffer.grid.time(ofPulses: pulses - startPulses))
    return FrameTime(raw: start.raw + inSection.raw)
  }

  /// Frames from one pulse to the next at a time, in 2⁻⁶⁴ frames.
  /// - Thread: any, audio
  @_noLocks
  func pulseLength(at time: FrameTime) -> Int128 {
    let length = buffer.grid.time(ofPulses: 1 << 64).raw
    let speed = warp.speed(steady(time))
    return speed == 1 ? length : Int128(Int64(Double(Int64(length >> 32)) / speed)) << 32
  }
}

extension Score {
  /// Pulses in the part that is played again and again.
  /// - Thread: any, audio
  var loopPulses: Int128 {
    @_noLocks get { sections[sections.count - 1].endPulses - sections[loop ?? 0].startPulses }
  }

  /// Pulses in a number of bars that whole laps of a loop have.
  /// - Thread: any, audio
  @_noLocks
  func pulses(inLapBars bars: Int) -> Int128 { bars == 0 ? 0 : Int128(bars / loopBars) * loopPulses }
}
