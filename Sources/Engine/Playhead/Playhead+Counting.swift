import MusicTime

/// What a count before the music needs to know about the place at which the music begins.
extension Playhead {
  /// The entry at which music on a transport begins at a frame. A bar line that rounds to this frame is that position even if it
  /// lies slightly later: otherwise the count would have one bar more.
  /// - Thread: audio
  @_noLocks
  func lineEntry(at frame: TimelineFrame) -> Entry {
    let line = boundary(.bar)
    guard !isOver(at: frame), line.frame == frame else { return entry(at: frame) }
    return entry(at: frame, line.position, line.time)
  }

  /// The section of a position, in the tempo that it has there.
  /// - Parameters:
  ///   - pace: frames per whole note of a leader's tempo; 0 for the score's own.
  ///   - other: another score; nil for the playhead's own.
  /// - Thread: audio
  @_noLocks
  func steadySection(
    at position: Position, pace: Double, in other: UnsafePointer<Score>? = nil
  ) -> Score.Section {
    let score = other ?? score
    var section = score.pointee.sections[score.pointee.sectionIndex(ofBar: position.bar)]
    if pace > 0 {
      section.setPace(framesPerWhole: pace)
    } else if section.changesTempo {
      // A ramp ends with its section.
      let time = section.time(of: position)
      let last = section.end.map { min(time, section.start + $0.time) } ?? time
      let tempo = section.notes(at: last).notesPerMinute
      section.setPace(
        framesPerWhole: 60 * Double(score.pointee.sampleRate) * Double(section.buffer.meterUnit) / tempo)
    }
    return section
  }
}
