/// A stretch of the music without a pulse of the MIDI clock, which lasts as long as nothing moves: most periods lie in one, and what
/// they have to work out is nothing.
struct PulseRest: BitwiseCopyable {
  /// Of what the frames of pulses are made.
  struct Course: BitwiseCopyable {
    let score: UnsafePointer<Score>
    let lap: Playhead.Lap
    let section: Int
    let pace: Double
    let holdsSection: Bool
    let shift: Int64

    @_noLocks
    init(_ playhead: borrowing Playhead, shift: Int64) {
      score = playhead.score
      lap = playhead.lap
      section = playhead.sectionIndex
      pace = playhead.pace
      holdsSection = playhead.holdsSection
      self.shift = shift
    }

    @_noLocks
    @inline(__always)
    func isSame(as other: Course) -> Bool {
      score == other.score && lap.origin == other.lap.origin && lap.pulses == other.lap.pulses
        && section == other.section && pace == other.pace && holdsSection == other.holdsSection
        && shift == other.shift
    }
  }

  private let course: Course
  /// The clock frames from which on there has been none, up to which that is known, and on which the next one may come.
  private let start: Int64
  private var here: Int64
  private let end: Int64
  /// Pulses in a frame, just before it.
  private let speed: Double

  /// The rest that comes after a range.
  /// - Parameters:
  ///   - end: where the next pulse may come.
  ///   - gone: how far the music went in the range, in 2⁻⁶⁴ pulses.
  /// - Returns: nil where there is none, and where the music leapt: a section without an end holds more pulses than anybody counts.
  /// - Thread: audio
  @_noLocks
  init?(_ course: Course, from range: Range<Int64>, until end: Int64, gone: Int128) {
    guard end > range.upperBound, gone >= 0, gone < 1 << 80 else { return nil }
    self.course = course
    (start, here, self.end) = (range.upperBound, range.upperBound, end)
    speed = Double(Int64(gone >> 32)) * 0x1p-32 / Double(range.count)
  }

  /// How far the music has gone since `start`, in 2⁻⁶⁴ pulses, if its tempo has stayed; in any case less than from one to the next.
  /// - Thread: audio
  var progress: Int128 {
    @_noLocks get { Int128(Int64(min(Double(here - start) * speed, 1) * 0x1p32)) << 32 }
  }

  /// Goes on through a range, if it lies in the rest.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func pass(_ range: Range<Int64>, _ course: Course) -> Bool {
    guard range.lowerBound == here, range.upperBound <= end, course.isSame(as: self.course) else {
      return false
    }
    here = range.upperBound
    return true
  }
}
