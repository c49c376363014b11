import MusicTime

/// One bar, compiled: its onsets in order and its exact length.
package struct TimingBuffer: BitwiseCopyable {
  /// The start of one clip, at a step of the bar.
  package struct Onset: BitwiseCopyable {
    /// The step of the grid, from the bar's start.
    package let step: Int
    /// From 0.
    package let beat: Int
    package let role: ClickRole
    /// Gain of the clip; an onset with gain 0 is counted but silent.
    package let strength: Float
    /// Whether it is the start of a beat rather than a subdivision.
    package var isBeat: Bool { @_noLocks get { role != .subdivision } }
  }

  /// The steps of the bar, at its tempo.
  package private(set) var grid: BarGrid
  /// In order of step; the first is the downbeat at step 0. Owned by `Score.Sections`; its sections share them.
  let onsets: UnsafeBufferPointer<Onset>
  /// The meter as reported to the JACK transport.
  let meterCount: Int
  let meterUnit: Int
  /// Tempo in notes of the meter's unit per minute.
  let notesPerMinute: Double

  /// The onsets of a bar in steps of a grid. They don't depend on the tempo. The caller owns them.
  static func onsets(of layout: BarLayout, on grid: BarGrid) -> UnsafeBufferPointer<Onset> {
    let onsets = UnsafeMutableBufferPointer<Onset>.allocate(capacity: layout.onsets.count)
    for (index, onset) in layout.onsets.enumerated() {
      onsets.initializeElement(
        at: index,
        to: Onset(
          step: grid.step(of: onset), beat: onset.beat, role: onset.role, strength: onset.strength))
    }
    return UnsafeBufferPointer(onsets)
  }

  /// - Parameter onsets: from `onsets(of:on:)` for this layout and grid.
  init(_ layout: BarLayout, onsets: UnsafeBufferPointer<Onset>, grid: BarGrid, tempo: Tempo) {
    self.grid = grid
    self.onsets = onsets
    meterCount = layout.meter.count
    meterUnit = layout.meter.unit
    notesPerMinute =
      (Rational(tempo.thousandths, 1_000) * layout.beatUnit.length * Rational(layout.meter.unit))
      .approximation
  }

  /// Replaces the tempo by a leader's.
  /// - Parameter framesPerWhole: frames per whole note.
  /// - Thread: audio
  @_noLocks
  mutating func setPace(framesPerWhole: Double) { grid = grid.paced(framesPerWhole: framesPerWhole) }

  /// The position at which music continues in these bars that has reached a position in other bars: in the same meter at the same
  /// place in the bar, otherwise at the same beat, which may lie past the bar's end.
  /// - Thread: audio
  @_noLocks
  func continued(_ position: Position, from other: TimingBuffer) -> Position {
    hasMeter(of: other) ? grid.samePlace(as: position, in: other.grid) : position
  }

  /// - Thread: audio
  @_noLocks
  func hasMeter(of other: TimingBuffer) -> Bool {
    meterCount == other.meterCount && meterUnit == other.meterUnit
  }

  /// The index of the first onset at or after a step of the bar; the count if there is none.
  /// - Thread: any, audio
  @_noLocks
  func index(ofStep step: Int) -> Int {
    var (low, high) = (0, onsets.count)
    while low < high {
      let middle = (low + high) / 2
      if onsets[middle].step < step { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
