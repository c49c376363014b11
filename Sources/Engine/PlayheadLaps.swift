import MusicTime

/// Going through a loop or a held section again and again.
extension Playhead {
  /// One way through the music, before a loop or a held section begins anew.
  struct Lap: BitwiseCopyable {
    /// The point on the timeline at which the score starts.
    var origin: FrameTime
    /// Bars, ticks and pulses (2⁻⁶⁴) that the laps before had.
    var bars = 0
    var ticks = 0.0
    var pulses: Int128 = 0

    @_noLocks
    init(origin: FrameTime) { self.origin = origin }
  }

  /// Begins a section again, or goes back to where a loop begins.
  /// - Thread: audio
  @_noLocks
  mutating func startLap(from index: Int, bars: Int, ticks: Double) {
    if lapBefore == nil { lapBefore = lap }
    lap.bars += bars
    lap.ticks += ticks
    lap.pulses += section.endPulses - score.pointee.sections[index].startPulses
    goOn(in: index)
  }

  /// Enters a section where the one that is over ends. The score has them end to end, but a leader's tempo may have made
  /// this one longer or shorter than the score knows.
  /// - Thread: audio
  @_noLocks
  mutating func goOn(in index: Int) {
    let end = section.start.raw + (section.end?.time.raw ?? 0)
    enterSection(index)
    lap.origin.raw += end - section.start.raw
  }

  /// Counts the laps of a loop that lie before an instant.
  @_noLocks
  mutating func runLaps(to instant: FrameTime) {
    let score = score.pointee
    guard score.loop != nil, score.loopLength.raw > 0 else { return }
    let beyond = instant.raw - origin.raw - score.length.raw
    guard beyond >= 0 else { return }
    let laps = beyond / score.loopLength.raw + 1
    lap.origin.raw += laps * score.loopLength.raw
    lap.bars += Int(laps) * score.loopBars
    lap.ticks += Double(Int(laps)) * score.loopTicks
    lap.pulses += laps * score.loopPulses
  }
}
