import MusicTime
import Timecode

/// The value of timecode from a clock frame on.
struct TimecodeSegment: BitwiseCopyable, Equatable {
  /// The clock frame on the port from which the segment applies.
  var from: ClockFrame
  var isRunning: Bool
  /// Whether a full frame is sent at its start, because the position has jumped.
  var isJump: Bool
  /// Samples since the start of the transport or score: while stopped, the position; while running, the position at the
  /// clock's frame 0.
  var base: Int64 = 0
  /// The frame of timecode at the start of the transport or score.
  var start: Int64 = 0
  var rate = TimecodeRate.pal

  static let standing = TimecodeSegment(from: .earliest, isRunning: false, isJump: false)

  /// Samples from the start of the transport or score to the position at a clock frame.
  /// - Thread: audio
  @_noLocks
  func place(at clock: ClockFrame) -> Int64 { isRunning ? clock.number + base : base }

  /// The clock frame at which a position is reached. Valid only while the timecode runs.
  /// - Thread: audio
  @_noLocks
  func clock(ofPlace place: Int64) -> ClockFrame { ClockFrame(place - base) }

  /// The number of a frame.
  /// - Parameter frame: timecode frames since the start of the transport or score.
  /// - Thread: audio
  @_noLocks
  func time(ofFrame frame: Int64) -> Timecode { Timecode(count: start + frame, rate: rate) }
}

/// The segments of one port: the current one, and those that wait for their frame.
///
/// Copies share the memory.
struct TimecodeSegments: BitwiseCopyable {
  /// The maximum number of segments. If there are more, the newest replaces the one before it.
  private static var capacity: Int { @_noLocks get { 64 } }

  private struct Place: BitwiseCopyable {
    var first = 0
    var count = 1
  }

  private let segments: UnsafeMutablePointer<TimecodeSegment>
  private let place: UnsafeMutablePointer<Place>

  init() {
    segments = .allocate(capacity: TimecodeSegments.capacity)
    segments.initialize(to: .standing)
    place = .allocate(capacity: 1)
    place.initialize(to: Place())
  }

  /// Frees the memory. No copy may be used afterwards.
  func free() {
    segments.deallocate()
    place.deallocate()
  }

  /// The current segment.
  /// - Thread: audio
  var now: TimecodeSegment { @_noLocks get { self[0] } }

  /// The clock frame of the next one.
  /// - Thread: audio
  var nextFrame: ClockFrame { @_noLocks get { place.pointee.count > 1 ? self[1].from : .never } }

  /// Adds a segment. It begins no earlier than the last known one.
  /// - Thread: audio
  @_noLocks
  func add(_ segment: TimecodeSegment) {
    var segment = segment
    let last = place.pointee.count - 1
    segment.from = max(segment.from, self[last].from)
    // Of two waiting segments with the same frame, the later replaces the earlier.
    if last > 0, self[last].from == segment.from || last == TimecodeSegments.capacity - 1 {
      self[last] = segment
    } else {
      self[last + 1] = segment
      place.pointee.count += 1
    }
  }

  /// Goes on to the next segment.
  /// - Thread: audio
  @_noLocks
  func advance() {
    guard place.pointee.count > 1 else { return }
    place.pointee.first += 1
    place.pointee.count -= 1
  }

  private subscript(index: Int) -> TimecodeSegment {
    @_noLocks get { segments[(place.pointee.first + index) & (TimecodeSegments.capacity - 1)] }
    @_noLocks nonmutating set {
      (segments + (place.pointee.first + index) & (TimecodeSegments.capacity - 1)).initialize(to: newValue)
    }
  }
}
