import MusicTime

/// Reads a playhead in MIDI clock pulses, also slightly ahead or behind. Nothing here changes it.
extension Playhead {
  /// A part of the timeline that lies in one section of one lap.
  struct Segment: BitwiseCopyable {
    /// The section's index in the score, from 0.
    let index: Int
    let section: Score.Section
    let lap: Lap
    /// Its end on the timeline. After the music's end this is earlier than the requested time.
    let end: FrameTime

    /// The time of a step of a clock.
    /// - Parameter halvings: a pulse of the MIDI clock has 2 to the power of this many steps.
    /// - Thread: audio
    @_noLocks
    @inline(__always)
    func time(ofStep step: Int64, halvings: Int) -> FrameTime {
      let pulses = Int128(step) << (64 - halvings)
      return lap.origin + section.time(ofPulses: pulses - lap.elapsed.pulses)
    }

    /// Pulses since the first downbeat after the count-in at a point of the timeline within the segment, in 2⁻⁶⁴ pulses.
    /// - Thread: audio
    @_noLocks
    @inline(__always)
    func pulses(at time: FrameTime) -> Int128 {
      lap.elapsed.pulses + section.pulses(at: time - lap.origin)
    }
  }

  /// Pulses since the first downbeat after the count-in at a point of the timeline, in 2⁻⁶⁴ pulses.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  func pulses(at time: FrameTime) -> Int128 { segment(at: time).pulses(at: time) }

  /// The segment at a point of the timeline, if nothing changes until then.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  func segment(at time: FrameTime) -> Segment {
    // A leader's tempo applies to all sections, so its pulses are the same from any section.
    if cursor.pace > 0 {
      return Segment(
        index: cursor.sectionIndex, section: cursor.section, lap: lap, end: .never)
    }
    // The steps of a clock with a delay belong to an earlier time, and so to the lap before after a loop has repeated.
    var lap = lap(at: time)
    var inScore = time - lap.origin
    let round = round
    if let round, lap.origin == self.lap.origin {
      let beyond = inScore - round.end.time
      if beyond >= .zero, round.length > .zero {
        lap.add(beyond / round.length + 1, length: round.length, pulses: round.elapsed(1).pulses)
      }
    } else if score.pointee.loop != nil, inScore >= score.pointee.length {
      let (beyond, length) = (inScore - score.pointee.length, score.pointee.loopLength)
      if length > .zero { lap.add(beyond / length + 1, length: length, pulses: score.pointee.loopPulses) }
    }
    inScore = time - lap.origin
    let index = sectionIndex(around: inScore)
    let section = index == cursor.sectionIndex ? cursor.section : score.pointee.sections[index]
    var end = section.end.map { lap.origin + section.start + $0.time } ?? .never
    if let round, index == round.lastSection, inScore < round.end.time {
      end = min(end, lap.origin + round.end.time)
    }
    if let ended, time < ended.end { end = min(end, ended.end) }
    return Segment(index: index, section: section, lap: lap, end: end)
  }

  /// The section that contains a frame. A frame's time begins half a frame earlier. An open section ends only where the user
  /// left it, so its last half frame belongs to the next section.
  @_noLocks
  @inline(__always)
  private func sectionIndex(around time: FrameDuration) -> Int {
    let index = score.pointee.sectionIndex(at: time)
    let isLeft = index == cursor.sectionIndex - 1 && cursor.section.start - time <= .halfFrame
    return isLeft && score.pointee.sections[index].isOpen ? cursor.sectionIndex : index
  }

  /// The duration of a pulse at a point of the timeline.
  /// - Thread: audio
  @_noLocks
  func pulseLength(at time: FrameTime) -> FrameDuration {
    let segment = segment(at: time)
    return segment.section.pulseLength(at: time - segment.lap.origin)
  }

  /// The duration of a pulse at a position where the music will continue.
  /// - Thread: audio
  @_noLocks
  func pulseLength(at position: Position) -> FrameDuration {
    let section = section(ofBar: score.pointee.unrolled(position.bar).bar)
    return section.pulseLength(at: section.time(of: position))
  }
}

extension Lap {
  @_noLocks
  fileprivate mutating func add(_ laps: Int128, length: FrameDuration, pulses: Int128) {
    move(by: laps * length)
    add(Elapsed(pulses: laps * pulses))
  }
}
