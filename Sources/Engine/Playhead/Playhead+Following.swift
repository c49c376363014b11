import MusicTime

/// Follows a leader's tempo and position.
extension Playhead {
  /// Continues at a leader's position.
  ///
  /// A correction moves the onsets that have not begun. An onset that would lie in the past by at most `tolerance` begins on
  /// `frame`, so that it is not lost. No onset begins twice unless the leader went back.
  /// - Parameters:
  ///   - framesPerWhole: frames per whole note.
  ///   - bar: the leader's bar at `frame`, from 1.
  ///   - barStart: whole notes from the leader's first bar to that one; nil to count bars of the score's own length.
  ///   - wholes: whole notes since the start of that bar.
  ///   - motion: how the leader reached this position.
  /// - Thread: audio
  @_noLocks
  mutating func follow(
    framesPerWhole: Double, bar: Int, barStart: Double? = nil, wholes: Double, at frame: TimelineFrame,
    tolerance: Int64, motion: LeaderTracker.Motion
  ) {
    let mayGoBack = motion != .corrected
    let awaited = (section: cursor.sectionIndex, lapBars: lap.elapsed.bars)
    let (place, lapBars) = score.pointee.unrolled(bar)
    setPace(framesPerWhole, inBar: place)
    let barTime = cursor.section.time(bar: place, step: 0)
    // The resolution of 2⁻²⁰ frames is far finer than a leader's numbers.
    let intoBar = FrameDuration(raw: Int128(Int64(wholes * framesPerWhole * 0x1p20)) << 44)
    let pulses =
      barStart.map { pastPulses(barStart: $0, at: barTime) } ?? score.pointee.pulses(inLapBars: lapBars)
    setLap(
      Lap(
        origin: FrameTime(frame: frame) - intoBar - barTime,
        elapsed: Lap.Elapsed(
          bars: lapBars, hiddenBars: score.pointee.hiddenBars(inLapBars: lapBars), pulses: pulses)),
      countsAsLeader: barStart != nil)

    if motion == .jumped {
      seek(frame - tolerance)
    } else if hasAdopted || motion == .strayed {
      followAfterBegun(from: frame, tolerance: tolerance, mayGoBack: mayGoBack)
    } else if nextFrame != .never {
      let (leaders, start) = (cursor.sectionIndex, lap)
      followInto(awaited.section, lapBars: awaited.lapBars, at: frame)
      // If the leader's bars are longer than the section's, the next section has begun too early.
      if mayGoBack, let begun, isAhead(begun, of: frame) {
        restore(leaders, start)
        seek(frame)
      }
    }
    finishAdoption()
    if nextFrame < frame {
      // If the leader's meter differs from the section's, its bar line may fall on a beat that has just been played.
      let firstUnplayed =
        begun.map { $0.frame + (mayComeAgain($0) ? Int64(cursor.pace / 128) : 0) } ?? nextFrame
      if nextFrame < firstUnplayed || frame - nextFrame > tolerance {
        seek(max(firstUnplayed, frame - tolerance))
      }
      if nextFrame < frame { beginNext(on: frame) }
    }
  }

  /// The pulses to add so that as many precede a bar of the current section as in the leader's music, in 2⁻⁶⁴ pulses.
  /// - Parameter time: of the bar, in the score.
  @_noLocks
  private func pastPulses(barStart: Double, at time: FrameDuration) -> Int128 {
    let pulses = Int128(Int64(barStart * 96 * 0x1p20 + 0.5)) << 44
    return pulses + score.pointee.sections[0].startPulses - cursor.section.pulses(at: time)
  }

  /// Computes the time of the next onset. It may lie in the section after the leader's.
  @_noLocks
  private mutating func followInto(_ awaited: Int, lapBars: Int, at frame: TimelineFrame) {
    if cursor.sectionIndex != awaited || lap.elapsed.bars != lapBars {
      let isLast = cursor.sectionIndex + 1 == score.pointee.sections.count
      guard awaited == (isLast ? score.pointee.loop : cursor.sectionIndex + 1) else { return seek(frame) }
      if isLast {
        startLap(from: awaited, bars: score.pointee.loopBars, ticks: score.pointee.loopTicks)
      } else {
        enterNext(awaited)
      }
    }
    settle()
  }

  /// Finds the next onset from the last one that has begun, not from the clock.
  ///
  /// In another meter the leader's position has another bar or beat, and the music continues there. Otherwise it would be silent until
  /// the leader reaches the number of the onset that has begun.
  @_noLocks
  private mutating func followAfterBegun(from frame: TimelineFrame, tolerance: Int64, mayGoBack: Bool) {
    guard let begun else { return seek(min(max(movedTo.nearestFrame, frame - tolerance), frame)) }
    guard score.pointee.sectionIndex(ofBar: begun.bar) == cursor.sectionIndex else { return seek(frame) }
    if mayGoBack {
      if isAhead(begun, of: frame) { seek(frame) } else { resume(after: begun) }
    } else if hasMoved(begun) {
      seek(max(begun.frame + Int64(cursor.pace / 128), frame - tolerance))
    } else {
      resume(after: begun)
    }
  }

  /// Whether an onset that has begun lies elsewhere by the leader's position, by more than a 32nd note.
  @_noLocks
  private func hasMoved(_ begun: Begun) -> Bool {
    let off = time(of: begun).nearestFrame - begun.frame
    return max(off, -off) > Int64(cursor.pace / 32)
  }

  /// The time of an onset that has begun, by the leader's position.
  @_noLocks
  private func time(of begun: Begun) -> FrameTime {
    origin + cursor.section.time(bar: begun.bar, step: begun.step(in: cursor.section.buffer.grid))
  }

  /// Whether the leader's next bar may have begun on an onset that has begun, because the section's bar is longer: by the
  /// leader's position the onset lay earlier.
  @_noLocks
  private func mayComeAgain(_ begun: Begun) -> Bool {
    guard score.pointee.sectionIndex(ofBar: begun.bar) == cursor.sectionIndex else { return true }
    return begun.frame - time(of: begun).nearestFrame > Int64(cursor.pace / 128)
  }

  /// Whether an onset that has begun lies ahead of the leader, because the leader went back and plays it again. A step back
  /// of less than a 32nd note is only a correction.
  @_noLocks
  private func isAhead(_ begun: Begun, of frame: TimelineFrame) -> Bool {
    time(of: begun).nearestFrame > frame + Int64(cursor.pace / 32)
  }
}
