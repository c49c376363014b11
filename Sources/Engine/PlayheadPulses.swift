import MusicTime

/// Reading a playhead as a MIDI clock, also somewhat ahead of it or behind.
extension Playhead {
  /// A part of the timeline that lies in one section of one lap.
  struct Stretch: BitwiseCopyable {
    fileprivate let section: Score.Section
    fileprivate let lap: Lap
    /// Where on the timeline it ends; past the music's end it ends before the time that was asked for.
    let end: FrameTime

    /// - Thread: audio
    @_noLocks
    @inline(__always)
    func time(ofPulse pulse: Int64) -> FrameTime {
      let time = section.time(ofPulses: Int128(pulse) << 64 - lap.pulses)
      return FrameTime(raw: lap.origin.raw + time.raw)
    }
  }

  /// Pulses since the first downbeat after the count-in at a point of the timeline, in 2⁻⁶⁴ pulses.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  func pulses(at time: FrameTime) -> Int128 {
    let stretch = stretch(at: time)
    return stretch.lap.pulses + stretch.section.pulses(at: FrameTime(raw: time.raw - stretch.lap.origin.raw))
  }

  /// What plays at a point of the timeline, if nothing changes until then.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  func stretch(at time: FrameTime) -> Stretch {
    // A leader's tempo is that of all sections, and its pulses are the same wherever one counts from.
    if pace > 0 { return Stretch(section: section, lap: lap, end: FrameTime(raw: .max)) }
    var (inScore, lap) = reading(time)
    if holdsSection, let end = section.end, lap.origin == self.lap.origin {
      let beyond = inScore.raw - section.start.raw - end.time.raw
      if beyond >= 0 { lap.add(beyond / end.time.raw + 1, length: end.time.raw, pulses: section.pulseCount) }
    } else if score.pointee.loop != nil, inScore >= score.pointee.length {
      let (beyond, length) = (inScore.raw - score.pointee.length.raw, score.pointee.loopLength.raw)
      if length > 0 { lap.add(beyond / length + 1, length: length, pulses: score.pointee.loopPulses) }
    }
    inScore.raw = time.raw - lap.origin.raw
    let index = sectionIndex(around: inScore)
    let section = index == sectionIndex ? section : score.pointee.sections[index]
    let end = section.end.map { lap.origin.raw + section.start.raw + $0.time.raw }
    return Stretch(section: section, lap: lap, end: FrameTime(raw: end ?? .max))
  }

  /// The section of a frame, whose time begins half a frame before it. One that lasts until told has come to its end only where it
  /// was left: its last half frame is another's first.
  @_noLocks
  @inline(__always)
  private func sectionIndex(around time: FrameTime) -> Int {
    let index = score.pointee.sectionIndex(at: time)
    let isLeft = index == sectionIndex - 1 && section.start.raw - time.raw <= 1 << 63
    return isLeft && score.pointee.sections[index].isOpen ? sectionIndex : index
  }

  /// Frames from one pulse to the next at a point of the timeline, in 2⁻⁶⁴ frames.
  /// - Thread: audio
  @_noLocks
  func pulseLength(at time: FrameTime) -> Int128 {
    let stretch = stretch(at: time)
    return stretch.section.pulseLength(at: FrameTime(raw: time.raw - stretch.lap.origin.raw))
  }

  /// The same at a place where the music will be taken up.
  /// - Thread: audio
  @_noLocks
  func pulseLength(at position: Position) -> Int128 {
    let section = section(ofBar: score.pointee.unrolled(position.bar).bar)
    return section.pulseLength(at: section.time(of: position))
  }
}

extension Playhead.Lap {
  @_noLocks
  fileprivate mutating func add(_ laps: Int128, length: Int128, pulses: Int128) {
    origin.raw += laps * length
    self.pulses += laps * pulses
  }
}
