import MusicTime
import Timecode

/// The value of timecode from a clock frame on.
struct TimecodeCourse: BitwiseCopyable, Equatable {
  /// The clock frame on the port from which the course applies.
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

  static let standing = TimecodeCourse(from: .earliest, isRunning: false, isJump: false)

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

/// The courses of one port: the current one, and those that wait for their frame.
///
/// Copies share the memory.
struct TimecodeCourses: BitwiseCopyable {
  /// The maximum number of courses. If there are more, the newest replaces the one before it.
  private static var capacity: Int { @_noLocks get { 64 } }

  private struct Place: BitwiseCopyable {
    var first = 0
    var count = 1
  }

  private let courses: UnsafeMutablePointer<TimecodeCourse>
  private let place: UnsafeMutablePointer<Place>

  init() {
    courses = .allocate(capacity: TimecodeCourses.capacity)
    courses.initialize(to: .standing)
    place = .allocate(capacity: 1)
    place.initialize(to: Place())
  }

  /// Frees the memory. No copy may be used afterwards.
  func free() {
    courses.deallocate()
    place.deallocate()
  }

  /// The current course.
  /// - Thread: audio
  var now: TimecodeCourse { @_noLocks get { self[0] } }

  /// The clock frame of the next one.
  /// - Thread: audio
  var nextFrame: ClockFrame { @_noLocks get { place.pointee.count > 1 ? self[1].from : .never } }

  /// Adds a course. It begins no earlier than the last known one.
  /// - Thread: audio
  @_noLocks
  func add(_ course: TimecodeCourse) {
    var course = course
    let last = place.pointee.count - 1
    course.from = max(course.from, self[last].from)
    // Of two waiting courses with the same frame, the later replaces the earlier.
    if last > 0, self[last].from == course.from || last == TimecodeCourses.capacity - 1 {
      self[last] = course
    } else {
      self[last + 1] = course
      place.pointee.count += 1
    }
  }

  /// Goes on to the next course.
  /// - Thread: audio
  @_noLocks
  func advance() {
    guard place.pointee.count > 1 else { return }
    place.pointee.first += 1
    place.pointee.count -= 1
  }

  private subscript(index: Int) -> TimecodeCourse {
    @_noLocks get { courses[(place.pointee.first + index) & (TimecodeCourses.capacity - 1)] }
    @_noLocks nonmutating set {
      (courses + (place.pointee.first + index) & (TimecodeCourses.capacity - 1)).initialize(to: newValue)
    }
  }
}
