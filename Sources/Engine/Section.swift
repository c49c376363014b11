import MusicTime

extension Score {
  /// A timing buffer, how long it plays, and how its tempo moves.
  ///
  /// Bars and steps are counted from the start of the score; times are seen from there too.
  public struct Section: BitwiseCopyable {
    var buffer: TimingBuffer
    /// The number of its first bar; the score's first bar is 1.
    let firstBar: Int
    /// What is taken off a bar's number before it is shown: count-ins come before bar 1, and a section without an end
    /// holds more numbers than anybody counts.
    let hiddenBars: Int
    /// When its first bar begins.
    let start: FrameTime
    /// Where it ends: nothing of that step or a later one belongs to it. nil where it goes on for ever.
    var end: End?
    /// Ticks of the JACK transport from the start of the score to its first bar.
    let startTick: Double
    /// Pulses of a MIDI clock to its first bar, and in it, in 2⁻⁶⁴ pulses.
    let startPulses: Int128
    let pulseCount: Int128
    /// Does nothing in `follow`, where the leader keeps the tempo.
    var warp: TempoWarp
    let silence: Silence
    let clips: SoundingClips
    /// Volumes of its own, under the player's.
    let gains: Gains
    /// What is heard on the cue port when it begins.
    let cue: UnsafeBufferPointer<Float>?

    struct End: BitwiseCopyable {
      /// Of the section, from 1.
      let bar: Int
      let step: Int
      /// From the section's start.
      let time: FrameTime
      /// Bars that have begun before it.
      var bars: Int { @_noLocks get { step == 0 ? bar - 1 : bar } }
    }

    /// Whole notes, of 96 pulses each, from the start of the score to its first bar.
    /// - Thread: any, audio
    var startWholes: Double {
      // 2⁻²⁴ pulses are far below what anybody tells.
      @_noLocks get { Double(Int64(truncatingIfNeeded: startPulses >> 40)) / (96 * 0x1p24) }
    }

    /// Whether it lasts until somebody says go on; it then ends where nobody ever comes.
    /// - Thread: any, audio
    var isOpen: Bool {
      @_noLocks get {
        guard let end else { return true }
        return end.time.raw >= Int128(SectionBuilder.openLength) << 64
      }
    }

    /// The number of the bar that follows the section's last.
    /// - Thread: any, audio
    var nextBar: Int? {
      @_noLocks get {
        guard let end else { return nil }
        return firstBar + end.bars
      }
    }

    /// Whether a step of a bar is past its end.
    /// - Thread: any, audio
    @_noLocks
    func isOver(bar: Int, step: Int) -> Bool {
      guard let end else { return false }
      let place = bar - firstBar + 1
      return place > end.bar || (place == end.bar && step >= end.step)
    }

    /// Ticks from the start of the score to a bar.
    /// - Thread: any, audio
    @_noLocks
    func ticks(before bar: Int) -> Double {
      startTick + Double((bar - firstBar) * buffer.meterCount * BarBeatTick.ticksPerBeat)
    }

    /// Whole notes from the section's start to a step.
    /// - Parameter bar: of the section, from 1.
    /// - Thread: any, audio
    @_noLocks
    func wholes(bar: Int, step: Int) -> Double {
      (Double(bar - 1) * Double(buffer.grid.stepsPerBar) + Double(step)) / Double(buffer.grid.stepsPerWhole)
    }

    /// When a step begins.
    /// - Thread: any, audio
    @_noLocks
    func time(bar: Int, step: Int) -> FrameTime {
      FrameTime(raw: start.raw + warp.real(buffer.grid.time(bar: bar - firstBar + 1, step: step)).raw)
    }

    /// - Thread: any, audio
    @_noLocks
    func time(of position: Position) -> FrameTime {
      let inSection = Position(bar: position.bar - firstBar + 1, beats: position.beats)
      return FrameTime(raw: start.raw + warp.real(buffer.grid.time(of: inSection)).raw)
    }

    /// - Thread: any, audio
    @_noLocks
    func position(at time: FrameTime) -> Position {
      let inSection = buffer.grid.position(at: steady(time))
      return Position(bar: inSection.bar + firstBar - 1, beats: inSection.beats)
    }

    /// The bar at a time, and the last step of it that has begun.
    /// - Thread: any, audio
    @_noLocks
    func step(at time: FrameTime) -> (bar: Int, step: Int) {
      let (bar, step) = buffer.grid.step(at: steady(time))
      return (bar + firstBar - 1, step)
    }

    /// Bar, notes of its meter since its start, and notes a minute at a time.
    /// - Thread: any, audio
    @_noLocks
    func notes(at time: FrameTime) -> (bar: Int, notes: UInt128, notesPerMinute: Double) {
      let time = steady(time)
      let (bar, notes) = buffer.grid.notes(at: time, unit: buffer.meterUnit)
      return (bar + firstBar - 1, notes, buffer.notesPerMinute * warp.speed(time))
    }

    /// A time in the score as the section's grid counts it.
    /// - Thread: any, audio
    @_noLocks
    func steady(_ time: FrameTime) -> FrameTime { warp.steady(FrameTime(raw: time.raw - start.raw)) }

    /// Releases what no other section has.
    func deallocate() {
      if case .knots(let knots) = warp { knots.deallocate() }
    }
  }
}
