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
  /// In order of step; the first is the downbeat at step 0. Owned by the score.
  let onsets: UnsafeBufferPointer<Onset>
  /// The meter as the JACK transport tells it.
  let meterCount: Int
  let meterUnit: Int
  /// Tempo in the notes that the meter counts, a minute.
  let notesPerMinute: Double

  /// - Parameter sampleRate: frames a second.
  init(_ layout: BarLayout, tempo: Tempo, sampleRate: Int) {
    let grid = BarGrid(layout, tempo: tempo, sampleRate: sampleRate)
    let onsets = UnsafeMutableBufferPointer<Onset>.allocate(capacity: layout.onsets.count)
    _ = onsets.initialize(
      from: layout.onsets.map {
        Onset(step: grid.step(of: $0), beat: $0.beat, role: $0.role, strength: $0.strength)
      })
    self.grid = grid
    self.onsets = UnsafeBufferPointer(onsets)
    meterCount = layout.meter.count
    meterUnit = layout.meter.unit
    notesPerMinute =
      (Rational(tempo.thousandths, 1_000) * layout.beatUnit.length * Rational(layout.meter.unit))
      .approximation
  }

  func deallocate() {
    onsets.deallocate()
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
