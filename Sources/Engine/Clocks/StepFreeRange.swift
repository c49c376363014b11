import MusicTime

/// A range of the music without a step of a clock, valid until something changes. Most periods lie in one, and then need
/// no computation.
struct StepFreeRange: BitwiseCopyable {
  /// Everything that determines the frames of steps.
  struct Basis: BitwiseCopyable {
    let score: UnsafePointer<Score>
    let lap: Lap
    let section: Int
    let pace: Double
    let repetition: Repetition
    let shift: TimelineShift

    // Takes the playback, because passing the playhead would copy it.
    @_noLocks
    @inline(__always)
    init(_ playback: borrowing Playback) {
      score = playback.playhead.score
      lap = playback.playhead.lap
      section = playback.playhead.cursor.sectionIndex
      pace = playback.playhead.cursor.pace
      repetition = playback.playhead.repetition
      shift = playback.timeline.shift
    }

    /// Whether the playback has the same values.
    @_noLocks
    @inline(__always)
    func holds(in playback: borrowing Playback) -> Bool {
      score == playback.playhead.score && lap.origin == playback.playhead.lap.origin
        && lap.elapsed.pulses == playback.playhead.lap.elapsed.pulses
        && section == playback.playhead.cursor.sectionIndex && pace == playback.playhead.cursor.pace
        && repetition.equals(playback.playhead.repetition) && shift == playback.timeline.shift
    }
  }

  private let basis: Basis
  /// Clock frames: the start, the end of the ranges passed so far, and the earliest frame of the next step.
  private let start: ClockFrame
  private var here: ClockFrame
  private let end: ClockFrame
  /// Steps per frame, measured just before it.
  private let speed: Double

  /// The step-free range after a range.
  /// - Parameters:
  ///   - end: the earliest frame of the next step.
  ///   - gone: the progress of the music in the range, in 2⁻⁶⁴ steps.
  /// - Returns: nil if there is none, if the music jumped, or if it plays more than about a step in it, as while machines wait.
  /// - Thread: audio
  @_noLocks
  init?(_ basis: Basis, from range: Range<ClockFrame>, until end: ClockFrame, gone: Int128) {
    guard end > range.upperBound, gone >= 0, gone < 1 << 80 else { return nil }
    self.basis = basis
    (start, here, self.end) = (range.upperBound, range.upperBound, end)
    speed = Double(Int64(gone >> 32)) * 0x1p-32 / Double(range.upperBound - range.lowerBound)
    guard Double(end - start) * speed < 2 else { return nil }
  }

  /// The progress of the music since `start`, in 2⁻⁶⁴ steps, if its tempo is constant; at most a step.
  /// - Thread: audio
  var progress: Int128 {
    @_noLocks get { Int128(Int64(min(Double(here - start) * speed, 1) * 0x1p32)) << 32 }
  }

  /// Its end, if the ranges passed so far end at a clock frame and nothing has changed; `earliest` otherwise.
  /// - Thread: audio
  @_noLocks
  func end(at clock: ClockFrame, _ playback: borrowing Playback) -> ClockFrame {
    here == clock && basis.holds(in: playback) ? end : .earliest
  }

  /// Advances to a clock frame within it.
  /// - Thread: audio
  @_noLocks
  mutating func pass(to clock: ClockFrame) { here = clock }

  /// Advances through a range, if it lies in this one.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func pass(_ range: Range<ClockFrame>, _ playback: borrowing Playback) -> Bool {
    guard range.lowerBound == here, range.upperBound <= end, basis.holds(in: playback) else {
      return false
    }
    here = range.upperBound
    return true
  }
}
