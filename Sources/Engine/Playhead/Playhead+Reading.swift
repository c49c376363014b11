import MusicTime

/// Queries for the next onset and for the position at a point of the timeline. Nothing here changes the playhead.
extension Playhead {
  /// - Thread: audio
  var score: UnsafePointer<Score> { @_noLocks get { cursor.score } }

  /// The point on the timeline at which the current lap starts the score.
  /// - Thread: audio
  var origin: FrameTime { @_noLocks get { lap.origin } }

  /// The displayed number of the next onset's bar.
  /// - Thread: audio
  var shownBar: Int { @_noLocks get { cursor.bar - cursor.section.hiddenBars + lap.elapsed.shownBars } }

  /// Gain of the next onset's click with the section's own volume, before the user's; 0 in a silent bar.
  /// - Thread: audio
  var strength: Float {
    @_noLocks get {
      let (section, onset) = (cursor.section, cursor.onset)
      return section.silence.isSilent(bar: cursor.sectionBar)
        ? 0 : onset.strength * section.gains.buses[onset.role]
    }
  }

  /// The event that reports the next onset.
  /// - Parameters:
  ///   - strength: gain of the clip; 0 for a silent beat.
  ///   - clock: the clock frame on which the click begins.
  /// - Thread: audio
  @_noLocks
  func beat(_ role: ClickRole, strength: Float, at clock: ClockFrame) -> Event.Beat {
    let section = cursor.section
    return Event.Beat(
      frame: clock, bar: shownBar, beat: cursor.onset.beat + 1, section: cursor.sectionIndex,
      sectionBar: cursor.sectionBar, role: role, strength: strength,
      silence: section.silence.left(at: cursor.sectionBar, last: section.end?.bars ?? .max))
  }

  /// The current timing buffer.
  /// - Thread: audio
  var buffer: TimingBuffer { @_noLocks get { cursor.section.buffer } }

  /// The position at a point of the timeline.
  /// - Thread: audio
  @_noLocks
  func position(at time: FrameTime) -> Position {
    let (inScore, _) = reading(time)
    if cursor.pace > 0 { return cursor.section.position(at: inScore) }
    let index = score.pointee.sectionIndex(at: inScore)
    return index == cursor.sectionIndex
      ? cursor.section.position(at: inScore) : score.pointee.sections[index].position(at: inScore)
  }

  /// The state at a point of the timeline: the section, the bar of the score, the notes of the meter's unit since the bar's
  /// start (in 2⁻⁶⁴ notes), the tempo in these notes per minute, and the lap.
  typealias Place = (section: Score.Section, bar: Int, notes: UInt128, notesPerMinute: Double, lap: Lap)

  /// The state at a point of the timeline.
  /// - Thread: audio
  @_noLocks
  func place(at time: FrameTime) -> Place {
    let lap = lap(at: time)
    let inScore = time - lap.origin
    let section = score.pointee.sections[score.pointee.sectionIndex(at: inScore)]
    let (bar, notes, notesPerMinute) = section.notes(at: inScore)
    return (section, bar, notes, notesPerMinute, lap)
  }

  /// The lap at a point of the timeline, which may lie in the one before the current lap.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  func lap(at time: FrameTime) -> Lap {
    if let ended, time < ended.end { ended.lap } else { reading(time).1 }
  }

  /// Converts a point of the timeline to a time in the score, and returns its lap.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  func reading(_ time: FrameTime) -> (FrameDuration, Lap) {
    let lap = if let lapBefore, time < nextTime { lapBefore } else { self.lap }
    return (time - lap.origin, lap)
  }

  /// - Thread: audio
  @_noLocks
  func section(ofBar bar: Int) -> Score.Section {
    score.pointee.sections[score.pointee.sectionIndex(ofBar: bar)]
  }

  // MARK: Lines

  /// A beat or bar line: its nearest frame and its exact time.
  struct Boundary: BitwiseCopyable {
    let position: Position
    let time: FrameTime
    let frame: TimelineFrame
  }

  /// Whether no beat or bar line follows at or after a frame: the score has ended, or nothing begins until the playhead moves.
  /// - Thread: audio
  @_noLocks
  func isOver(at frame: TimelineFrame) -> Bool {
    // An end that a leader has passed is due now, but lies at its own time.
    nextFrame == .never || isAtEnd && min(nextFrame, nextTime.nearestFrame) < frame
  }

  /// Whether the next onset begins a section within a bar, which is no bar line.
  @_noLocks
  private func isWithinBar(_ quantise: Quantise) -> Bool {
    quantise == .bar && cursor.isAtSectionStart && !cursor.section.beginsBar
  }

  /// The end of a section, or the next bar line after it.
  @_noLocks
  private func end(ofSection index: Int, _ quantise: Quantise) -> Boundary {
    let sections = score.pointee.sections
    var index = index
    if quantise == .bar {
      while index + 1 < sections.count, !sections[index + 1].beginsBar { index += 1 }
    }
    let section = index == cursor.sectionIndex ? cursor.section : sections[index]
    let time = origin + section.start + (section.end?.time ?? .zero)
    return Boundary(
      position: Position(bar: section.nextBar ?? section.firstBar, beats: 0), time: time,
      frame: time.nearestFrame)
  }

  /// The next beat or bar line that has not begun.
  /// - Thread: audio
  @_noLocks
  func boundary(_ quantise: Quantise) -> Boundary {
    // The last bar may be cut short; its start has passed.
    if isAtEnd { return end(ofSection: cursor.sectionIndex, quantise) }
    let (bar, onset) = cursor.line(quantise)
    let section = cursor.section
    if section.nextBar != nil, section.isOver(bar: bar, step: onset.step) || isWithinBar(quantise) {
      return end(ofSection: cursor.sectionIndex, quantise)
    }
    let time = origin + section.time(bar: bar, step: onset.step)
    return Boundary(
      position: Position(bar: bar, beats: UInt128(onset.beat) << 64), time: time, frame: time.nearestFrame)
  }
}
