import MusicTime

/// The next beat of a count: a bar of the score, and a beat of its pattern. It knows no clock.
struct CountCursor: BitwiseCopyable {
  /// The next beat's bar of the score.
  private(set) var bar: Int
  /// The next beat's index in the bar's onsets.
  private var index = 0
  /// The last counted beat; nil before the first.
  private var last: Place?

  /// A place in the bars of a score, in steps of the grid in which it was counted.
  private struct Place: BitwiseCopyable {
    var bar: Int
    let step: Int
    let stepsPerWhole: Int

    /// Whether it lies before a step of another grid.
    @_noLocks
    func isBefore(bar: Int, step: Int, of grid: BarGrid) -> Bool {
      self.bar < bar
        || self.bar == bar
          && Int128(self.step) * Int128(grid.stepsPerWhole) < Int128(step) * Int128(stepsPerWhole)
    }
  }

  /// At the downbeat of a bar of the score.
  @_noLocks
  init(bar: Int) { self.bar = bar }

  /// The next beat's onset.
  /// - Thread: audio
  @_noLocks
  func onset(in section: Score.Section) -> TimingBuffer.Onset { section.buffer.onsets[index] }

  /// The next beat's time from the score's start.
  /// - Thread: audio
  @_noLocks
  func time(in section: Score.Section) -> FrameDuration {
    section.time(bar: bar, step: onset(in: section).step)
  }

  /// Goes on from a beat that has been counted or skipped.
  /// - Thread: audio
  @_noLocks
  mutating func advance(in section: Score.Section) {
    let (onsets, grid) = (section.buffer.onsets, section.buffer.grid)
    last = Place(bar: bar, step: onsets[index].step, stepsPerWhole: grid.stepsPerWhole)
    repeat { index += 1 } while index < onsets.count && !onsets[index].isBeat
    if index == onsets.count { (bar, index) = (bar + 1, 0) }
  }

  /// Goes to the first beat of other bars, of the same meter, that does not lie before the next one.
  /// - Parameter shift: the number of bars by which the other score's numbers are greater.
  /// - Returns: how much later that beat comes than the next one would have come in the new tempo.
  /// - Thread: audio
  @_noLocks
  mutating func carry(
    from old: Score.Section, to new: Score.Section, barShift shift: Int
  ) -> FrameDuration {
    let onset = onset(in: old)
    let place = Place(bar: bar + shift, step: onset.step, stepsPerWhole: old.buffer.grid.stepsPerWhole)
    last?.bar += shift
    (bar, index) = (place.bar, 0)
    let (onsets, grid) = (new.buffer.onsets, new.buffer.grid)
    while index < onsets.count {
      let step = onsets[index].step
      if onsets[index].isBeat {
        if place.isBefore(bar: bar, step: step, of: grid) { break }
        let isSame =
          Int128(step) * Int128(place.stepsPerWhole) == Int128(place.step) * Int128(grid.stepsPerWhole)
        if isSame { return .zero }
      }
      index += 1
    }
    if index == onsets.count { (bar, index) = (bar + 1, 0) }
    let beat = Position(bar: place.bar, beats: UInt128(onset.beat) << 64)
    return time(in: new) - new.time(of: grid.samePlace(as: beat, in: old.buffer.grid))
  }

  /// The beat before the next one, and the duration between both; nil if it has been counted, or if none has been.
  /// - Thread: audio
  @_noLocks
  func previous(in section: Score.Section) -> (cursor: CountCursor, duration: FrameDuration)? {
    guard let last else { return nil }
    let onsets = section.buffer.onsets
    var earlier = self
    earlier.index -= 1
    while earlier.index >= 0, !onsets[earlier.index].isBeat { earlier.index -= 1 }
    if earlier.index < 0 {
      (earlier.bar, earlier.index) = (bar - 1, onsets.count - 1)
      while !onsets[earlier.index].isBeat { earlier.index -= 1 }
    }
    guard last.isBefore(bar: earlier.bar, step: onsets[earlier.index].step, of: section.buffer.grid) else {
      return nil
    }
    return (earlier, time(in: section) - earlier.time(in: section))
  }
}
