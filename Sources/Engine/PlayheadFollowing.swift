import MusicTime

/// Taking pace and place from another timekeeper.
extension Playhead {
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
    pace = framesPerWhole
    enterSection(sectionIndex)
    let barTime = section.time(bar: bar, step: 0)
    // 2⁻²⁰ frames are far below what a leader's numbers tell.
    let intoBar = Int128(Int64(wholes * framesPerWhole * 0x1p20)) << 44
    origin.raw = Int128(frame) << 64 - intoBar - barTime.raw

    if course == .jumped {
      seek(frame - tolerance)
    } else if hasAdopted || course == .strayed {
      goOn(from: frame, framesPerWhole: framesPerWhole)
    } else if nextFrame != .max {
      settle()
    }
    hasAdopted = false
    if nextFrame < frame {
      if frame - nextFrame <= tolerance { nextFrame = frame } else { seek(frame) }
    }
  }

  /// Finds the next onset anew, by what has begun and not by the clock.
  @_noLocks
  private mutating func goOn(from frame: Int64, framesPerWhole: Double) {
    guard let begun else { return seek(frame) }
    resume(after: begun)
    // A leader that went back by more than a 32nd note plays the same again.
    let step = begun.step(in: section.buffer.grid)
    let last = FrameTime(raw: origin.raw + section.time(bar: begun.bar, step: step).raw)
    if last.nearestFrame > frame + Int64(framesPerWhole / 32) { seek(frame) }
  }
}
