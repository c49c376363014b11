import MusicTime

/// What plays next, and what stands at a point of the timeline.
extension Playhead {
  /// The next onset. Only where `isAtEnd` is false.
  /// - Thread: audio
  var onset: TimingBuffer.Onset { @_noLocks get { section.buffer.onsets[onsetIndex] } }

  /// The number of the next onset's bar as it is shown.
  /// - Thread: audio
  var shownBar: Int { @_noLocks get { bar - section.hiddenBars + lap.bars } }

  /// The bar of the section in which the next onset lies, from 1.
  /// - Thread: audio
  var sectionBar: Int { @_noLocks get { bar - section.firstBar + 1 } }

  /// Whether the next onset is the first of its section.
  /// - Thread: audio
  var isAtSectionStart: Bool { @_noLocks get { bar == section.firstBar && onsetIndex == 0 } }

  /// The buffer that is playing.
  /// - Thread: audio
  var buffer: TimingBuffer { @_noLocks get { section.buffer } }

  /// The position at a point of the timeline.
  /// - Thread: audio
  @_noLocks
  func position(at time: FrameTime) -> Position {
    let (inScore, _) = reading(time)
    if pace > 0 { return section.position(at: inScore) }
    let index = score.pointee.sectionIndex(at: inScore)
    return index == sectionIndex
      ? section.position(at: inScore) : score.pointee.sections[index].position(at: inScore)
  }

  /// What stands at a point of the timeline: the section, the bar, the notes of its meter since the bar's start, their
  /// tempo, and the lap.
  /// - Thread: audio
  @_noLocks
  func place(at time: FrameTime) -> (
    section: Score.Section, bar: Int, notes: UInt128, notesPerMinute: Double, lap: Lap
  ) {
    let (inScore, lap) = reading(time)
    let section = score.pointee.sections[score.pointee.sectionIndex(at: inScore)]
    let (bar, notes, notesPerMinute) = section.notes(at: inScore)
    return (section, bar, notes, notesPerMinute, lap)
  }

  /// A point of the timeline as a time in the score, and the lap to which it belongs.
  @_noLocks
  @inline(__always)
  func reading(_ time: FrameTime) -> (FrameTime, Lap) {
    let lap = if let lapBefore, time < nextTime { lapBefore } else { self.lap }
    return (FrameTime(raw: time.raw - lap.origin.raw), lap)
  }

  /// - Thread: audio
  @_noLocks
  func section(ofBar bar: Int) -> Score.Section {
    score.pointee.sections[score.pointee.sectionIndex(ofBar: bar)]
  }
}
