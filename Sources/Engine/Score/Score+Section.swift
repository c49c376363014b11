import MusicTime

extension Score {
  /// A timing buffer, its length, and how its tempo changes.
  ///
  /// Bars, steps and times count from the start of the score.
  package struct Section: BitwiseCopyable {
    private(set) var buffer: TimingBuffer
    /// The number of its first bar; the score's first bar is 1.
    let firstBar: Int
    /// Subtracted from a bar's number before it is shown: the bars of a count-in come before bar 1, and an open section
    /// contains an arbitrary number of bars.
    let hiddenBars: Int
    /// From the score's start to its first bar.
    let start: FrameDuration
    /// The first step after its end; nil if it has no end.
    private(set) var end: End?
    /// Ticks of the JACK transport from the score's start to its first bar.
    let startTick: Double
    /// Whether its first onset is on a bar line. The beats of a spoken count-in are sections of their own.
    let beginsBar: Bool
    /// Whether the section lasts until the user continues. It then has a nominal end, unless it is the last one.
    let isOpen: Bool
    /// MIDI clock pulses to its first bar, and in the section, in 2⁻⁶⁴ pulses.
    let startPulses: Int128
    let pulseCount: Int128
    /// Has no effect while a leader keeps the tempo.
    private(set) var warp: TempoWarp
    let silence: Silence
    let clips: SoundingClips
    /// The section's own volumes, multiplied by the user's.
    let gains: Gains
    /// The cue at the section's start.
    let cue: UnsafeBufferPointer<Float>?
    /// Owned by `Score.Sections`; its sections share them.
    let layers: UnsafeBufferPointer<SectionLayer>
    /// The layers' phases at the section's start, in 2⁻⁶⁴ pulses; empty if all are 0.
    let phases: UnsafeBufferPointer<Int128>

    struct End: BitwiseCopyable {
      /// Bar of the section, from 1.
      let bar: Int
      let step: Int
      /// From the section's start.
      let time: FrameDuration
      /// The number of bars that have begun before the end.
      var bars: Int { @_noLocks get { step == 0 ? bar - 1 : bar } }
    }

    /// Whole notes (96 pulses each) from the score's start to its first bar.
    /// - Thread: any, audio
    var startWholes: Double {
      // The resolution of 2⁻²⁴ pulses is far finer than the positions reported by leaders.
      @_noLocks get { Double(Int64(truncatingIfNeeded: startPulses >> 40)) / (96 * 0x1p24) }
    }

    /// The number of the bar after the section's last; nil if it has no end.
    /// - Thread: any, audio
    var nextBar: Int? {
      @_noLocks get {
        guard let end else { return nil }
        return firstBar + end.bars
      }
    }

    /// Whether its tempo changes.
    /// - Thread: any, audio
    var changesTempo: Bool { @_noLocks get { if case .none = warp { false } else { true } } }

    /// Whether a step is at or past its end.
    /// - Thread: any, audio
    @_noLocks
    func isOver(bar: Int, step: Int) -> Bool {
      guard let end else { return false }
      let place = bar - firstBar + 1
      return place > end.bar || (place == end.bar && step >= end.step)
    }

    /// Ticks from the score's start to a bar.
    /// - Thread: any, audio
    @_noLocks
    func ticks(before bar: Int) -> Double {
      startTick + Double(bar - firstBar) * Double(buffer.meterCount * BarBeatTick.ticksPerBeat)
    }

    /// Whole notes from the section's start to a step.
    /// - Parameter bar: bar of the section, from 1.
    /// - Thread: any, audio
    @_noLocks
    func wholes(bar: Int, step: Int) -> Double {
      (Double(bar - 1) * Double(buffer.grid.stepsPerBar) + Double(step)) / Double(buffer.grid.stepsPerWhole)
    }

    /// The time of a step.
    /// - Thread: any, audio
    @_noLocks
    func time(bar: Int, step: Int) -> FrameDuration {
      start + warp.real(buffer.grid.time(bar: bar - firstBar + 1, step: step))
    }

    /// - Thread: any, audio
    @_noLocks
    func time(of position: Position) -> FrameDuration {
      let inSection = Position(bar: position.bar - firstBar + 1, beats: position.beats)
      return start + warp.real(buffer.grid.time(of: inSection))
    }

    /// - Thread: any, audio
    @_noLocks
    func position(at time: FrameDuration) -> Position {
      let inSection = buffer.grid.position(at: steady(time))
      return Position(bar: inSection.bar + firstBar - 1, beats: inSection.beats)
    }

    /// The bar at a time, and the last of its steps that has begun.
    /// - Thread: any, audio
    @_noLocks
    func step(at time: FrameDuration) -> (bar: Int, step: Int) {
      let (bar, step) = buffer.grid.step(at: steady(time))
      return (bar + firstBar - 1, step)
    }

    /// The bar at a time, the notes of its meter since its start, and the tempo in these notes per minute.
    /// - Thread: any, audio
    @_noLocks
    func notes(at time: FrameDuration) -> (bar: Int, notes: UInt128, notesPerMinute: Double) {
      let time = steady(time)
      let (bar, notes) = buffer.grid.notes(at: time, unit: buffer.meterUnit)
      return (bar + firstBar - 1, notes, buffer.notesPerMinute * warp.speed(time))
    }

    /// Converts a time of the score to the section's grid, which has a constant tempo.
    /// - Thread: any, audio
    @_noLocks
    func steady(_ time: FrameDuration) -> FrameDuration { warp.steady(time - start) }

    /// Replaces the tempo by a leader's.
    /// - Parameter framesPerWhole: frames per whole note.
    /// - Thread: audio
    @_noLocks
    mutating func setPace(framesPerWhole: Double) {
      buffer.setPace(framesPerWhole: framesPerWhole)
      warp = .none
      if let end {
        self.end = End(bar: end.bar, step: end.step, time: buffer.grid.time(bar: end.bar, step: end.step))
      }
    }

    /// Frees the memory that only this section uses.
    func deallocate() {
      if case .knots(let knots) = warp { knots.deallocate() }
      phases.deallocate()
    }
  }
}
