import MusicTime

/// A place in a score: a section, a bar of it, and an onset of the bar.
///
/// A cursor knows no timeline. While a leader is followed, its section has the leader's tempo.
struct Cursor: BitwiseCopyable {
  /// The score, which the cursor does not own.
  private(set) var score: UnsafePointer<Score>
  /// The section, in the leader's tempo while one is followed.
  private(set) var section: Score.Section
  /// The section's index in the score, from 0.
  private(set) var sectionIndex = 0
  /// Bar of the score, from 1.
  private(set) var bar = 1
  private var onsetIndex = 0
  /// Frames per whole note of a leader's tempo; 0 if the score's own tempo applies.
  private(set) var pace = 0.0

  /// At the score's first onset.
  @_noLocks
  init(_ score: UnsafePointer<Score>) {
    self.score = score
    section = score.pointee.sections[0]
  }

  // MARK: Reading

  /// Valid only while the cursor is at an onset: not after the last one of a bar, before `wrap`.
  /// - Thread: audio
  var onset: TimingBuffer.Onset { @_noLocks get { section.buffer.onsets[onsetIndex] } }

  /// The time of the onset from the score's start.
  /// - Thread: audio
  var time: FrameDuration { @_noLocks get { section.time(bar: bar, step: onset.step) } }

  /// The onset's bar, counted from 1 in its section.
  /// - Thread: audio
  var sectionBar: Int { @_noLocks get { bar - section.firstBar + 1 } }

  /// Whether the onset is the first of its section.
  /// - Thread: audio
  var isAtSectionStart: Bool { @_noLocks get { bar == section.firstBar && onsetIndex == 0 } }

  /// Whether the onset lies after the section's end.
  /// - Thread: audio
  var isPastSection: Bool { @_noLocks get { section.isOver(bar: bar, step: onset.step) } }

  /// The onset on the next beat or bar line, which may be this one or lie after the section's end.
  /// - Thread: audio
  @_noLocks
  func line(_ quantise: Quantise) -> (bar: Int, onset: TimingBuffer.Onset) {
    let onsets = section.buffer.onsets
    var index = onsetIndex
    if quantise == .beat {
      while index < onsets.count, !onsets[index].isBeat { index += 1 }
    } else if index > 0 {
      index = onsets.count
    }
    return index < onsets.count ? (bar, onsets[index]) : (bar + 1, onsets[0])
  }

  // MARK: Moving

  /// Enters a section; the bar stays.
  /// - Thread: audio
  @_noLocks
  mutating func enter(_ index: Int) {
    sectionIndex = index
    section = score.pointee.sections[index]
    if pace > 0 { section.setPace(framesPerWhole: pace) }
  }

  /// Goes to the section's first onset.
  /// - Thread: audio
  @_noLocks
  mutating func beginSection() { (bar, onsetIndex) = (section.firstBar, 0) }

  /// Goes to the first onset of a bar of the section.
  /// - Parameter bar: of the score.
  /// - Thread: audio
  @_noLocks
  mutating func begin(bar: Int) { (self.bar, onsetIndex) = (bar, 0) }

  /// Goes to the bar's first onset.
  /// - Thread: audio
  @_noLocks
  mutating func beginBar() { onsetIndex = 0 }

  /// Goes to the first onset at or slightly before a time of the score. A leader's position has already selected the section.
  /// - Thread: audio
  @_noLocks
  mutating func find(_ time: FrameDuration) {
    if pace == 0 { enter(score.pointee.sectionIndex(at: time)) }
    let (place, step) = section.step(at: time)
    bar = max(place, pace == 0 ? 1 : section.firstBar)
    onsetIndex = place < bar ? 0 : section.buffer.index(ofStep: step)
  }

  /// Goes to the first onset after one that has begun.
  /// - Thread: audio
  @_noLocks
  mutating func move(past begun: Playhead.Begun) {
    enter(score.pointee.sectionIndex(ofBar: begun.bar))
    bar = begun.bar
    onsetIndex = section.buffer.index(ofStep: begun.step(in: section.buffer.grid) + 1)
  }

  /// Goes to the next onset of the bar; there may be none.
  /// - Thread: audio
  @_noLocks
  mutating func advance() { onsetIndex += 1 }

  /// Goes on to the next bar if this one has no more onsets.
  /// - Thread: audio
  @_noLocks
  mutating func wrap() {
    guard onsetIndex >= section.buffer.onsets.count else { return }
    onsetIndex = 0
    bar += 1
  }

  // MARK: Other scores and tempos

  /// Uses another score. The section and the bar remain those of the old score until the cursor moves.
  /// - Thread: audio
  @_noLocks
  mutating func take(_ score: UnsafePointer<Score>) { self.score = score }

  /// Applies a leader's tempo, and enters the section that contains a bar.
  /// - Parameters:
  ///   - framesPerWhole: frames per whole note, more than 0.
  ///   - bar: of the score, from 1.
  /// - Thread: audio
  @_noLocks
  mutating func setPace(_ framesPerWhole: Double, inBar bar: Int) {
    pace = framesPerWhole
    enter(score.pointee.sectionIndex(ofBar: bar))
  }

  /// Returns to the score's own tempo, from the next section that is entered.
  /// - Thread: audio
  @_noLocks
  mutating func endPace() { pace = 0 }
}
