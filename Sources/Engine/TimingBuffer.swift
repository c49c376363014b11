import MusicTime

/// One bar, compiled: its onsets in order and its exact length.
public struct TimingBuffer: BitwiseCopyable {
  /// Something that begins at one step of the bar.
  public struct Onset: BitwiseCopyable {
    public let step: Int
    /// From 0.
    public let beat: Int
    public let role: Role
    /// Gain of the clip; 0 is counted and not heard.
    public let strength: Float
    /// Whether a beat begins here, rather than a part of one.
    public var isBeat: Bool { @_noLocks get { role != .subdivision } }
  }

  public var grid: BarGrid
  /// In order of step; the first is the downbeat at step 0. Owned by `Score.Sections`, whose sections share them.
  let onsets: UnsafeBufferPointer<Onset>
  /// The meter as the JACK transport tells it.
  let meterCount: Int
  let meterUnit: Int
  /// Tempo in the notes that the meter counts, a minute.
  let notesPerMinute: Double

  /// The onsets of a bar on a grid's steps, at whatever tempo. The caller owns them.
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

  /// - Parameter onsets: those of the layout, on the grid.
  init(_ layout: BarLayout, onsets: UnsafeBufferPointer<Onset>, grid: BarGrid, tempo: Tempo) {
    self.grid = grid
    self.onsets = onsets
    meterCount = layout.meter.count
    meterUnit = layout.meter.unit
    notesPerMinute =
      (Rational(tempo.thousandths, 1_000) * layout.beatUnit.length * Rational(layout.meter.unit))
      .approximation
  }

  /// The index of the first onset at or after a step of the bar; the count where there is none.
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
