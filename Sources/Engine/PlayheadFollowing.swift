import MusicTime

/// Taking pace and place from another timekeeper.
extension Playhead {
  /// A bar, and a part of a whole note in it.
  struct Begun: BitwiseCopyable {
    let bar: Int
    let step: Int
    let stepsPerWhole: Int
    /// The frame of the timeline on which it began.
    let frame: Int64

    /// The last step of another grid that isn't later in the bar.
    @_noLocks
    func step(in grid: BarGrid) -> Int {
      Int(Int128(step) * Int128(grid.stepsPerWhole) / Int128(stepsPerWhole))
    }
  }

  /// Goes on where a leader is.
  ///
  /// A correction moves the onsets that have not begun. One that it pushes into the past by no more than `tolerance`
  /// begins on `frame` rather than be lost; none begins twice unless the leader went back.
  /// - Parameters:
  ///   - framesPerWhole: frames in a whole note.
  ///   - bar: where the leader is at `frame`, from 1.
  ///   - wholes: whole notes since the start of that bar.
  ///   - course: how it got there.
  /// - Thread: audio
  @_noLocks
  mutating func follow(
    framesPerWhole: Double, bar: Int, wholes: Double, at frame: Int64, tolerance: Int64,
    course: LeaderTracker.Course
  ) {
    (pace, holdsSection) = (framesPerWhole, false)
    let mayGoBack = course != .corrected
    let awaited = (section: sectionIndex, lapBars: lap.bars)
    let (place, lapBars) = score.pointee.unrolled(bar)
    enterSection(score.pointee.sectionIndex(ofBar: place))
    let barTime = section.time(bar: place, step: 0)
    // 2⁻²⁰ frames are far below what a leader's numbers tell.
    let intoBar = Int128(Int64(wholes * framesPerWhole * 0x1p20)) << 44
    origin.raw = Int128(frame) << 64 - intoBar - barTime.raw
    lap.bars = lapBars
    lap.pulses = score.pointee.pulses(inLapBars: lapBars)
    lapBefore = nil

    if course == .jumped {
      seek(frame - tolerance)
    } else if hasAdopted || course == .strayed {
      goOn(from: frame, mayGoBack: mayGoBack)
    } else if nextFrame != .max {
      let (leaders, start) = (sectionIndex, lap)
      goOn(to: awaited.section, lapBars: awaited.lapBars, at: frame)
      // Where the leader's bars are longer than the section's, the next one has been begun too soon.
      if mayGoBack, let begun, isAhead(begun, of: frame) {
        lap = start
        enterSection(leaders)
        seek(frame)
      }
    }
    hasAdopted = false
    if nextFrame < frame {
      // In other meters than the section's, a bar line of the leader may fall on a beat that has just been played.
      let isPlayed = begun.map { nextFrame - $0.frame < Int64(pace / 128) } ?? false
      if frame - nextFrame <= tolerance, !isPlayed { nextFrame = frame } else { seek(frame) }
    }
  }

  /// Works out when the next onset is. It may lie in the section after the leader's.
  @_noLocks
  private mutating func goOn(to awaited: Int, lapBars: Int, at frame: Int64) {
    if sectionIndex != awaited || lap.bars != lapBars {
      let isLast = sectionIndex + 1 == score.pointee.sections.count
      guard awaited == (isLast ? score.pointee.loop : sectionIndex + 1) else { return seek(frame) }
      if isLast {
        startLap(from: awaited, bars: score.pointee.loopBars, ticks: score.pointee.loopTicks)
      } else {
        goOn(in: awaited)
      }
    }
    settle()
  }

  /// Finds the next onset anew, by what has begun and not by the clock.
  @_noLocks
  private mutating func goOn(from frame: Int64, mayGoBack: Bool) {
    guard let begun, score.pointee.sectionIndex(ofBar: begun.bar) == sectionIndex else { return seek(frame) }
    if mayGoBack, isAhead(begun, of: frame) { seek(frame) } else { resume(after: begun) }
  }

  /// Whether an onset has begun that the leader will only come to: it went back, and plays the same again. By less than a
  /// 32nd note it only corrects itself.
  @_noLocks
  private func isAhead(_ begun: Begun, of frame: Int64) -> Bool {
    let step = begun.step(in: section.buffer.grid)
    let time = FrameTime(raw: origin.raw + section.time(bar: begun.bar, step: step).raw)
    return time.nearestFrame > frame + Int64(pace / 32)
  }
}
